//! Heads: entries of `composer.composerHeaders`, values of the table `composerHeaders`, and workspace lists.

use std::cell::OnceCell;

use backscroll_model::{Attribution, ConversationId, Decoded, Finding, FindingKind, Origin};
use serde_json::value::RawValue;

use super::records::{Evidence, WireHead};
use crate::wire_json::{List, parse, wire};

/// A head, as some index holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// What it tells.
    pub evidence: Evidence,
    /// Whether a whole conversation stands inside it, as in the first composers.
    pub holds_messages: bool,
}

/// One head. `by` says how good a witness for the workspace this index is.
pub fn head(json: &str, at: &Origin, by: Attribution) -> Option<Head> {
    let repaired = OnceCell::new();
    let wire: WireHead<'_> = parse(json.as_bytes(), &repaired).ok()?;
    let id = ConversationId::new(wire.id.owned()?);
    let holds_messages = wire.inline.is_some_and(|list| list.get().len() > 2);
    Some(Head { evidence: wire.evidence(id, at.clone(), by), holds_messages })
}

wire! {
    struct WireHeads<'a> { all: List<&'a RawValue> = "allComposers", }
}

/// All heads of a list `{"allComposers":[…]}`.
pub fn heads(bytes: &[u8], at: &Origin, by: Attribution) -> Decoded<Vec<Head>> {
    let repaired = OnceCell::new();
    let wire = match parse::<WireHeads<'_>>(bytes, &repaired) {
        Ok(wire) => wire,
        Err(error) => {
            let says = format!("the list of conversations is not JSON: {error}");
            return Decoded {
                value: Vec::new(),
                findings: vec![Finding::new(FindingKind::Undecodable, at.clone(), says)],
            };
        }
    };
    let mut decoded = Decoded::clean(Vec::new());
    for (index, entry) in wire.all.0.into_iter().enumerate() {
        if let Some(head) = head(entry.get(), at, by) {
            decoded.value.push(head);
        } else {
            let says = format!("entry {index} of the list of conversations has no id");
            decoded.findings.push(Finding::new(FindingKind::Damaged, at.clone(), says));
        }
    }
    decoded
}

/// The raw entry of one conversation in such a list, for those that hold whole conversations.
pub(crate) fn entry<'a>(bytes: &'a [u8], repaired: &'a OnceCell<Vec<u8>>, id: &str) -> Option<&'a RawValue> {
    let wire: WireHeads<'a> = parse(bytes, repaired).ok()?;
    wire.all.0.into_iter().find(|entry| {
        serde_json::from_str::<WireHead<'_>>(entry.get()).is_ok_and(|wire| wire.id.filled() == Some(id))
    })
}
