//! A conversation to take along, in any format.

use std::io::Write;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use backscroll_render::json;

use super::address;
use crate::desk::Desk;
use crate::pipe;
use crate::problem::Problem;

/// `GET /c/{id}/export/{format}`.
pub(crate) async fn export(
    State(desk): State<Arc<Desk>>,
    Path((id, format)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let media_type = match format.as_str() {
        "json" => "application/json",
        "jsonl" => "application/jsonl",
        _ => return Err(Problem::no_page()),
    };
    let conversation = desk.study(move |desk, edition| address::load(desk, edition, &id)).await?;
    let name = format!("{}.{format}", file_name(address::title(&conversation)));
    let body = pipe::body("", move |out| {
        json::conversation(&conversation, &mut *out)?;
        out.write_all(b"\n")
    });
    let mut answer = ([(CONTENT_TYPE, media_type)], body).into_response();
    let disposition = format!("attachment; filename=\"{name}\"");
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        answer.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    }
    Ok(answer)
}

/// A name for a file that is safe everywhere: letters, digits and dashes.
fn file_name(title: &str) -> String {
    let plain = title.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let words: Vec<String> =
        plain.collect::<String>().split('-').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let name: String = words.join("-").chars().take(60).collect();
    if name.is_empty() { "conversation".to_owned() } else { name }
}
