//! Pages that say what happened and what to do, instead of what was asked for.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use maud::html;
use serde::Serialize;

use super::{Frame, page};
use crate::problem::Problem;

/// The problem as a page.
pub(crate) fn problem(problem: &Problem) -> Response {
    let content = html! {
        section.problem {
            p.code { (problem.status.as_u16()) }
            h1 { (problem.title) }
            p { (problem.says) }
            @if problem.status != StatusCode::UNAUTHORIZED {
                p.ways { @if let Some((address, name)) = problem.way { a.button href=(address) { (name) } " " } a.button href="/" { "To the start page" } }
            }
        }
    };
    let mut answer = page(&Frame { title: &problem.title, kind: "problem", ..Frame::default() }, &content);
    *answer.status_mut() = problem.status;
    answer
}

#[derive(Serialize)]
struct WireProblem<'a> {
    schema: &'static str,
    status: u16,
    title: &'a str,
    says: &'a str,
}

/// The problem for programs.
pub(crate) fn problem_as_json(problem: &Problem) -> Response {
    let wire = WireProblem {
        schema: "backscroll.problem/1",
        status: problem.status.as_u16(),
        title: &problem.title,
        says: &problem.says,
    };
    let body = serde_json::to_string(&wire).unwrap_or_default();
    (problem.status, [(CONTENT_TYPE, "application/json")], body).into_response()
}
