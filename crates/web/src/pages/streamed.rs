//! Pages that are sent in pieces: the frame at once, the content as it is made. The browser fetches style and script
//! meanwhile, and even a huge conversation shows something immediately.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_util::future::{Either, select};
use futures_util::stream;
use maud::{Markup, html};
use tokio::sync::mpsc;

use super::Frame;
use crate::desk::Desk;
use crate::edition::Edition;
use crate::problem::Problem;

/// Where content goes that is ready before the rest. Nothing waits for the reader: a page is small enough to be held.
#[derive(Debug)]
pub(crate) struct Pieces(mpsc::UnboundedSender<String>);

impl Pieces {
    /// Sends `piece` behind those before it.
    pub(crate) fn send(&self, piece: String) {
        // Whoever has gone away needs it no more.
        let _ = self.0.send(piece);
    }
}

/// The page of `frame` around what `content` makes out of what is in memory.
pub(crate) fn streamed(
    desk: Arc<Desk>,
    frame: &Frame<'_>,
    content: impl FnOnce(&Desk, &Arc<Edition>) -> Result<Markup, Problem> + Send + 'static,
) -> Response {
    when_made(frame, |_| desk.read(content))
}

/// The page of `frame` around what `content` comes to; some of it may be sent beforehand.
pub(crate) fn when_made<F>(frame: &Frame<'_>, content: impl FnOnce(Pieces) -> F) -> Response
where
    F: Future<Output = Result<Markup, Problem>> + Send + 'static,
{
    let (above, below) = frame.halves();
    let (sender, pieces) = mpsc::unbounded_channel();
    // The frame goes first whatever happens: the channel keeps the order.
    let _ = sender.send(above);
    let content = content(Pieces(sender.clone()));
    tokio::spawn(async move {
        let made = {
            let gone = std::pin::pin!(sender.closed());
            match select(std::pin::pin!(content), gone).await {
                Either::Left((made, _)) => made,
                // Whoever has gone away holds up nobody who waits.
                Either::Right(_) => return,
            }
        };
        // The status has been sent already: the page itself says what happened.
        let made = made.unwrap_or_else(|problem| failed(&problem));
        let _ = sender.send(made.0 + &below);
    });
    let body = stream::unfold(pieces, |mut pieces| async {
        let piece = pieces.recv().await?;
        Some((Ok::<_, Infallible>(Bytes::from(piece)), pieces))
    });
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], Body::from_stream(body)).into_response()
}

fn failed(problem: &Problem) -> Markup {
    html! { section.problem { p.code { (problem.status.as_u16()) } h1 { (problem.title) } p { (problem.says) } } }
}
