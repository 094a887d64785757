//! What changed, for pages that are open: each learns it by server-sent events.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use backscroll_history::live::BEAT;
use backscroll_model::ConversationId;
use futures_util::future::select;
use futures_util::stream;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::app_state::{App, AppState};

/// After this many beats without a change a line is sent all the same, so that a closed page is noticed.
const SILENT_BEATS: u32 = 60;

#[derive(Serialize)]
struct Change<'a> {
    snapshot: u64,
    /// The conversations that changed; `null` if it may be any.
    conversations: Option<Vec<&'a str>>,
}

struct Listener {
    app: Arc<AppState>,
    is_ending: watch::Receiver<bool>,
    /// The snapshot that was last sent.
    sent: Option<u64>,
    silent: u32,
}

/// `GET /events`.
pub(crate) async fn events(State(app): App) -> Response {
    let listener = Listener { is_ending: app.is_ending.clone(), app, sent: None, silent: 0 };
    let events = stream::unfold(listener, |mut listener| async {
        let event = listener.next().await?;
        Some((Ok::<_, io::Error>(Bytes::from(event)), listener))
    });
    let head = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    (head, Body::from_stream(events)).into_response()
}

impl Listener {
    /// The next event, when there is one; `None` when the server ends.
    async fn next(&mut self) -> Option<String> {
        loop {
            if *self.is_ending.borrow() {
                return None;
            }
            if let Some(event) = self.look().await {
                self.silent = 0;
                return Some(event);
            }
            self.silent += 1;
            if self.silent >= SILENT_BEATS {
                self.silent = 0;
                return Some(": nothing new\n\n".to_owned());
            }
            let beat = std::pin::pin!(sleep(BEAT));
            select(beat, std::pin::pin!(self.is_ending.changed())).await;
        }
    }

    async fn look(&mut self) -> Option<String> {
        let snapshot = Arc::clone(&self.app).read(|_, snapshot| Ok(Arc::clone(snapshot))).await.ok()?;
        let before = self.sent.replace(snapshot.number);
        match before {
            // A page that was just opened may see that it missed something.
            None => Some(format!("retry: 2000\nevent: now\ndata: {}\n\n", data(snapshot.number, None))),
            Some(sent) if sent == snapshot.number => None,
            Some(sent) => {
                let changed = snapshot.changed.as_ref().filter(|_| sent + 1 == snapshot.number);
                Some(format!("event: change\ndata: {}\n\n", data(snapshot.number, changed)))
            }
        }
    }
}

fn data(snapshot: u64, conversations: Option<&BTreeSet<ConversationId>>) -> String {
    let conversations = conversations.map(|ids| ids.iter().map(ConversationId::as_str).collect());
    // JSON has no line breaks outside of its strings, and escapes them inside: it fits on the one line of an event.
    serde_json::to_string(&Change { snapshot, conversations }).unwrap_or_default()
}
