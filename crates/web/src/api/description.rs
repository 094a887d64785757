//! What this API offers, in the words of `OpenAPI`. A test holds it against the routes.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

/// `GET /api/v1/openapi.json`.
pub(crate) async fn description() -> Response {
    ([(CONTENT_TYPE, "application/json")], include_str!("../../openapi.json")).into_response()
}
