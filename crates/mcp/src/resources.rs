//! Conversations as resources: `backscroll://conversation/{id}`, as Markdown.

use backscroll_history::live::Snapshot;
use backscroll_model::{ConversationId, Summary};
use backscroll_render::{Detail, Options, markdown};
use percent_encoding::percent_decode_str;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use crate::answer::ToolError;
use crate::memory::{Memory, title};

const PREFIX: &str = "backscroll://conversation/";
const MEDIA_TYPE: &str = "text/markdown";

/// The number of resources in one page of the list.
pub(crate) const PAGE: usize = 100;

pub(crate) const TEMPLATE: &str = "backscroll://conversation/{id}";

pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(TEMPLATE, "conversation")
        .with_title("A past conversation")
        .with_description("One conversation as Markdown, by its id.")
        .with_mime_type(MEDIA_TYPE)
}

pub(crate) fn uri(id: &ConversationId) -> String {
    let id = percent_encoding::utf8_percent_encode(id.as_str(), &ENCODED);
    format!("{PREFIX}{id}")
}

/// Ids are mostly letters, digits and dashes.
const ENCODED: percent_encoding::AsciiSet =
    percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

pub(crate) fn id(uri: &str) -> Option<ConversationId> {
    let id = uri.strip_prefix(PREFIX).filter(|id| !id.is_empty())?;
    percent_decode_str(id).decode_utf8().ok().map(ConversationId::new)
}

pub(crate) fn listed(summary: &Summary) -> Resource {
    let resource = Resource::new(uri(&summary.id), summary.id.as_str())
        .with_title(title(summary))
        .with_mime_type(MEDIA_TYPE);
    let changed = summary.recency().map(|at| format!("Last changed {at}."));
    changed.map_or(resource.clone(), |changed| resource.with_description(changed))
}

pub(crate) fn read(
    memory: &Memory,
    snapshot: &Snapshot,
    id: &ConversationId,
) -> Result<ResourceContents, ToolError> {
    let conversation = memory.conversation(snapshot, id)?;
    let options = Options::alone(Detail::Normal, memory.now().time_zone().clone());
    let mut text = Vec::new();
    let unwritten = |error| ToolError::new(format!("It cannot be written as Markdown: {error}"));
    markdown::conversation(&conversation, &options, &|_| None, &mut text).map_err(unwritten)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(ResourceContents::text(text, uri(id)).with_mime_type(MEDIA_TYPE))
}

/// Ids that begin with what was typed, or whose title holds it; the latest first.
pub(crate) fn completed(snapshot: &Snapshot, typed: &str) -> Vec<String> {
    let wanted = typed.to_lowercase();
    let holds = |summary: &&Summary| {
        summary.id.as_str().starts_with(typed)
            || (!wanted.is_empty() && title(summary).to_lowercase().contains(&wanted))
    };
    snapshot.shown().filter(holds).map(|summary| summary.id.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_one_conversation() {
        for name in ["98251e54-1111", "an id/with?marks", "日本"] {
            assert_eq!(id(&uri(&ConversationId::new(name))).as_ref().map(ConversationId::as_str), Some(name));
        }
        for other in ["", "backscroll://conversation/", "file:///etc/passwd", "backscroll://other/1"] {
            assert_eq!(id(other), None, "{other}");
        }
    }
}
