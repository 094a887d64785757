//! What was not as it should be: how much, or every line of it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use backscroll_model::{Finding, FindingKind};

use super::View;
use super::folded::counted;
use super::page::Page;
use crate::text::one_line;

/// Writes every one of `findings`, one entry each.
pub fn findings(findings: &[Finding], view: &View, out: impl Write) -> io::Result<()> {
    all(&mut Page::new(view, out), findings)
}

/// Writes every one of `findings`.
pub(super) fn all<W: Write>(page: &mut Page<'_, W>, findings: &[Finding]) -> io::Result<()> {
    for finding in findings {
        let kind = finding.kind.name();
        let line = format!("{kind}: {}", one_line(&finding.says));
        page.broken(0, 2, &line, &[(0..kind.len(), page.palette.warning)])?;
        let origin = &finding.at;
        let place = one_line(&format!("{} {} {}", origin.layer.name(), origin.file.display(), origin.key));
        page.broken(2, 2, &place, &[(0..place.len(), page.palette.dim)])?;
    }
    Ok(())
}

/// Writes how many findings of each kind there are.
pub(super) fn tally<W: Write>(page: &mut Page<'_, W>, findings: &[Finding]) -> io::Result<()> {
    let mut kinds: BTreeMap<FindingKind, u64> = BTreeMap::new();
    for finding in findings {
        *kinds.entry(finding.kind).or_default() += 1;
    }
    let kinds: Vec<_> = kinds.iter().map(|(kind, number)| format!("{number} {}", kind.name())).collect();
    let total = counted(u64::try_from(findings.len()).unwrap_or(u64::MAX), "finding");
    let line = format!("{total} ({}); see them with --findings", kinds.join(", "));
    page.broken(0, 2, &line, &[(0..line.len(), page.palette.warning)])
}
