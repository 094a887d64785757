//! `scored_commits` of the tracking database: which commits the editor scored, and whose lines are in them. They name no
//! conversation; joining them to any is not done here.

use backscroll_model::{Finding, FindingKind, Lines, Origin, ScoredCommit, ScoredLines};
use jiff::Timestamp;

use crate::named_columns::{Columns, each, known_columns};
use crate::read_only_db::{ReadError, ReadOnlyDb};

/// Every scored commit, in stored order. Columns that a generation lacks are unknown.
pub(crate) fn all(db: &ReadOnlyDb) -> Result<Vec<ScoredCommit>, ReadError> {
    let mut commits = Vec::new();
    each(db, "scored_commits", None, &known_columns("scored_commits"), &mut |row| {
        commits.push(commit(row)?);
        Some(())
    })?;
    Ok(commits)
}

/// What is wrong with the table, if anything: rows that name no commit.
pub(crate) fn troubles(db: &ReadOnlyDb, at: &Origin) -> Result<Option<Finding>, ReadError> {
    let nameless = each(db, "scored_commits", None, &["commitHash"], &mut |row| hash(row).map(drop))?;
    let says = format!("{nameless} scored commits have no hash");
    Ok((nameless > 0).then(|| Finding::new(FindingKind::NullRow, at.with_key("scored_commits"), says)))
}

fn hash(row: &Columns<'_>) -> Option<String> {
    row.text(&["commitHash"]).filter(|hash| !hash.trim().is_empty())
}

fn commit(row: &Columns<'_>) -> Option<ScoredCommit> {
    let filled = |name: &str| row.text(&[name]).filter(|text| !text.trim().is_empty());
    let milliseconds = row.number("scoredAt");
    Some(ScoredCommit {
        hash: hash(row)?,
        branch: filled("branchName"),
        scored_at: milliseconds.and_then(|at| Timestamp::from_millisecond(at).ok()),
        message: filled("commitMessage"),
        date: filled("commitDate"),
        lines: lines(row),
        ai_percentage: filled("v2AiPercentage").or_else(|| filled("v1AiPercentage")),
    })
}

/// Who wrote the lines, since the third generation.
fn lines(row: &Columns<'_>) -> Option<ScoredLines> {
    let of = |kind: &str| {
        let (added, removed) = match kind {
            "" => ("linesAdded".to_owned(), "linesDeleted".to_owned()),
            kind => (format!("{kind}LinesAdded"), format!("{kind}LinesDeleted")),
        };
        let count = |name: &str| row.number(name).and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
        Lines { added: count(&added), removed: count(&removed) }
    };
    row.number("linesAdded").or_else(|| row.number("linesDeleted"))?;
    Some(ScoredLines {
        all: of(""),
        tab: of("tab"),
        composer: of("composer"),
        human: of("human"),
        blank: of("blank"),
    })
}
