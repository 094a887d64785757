//! The name of a workspace where there is little room.

use backscroll_model::Workspace;

use crate::text::one_line;

/// The last two components of the path, behind the host if it is another one: `box:a/app`.
pub fn short_workspace(workspace: &Workspace) -> String {
    let components: Vec<&str> = workspace.path.split(['/', '\\']).filter(|name| !name.is_empty()).collect();
    let last = components[components.len().saturating_sub(2)..].join("/");
    let path = if last.is_empty() { &workspace.path } else { &last };
    match workspace.remote.as_deref() {
        Some(remote) => one_line(&format!("{}:{path}", host(remote))),
        None => one_line(path),
    }
}

/// `box` of `ssh-remote+box`.
fn host(remote: &str) -> &str {
    remote.split_once('+').map_or(remote, |(_, host)| host)
}
