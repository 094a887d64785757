//! The first look at a huge conversation that nobody has read yet. The slice that is asked for is read alone and sent; what
//! needs the whole, the list of prompts and the facts above, comes when that has been read, in the same answer. So do
//! messages of which the index could not vouch that they are as they were sent, if they are not. Script puts all of it into its
//! place; without, it stands below.

use std::sync::Arc;

use backscroll_history::{AloneMessage, ReadAlone};
use backscroll_model::{Conversation, ConversationId};
use backscroll_render::html::Look;
use maud::{Markup, PreEscaped, html};

use super::page::{Filling, around, outline};
use super::{head, slice};
use crate::desk::Desk;
use crate::edition::Edition;
use crate::pages::Pieces;
use crate::problem::Problem;

/// Conversations up to this size are read as fast as a part of them.
const SHORT: u64 = 400;

/// The beginning of a slice, read without the rest of its conversation.
#[derive(Debug)]
pub(super) struct Beginning {
    /// As much of the conversation as is known: what a listing tells, and these messages.
    glimpse: Conversation,
    /// The message that stands before them.
    before: Option<AloneMessage>,
    /// Which of them are surely so, their headings included.
    are_sure: Vec<bool>,
    /// The number of the first, from zero.
    from: usize,
    /// How many there are in all.
    total: usize,
}

/// The beginning of the slice with the message `at`; `None` where the whole is at hand, is read as fast, or nobody can be sure
/// of a part of it.
pub(super) fn beginning(
    desk: &Desk,
    edition: &Arc<Edition>,
    id: &ConversationId,
    at: usize,
) -> Option<Beginning> {
    let summary =
        edition.summary(id).filter(|summary| summary.messages.is_some_and(|count| count > SHORT))?;
    if desk.shelf.has(edition, id) || !desk.finder.knows(edition) {
        return None;
    }
    let promised = usize::try_from(summary.messages?).ok()?;
    let from = slice::beginning(at.min(promised.saturating_sub(1)));
    let first = from.saturating_sub(1);
    let wanted = u64::try_from(first).ok()?..u64::try_from(from + slice::SLICE).ok()?;
    let (index, _) = desk.finder.index(&desk.stores, edition);
    let ReadAlone { total, mut messages } = edition.history.read_alone(&*index?, id, wanted).ok()??;
    let total = usize::try_from(total).ok().filter(|total| from < *total)?;
    let before = (first < from && !messages.is_empty()).then(|| messages.remove(0));
    if messages.is_empty() {
        return None;
    }
    let mut glimpse = Conversation::of(summary.clone());
    glimpse.children.clone_from(&summary.children);
    // Whether the speaker is named depends on who spoke before.
    let mut is_sure_before = before.as_ref().is_none_or(|told| told.is_sure);
    let mut are_sure = Vec::with_capacity(messages.len());
    for AloneMessage { message, is_sure } in messages {
        are_sure.push(is_sure && is_sure_before);
        is_sure_before = is_sure;
        glimpse.messages.push(message);
    }
    Some(Beginning { glimpse, before, are_sure, from, total })
}

impl Beginning {
    /// Sends the page as far as these messages go; gives the rest of it.
    pub(super) fn page(
        self,
        desk: &Desk,
        edition: &Arc<Edition>,
        pieces: &Pieces,
    ) -> Result<Markup, Problem> {
        let summary = &self.glimpse.summary;
        let around = |late: Markup| {
            let head = head::for_now(summary, self.total);
            around(summary, (self.from, self.total), &Filling { outline: Markup::default(), head, late })
        };
        let look = |of: &Conversation| slice::look(of, desk.clock.now().time_zone().clone());
        pieces.send(around(Markup::default()).0);
        let unsure = self.send_messages(&look(&self.glimpse), pieces);
        // Only now, so that the first messages need not share the processors with it.
        let whole = desk.shelf.get(edition, &summary.id)?;
        let rest = look(&whole);
        let left = self.from + self.glimpse.messages.len()..self.from + slice::SLICE;
        slice::render_between(&whole, left, &rest, &mut |piece| pieces.send(piece));
        let late = html! {
            section #late {
                (outline(&whole, &rest))
                div.late-head { (head::head(edition, &whole, &rest)) }
                div.late-messages { (corrected(&whole, unsure, &look(&whole))) }
            }
        };
        Ok(PreEscaped(around(late).1))
    }

    /// Sends the messages; gives those that may be otherwise, by their numbers, as they were sent.
    fn send_messages(&self, look: &Look, pieces: &Pieces) -> Vec<(usize, String)> {
        let (mut piece, mut unsure) = (String::new(), Vec::new());
        let mut before = self.before.as_ref().map(|told| &told.message);
        for (at, (message, is_sure)) in self.glimpse.messages.iter().zip(&self.are_sure).enumerate() {
            let shown = slice::render_one(message, self.from + at, before, look);
            before = Some(message);
            piece.push_str(&shown);
            if !is_sure {
                unsure.push((self.from + at, shown));
            }
            if piece.len() >= slice::PIECE {
                pieces.send(std::mem::take(&mut piece));
            }
        }
        pieces.send(piece);
        unsure
    }
}

/// Those of the messages that were sent otherwise than the whole has them.
fn corrected(whole: &Conversation, sent: Vec<(usize, String)>, look: &Look) -> Markup {
    let mut html = String::new();
    for (number, sent) in sent {
        let before = number.checked_sub(1).and_then(|before| whole.messages.get(before));
        let Some(message) = whole.messages.get(number) else { continue };
        let shown = slice::render_one(message, number, before, look);
        if shown != sent {
            html.push_str(&shown);
        }
    }
    PreEscaped(html)
}
