//! Pictures that lie in files: those that a conversation names as its own, and nothing else.
//!
//! A conversation may name any file, and an export must not carry off a key because somebody called it a picture. So what
//! is read is a whole path of this machine to an ordinary file, and what is kept begins as pictures do.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use backscroll_model::{Conversation, Image, Part};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Larger pictures stay where they are.
pub(crate) const LARGEST: u64 = 50 * 1024 * 1024;

/// Puts the pictures of `conversation` into it whose files still lie on this machine, as far as `largest` bytes each and
/// `all` bytes together go.
pub(crate) fn fill(conversation: &mut Conversation, largest: u64, all: u64) {
    let stores: Vec<PathBuf> =
        conversation.summary.origins.iter().map(|origin| origin.file.to_path_buf()).collect();
    let mut left = all;
    for message in conversation.messages.iter_mut().chain(&mut conversation.orphans) {
        let images = message.parts.iter_mut().filter_map(|part| match part {
            Part::Image(image) if image.data.is_none() => Some(image),
            _ => None,
        });
        for image in images {
            let Some(bytes) = read(image, &stores, largest.min(left)) else { continue };
            left = left.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            image.data = Some(STANDARD.encode(bytes));
        }
    }
}

/// What the picture holds, whether the store has it or a file.
pub(crate) fn stored(image: &Image) -> Option<Vec<u8>> {
    let data = image.data.as_deref()?;
    let data = data.rsplit_once("base64,").map_or(data, |(_, data)| data);
    STANDARD.decode(data.trim()).ok()
}

/// The ending of a file that begins like this; `None` for what is no picture.
pub(crate) fn ending(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("png"),
        [0xff, 0xd8, 0xff, ..] => Some("jpg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("webp"),
        _ => None,
    }
}

fn read(image: &Image, stores: &[PathBuf], largest: u64) -> Option<Vec<u8>> {
    let path = image.path.as_deref()?;
    // What begins with two slashes may be another machine, which would learn that somebody looked.
    let is_elsewhere = path.starts_with("//") || path.starts_with("\\\\");
    let here = Some(PathBuf::from(path)).filter(|path| path.is_absolute() && !is_elsewhere);
    here.into_iter().chain(moved(path, stores)).find_map(|place| picture(&place, largest))
}

/// Where a picture of Cursor's own folders lies now, if its home was copied or belongs to another system.
fn moved(path: &str, stores: &[PathBuf]) -> Vec<PathBuf> {
    let names: Vec<&str> = path.split(['/', '\\']).filter(|name| !name.is_empty()).collect();
    // The folder of the editor or of the agent, and what lies below it.
    let below = |folder: &str, next: &str| {
        let at = names.windows(2).rposition(|pair| pair == [folder, next])?;
        let below = &names[at + 1..];
        let is_plain = below.iter().all(|name| *name != ".." && !name.contains(':'));
        is_plain.then(|| below.iter().collect::<PathBuf>())
    };
    let places = [("User", below("User", "workspaceStorage")), (".cursor", below(".cursor", "projects"))];
    let places = places.into_iter().filter_map(|(folder, below)| Some((folder, below?)));
    let roots = |folder: &str| {
        let root =
            |store: &PathBuf| store.ancestors().find(|above| above.ends_with(folder)).map(Path::to_path_buf);
        let mut roots: Vec<PathBuf> = stores.iter().filter_map(root).collect();
        roots.dedup();
        roots
    };
    places.flat_map(|(folder, below)| roots(folder).into_iter().map(move |root| root.join(&below))).collect()
}

fn picture(place: &Path, largest: u64) -> Option<Vec<u8>> {
    fs::metadata(place).ok().filter(|about| about.is_file() && about.len() <= largest)?;
    let mut bytes = Vec::new();
    fs::File::open(place).ok()?.take(largest).read_to_end(&mut bytes).ok()?;
    ending(&bytes).map(|_| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_begins_as_a_picture_is_one() {
        let table: &[(&[u8], Option<&str>)] = &[
            (b"\x89PNG\r\n\x1a\n....", Some("png")),
            (b"\xff\xd8\xff\xe0JFIF", Some("jpg")),
            (b"GIF89a", Some("gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"root:x:0:0:root:/root:/bin/bash", None),
            (b"BMW_API_KEY=secret", None),
            (b"GIF8 is how it begins", None),
            (b"<svg onload=alert(1)>", None),
            (b"", None),
        ];
        for (bytes, expected) in table {
            assert_eq!(ending(bytes), *expected, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_picture_of_cursors_own_folders_is_found_in_a_copied_home() {
        let stores = [PathBuf::from("/backup/.config/Cursor/User/globalStorage/state.vscdb")];
        let windows =
            "c:\\Users\\mira\\AppData\\Roaming\\Cursor\\User\\workspaceStorage\\ab12\\images\\shot.png";
        let expected = PathBuf::from("/backup/.config/Cursor/User/workspaceStorage/ab12/images/shot.png");
        assert_eq!(moved(windows, &stores), [expected]);
        let agent = [PathBuf::from("/backup/.cursor/chats/a/b/store.db")];
        assert_eq!(
            moved("/home/mira/.cursor/projects/x/assets/shot.png", &agent),
            [PathBuf::from("/backup/.cursor/projects/x/assets/shot.png")]
        );
        for elsewhere in
            ["/etc/passwd", "/home/mira/User/../secret.png", "/u/User/workspaceStorage/../../../etc/x"]
        {
            assert_eq!(moved(elsewhere, &stores), Vec::<PathBuf>::new(), "{elsewhere}");
        }
    }
}
