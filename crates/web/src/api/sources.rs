//! The stores for programs.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use backscroll_render::json;

use super::body;
use crate::desk::Desk;
use crate::problem::Problem;

/// `GET /api/v1/sources`: an array of `backscroll.source/1`.
pub(crate) async fn sources(State(desk): State<Arc<Desk>>) -> Result<Response, Problem> {
    desk.read(move |desk, edition| {
        let reports = desk.stores.reports(&edition.history);
        body::array(&reports, |report, out| json::source(report, out))
    })
    .await
}
