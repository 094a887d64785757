//! Which conversations of a `state.vscdb` speak of plans. They are told otherwise when a plan file comes, changes or goes,
//! though none of their rows does.
//!
//! Values are read only of conversations that changed and so will be read anyway; of all of them once, when the first plan
//! is there.

use std::collections::BTreeSet;

use backscroll_cursor_format::Row;
use backscroll_cursor_format::ide::keys;
use memchr::memmem::Finder;

use super::state_keys::{Owner, owner};
use crate::key_range::KeyRange;
use crate::read_only_db::{ReadError, ReadOnlyDb};
use crate::table::Table;

/// What stands in a row that names a plan's file, or in one that made a plan. Some say it of no plan: that costs a look.
const WORDS: [&str; 6] =
    [".plan.md", "create_plan", "CreatePlan", "createPlan", "\"name\":\"plan\"", "\"tool\":43"];

/// Those who speak of plans now, where `known` did before and the rows of `changed` are others now. `None` as long as
/// nobody has to know, because there are no plans.
pub(super) fn speakers(
    db: &ReadOnlyDb,
    known: Option<&BTreeSet<String>>,
    changed: &BTreeSet<String>,
    has_plans: bool,
) -> Result<Option<BTreeSet<String>>, ReadError> {
    if known.is_none() && !has_plans {
        return Ok(None);
    }
    let Some(table) = db.table("cursorDiskKV")? else { return Ok(Some(BTreeSet::new())) };
    let mut speakers = known.cloned().unwrap_or_default();
    match known {
        None => {
            for beginning in [keys::COMPOSERS, keys::BUBBLES] {
                add(table, &KeyRange::under(beginning), &mut speakers)?;
            }
        }
        Some(_) => {
            for id in changed {
                speakers.remove(id);
                let record = format!("{}{id}", keys::COMPOSERS);
                let record =
                    KeyRange { before: [record.as_bytes(), &[0]].concat(), from: record.into_bytes() };
                add(table, &record, &mut speakers)?;
                add(table, &KeyRange::under(&format!("{}{id}:", keys::BUBBLES)), &mut speakers)?;
            }
        }
    }
    Ok(Some(speakers))
}

/// Adds those whose rows in `range` speak of plans.
fn add(table: Table<'_>, range: &KeyRange, speakers: &mut BTreeSet<String>) -> Result<(), ReadError> {
    let words = WORDS.map(Finder::new);
    table.each(range, &mut |Row { key, value, .. }| {
        let key = String::from_utf8_lossy(key);
        let (Owner::Conversation(id), Some(value)) = (owner(&key), value) else { return };
        if !speakers.contains(id) && words.iter().any(|word| word.find(value).is_some()) {
            speakers.insert(id.to_owned());
        }
    })
}
