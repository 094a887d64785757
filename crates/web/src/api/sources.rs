//! The stores for programs.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use backscroll_render::json;
use serde::Deserialize;

use super::body;
use crate::desk::Desk;
use crate::edition::Edition;
use crate::problem::Problem;

/// Which stores, and how closely they are looked at.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Wanted {
    /// Only the store in this file.
    file: Option<String>,
    /// Whether rows and bytes are counted by kind.
    #[serde(default)]
    kinds: bool,
}

/// `GET /api/v1/sources`: an array of `backscroll.source/1`.
pub(crate) async fn sources(
    State(desk): State<Arc<Desk>>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Problem> {
    // Counting takes a while, and must not hold up what does not.
    if wanted.kinds {
        desk.survey(move |desk, edition| told(desk, edition, &wanted)).await
    } else {
        desk.read(move |desk, edition| told(desk, edition, &wanted)).await
    }
}

fn told(desk: &Desk, edition: &Edition, wanted: &Wanted) -> Result<Response, Problem> {
    let mut reports = desk.reports(edition).to_vec();
    if let Some(file) = &wanted.file {
        reports.retain(|report| report.file.to_string_lossy() == *file);
        if reports.is_empty() {
            return Err(Problem::no_store(Some(file)));
        }
    }
    if wanted.kinds {
        for report in reports.iter_mut().filter(|report| report.bytes.is_some()) {
            report.take_contents(desk.stores.contents(&report.file));
        }
    }
    body::array(&reports, |report, out| json::source(report, out))
}
