//! How a text transcript ends: no line says that it is complete, but some ends cannot be meant.

use backscroll_model::Role;

use super::marker::{Marker, marker};

/// What the last message, of these lines, breaks off in.
pub(super) fn breaks_off_in(role: Role, lines: &[&str]) -> Option<&'static str> {
    let is_open = |open: &str, close: &str| {
        let opened = lines.iter().rposition(|line| line.starts_with(open));
        opened.is_some_and(|opened| !lines[opened..].iter().any(|line| line.contains(close)))
    };
    if role == Role::User {
        return is_open("<user_query>", "</user_query>").then_some("a query");
    }
    if is_open("<think>", "</think>") {
        return Some("a thought");
    }
    let last = lines.iter().rev().find_map(|line| marker(line));
    matches!(last, Some(Marker::Call { .. })).then_some("a call")
}
