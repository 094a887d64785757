//! What was not as it should be: how much, or every line of it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use backscroll_model::{Finding, FindingKind};

use super::blocks::Blocks;
use super::{Look, inline, message};
use crate::Detail;
use crate::terminal::folded::counted;

/// Writes `findings`.
pub(super) fn write<W: Write>(
    blocks: &mut Blocks<W>,
    findings: &[Finding],
    look: &Look<'_>,
) -> io::Result<()> {
    if findings.is_empty() || look.detail == Detail::Talk {
        return Ok(());
    }
    if look.detail == Detail::Full {
        blocks.block("## Findings")?;
        return findings.iter().try_for_each(|finding| {
            let place = message::place(&finding.at);
            blocks.item(&format!("**{}**: {} ({place})", finding.kind.name(), inline::words(&finding.says)))
        });
    }
    let mut kinds: BTreeMap<FindingKind, u64> = BTreeMap::new();
    for finding in findings {
        *kinds.entry(finding.kind).or_default() += 1;
    }
    let kinds: Vec<_> = kinds.iter().map(|(kind, number)| format!("{number} {}", kind.name())).collect();
    let total = counted(u64::try_from(findings.len()).unwrap_or(u64::MAX), "finding");
    blocks.block(&format!("*{total} ({}): see `--detail full`*", kinds.join(", ")))
}
