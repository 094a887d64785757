//! What a session keeps beside what its latest root leads to, and what of all this cannot be read.
//! Must not decide what the root leads to.

use backscroll_cursor_format::agent;
use backscroll_model::{Conversation, Finding, FindingKind, Origin};

use crate::blob_index::Unreached;
use crate::blob_reader::BlobReader;
use crate::cli_head::CliSession;
use crate::read_only_db::ReadError;

impl CliSession {
    /// Abandoned branches: messages that no root reaches are orphans, everything else unreached is counted. What could not
    /// be read is told of.
    pub(crate) fn add_unreached(
        &self,
        blobs: &BlobReader<'_>,
        unreached: Unreached,
        conversation: &mut Conversation,
    ) -> Result<(), ReadError> {
        self.tell_damage(&unreached, &mut conversation.findings);
        let mut loose: Vec<(String, Origin, Vec<u8>)> = Vec::new();
        let mut others = 0_u64;
        for (rowid, id) in unreached.rows {
            let read = if blobs.is_json(rowid) { blobs.bytes(rowid) } else { Ok(None) };
            match read {
                Ok(Some(bytes)) => loose.push((id.clone(), self.origin(&id), bytes)),
                Ok(None) => others += 1,
                Err(error) if error.is_passing() => return Err(error),
                Err(error) => {
                    let says =
                        format!("a message that the latest root does not reach cannot be read: {error}");
                    let at = self.origin(&id);
                    conversation.findings.push(Finding::new(FindingKind::Unreadable, at, says));
                }
            }
        }
        let borrowed = loose.iter().map(|(id, at, bytes)| (id.as_str(), at.clone(), bytes.as_slice()));
        let orphans = agent::loose_messages(borrowed).report_to(&mut conversation.findings);
        conversation.coverage.orphaned = orphans.len() as u64;
        conversation.orphans = orphans;
        if !conversation.orphans.is_empty() {
            let says = format!("{} messages are stored that the latest root does not reach", loose.len());
            conversation.findings.push(Finding::new(FindingKind::OrphanMessage, self.origin("blobs"), says));
        }
        if others > 0 {
            let says = format!(
                "{others} blobs cannot be reached from the latest root: earlier states, or steps not taken"
            );
            conversation.findings.push(Finding::new(FindingKind::Unreached, self.origin("blobs"), says));
        }
        Ok(())
    }

    fn tell_damage(&self, unreached: &Unreached, findings: &mut Vec<Finding>) {
        if let Some(error) = &unreached.damage {
            let says = format!("the table of blobs cannot be read to its end: {error}");
            findings.push(Finding::new(FindingKind::Unreadable, self.origin("blobs"), says));
        }
        if let Some((id, error)) = unreached.unreadable.first() {
            let number = unreached.unreadable.len();
            let says = format!("{number} blobs that the latest root leads to cannot be read: {error}");
            findings.push(Finding::new(FindingKind::Unreadable, self.origin(&id.to_string()), says));
        }
    }
}
