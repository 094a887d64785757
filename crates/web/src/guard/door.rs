//! Stands before every route: lets in or turns away, makes problems into pages, and marks every answer.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::{ALLOW, CACHE_CONTROL, LOCATION, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::headers::protect;
use super::keys::Verdict;
use crate::desk::Desk;
use crate::pages;
use crate::problem::Problem;

/// Lets `request` through to the routes, or answers it here.
pub(crate) async fn guard(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let is_for_programs = request.uri().path().starts_with("/api/");
    let mut answer = match desk.keys.judge(request.uri(), request.headers()) {
        Verdict::Welcome => next.run(request).await,
        Verdict::TakeTheCookie => take_the_cookie(&desk, request.uri()),
        Verdict::Unknown => unknown().into_response(),
        Verdict::ForeignHost => {
            foreign("The request names another host than this machine's own address.").into_response()
        }
        Verdict::ForeignOrigin => {
            foreign("The request was made by the page of another site.").into_response()
        }
    };
    if let Some(problem) = problem_of(&mut answer).await {
        answer = if is_for_programs { pages::problem_as_json(&problem) } else { pages::problem(&problem) };
        if problem.status == StatusCode::METHOD_NOT_ALLOWED {
            answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        }
    }
    protect(answer.headers_mut());
    answer
}

/// Why `answer` is none. What the router itself turns down, such as a number that is none, it says in a line of text.
async fn problem_of(answer: &mut Response) -> Option<Problem> {
    if let Some(problem) = answer.extensions_mut().remove::<Problem>() {
        return Some(problem);
    }
    if !answer.status().is_client_error() {
        return None;
    }
    let line = to_bytes(std::mem::take(answer.body_mut()), 4_096).await.unwrap_or_default();
    let line = String::from_utf8_lossy(&line);
    let why = line.strip_prefix("Failed to deserialize query string: ").unwrap_or(&line);
    Some(Problem::bad_request(format!("The address of this page is not quite right: {why}.")))
}

/// The same address without the token, so that it stays out of history and bookmarks.
fn take_the_cookie(desk: &Desk, uri: &Uri) -> Response {
    let kept: Vec<&str> =
        uri.query().unwrap_or_default().split('&').filter(|pair| !pair.starts_with("token=")).collect();
    // A path of two slashes would name another host.
    let path = format!("/{}", uri.path().trim_start_matches('/'));
    let clean = if kept.is_empty() { path } else { format!("{path}?{}", kept.join("&")) };
    let mut answer = StatusCode::SEE_OTHER.into_response();
    if let (Ok(place), Ok(cookie)) =
        (HeaderValue::from_str(&clean), HeaderValue::from_str(&desk.keys.cookie()))
    {
        answer.headers_mut().insert(LOCATION, place);
        answer.headers_mut().insert(SET_COOKIE, cookie);
        answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    answer
}

fn unknown() -> Problem {
    let says = "This page shows private conversations, so it opens only for whoever started it. In the terminal, \
                `backscroll serve` printed an address that ends in a token: open that one. If the terminal is gone, run \
                `backscroll serve --open` again.";
    Problem::new(StatusCode::UNAUTHORIZED, "Open the address from your terminal", says)
}

fn foreign(says: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "Refused", format!("{says} Only pages of this server may ask."))
}
