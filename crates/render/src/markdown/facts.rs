//! What is known of a conversation besides its messages, in one order for front matter and for lists.

use std::collections::BTreeSet;
use std::io::{self, Write};

use backscroll_model::{Conversation, Touch};

use super::blocks::Blocks;
use super::{Look, inline};

/// One fact.
pub(super) enum Fact {
    /// Stored text.
    Text(String),
    /// A time, a number: nothing that needs quoting.
    Plain(String),
    /// Several texts.
    Texts(Vec<String>),
}

/// All facts under their names. Names are those of the outer contract where it has one.
pub(super) fn of(conversation: &Conversation) -> Vec<(&'static str, Fact)> {
    let (summary, facts) = (&conversation.summary, &conversation.facts);
    let text = |text: &Option<String>| text.clone().map(Fact::Text);
    let plain = |value: Option<String>| value.map(Fact::Plain);
    let texts = |texts: Vec<String>| (!texts.is_empty()).then_some(Fact::Texts(texts));
    let workspace = summary.workspace.as_ref();
    let (changed, read) = files(conversation);
    let ids = |ids: &[backscroll_model::ConversationId]| ids.iter().map(ToString::to_string).collect();
    let told = [
        ("id", Some(Fact::Text(summary.id.to_string()))),
        ("title", text(&summary.title)),
        ("workspace", workspace.map(|workspace| Fact::Text(workspace.path.clone()))),
        ("remote", workspace.and_then(|workspace| text(&workspace.remote))),
        ("created_at", plain(summary.created_at.map(|at| at.to_string()))),
        ("updated_at", plain(summary.updated_at.map(|at| at.to_string()))),
        ("surface", Some(Fact::Plain(summary.surface.name().to_owned()))),
        ("mode", text(&summary.mode)),
        ("models", texts(summary.models.clone())),
        ("messages", Some(Fact::Plain(conversation.messages.len().to_string()))),
        ("tokens_input", plain(facts.tokens.map(|tokens| tokens.input.to_string()))),
        ("tokens_output", plain(facts.tokens.map(|tokens| tokens.output.to_string()))),
        ("lines_added", plain(facts.lines.map(|lines| lines.added.to_string()))),
        ("lines_removed", plain(facts.lines.map(|lines| lines.removed.to_string()))),
        ("cost_cents", plain(facts.cost_cents.map(|cents| cents.to_string()))),
        ("branches", texts(branches(conversation))),
        ("pull_requests", texts(facts.pull_requests.clone())),
        ("plans", texts(facts.plans.clone())),
        ("flags", texts(summary.flags.iter().map(|flag| flag.name().to_owned()).collect())),
        ("parent", summary.parent.as_ref().map(|parent| Fact::Text(parent.to_string()))),
        ("children", texts(ids(&conversation.children))),
        ("files_changed", texts(changed.into_iter().collect())),
        ("files_read", texts(read.into_iter().collect())),
    ];
    told.into_iter().filter_map(|(name, fact)| Some((name, fact?))).collect()
}

fn branches(conversation: &Conversation) -> Vec<String> {
    let facts = &conversation.facts;
    let last = facts.branch.iter().filter(|branch| !facts.branches.contains(branch));
    facts.branches.iter().chain(last).cloned().collect()
}

/// The files that were changed, and those that were only read or attached.
fn files(conversation: &Conversation) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut changed, mut read) = (BTreeSet::new(), BTreeSet::new());
    for touched in conversation.touched() {
        match touched.how {
            Touch::Edited | Touch::Deleted => changed.insert(touched.path),
            Touch::Read | Touch::Attached => read.insert(touched.path),
        };
    }
    read.retain(|path| !changed.contains(path));
    (changed, read)
}

/// Writes the facts as a list, for a conversation that is one of several in a document.
pub(super) fn list<W: Write>(
    blocks: &mut Blocks<W>,
    conversation: &Conversation,
    look: &Look<'_>,
) -> io::Result<()> {
    for (name, fact) in of(conversation) {
        let told = match fact {
            Fact::Text(_) if name == "title" => continue,
            Fact::Text(text) => inline::words(&text),
            Fact::Plain(text) => text,
            Fact::Texts(texts) => texts.iter().map(|text| inline::words(text)).collect::<Vec<_>>().join(", "),
        };
        blocks.item(&format!("{}: {told}", name.replace('_', " ")))?;
    }
    blocks.item(&format!("times in: {}", super::front_matter::zone(look)))
}
