//! The history of a home on disk, and short ways to look into it.

use std::path::Path;
use std::time::Duration;

use backscroll_cursor_store::{Where, find};
use backscroll_fixtures::snapshot_of;
use backscroll_history::{Ask, History, Keep};
use backscroll_model::{Conversation, ConversationId, Message, Part, Summary};

/// The history of the home at `path`.
pub(crate) fn history_of(path: &Path) -> History {
    let found = find(&Where { home: Some(path.to_owned()), ..Where::default() });
    History::over(found.sources, found.findings)
}

/// The same, with heads and words in the index in `folder`.
pub(crate) fn kept_history_of(path: &Path, folder: &Path) -> History {
    let found = find(&Where { home: Some(path.to_owned()), ..Where::default() });
    let keep = Keep { folder: Some(folder), patience: Duration::from_secs(60), ..Keep::default() };
    History::open(found.sources, found.findings, keep)
}

/// Asks the history of the home at `path`, and asserts that nothing there is another afterwards.
pub(crate) fn ask<T>(path: &Path, question: impl FnOnce(&History) -> T) -> T {
    let before = snapshot_of(path).unwrap();
    let answer = question(&history_of(path));
    assert_eq!(snapshot_of(path).unwrap(), before, "reading changes nothing and leaves nothing");
    answer
}

/// Every conversation, hidden ones too.
pub(crate) fn all(history: &History) -> Vec<Summary> {
    let listing = history.list(&Ask::everything());
    assert!(listing.unreadable.is_empty(), "{:?}", listing.unreadable);
    listing.summaries
}

/// The conversation `id`.
pub(crate) fn load(history: &History, id: &str) -> Conversation {
    history.load(&ConversationId::new(id)).unwrap()
}

/// What a message says, all texts together.
pub(crate) fn words(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("|")
}

/// What all messages say.
pub(crate) fn said(messages: &[Message]) -> Vec<String> {
    messages.iter().map(words).collect()
}
