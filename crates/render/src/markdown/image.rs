//! Pictures: shown where they lie beside the document, else linked or named.

use std::io::{self, Write};

use backscroll_model::Image;

use super::blocks::Blocks;
use super::{Look, inline};

/// Writes `image`.
pub(super) fn write<W: Write>(blocks: &mut Blocks<W>, image: &Image, look: &Look<'_>) -> io::Result<()> {
    let words = image.description.as_deref().map(inline::words).filter(|words| !words.is_empty());
    let words = words.as_deref().unwrap_or("image");
    if let Some(address) = (look.picture)(image) {
        return blocks.block(&format!("![{words}]({})", inline::destination(&address)));
    }
    let mut line = format!("🖼 {words}");
    if let Some(path) = image.path.as_deref().filter(|path| !path.is_empty()) {
        line = match address(path) {
            Some(address) => format!("🖼 [{words}]({})", inline::destination(&address)),
            None => format!("{line} {}", inline::code(path)),
        };
    }
    if let Some(kind) = image.media_type.as_deref() {
        line = format!("{line} ({})", inline::words(kind));
    }
    if image.data.is_some() {
        line = format!("{line} · in the store; `--assets` writes it out");
    }
    blocks.block(&line)
}

/// The address of a picture elsewhere: only where it is a whole path or a web address, so that nothing else is followed.
fn address(path: &str) -> Option<String> {
    if path.starts_with("https://") || path.starts_with("http://") {
        return Some(path.to_owned());
    }
    let encoded = |path: &str| path.replace('%', "%25").replace('#', "%23").replace('?', "%3F");
    let mut characters = path.chars();
    let has_drive = characters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && characters.next() == Some(':')
        && matches!(characters.next(), Some('/' | '\\'));
    if has_drive {
        return Some(format!("file:///{}", encoded(&path.replace('\\', "/"))));
    }
    (path.starts_with('/') && !path.starts_with("//")).then(|| format!("file://{}", encoded(path)))
}
