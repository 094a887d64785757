//! What this API offers, in OpenAPI's words. A test holds it against the routes.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

/// `GET /api/v1/openapi.json`.
pub(crate) async fn description() -> Response {
    ([(CONTENT_TYPE, "application/json")], include_str!("../../openapi.json")).into_response()
}
