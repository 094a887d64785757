//! Exports, replays and pictures of one conversation.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use backscroll_export::Picture;
use backscroll_model::{Conversation, Image, Part};
use backscroll_render::{Detail, Options, replay};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app_state::App;
use crate::pipe;
use crate::problem::{Problem, Result};

/// `GET /c/{id}/export/{format}`.
pub(crate) async fn export(State(app): App, Path((id, name)): Path<(String, String)>) -> Result<Response> {
    let format = backscroll_export::named(&name).ok_or_else(Problem::no_page)?;
    let options = Options::alone(Detail::Normal, app.clock.now().time_zone().clone());
    let conversation = app.study(move |app, snapshot| {
        let mut conversation = app.conversation(snapshot, &id.as_str().into())?;
        backscroll_export::fetch_pictures(Arc::make_mut(&mut conversation), format, false);
        Ok(conversation)
    });
    let conversation = conversation.await?;
    let file = backscroll_export::file_name(&conversation.summary, format.name());
    let body = pipe::body(move |out| backscroll_export::write_alone(format, &conversation, &options, out));
    let mut answer = ([(CONTENT_TYPE, format.media_type)], body).into_response();
    let file = utf8_percent_encode(&file, NON_ALPHANUMERIC);
    if let Ok(disposition) = HeaderValue::from_str(&format!("attachment; filename*=UTF-8''{file}")) {
        answer.headers_mut().insert(CONTENT_DISPOSITION, disposition);
    }
    Ok(answer)
}

/// `GET /c/{id}/replay`.
pub(crate) async fn replay(State(app): App, Path(id): Path<String>) -> Result<Response> {
    let time_zone = app.clock.now().time_zone().clone();
    let conversation =
        app.study(move |_, snapshot| Ok(snapshot.history.load_with_files(&id.as_str().into())?));
    let conversation = conversation.await?;
    let body = pipe::body(move |out| {
        let options = Options::alone(Detail::Normal, time_zone);
        replay::page(conversation, &options, None, out)
    });
    let mut answer = ([(CONTENT_TYPE, "text/html; charset=utf-8")], body).into_response();
    let policy = format!("{}; frame-ancestors 'none'", replay::policy());
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        answer.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    Ok(answer)
}

/// `GET /c/{id}/picture/{message}/{part}`; the message is `m1` or, if the conversation does not list it, `o1`.
pub(crate) async fn picture(
    State(app): App,
    Path((id, message, part)): Path<(String, String, usize)>,
) -> Result<Response> {
    app.study(move |app, snapshot| {
        let conversation = app.conversation(snapshot, &id.as_str().into())?;
        let none = || {
            Problem::new(StatusCode::NOT_FOUND, "No such picture", "The conversation holds no picture there.")
        };
        let image = image_at(&conversation, &message, part).ok_or_else(none)?;
        let Picture { bytes, media_type, .. } = Picture::from_store(image).ok_or_else(none)?;
        Ok(([(CONTENT_TYPE, media_type), (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox")], bytes)
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
