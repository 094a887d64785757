//! Pictures that a message names: `[Image]` lines and the numbered paths in `<image_files>`.

use backscroll_model::Image;

use crate::media_type::media_type;

/// The placeholder that stands where a picture stood.
const PLACEHOLDER: &str = "[Image]";

/// The pictures that the lines of `<image_files>` name, and the lines that name none.
pub(super) fn listed(inner: &str) -> (Vec<Image>, String) {
    let mut images = Vec::new();
    let mut rest = Vec::new();
    for line in inner.lines() {
        match numbered(line.trim()) {
            Some(path) => images.push(Image {
                path: Some(path.to_owned()),
                media_type: media_type(path).map(str::to_owned),
                ..Image::default()
            }),
            None => rest.push(line),
        }
    }
    (images, rest.join("\n").trim().to_owned())
}

/// Takes the `[Image]` lines out of `text` and counts them.
pub(super) fn without_placeholders(text: &str) -> (String, usize) {
    if !text.contains(PLACEHOLDER) {
        return (text.to_owned(), 0);
    }
    let lines = text.split('\n');
    let (placeholders, rest): (Vec<_>, Vec<_>) = lines.partition(|line| line.trim() == PLACEHOLDER);
    (rest.join("\n"), placeholders.len())
}

fn numbered(line: &str) -> Option<&str> {
    let (number, path) = line.split_once(". ")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && path.contains(['/', '\\', '.'])).then_some(path.trim())
}
