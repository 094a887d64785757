//! What a user put beside the words of a message (`SelectedContext`). Must not fetch pictures.

use backscroll_model::{Attachment, AttachmentKind, Image};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::root::Reference;
use super::wire::{Message, Value};

/// The pictures of a selected context.
pub(super) fn images(context: &Message<'_>) -> Vec<Image> {
    context
        .every(1)
        .map(|bytes| {
            let image = Message::read(bytes);
            let nested = image.message(9);
            let data = image.bytes(8).or_else(|| nested.as_ref()?.bytes(2));
            let blob = image.bytes(1).or_else(|| nested.as_ref()?.bytes(1));
            let blob = blob.and_then(|id| Some(format!("blob {}", Reference::of(id).id()?)));
            Image {
                path: image.words(3).or_else(|| blob.clone()),
                media_type: image.words(7),
                data: data.map(|bytes| STANDARD.encode(bytes)),
                description: image.words(3).and(blob),
            }
        })
        .collect()
}

/// Everything else that was selected.
pub(super) fn attachments(context: &Message<'_>) -> Vec<Attachment> {
    let mut all = Vec::new();
    for field in &context.fields {
        if let (Some(kind), Value::Bytes(bytes)) = (kind(field.number), field.value) {
            all.push(attachment(kind, bytes));
        }
    }
    all
}

fn kind(number: u32) -> Option<AttachmentKind> {
    Some(match number {
        3 | 16 => AttachmentKind::Context,
        4 => AttachmentKind::File,
        5 => AttachmentKind::Selection,
        6 | 7 | 15 => AttachmentKind::Terminal,
        8 => AttachmentKind::Folder,
        9 => AttachmentKind::Link,
        10 => AttachmentKind::Rule,
        11 | 18 => AttachmentKind::Diff,
        12 => AttachmentKind::Command,
        13 => AttachmentKind::Doc,
        14 => AttachmentKind::Mention,
        17 => AttachmentKind::Commit,
        _ => return None,
    })
}

/// The layouts of selected things differ and are not all known, so their texts are told apart by their looks.
fn attachment(kind: AttachmentKind, bytes: &[u8]) -> Attachment {
    let mut attachment = Attachment::new(kind);
    let Some(message) = Message::whole(bytes) else {
        return attachment.saying(String::from_utf8_lossy(bytes));
    };
    for field in &message.fields {
        let Value::Bytes(bytes) = field.value else {
            continue;
        };
        let Ok(text) = std::str::from_utf8(bytes) else {
            continue;
        };
        if text.is_empty() || text.contains(|c: char| c.is_control() && !c.is_whitespace()) {
            continue;
        }
        let place = match () {
            () if text.contains('\n') => &mut attachment.text,
            () if looks_like_a_place(text) => &mut attachment.path,
            () => &mut attachment.title,
        };
        place.get_or_insert_with(|| text.to_owned());
    }
    attachment
}

fn looks_like_a_place(text: &str) -> bool {
    text.starts_with(['/', '~', '.']) || text.contains("://") || text.get(1..3) == Some(":\\")
}
