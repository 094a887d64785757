//! A brief of a conversation to give to another agent, with a button that copies it.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use backscroll_render::handoff::Handoff;
use maud::html;
use serde::Deserialize;

use super::{address, redacted};
use crate::app_state::AppState;
use crate::link;
use crate::pages::{Frame, page};
use crate::pieces::count;
use crate::problem::Problem;

/// Sizes to choose from, in tokens.
const BUDGETS: [usize; 4] = [1_000, 2_000, 4_000, 8_000];
/// The size without a choice: the same as on the command line.
const USUAL: usize = 4_000;

/// How large the brief may be.
#[derive(Debug, Deserialize)]
pub(crate) struct Size {
    budget: Option<usize>,
}

/// `GET /c/{id}/handoff?budget=2000`.
pub(crate) async fn handoff(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    Query(size): Query<Size>,
) -> Result<Response, Problem> {
    app.study(move |app, snapshot| {
        let stored = address::load(app, snapshot, &id)?;
        let budget = size.budget.unwrap_or(USUAL).clamp(100, 1_000_000);
        // What is copied leaves the page, so it has no secrets in it.
        let conversation = redacted(Arc::clone(&stored), app.redactor());
        let brief = Handoff::new(&conversation, budget);
        let title = address::title(&stored.summary);
        let frame = Frame { title, snapshot: snapshot.number, kind: "handoff", ..Frame::default() };
        let content = html! {
            header.page-head {
                p.crumb { a href=(link::conversation(&stored.summary.id)) { bdi { (title) } } }
                h1 { "Hand off" }
                p.summary-line { "A brief for another agent, about " (count(brief.tokens_estimated)) " tokens." }
            }
            div.actions role="group" aria-label="What to do with it" {
                button #copy-brief type="button" data-copy="brief" { "Copy" }
                @for choice in BUDGETS {
                    @let address = format!("{}?budget={choice}", link::of_conversation(&stored.summary.id, "handoff"));
                    a.button href=(address) aria-current=[(choice == budget).then_some("true")] { "At most " (count(choice)) " tokens" }
                }
            }
            pre #brief.brief tabindex="0" { (brief.markdown()) }
        };
        Ok(page(&frame, &content))
    })
    .await
}
