//! `aiCodeTrackingLines` in the global `ItemTable`: the older list of lines that were generated, before they had a database.
//!
//! `[{hash, metadata: {source, composerId?, fileName?, fileExtension, requestId?, timestamp?}}]`, the last ten thousand or so. It
//! names no model. Which fields an entry has depends on who wrote the line, so each is taken as far as it goes.

use std::cell::OnceCell;

use backscroll_model::{Decoded, Finding, FindingKind, Origin};
use serde_json::value::RawValue;

use crate::tracking::TrackingRow;
use crate::wire_json::{Object, elements, parse};

/// The key of the list.
pub const KEY: &str = "aiCodeTrackingLines";

/// The lines as rows. Entries that are nothing of the kind are told of once, with their number.
pub fn rows(bytes: &[u8], at: &Origin) -> Decoded<Vec<TrackingRow>> {
    let repaired = OnceCell::new();
    let items: Vec<&RawValue> = match parse::<&RawValue>(bytes, &repaired) {
        Ok(list) if list.get().starts_with('[') => elements(list),
        _ => {
            let finding =
                Finding::new(FindingKind::Undecodable, at.clone(), "the tracked lines are no JSON list");
            return Decoded { value: Vec::new(), findings: vec![finding] };
        }
    };
    let rows: Vec<TrackingRow> = items.iter().filter_map(|item| row(item)).collect();
    let strange = items.len() - rows.len();
    let says = format!("{strange} tracked lines are of no shape that we know");
    let finding = (strange > 0).then(|| Finding::new(FindingKind::Unknown, at.clone(), says));
    Decoded { value: rows, findings: finding.into_iter().collect() }
}

fn row(item: &RawValue) -> Option<TrackingRow> {
    let metadata = Object::of(item)?.object("metadata")?;
    Some(TrackingRow {
        source: metadata.text("source"),
        file_name: metadata.text("fileName"),
        request_id: metadata.text("requestId"),
        conversation_id: metadata.text("composerId"),
        model: None,
        timestamp: metadata.integer("timestamp"),
        created_at: None,
    })
}
