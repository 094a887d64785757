//! Pages that are sent in two pieces: the frame at once, the content when it is ready. The browser fetches style and
//! script meanwhile, and even a huge conversation shows something immediately.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use maud::{Markup, html};

use super::Frame;
use crate::desk::Desk;
use crate::edition::Edition;
use crate::problem::Problem;

/// Which workers make the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Those for what is in memory or in the index.
    Quick,
    /// Those for whole conversations.
    Heavy,
}

/// The page of `frame` around what `content` makes.
pub(crate) fn streamed(
    desk: Arc<Desk>,
    frame: &Frame<'_>,
    effort: Effort,
    content: impl FnOnce(&Desk, &Arc<Edition>) -> Result<Markup, Problem> + Send + 'static,
) -> Response {
    let (above, below) = frame.halves();
    let rest = async move {
        let made = match effort {
            Effort::Quick => desk.read(content).await,
            Effort::Heavy => desk.study(content).await,
        };
        // The status has been sent already: the page itself says what happened.
        made.unwrap_or_else(|problem| failed(&problem)).0 + &below
    };
    let pieces = [Piece::Now(above), Piece::Later(Box::pin(rest))];
    let body = stream::unfold(pieces.into_iter(), |mut pieces| async {
        let piece = match pieces.next()? {
            Piece::Now(text) => text,
            Piece::Later(text) => text.await,
        };
        Some((Ok::<_, Infallible>(Bytes::from(piece)), pieces))
    });
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], Body::from_stream(body)).into_response()
}

enum Piece<F> {
    Now(String),
    Later(F),
}

fn failed(problem: &Problem) -> Markup {
    html! { section.problem { p.code { (problem.status.as_u16()) } h1 { (problem.title) } p { (problem.says) } } }
}
