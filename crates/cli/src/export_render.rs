//! What is done with each conversation of an export: it is loaded, its secrets are taken out, it is rendered.
//!
//! Where secrets go from several conversations, all are looked through before the first is written: a secret that gives
//! itself away in the last one may stand bare in the first, or in the name of a file.

use std::io;

use backscroll_history::{AskError, History, Query};
use backscroll_model::{Conversation, ConversationId, SourceError};
use backscroll_render::redact::Scanned;

use crate::export_pipeline::{self, Turn};
use crate::export_writer::{Document, Writer};

/// Which conversations are to be written.
pub(crate) struct Wanted<'a> {
    pub(crate) history: &'a History,
    pub(crate) ids: Vec<ConversationId>,
    /// What they must hold besides.
    pub(crate) filter: Option<&'a Query>,
}

/// What became of one conversation.
pub(crate) enum Rendered {
    /// It is written.
    Written(Box<Document>),
    /// It does not hold what was asked for.
    NotWanted,
    /// It could not be read.
    Failed(AskError),
}

impl Wanted<'_> {
    /// Looks for secrets in all of them; `done` is told of each.
    pub(crate) fn learn(&self, writer: &Writer, mut done: impl FnMut()) -> io::Result<()> {
        let work = |number: usize, _: &Turn<'_, Option<Scanned>>| {
            let mut conversation = self.load(number).ok()?;
            Some(writer.scan(&mut conversation))
        };
        export_pipeline::run(self.ids.len(), work, |_, scanned| {
            if let Some(scanned) = scanned {
                writer.learn(&scanned);
            }
            done();
            Ok(())
        })
    }

    /// Renders them and gives each to `receive`, in their order.
    pub(crate) fn render(
        &self,
        writer: &Writer,
        receive: impl FnMut(usize, Rendered) -> io::Result<()>,
    ) -> io::Result<()> {
        let work = |number: usize, turn: &Turn<'_, Rendered>| {
            let loaded = self.load(number).map(|mut conversation| {
                writer.fetch_pictures(&mut conversation);
                let scanned = writer.scan(&mut conversation);
                (conversation, scanned)
            });
            let redact = || {
                loaded.map(|(mut conversation, scanned)| {
                    writer.redact(&mut conversation, scanned);
                    conversation
                })
            };
            // Placeholders are numbered in the order of the listing; where there are none, nobody need wait.
            let redacted = if writer.redacts() { turn.wait_for(redact) } else { redact() };
            redacted.map_or_else(|rendered| rendered, |conversation| rendered(writer, *conversation))
        };
        export_pipeline::run(self.ids.len(), work, receive)
    }

    /// The conversation, or why there is nothing to render.
    fn load(&self, number: usize) -> Result<Box<Conversation>, Rendered> {
        let conversation = self.history.load(&self.ids[number]).map_err(Rendered::Failed)?;
        let is_wanted = self
            .filter
            .is_none_or(|query| query.wants(&conversation.summary) && query.wants_content(&conversation));
        if is_wanted { Ok(Box::new(conversation)) } else { Err(Rendered::NotWanted) }
    }
}

fn rendered(writer: &Writer, conversation: Conversation) -> Rendered {
    let id = conversation.summary.id.clone();
    match writer.document(conversation) {
        Ok(document) => Rendered::Written(Box::new(document)),
        Err(error) => Rendered::Failed(AskError::Source(SourceError::new(id.as_str(), error))),
    }
}
