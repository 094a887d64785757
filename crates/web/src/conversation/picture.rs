//! Pictures of a conversation: those that it holds itself, by their place in it. No path from outside is ever opened,
//! and nothing but dots is sent: what a picture is, its first bytes tell, never a label.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use backscroll_model::{Conversation, Image, Part};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::address;
use crate::desk::Desk;
use crate::problem::Problem;

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
    State(desk): State<Arc<Desk>>,
    Path((id, message, part)): Path<(String, String, usize)>,
) -> Result<Response, Problem> {
    desk.study(move |desk, edition| {
        let conversation = address::load(desk, edition, &id)?;
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
