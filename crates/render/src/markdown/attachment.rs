//! What stood beside the words: a line in a list, and its text where everything is wanted.

use std::io::{self, Write};

use backscroll_model::{Attachment, AttachmentKind, LineRange};

use super::blocks::Blocks;
use super::{Look, fence, inline};
use crate::Detail;

/// Writes `attachment`.
pub(super) fn write<W: Write>(
    blocks: &mut Blocks<W>,
    attachment: &Attachment,
    look: &Look<'_>,
) -> io::Result<()> {
    let text = attachment.text.as_deref().filter(|text| !text.trim().is_empty());
    match text.filter(|_| look.detail == Detail::Full) {
        None => blocks.item(&line(attachment)),
        Some(text) => {
            blocks.unfold(&summary(attachment), false)?;
            blocks.block(&fence::fenced(language(attachment), text))?;
            blocks.fold()
        }
    }
}

fn line(attachment: &Attachment) -> String {
    let mut line = format!("📎 {}", attachment.kind.name());
    if let Some(place) = place(attachment) {
        line = format!("{line} {}", inline::code(&place));
    }
    if let Some(title) = attachment.title.as_deref() {
        line = format!("{line} {}", inline::words(title));
    }
    line
}

fn summary(attachment: &Attachment) -> String {
    let mut summary = format!("📎 {}", attachment.kind.name());
    if let Some(place) = place(attachment) {
        summary = format!("{summary} <code>{}</code>", inline::html(&place));
    }
    if let Some(title) = attachment.title.as_deref() {
        summary = format!("{summary} {}", inline::html(title));
    }
    summary
}

/// The file and the lines that were meant.
fn place(attachment: &Attachment) -> Option<String> {
    let lines = match attachment.lines {
        Some(LineRange { first, last }) if first == last => format!(":{first}"),
        Some(LineRange { first, last }) => format!(":{first}-{last}"),
        None => String::new(),
    };
    let path = attachment.path.as_deref().unwrap_or_default();
    Some(format!("{path}{lines}")).filter(|place| !place.is_empty())
}

fn language(attachment: &Attachment) -> &str {
    match attachment.kind {
        AttachmentKind::Diff | AttachmentKind::Commit | AttachmentKind::PullRequest => "diff",
        kind if kind.is_of_a_file() => attachment.path.as_deref().map(fence::language_of).unwrap_or_default(),
        _ => "text",
    }
}
