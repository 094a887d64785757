//! The content of a message blob: a text, or a list of pieces, read in one go with the message around it.
//! Must not know what pieces mean.

use backscroll_model::{Finding, FindingKind, Origin};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::message_part::{Piece, WirePiece, known};
use crate::wire_json::{elements, text};

/// What a message is made of.
#[derive(Debug, Default)]
pub(super) enum Content {
    /// Nothing.
    #[default]
    Absent,
    /// Pieces, all of kinds that we know. That is how nearly all messages are.
    Known(Vec<Piece>),
    /// Something else, to be looked at again.
    Odd,
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Absent)
    }

    fn visit_str<E>(self, text: &str) -> Result<Content, E> {
        Ok(Content::Known(words(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content, A::Error> {
        let mut pieces = Vec::with_capacity(1);
        while let Some(stored) = seq.next_element::<WirePiece<'_>>()? {
            let Ok(piece) = known(stored) else {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(Content::Odd);
            };
            pieces.extend(piece);
        }
        Ok(Content::Known(pieces))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Content, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Content::Odd)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Content, E> {
        Ok(Content::Odd)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Content, E> {
        Ok(Content::Odd)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Content, E> {
        Ok(Content::Odd)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Content, E> {
        Ok(Content::Odd)
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ContentVisitor)
    }
}

fn words(text: String) -> Vec<Piece> {
    if text.is_empty() { Vec::new() } else { vec![Piece::Text(text)] }
}

/// The pieces of content of which not everything is known.
pub(super) fn odd_pieces(content: &RawValue, at: &Origin, findings: &mut Vec<Finding>) -> Vec<Piece> {
    let items = if content.get().starts_with('[') { elements(content) } else { vec![content] };
    items.into_iter().filter_map(|item| piece(item, at, findings)).collect()
}

fn piece(item: &RawValue, at: &Origin, findings: &mut Vec<Finding>) -> Option<Piece> {
    if let Some(text) = text(item) {
        return Some(Piece::Text(text));
    }
    known(serde_json::from_str(item.get()).unwrap_or_default()).unwrap_or_else(|kind| {
        let says = format!("a message has a part of the unknown type {kind:?}");
        findings.push(Finding::new(FindingKind::Unknown, at.clone(), says));
        // Its source is kept as words, so that nothing is lost.
        Some(Piece::Text(item.get().to_owned()))
    })
}
