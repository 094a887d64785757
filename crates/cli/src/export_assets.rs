//! Pictures of a conversation, to be written beside its document.
//!
//! A picture is what begins like one: a store may name any file, and an export must not carry off a key because somebody
//! called it a picture.

use std::fs;
use std::io::Read;
use std::path::Path;

use backscroll_model::Image;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::export_names::hash;

/// Larger pictures stay where they are.
const LARGEST: u64 = 50 * 1024 * 1024;

/// One picture.
pub(crate) struct Asset {
    /// Its file name: made from its content, so that the same picture is written once.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// The picture that `image` tells of, from the store itself or from the file that it names.
pub(crate) fn of(image: &Image) -> Option<Asset> {
    let stored = image.data.as_deref().and_then(|data| {
        let data = data.rsplit_once("base64,").map_or(data, |(_, data)| data);
        STANDARD.decode(data.trim()).ok()
    });
    let bytes = stored.or_else(|| image.path.as_deref().and_then(|path| read(Path::new(path))))?;
    let ending = ending(&bytes)?;
    Some(Asset { name: format!("{}.{ending}", &hash(&bytes)[..16]), bytes })
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let about = fs::metadata(path).ok().filter(|about| about.is_file() && about.len() <= LARGEST)?;
    let mut file = fs::File::open(path).ok()?.take(LARGEST);
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).ok()?);
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The ending of a file that begins like this; `None` for what is no picture.
fn ending(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("png"),
        [0xff, 0xd8, 0xff, ..] => Some("jpg"),
        [b'G', b'I', b'F', b'8', ..] => Some("gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("webp"),
        [b'B', b'M', ..] => Some("bmp"),
        _ => None,
    }
}
