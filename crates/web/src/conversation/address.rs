//! From an address to the conversation that it means.

use std::sync::Arc;

use axum::response::Response;
use backscroll_model::{Conversation, ConversationId, Summary};
use maud::Markup;

use crate::app_state::AppState;
use crate::pages::{Frame, page};
use crate::problem::Problem;
use backscroll_history::live::Snapshot;

/// A page beside the conversation with this id: `content` is given the conversation and its title.
pub(super) async fn page_of(
    app: Arc<AppState>,
    id: String,
    kind: &'static str,
    content: fn(&Conversation, &str) -> Markup,
) -> Result<Response, Problem> {
    app.study(move |app, snapshot| {
        let conversation = load(app, snapshot, &id)?;
        let title = title(&conversation.summary);
        let frame = Frame { title, snapshot: snapshot.number, kind, ..Frame::default() };
        Ok(page(&frame, &content(&conversation, title)))
    })
    .await
}

/// The conversation with this id. Addresses hold whole ids, because a beginning may come to mean another one.
pub(super) fn load(app: &AppState, snapshot: &Snapshot, id: &str) -> Result<Arc<Conversation>, Problem> {
    app.conversation(snapshot, &ConversationId::new(id))
}

/// Its title, or that there is none.
pub(super) fn title(summary: &Summary) -> &str {
    let title = summary.title.as_deref().map(str::trim);
    title.filter(|title| !title.is_empty()).unwrap_or("Untitled conversation")
}
