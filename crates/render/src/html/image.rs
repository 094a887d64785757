//! Pictures: only those that the conversation itself holds, and only of kinds that are nothing but pictures.

use backscroll_model::Image;
use maud::{Markup, html};

use super::stored::in_a_line;

/// Kinds of pictures that hold dots and no program, and how their base64 begins.
const KINDS: &[(&str, &str)] =
    &[("image/png", "iVBORw0KGgo"), ("image/jpeg", "/9j/"), ("image/gif", "R0lGOD"), ("image/webp", "UklGR")];

/// The picture, or what is known of it.
pub(super) fn image(image: &Image) -> Markup {
    figure(image, source(image))
}

/// The picture, fetched from `address`, if the conversation holds it.
pub(super) fn fetched(image: &Image, address: String) -> Markup {
    figure(image, source(image).map(|_| address))
}

fn figure(image: &Image, source: Option<String>) -> Markup {
    let words = image.description.as_deref().map(|words| in_a_line(words, 500));
    html! {
        figure.part.image {
            @if let Some(source) = source {
                img src=(source) alt=(words.as_deref().unwrap_or("a picture without description")) loading="lazy";
            }
            figcaption {
                span.kind { "image" }
                @if let Some(path) = &image.path { " " span.path { (in_a_line(path, 300)) } }
                @if let Some(kind) = &image.media_type { " " span.media-type { (in_a_line(kind, 60)) } }
                @if let Some(words) = &words { " " span.words { (words) } }
            }
        }
    }
}

/// The picture as an address, if its data are what they should be. What it is, its first bytes tell, not a label.
fn source(image: &Image) -> Option<String> {
    let stored = image.data.as_deref()?;
    let data = stored.rsplit_once("base64,").map_or(stored, |(_, data)| data).trim();
    let (kind, _) = KINDS.iter().find(|(_, beginning)| data.starts_with(beginning))?;
    let is_base64 =
        data.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    is_base64.then(|| format!("data:{kind};base64,{data}"))
}
