//! JSON as an answer.

use std::io;

use axum::http::HeaderValue;
use axum::http::header::{CONTENT_TYPE, HeaderName, LINK};
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// An array of whatever `write` writes for each of `items`.
pub(super) fn array<T>(
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(T, &mut Vec<u8>) -> io::Result<()>,
) -> Result<Response, Problem> {
    let mut body = b"[".to_vec();
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            body.extend_from_slice(b",\n");
        }
        // Writing into memory fails only if the value cannot be told as JSON at all.
        write(item, &mut body).map_err(|_| Problem::bug())?;
    }
    body.extend_from_slice(b"]\n");
    Ok(([(CONTENT_TYPE, "application/json")], body).into_response())
}

/// Says how many there are in all, and where the next ones are.
pub(super) fn paged(mut answer: Response, total: usize, next: Option<String>) -> Response {
    let total = HeaderValue::from(u64::try_from(total).unwrap_or(u64::MAX));
    answer.headers_mut().insert(HeaderName::from_static("x-total"), total);
    let link = next.and_then(|next| HeaderValue::from_str(&format!("<{next}>; rel=\"next\"")).ok());
    if let Some(link) = link {
        answer.headers_mut().insert(LINK, link);
    }
    answer
}
