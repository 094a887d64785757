//! The pictures of a conversation: from its store, or from files of this machine.
//!
//! A conversation may name any file, and an export must not carry off a key because it is called a picture. So only
//! absolute paths of ordinary files on this machine are read, and only what begins as pictures do is kept.

use std::cell::RefCell;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use backscroll_model::{Conversation, Image, Part};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::folder::hash;
use crate::format::{Format, Pictures};

/// Pictures in a page are no larger than this, and no more than this together.
const LARGEST_INSIDE: u64 = 10 * 1024 * 1024;
const ALL_INSIDE: u64 = 40 * 1024 * 1024;

/// Larger pictures are not copied.
const LARGEST_BESIDE: u64 = 50 * 1024 * 1024;

/// One picture.
#[derive(Debug)]
pub struct Picture {
    /// What it shows.
    pub bytes: Vec<u8>,
    /// The media type that its first bytes say.
    pub media_type: &'static str,
    ending: &'static str,
}

impl Picture {
    /// The picture that `image` holds, if it is one by its first bytes. Labels are not believed.
    pub fn from_store(image: &Image) -> Option<Self> {
        let data = image.data.as_deref()?;
        let data = data.rsplit_once("base64,").map_or(data, |(_, data)| data);
        Self::new(STANDARD.decode(data.trim()).ok()?)
    }

    pub(crate) fn new(bytes: Vec<u8>) -> Option<Self> {
        let (ending, media_type) = match bytes[..] {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => ("png", "image/png"),
            [0xff, 0xd8, 0xff, ..] => ("jpg", "image/jpeg"),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => ("gif", "image/gif"),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => ("webp", "image/webp"),
            _ => return None,
        };
        Some(Self { bytes, media_type, ending })
    }

    /// A file name made from the content, so that the same picture is written once.
    pub(crate) fn file_name(&self) -> String {
        format!("{}.{}", &hash(&self.bytes)[..16], self.ending)
    }
}

/// The pictures of one conversation that are written beside its file.
#[derive(Debug)]
pub(crate) struct Assets {
    /// The address of their folder, as seen from the file.
    folder: String,
    pictures: RefCell<Vec<Picture>>,
}

impl Assets {
    pub(crate) fn new(folder: &str) -> Self {
        Self { folder: folder.to_owned(), pictures: RefCell::default() }
    }

    /// Adds the picture that `image` holds, and gives its address.
    pub(crate) fn add(&self, image: &Image) -> Option<String> {
        let picture = Picture::from_store(image)?;
        let address = format!("{}{}", self.folder, picture.file_name());
        self.pictures.borrow_mut().push(picture);
        Some(address)
    }

    pub(crate) fn into_pictures(self) -> Vec<Picture> {
        self.pictures.into_inner()
    }
}

/// Reads the pictures of `conversation` that lie in files, if `format` shows them in the file, or beside it and that is
/// asked for.
pub fn fetch(conversation: &mut Conversation, format: &Format, has_assets: bool) {
    match format.pictures {
        Pictures::Inside => fill(conversation, LARGEST_INSIDE, ALL_INSIDE),
        Pictures::Beside if has_assets => fill(conversation, LARGEST_BESIDE, u64::MAX),
        Pictures::Beside | Pictures::AsStored => {}
    }
}

/// Reads pictures of at most `largest` bytes each and `all` bytes together.
fn fill(conversation: &mut Conversation, largest: u64, all: u64) {
    let stores: Vec<PathBuf> =
        conversation.summary.origins.iter().map(|origin| origin.file.to_path_buf()).collect();
    let mut left = all;
    for message in conversation.messages.iter_mut().chain(&mut conversation.orphans) {
        let images = message.parts.iter_mut().filter_map(|part| match part {
            Part::Image(image) if image.data.is_none() => Some(image),
            _ => None,
        });
        for image in images {
            let Some(picture) = from_file(image, &stores, largest.min(left)) else { continue };
            left = left.saturating_sub(u64::try_from(picture.bytes.len()).unwrap_or(u64::MAX));
            image.data = Some(STANDARD.encode(picture.bytes));
        }
    }
}

fn from_file(image: &Image, stores: &[PathBuf], largest: u64) -> Option<Picture> {
    let path = image.path.as_deref()?;
    // A path that begins with two slashes may name another machine, which would notice the request.
    let is_elsewhere = path.starts_with("//") || path.starts_with("\\\\");
    let here = Some(PathBuf::from(path)).filter(|path| path.is_absolute() && !is_elsewhere);
    here.into_iter().chain(moved(path, stores)).find_map(|file| read(&file, largest))
}

/// Where a picture in Cursor's own folders is now, if its home was copied or is of another system.
fn moved(path: &str, stores: &[PathBuf]) -> Vec<PathBuf> {
    let names: Vec<&str> = path.split(['/', '\\']).filter(|name| !name.is_empty()).collect();
    // The path below the folder of the editor or of the agent.
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

fn read(file: &Path, largest: u64) -> Option<Picture> {
    fs::metadata(file).ok().filter(|about| about.is_file() && about.len() <= largest)?;
    let mut bytes = Vec::new();
    fs::File::open(file).ok()?.take(largest).read_to_end(&mut bytes).ok()?;
    Picture::new(bytes)
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
            let ending = Picture::new(bytes.to_vec()).map(|picture| picture.ending);
            assert_eq!(ending, *expected, "{}", String::from_utf8_lossy(bytes));
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
