//! All workspaces, and each of them: what was said in it, when, and under which other names the folder is known.

use std::collections::BTreeMap;

use axum::extract::{Query, State};
use axum::response::Response;
use backscroll_history::{Statistics, StatisticsScope};
use backscroll_model::{Summary, Workspace};
use backscroll_render::list::{relative, short_workspace};
use jiff::Zoned;
use maud::{Markup, html};
use serde::Deserialize;

use super::{Frame, home, page, stats};
use crate::app_state::App;
use crate::link;
use crate::pieces::{Bar, Row, bars, columns, count, plural, summary_list, without_gaps};
use crate::problem::{Problem, Result};
use backscroll_history::live::{Snapshot, WorkspaceUse};

const SHOWN: usize = 100;

#[derive(Debug, Deserialize)]
pub(crate) struct WorkspaceParameters {
    path: Option<String>,
    remote: Option<String>,
}

/// `GET /workspace?path=…&remote=…`.
pub(crate) async fn workspace(State(app): App, Query(asked): Query<WorkspaceParameters>) -> Result<Response> {
    app.read(move |app, snapshot| {
        let is_asked = |workspace: &Workspace| {
            Some(&workspace.path) == asked.path.as_ref() && workspace.remote == asked.remote
        };
        let place = snapshot.workspaces.iter().find(|place| is_asked(&place.workspace));
        let place = place.ok_or_else(|| Problem::no_workspace(asked.path.as_deref()))?;
        let held: Vec<&Summary> =
            snapshot.shown().filter(|summary| summary.workspace.as_ref().is_some_and(is_asked)).collect();
        let now = app.clock.now();
        let scope = StatisticsScope {
            workspace: asked.path.clone().map(|path| (path, asked.remote.clone())),
            ..StatisticsScope::default()
        };
        let (told, _) = app.statistics(snapshot, &scope);
        let title = short_workspace(&place.workspace);
        let frame = Frame::new(&title, "/workspaces", "workspace", snapshot.number);
        Ok(page(&frame, &content(snapshot, place, &held, &now, told.as_deref())))
    })
    .await
}

fn content(
    snapshot: &Snapshot,
    place: &WorkspaceUse,
    held: &[&Summary],
    now: &Zoned,
    told: Option<&Statistics>,
) -> Markup {
    let workspace = &place.workspace;
    let rows: Vec<Row<'_>> = held.iter().take(SHOWN).map(|summary| Row::new(summary)).collect();
    let others: Vec<&WorkspaceUse> =
        snapshot.workspaces.iter().filter(|other| is_same_folder(&other.workspace, workspace)).collect();
    html! {
        header.page-head {
            h1 { bdi { (short_workspace(workspace)) } }
            p.path { (workspace.path) @if let Some(remote) = &workspace.remote { " on " strong { (remote) } } }
            p { (plural(held.len(), "conversation"))
                " · " a href=(editor_address(workspace)) { "Open in Cursor" }
                " · " a href=(link::with("/search", [("workspace", workspace.path.as_str())])) { "Search in it" } }
        }
        @if !others.is_empty() {
            section.duplicates {
                h2 { "The same folder, elsewhere" }
                p { "Other folders of this name, on other hosts or in other places; perhaps copies or an old home of this one." }
                ul { @for other in others {
                    li { a href=(link::workspace(&other.workspace)) { (other.workspace.path) }
                        @if let Some(remote) = &other.workspace.remote { " on " (remote) } " · " (plural(other.conversations, "conversation")) }
                } }
            }
        }
        (timeline(held, now))
        @if let Some(told) = told.filter(|told| !told.files.is_empty()) { section { h2 { "Files touched most" } (bars(&stats::files(told))) } }
        section { h2 { "Conversations" } div data-live="held" { (summary_list(&rows, now)) }
            @if held.len() > SHOWN { p.more { a href=(link::with("/search", [("workspace", workspace.path.as_str())])) { "All " (plural(held.len(), "conversation")) } } } }
    }
}

fn timeline(held: &[&Summary], now: &Zoned) -> Markup {
    let mut months: BTreeMap<String, u64> = BTreeMap::new();
    for at in held.iter().filter_map(|summary| summary.recency()) {
        *months.entry(at.to_zoned(now.time_zone().clone()).strftime("%Y-%m").to_string()).or_default() += 1;
    }
    let drawn: Vec<Bar> =
        without_gaps(months).into_iter().map(|(month, number)| Bar::new(month, number)).collect();
    html! { @if drawn.len() > 1 { (columns("Conversations by month", "Conversations", &drawn)) } }
}

/// Whether two different places have a folder of the same name.
fn is_same_folder(one: &Workspace, other: &Workspace) -> bool {
    let name = |workspace: &Workspace| {
        workspace.path.rsplit(['/', '\\']).find(|name| !name.is_empty()).map(str::to_lowercase)
    };
    (&one.path, &one.remote) != (&other.path, &other.remote)
        && name(one).is_some()
        && name(one) == name(other)
}

/// The address at which the editor opens this folder, on its own host.
pub(crate) fn editor_address(workspace: &Workspace) -> String {
    let pieces: Vec<String> = workspace.path.split(['/', '\\']).map(link::piece).collect();
    let joined = pieces.join("/");
    let slash = if joined.starts_with('/') { "" } else { "/" };
    match &workspace.remote {
        None => format!("cursor://file{slash}{joined}"),
        // The editor wants to see the plus between the kind of host and its name.
        Some(remote) => {
            let host: Vec<String> = remote.split('+').map(link::piece).collect();
            format!("cursor://vscode-remote/{}{slash}{joined}", host.join("+"))
        }
    }
}

/// `GET /workspaces`.
pub(crate) async fn workspaces(State(app): App) -> Result<Response> {
    app.read(move |app, snapshot| {
        let now = app.clock.now();
        let without = snapshot.shown().filter(|summary| summary.workspace.is_none()).count();
        let content = html! {
            @if snapshot.summaries.is_empty() { (home::nothing(&app.looked_in)) } @else {
                header.page-head { h1 { "Workspaces" } p { (plural(snapshot.workspaces.len(), "workspace")) } }
                table.wide {
                    thead { tr { th scope="col" { "Folder" } th scope="col" { "Host" } th.number scope="col" { "Conversations" } th scope="col" { "Last used" } } }
                    tbody {
                        @for place in &snapshot.workspaces {
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
        let frame = Frame::new("Workspaces", "/workspaces", "workspaces", snapshot.number);
        Ok(page(&frame, &content))
    })
    .await
}

#[cfg(test)]
mod tests {
    use backscroll_model::Attribution;

    use super::*;

    #[test]
    fn the_editor_opens_the_folder_where_it_is() {
        let table = [
            ("/home/a/my app", None, "cursor://file/home/a/my%20app"),
            ("c:\\code\\app", None, "cursor://file/c%3A/code/app"),
            (
                "/srv/app",
                Some("ssh-remote+build box"),
                "cursor://vscode-remote/ssh-remote+build%20box/srv/app",
            ),
            ("/x\"onclick", Some("a\"b"), "cursor://vscode-remote/a%22b/x%22onclick"),
        ];
        for (path, remote, expected) in table {
            let workspace = Workspace {
                path: path.to_owned(),
                uri: None,
                remote: remote.map(str::to_owned),
                by: Attribution::Record,
            };
            assert_eq!(editor_address(&workspace), expected);
        }
    }
}
