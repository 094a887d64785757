//! Records of the editor as they are stored: all composer records of the global database, as far as listing needs them, and
//! what an `ItemTable` holds whole, of a workspace or of the global database: old chat tabs, and prompts without answers.
//!
//! Two threads with a connection each halve the work of listing; the records are decoded where SQLite hands them over, so
//! that nothing is copied and memory does not grow with the database.

use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_format::Row;
use backscroll_cursor_format::ide::{self, Evidence, FirstLine, Listed, RowKey, RowKind, keys};
use backscroll_model::{ConversationId, Finding, FindingKind, Fragment, Layer, Origin, Summary, Surface};

use crate::read_only_db::{Connections, ReadError, ReadOnlyDb};
use crate::table::{KeyRange, Table};

/// What the records say.
#[derive(Debug, Default)]
pub(crate) struct Composers {
    pub(crate) listed: Vec<Listed>,
    /// Conversations whose record is NULL: Cursor's mark for a deleted one.
    pub(crate) null: Vec<ConversationId>,
    /// What is wrong with single records.
    pub(crate) findings: Vec<(ConversationId, Finding)>,
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
        all.findings.extend(rest.findings);
        Ok(all)
    }

    /// One record.
    pub(crate) fn read_one(
        db: &ReadOnlyDb,
        table: Table<'_>,
        id: &ConversationId,
        file: &Arc<Path>,
    ) -> Result<Self, ReadError> {
        let mut found = Self::default();
        found.add_all(db, table, &KeyRange::only(&RowKind::Record.key(id)), file)?;
        Ok(found)
    }

    fn add_all(
        &mut self,
        db: &ReadOnlyDb,
        table: Table<'_>,
        range: &KeyRange,
        file: &Arc<Path>,
    ) -> Result<(), ReadError> {
        table.each(range, &mut |row| self.add(row, file))?;
        self.listed.iter_mut().try_for_each(|listed| add_title(table, listed))?;
        // A record that is too large exists, and nothing else is known of it.
        for finding in db.too_large(Layer::IdeGlobal, file, |key| range.contains(key)) {
            let id = ConversationId::new(finding.at.key.strip_prefix(keys::COMPOSERS).unwrap_or_default());
            self.null.retain(|null| *null != id);
            let summary = Summary::new(id.clone(), Surface::Ide, finding.at.clone());
            self.listed.push(Listed { evidence: Evidence::only(summary), user_bubbles: Vec::new() });
            self.findings.push((id, finding));
        }
        Ok(())
    }

    fn add(&mut self, Row { key, value, .. }: Row<'_>, file: &Arc<Path>) {
        let key = String::from_utf8_lossy(key);
        let id = ConversationId::new(key.strip_prefix(keys::COMPOSERS).unwrap_or_default());
        let at = Origin::new(Layer::IdeGlobal, Arc::clone(file), &*key);
        let Some(bytes) = value else { return self.null.push(id) };
        let read = ide::index_entry(&id, bytes, &at);
        self.listed.extend(read.value);
        self.findings.extend(read.findings.into_iter().map(|finding| (id.clone(), finding)));
    }
}

fn read_range(db: &ReadOnlyDb, range: &KeyRange, file: &Arc<Path>) -> Result<Composers, ReadError> {
    let mut found = Composers::default();
    let Some(table) = db.table("cursorDiskKV")? else { return Ok(found) };
    found.add_all(db, table, range, file)?;
    Ok(found)
}

/// A record without a name is called by the first line that a person wrote.
fn add_title(table: Table<'_>, listed: &mut Listed) -> Result<(), ReadError> {
    let summary = &mut listed.evidence.summary;
    for bubble in std::mem::take(&mut listed.user_bubbles) {
        let row = table.get(&RowKey::new(RowKind::Bubble, summary.id.as_str(), &bubble).to_string())?;
        match row.map(|bytes| FirstLine::from_bytes(&bytes)) {
            Some(FirstLine::BySomebodyElse) => {}
            Some(FirstLine::ByPerson(line)) => {
                summary.title = line;
                break;
            }
            None => break,
        }
    }
    Ok(())
}

/// One finding for all NULL records, so that they are counted.
pub(crate) fn null_records(count: usize, file: &Arc<Path>) -> Option<Finding> {
    (count > 0).then(|| {
        let at = Origin::new(Layer::IdeGlobal, Arc::clone(file), keys::COMPOSERS);
        let says = format!("{count} conversation records are NULL: conversations that were deleted");
        Finding::new(FindingKind::NullRow, at, says)
    })
}

/// Gives the old chat tabs of this database to `each`, or only this one, and returns what was not as it should be.
pub(crate) fn chat_tabs(
    db: &ReadOnlyDb,
    file: &Arc<Path>,
    layer: Layer,
    only: Option<&ConversationId>,
    each: &mut dyn FnMut(Fragment),
) -> Result<Vec<Finding>, ReadError> {
    let Some(items) = db.table("ItemTable")? else { return Ok(Vec::new()) };
    let Some(bytes) = items.get(keys::CHAT_TABS)? else { return Ok(Vec::new()) };
    let at = Origin::new(layer, Arc::clone(file), keys::CHAT_TABS);
    Ok(ide::chat_tabs(&bytes, &at, only, each))
}

/// The prompts of this database, under an id made of their `owner`.
pub(crate) fn prompts(
    db: &ReadOnlyDb,
    file: &Arc<Path>,
    layer: Layer,
    owner: &str,
) -> Result<(Option<Fragment>, Vec<Finding>), ReadError> {
    let Some(items) = db.table("ItemTable")? else { return Ok(Default::default()) };
    let value = |key: &str| items.get(key);
    let (prompts, generations) = (value(keys::PROMPTS)?, value(keys::GENERATIONS)?);
    let at = Origin::new(layer, Arc::clone(file), keys::PROMPTS);
    let id = ConversationId::new(format!("prompts-{owner}"));
    Ok(ide::prompts(id, prompts.as_deref(), generations.as_deref(), &at))
}
