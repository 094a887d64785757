//! Which address leads where. The whole table is here.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;

use crate::app_state::AppState;
use crate::guard::guard;
use crate::problem::Problem;
use crate::{api, assets, conversation, events, pages};

/// Everything that is served, behind the door.
pub(crate) fn router(app: Arc<AppState>) -> Router {
    Router::new()
        .route("/", get(pages::home))
        .route("/search", get(pages::search))
        .route("/workspaces", get(pages::workspaces))
        .route("/workspace", get(pages::workspace))
        .route("/stats", get(pages::stats))
        .route("/stores", get(pages::stores))
        .route("/stores/contents", get(pages::store_contents))
        .route("/help", get(pages::help))
        .route("/c/{id}", get(conversation::page))
        .route("/c/{id}/messages", get(conversation::messages))
        .route("/c/{id}/find", get(conversation::find))
        .route("/c/{id}/about", get(conversation::about))
        .route("/c/{id}/files", get(conversation::files))
        .route("/c/{id}/picture/{message}/{part}", get(conversation::picture))
        .route("/c/{id}/export/{format}", get(conversation::export))
        .route("/c/{id}/related", get(conversation::related))
        .route("/c/{id}/handoff", get(conversation::handoff))
        .route("/c/{id}/replay", get(conversation::replay))
        .route("/events", get(events::events))
        .route("/api/v1/conversations", get(api::conversations))
        .route("/api/v1/conversations/{id}", get(api::conversation))
        .route("/api/v1/search", get(api::search))
        .route("/api/v1/sources", get(api::sources))
        .route("/api/v1/statistics", get(api::statistics))
        .route("/api/v1/openapi.json", get(api::description))
        .route("/assets/{version}/{name}", get(assets::asset))
        .fallback(async || Problem::no_page())
        .method_not_allowed_fallback(async || Problem::only_reading())
        .layer(from_fn_with_state(Arc::clone(&app), guard))
        .with_state(app)
}
