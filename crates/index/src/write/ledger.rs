//! What the index knows about itself: how far each source was read, what was found there, single facts.

use std::collections::{BTreeMap, BTreeSet};

use backscroll_model::{Finding, Mark};
use rusqlite::{Connection, OptionalExtension as _};

use crate::IndexError;
use crate::feed::Marks;

/// The account of an index that is being written.
#[derive(Debug)]
pub(crate) struct Ledger<'a> {
    connection: &'a Connection,
}

impl<'a> Ledger<'a> {
    pub(crate) fn of(connection: &'a Connection) -> Self {
        Self { connection }
    }

    /// Writes down where the sources stand. What was found in those that changed is not known any more.
    pub(crate) fn keep_marks(&self, marks: &Marks, changed: &BTreeSet<String>) -> Result<(), IndexError> {
        let known = marks_with_findings(self.connection)?;
        let gone = known.keys().filter(|source| !marks.contains_key(*source));
        for source in gone {
            self.connection.execute("DELETE FROM mark WHERE source = ?1", [source])?;
            self.connection.execute("DELETE FROM finding WHERE source = ?1", [source])?;
        }
        let mut keep = self.connection.prepare_cached(
            "INSERT INTO mark (source, mark, findings_known) VALUES (?1, ?2, ?3)
             ON CONFLICT (source) DO UPDATE SET mark = excluded.mark, findings_known = excluded.findings_known",
        )?;
        for (source, mark) in marks {
            let findings_known =
                !changed.contains(source) && known.get(source).is_some_and(|(_, are_known)| *are_known);
            keep.execute((source, &mark.0, findings_known))?;
        }
        Ok(())
    }

    /// Writes down what was found in these sources as a whole.
    pub(crate) fn keep_findings(&self, found: &BTreeMap<String, Vec<Finding>>) -> Result<(), IndexError> {
        for (source, findings) in found {
            self.connection.execute("DELETE FROM finding WHERE source = ?1", [source])?;
            for (number, finding) in findings.iter().enumerate() {
                let finding = serde_json::to_string(finding)?;
                self.connection
                    .prepare_cached("INSERT INTO finding (source, number, finding) VALUES (?1, ?2, ?3)")?
                    .execute((source, i64::try_from(number).unwrap_or(i64::MAX), finding))?;
            }
            self.connection.execute("UPDATE mark SET findings_known = 1 WHERE source = ?1", [source])?;
        }
        Ok(())
    }

    /// Writes down a single fact.
    pub(crate) fn note(&self, name: &str, value: i64) -> Result<(), IndexError> {
        self.connection
            .prepare_cached(
                "INSERT INTO about (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
            )?
            .execute((name, value))?;
        Ok(())
    }

    /// A single fact.
    pub(crate) fn noted(&self, name: &str) -> Result<Option<i64>, IndexError> {
        let mut find = self.connection.prepare_cached("SELECT value FROM about WHERE name = ?1")?;
        Ok(find.query_row([name], |row| row.get(0)).optional()?)
    }
}

/// How far each source was read.
pub(crate) fn marks(connection: &Connection) -> Result<Marks, IndexError> {
    let marks = marks_with_findings(connection)?;
    Ok(marks.into_iter().map(|(source, (mark, _))| (source, mark)).collect())
}

/// The sources that changed since it was last looked for what is not as it should be in them.
pub(crate) fn sources_with_unknown_findings(connection: &Connection) -> Result<BTreeSet<String>, IndexError> {
    let all = marks_with_findings(connection)?;
    Ok(all.into_iter().filter(|(_, (_, are_known))| !are_known).map(|(source, _)| source).collect())
}

/// How far each source was read, and whether it is known what was found there.
fn marks_with_findings(connection: &Connection) -> Result<BTreeMap<String, (Mark, bool)>, IndexError> {
    let mut all = connection.prepare_cached("SELECT source, mark, findings_known FROM mark")?;
    let rows = all.query_map([], |row| Ok((row.get(0)?, (Mark(row.get(1)?), row.get(2)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
