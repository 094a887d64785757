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

/// What it is, in Markdown.
fn line(attachment: &Attachment) -> String {
    told(attachment, inline::code, inline::words)
}

/// The same in HTML.
fn summary(attachment: &Attachment) -> String {
    told(attachment, |place| format!("<code>{}</code>", inline::html(place)), inline::html)
}

fn told(attachment: &Attachment, code: fn(&str) -> String, words: fn(&str) -> String) -> String {
    let place = place(attachment).map(|place| code(&place));
    let title = attachment.title.as_deref().map(words);
    let told = [Some(format!("📎 {}", attachment.kind.name())), place, title];
    told.into_iter().flatten().collect::<Vec<_>>().join(" ")
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
