//! A conversation to take along, in any format.

use std::io::Write;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use backscroll_model::Conversation;
use backscroll_render::html::PageLook;
use backscroll_render::redact::RedactOptions;
use backscroll_render::{Detail, csv, html, json, markdown, plain};
use jiff::tz::TimeZone;

use super::{address, redacted};
use crate::desk::Desk;
use crate::pipe::{self, Pipe};
use crate::problem::Problem;

/// A format, by the end of its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) name: &'static str,
    /// For people.
    pub(super) title: &'static str,
    media_type: &'static str,
}

/// Every format. Secrets are taken out of pages, as the command line does: they are made to be passed on.
pub(super) const FORMATS: &[Format] = &[
    Format { name: "md", title: "Markdown", media_type: "text/markdown; charset=utf-8" },
    Format { name: "html", title: "Web page", media_type: "text/html; charset=utf-8" },
    Format { name: "txt", title: "Plain text", media_type: "text/plain; charset=utf-8" },
    Format { name: "json", title: "JSON", media_type: "application/json" },
    Format { name: "jsonl", title: "JSON Lines", media_type: "application/jsonl" },
    Format { name: "csv", title: "CSV, a row a message", media_type: "text/csv; charset=utf-8" },
];

/// `GET /c/{id}/export/{format}`.
pub(crate) async fn export(
    State(desk): State<Arc<Desk>>,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let format = FORMATS.iter().find(|format| format.name == name).ok_or_else(Problem::no_page)?;
    let time_zone = desk.clock.now().time_zone().clone();
    let options = desk.redaction.clone();
    let conversation = desk.study(move |desk, edition| address::load(desk, edition, &id)).await?;
    let file = format!("{}.{name}", file_name(address::title(&conversation.summary)));
    let body = pipe::body("", move |out| write(&conversation, &name, time_zone, &options, out));
    let mut answer = ([(CONTENT_TYPE, format.media_type)], body).into_response();
    if let Ok(disposition) = HeaderValue::from_str(&format!("attachment; filename=\"{file}\"")) {
        answer.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    }
    Ok(answer)
}

fn write(
    conversation: &Conversation,
    format: &str,
    time_zone: TimeZone,
    options: &RedactOptions,
    out: &mut Pipe,
) -> std::io::Result<()> {
    let detail = Detail::Normal;
    match format {
        "md" => markdown::conversation(conversation, &markdown::Look::alone(detail, time_zone), out),
        "html" => {
            let look = PageLook::alone(html::Look::new(detail, time_zone));
            html::page(&redacted(conversation, options)?, &look, out)
        }
        "txt" => plain::conversation(conversation, &plain::Look { detail, time_zone }, out),
        "csv" => {
            csv::header(&mut *out)?;
            csv::messages(conversation, out)
        }
        _ => {
            json::conversation(conversation, &mut *out)?;
            out.write_all(b"\n")
        }
    }
}

/// A name for a file that is safe everywhere: letters, digits and dashes.
fn file_name(title: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let dashed: String = title.chars().map(plain).collect();
    let words: Vec<&str> = dashed.split('-').filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(60).collect();
    if name.is_empty() { "conversation".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn no_title_makes_a_dangerous_file_name() {
        let table = [
            ("High water, summer", "high-water-summer"),
            ("../../etc/passwd", "etc-passwd"),
            ("a\"; filename=\"b.exe", "a-filename-b-exe"),
            ("日本語\r\nX: y", "x-y"),
            ("…", "conversation"),
        ];
        for (title, expected) in table {
            assert_eq!(file_name(title), expected);
        }
        assert!(file_name(&"x".repeat(500)).len() <= 60);
    }
}
