//! The small cases, each a tiny home that shows one thing.

use backscroll_fixtures::case;
use backscroll_model::Conversation;

use crate::home::{all, ask, load};

/// Reads everything in the home of a case, and compares it with what the case expects.
fn check(name: &str) {
    let case = case(name).unwrap();
    let home = case.copy_to_temp().unwrap();
    let conversations: Vec<Conversation> = ask(home.path(), |history| {
        all(history).iter().map(|summary| load(history, summary.id.as_str())).collect()
    });
    case.check(&conversations);
}

/// A file of JSON lines and one of plain text: the finer order of parts counts, and ids stay unique.
#[test]
fn merge_order() {
    check("merge-order");
}

/// Roots that name messages through linking blobs, and by other fields than the list of messages.
#[test]
fn nested_root() {
    check("nested-root");
}

/// Stored prompts and generations beside conversations: what none of these has is a deleted conversation.
#[test]
fn prompts_beside_tabs() {
    check("prompts-beside-tabs");
}
