//! All workspaces, the last used first.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use backscroll_render::list::{relative, short_workspace};
use maud::html;

use super::{Frame, home, page};
use crate::desk::Desk;
use crate::link;
use crate::pieces::{count, plural};
use crate::problem::Problem;

/// `GET /workspaces`.
pub(crate) async fn workspaces(State(desk): State<Arc<Desk>>) -> Result<Response, Problem> {
    desk.read(move |desk, edition| {
        let now = desk.clock.now();
        let without = edition.shown().filter(|summary| summary.workspace.is_none()).count();
        let content = html! {
            @if edition.summaries.is_empty() { (home::nothing(&desk.looked_in)) } @else {
                header.page-head { h1 { "Workspaces" } p { (plural(edition.workspaces.len(), "workspace")) } }
                table.wide {
                    thead { tr { th scope="col" { "Folder" } th scope="col" { "Host" } th.number scope="col" { "Conversations" } th scope="col" { "Last used" } } }
                    tbody {
                        @for place in &edition.workspaces {
                            tr {
                                th scope="row" {
                                    a href=(link::workspace(&place.workspace)) { bdi { (short_workspace(&place.workspace)) } }
                                    span.path { (place.workspace.path) }
                                }
                                td { (place.workspace.remote.as_deref().unwrap_or("this machine")) }
                                td.number data-name="conversations" { (count(place.conversations)) }
                                td { @if let Some(at) = place.last_at { time datetime=(at) { (relative(at, &now)) } } }
                            }
                        }
                    }
                }
                @if without > 0 { p.more { (plural(without, "conversation")) " belong to no folder that is known." } }
            }
        };
        let frame = Frame { title: "Workspaces", way: "/workspaces", edition: edition.number, kind: "workspaces", ..Frame::default() };
        Ok(page(&frame, &content))
    })
    .await
}
