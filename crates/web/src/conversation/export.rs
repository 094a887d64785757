//! A conversation to take along, in any format or as a play, and the pictures it holds.
//!
//! No path from outside is ever opened, and nothing but dots is sent: what a picture is, its first bytes say, never a label.
//! Secrets are removed from all of it, unless the user wants them kept.

use std::io::Write;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use backscroll_model::{Conversation, Image, Part};
use backscroll_redact::Redactor;
use backscroll_render::html::{Look, PageLook};
use backscroll_render::replay::ReplayLook;
use backscroll_render::{Detail, csv, html, json, markdown, plain, replay};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::tz::TimeZone;

use super::address;
use crate::app_state::AppState;
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

/// Every format.
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
    State(app): State<Arc<AppState>>,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let format = FORMATS.iter().find(|format| format.name == name).ok_or_else(Problem::no_page)?;
    let time_zone = app.clock.now().time_zone().clone();
    let conversation =
        app.study(move |app, snapshot| Ok(redacted(address::load(app, snapshot, &id)?, app.redactor())));
    let conversation = conversation.await?;
    let file = format!("{}.{name}", file_name(address::title(&conversation.summary)));
    let body = pipe::body("", move |out| write(&conversation, &name, time_zone, out));
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
    out: &mut Pipe,
) -> std::io::Result<()> {
    let detail = Detail::Normal;
    match format {
        "md" => markdown::conversation(conversation, &markdown::Look::alone(detail, time_zone), out),
        "html" => {
            let look = PageLook::alone(html::Look::new(detail, time_zone));
            html::page(conversation, &look, out)
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

/// `GET /c/{id}/replay`.
pub(crate) async fn replay(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let time_zone = app.clock.now().time_zone().clone();
    let conversation = app.study(move |app, snapshot| {
        let mut conversation = (*address::load(app, snapshot, &id)?).clone();
        snapshot.history.add_kept_files(&mut conversation);
        Ok(redacted(Arc::new(conversation), app.redactor()))
    });
    let conversation = conversation.await?;
    let body = pipe::body("", move |out| {
        let look = ReplayLook { look: Look::new(Detail::Normal, time_zone), notes: None };
        replay::page(Arc::unwrap_or_clone(conversation), &look, out)
    });
    let mut answer = ([(CONTENT_TYPE, "text/html; charset=utf-8")], body).into_response();
    let policy = format!("{}; frame-ancestors 'none'", replay::policy());
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        answer.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    Ok(answer)
}

/// Kinds of pictures that hold dots and no program, by their first bytes.
const KINDS: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"RIFF", "image/webp"),
];

/// `GET /c/{id}/picture/{message}/{part}`; the message is `m1` or, if the conversation does not list it, `o1`.
pub(crate) async fn picture(
    State(app): State<Arc<AppState>>,
    Path((id, message, part)): Path<(String, String, usize)>,
) -> Result<Response, Problem> {
    app.study(move |app, snapshot| {
        let conversation = address::load(app, snapshot, &id)?;
        let none = || {
            Problem::new(StatusCode::NOT_FOUND, "No such picture", "The conversation holds no picture there.")
        };
        let image = image_at(&conversation, &message, part).ok_or_else(none)?;
        let bytes = decoded(image).ok_or_else(none)?;
        let kind = kind_of(&bytes).ok_or_else(none)?;
        Ok(([(CONTENT_TYPE, kind), (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox")], bytes)
            .into_response())
    })
    .await
}

fn image_at<'a>(conversation: &'a Conversation, message: &str, part: usize) -> Option<&'a Image> {
    let (list, number) = match message.split_at_checked(1)? {
        ("m", number) => (&conversation.messages, number),
        ("o", number) => (&conversation.orphans, number),
        _ => return None,
    };
    let at = number.parse::<usize>().ok()?.checked_sub(1)?;
    match list.get(at)?.parts.get(part)? {
        Part::Image(image) => Some(image),
        _ => None,
    }
}

fn decoded(image: &Image) -> Option<Vec<u8>> {
    let stored = image.data.as_deref()?;
    let data = stored.rsplit_once("base64,").map_or(stored, |(_, data)| data).trim();
    STANDARD.decode(data).ok()
}

fn kind_of(bytes: &[u8]) -> Option<&'static str> {
    let (_, kind) = KINDS.iter().find(|(beginning, _)| bytes.starts_with(beginning))?;
    // RIFF holds sound and film as well.
    (*kind != "image/webp" || bytes.get(8..12) == Some(b"WEBP")).then_some(*kind)
}

/// The same conversation without its secrets, and without what else the user wants removed.
pub(crate) fn redacted(conversation: Arc<Conversation>, redactor: Option<Redactor>) -> Arc<Conversation> {
    let Some(mut redactor) = redactor else { return conversation };
    let mut copy = Arc::unwrap_or_clone(conversation);
    redactor.conversation(&mut copy);
    Arc::new(copy)
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
