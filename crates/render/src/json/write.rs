//! The doors of this format: one function per schema.

use std::io::{self, Write};

use backscroll_model::{Conversation, Finding, Summary};
use serde::Serialize;

use super::conversation::WireConversation;
use super::each::Wired;
use super::hit::WireHit;
use super::index::WireIndex;
use super::one_line::OneLine;
use super::sighting::WireSighting;
use super::source::WireSource;
use super::summary::WireSummary;
use crate::redact::Sighting;
use crate::{FoundConversation, FoundHit, IndexReport, SourceReport};

/// Writes `summary` as one object of `backscroll.summary/1`.
pub fn summary(summary: &Summary, out: impl Write) -> io::Result<()> {
    write(&WireSummary::of(summary), out)
}

/// Writes `conversation` as one object of `backscroll.conversation/1`.
pub fn conversation(conversation: &Conversation, out: impl Write) -> io::Result<()> {
    write(&WireConversation::of(conversation), out)
}

/// Writes `hit`, which belongs to `found`, as one object of `backscroll.hit/1`.
pub fn hit(found: &FoundConversation<'_>, hit: &FoundHit<'_>, out: impl Write) -> io::Result<()> {
    write(&WireHit::of(found, hit), out)
}

/// Writes `finding` as it stands in a conversation's `findings`.
pub fn finding(finding: &Finding, out: impl Write) -> io::Result<()> {
    write(&finding.wire(), out)
}

/// Writes `report` as one object of `backscroll.source/1`.
pub fn source(report: &SourceReport, out: impl Write) -> io::Result<()> {
    write(&WireSource::of(report), out)
}

/// Writes `report` as one object of `backscroll.index/1`.
pub fn index(report: &IndexReport, out: impl Write) -> io::Result<()> {
    write(&WireIndex::of(report), out)
}

/// Writes `sighting` as one object of `backscroll.secret/1`; it stands in a conversation or in a file.
pub fn sighting(
    sighting: &Sighting,
    conversation: Option<&str>,
    file: Option<&str>,
    out: impl Write,
) -> io::Result<()> {
    write(&WireSighting::of(sighting, conversation, file), out)
}

fn write(wire: &impl Serialize, out: impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, OneLine);
    wire.serialize(&mut serializer).map_err(io::Error::from)
}
