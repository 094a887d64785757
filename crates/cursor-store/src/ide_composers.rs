//! All composer records of the global database, as far as listing needs them.
//!
//! Two threads with a connection each halve the work; the records are decoded where SQLite hands them over, so that
//! nothing is copied and memory does not grow with the database.

use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_format::Row;
use backscroll_cursor_format::ide::{self, Listed, keys};
use backscroll_model::{ConversationId, Finding, FindingKind, Layer, Origin};

use crate::connections::Connections;
use crate::key_range::KeyRange;
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// What the records tell.
#[derive(Debug, Default)]
pub(crate) struct Composers {
    pub(crate) listed: Vec<Listed>,
    /// Records whose value is NULL: Cursor's mark for a deleted conversation.
    pub(crate) null: Vec<ConversationId>,
    pub(crate) undecodable: Vec<ConversationId>,
    pub(crate) findings: Vec<Finding>,
}

impl Composers {
    pub(crate) fn read(connections: &Connections, file: &Arc<Path>) -> Result<Self, ReadError> {
        let all = KeyRange::under(keys::COMPOSERS);
        let middle = format!("{}8", keys::COMPOSERS);
        let (first, second) = (all.ending_before(&*middle), all.starting_at(&*middle));
        let part = |range: &KeyRange| connections.ask(|db| read_range(db, range, file));
        let (first, second) = std::thread::scope(|scope| {
            let other = scope.spawn(|| part(&second));
            let first = part(&first);
            // A panic there is a bug of ours, and goes on as one here.
            (first, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let (mut all, rest) = (first?, second?);
        all.listed.extend(rest.listed);
        all.null.extend(rest.null);
        all.undecodable.extend(rest.undecodable);
        all.findings.extend(rest.findings);
        Ok(all)
    }
}

fn read_range(db: &ReadOnlyDb, range: &KeyRange, file: &Arc<Path>) -> Result<Composers, ReadError> {
    let mut found = Composers::default();
    let Some(table) = db.table("cursorDiskKV")? else { return Ok(found) };
    table.each(range, &mut |Row { key, value, .. }| {
        let key = String::from_utf8_lossy(key);
        let id = ConversationId::new(key.strip_prefix(keys::COMPOSERS).unwrap_or_default());
        let at = Origin::new(Layer::IdeGlobal, Arc::clone(file), &*key);
        match value {
            None => found.null.push(id),
            Some(bytes) => match ide::index_entry(&id, bytes, &at).report_to(&mut found.findings) {
                Some(listed) => found.listed.push(listed),
                None => found.undecodable.push(id),
            },
        }
    })?;
    for listed in &mut found.listed {
        let summary = &mut listed.evidence.summary;
        let (None, Some(bubble)) = (&summary.title, &listed.first_user_bubble) else { continue };
        let row = table.get(&format!("{}{}:{bubble}", keys::BUBBLES, summary.id))?;
        summary.title = row.and_then(|bytes| ide::first_line(&bytes));
    }
    Ok(found)
}

/// One finding for all NULL records, so that they are counted.
pub(crate) fn null_records(count: usize, file: &Arc<Path>) -> Option<Finding> {
    (count > 0).then(|| {
        let at = Origin::new(Layer::IdeGlobal, Arc::clone(file), keys::COMPOSERS);
        let says = format!("{count} conversation records are NULL: conversations that were deleted");
        Finding::new(FindingKind::NullRow, at, says)
    })
}
