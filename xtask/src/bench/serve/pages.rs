//! The pages that are asked for, made of what the home itself holds.

use serde_json::Value as Json;

use super::running::Running;
use crate::arguments::Trouble;

/// One kind of page.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The addresses, asked for in turn.
    pub(super) paths: Vec<String>,
}

/// Where nothing is: the least that an answer can cost.
pub(super) const NOWHERE: &str = "/nothing-is-here";

/// The number of conversations that are requested, the last used ones.
const CONVERSATIONS: usize = 200;

/// Every kind of page; `questions` are searched for, of which those in `common` stand nearly everywhere.
pub(super) fn kinds(server: &Running, questions: &[String], common: &[String]) -> Result<Vec<Kind>, Trouble> {
    let alone = |name, path: &str| Kind { name, paths: vec![path.to_owned()] };
    let search =
        |words: &[String]| words.iter().map(|words| format!("/search?q={}", escaped(words))).collect();
    Ok(vec![
        alone("home", "/"),
        alone("list", "/search"),
        Kind { name: "search", paths: search(questions) },
        Kind { name: "search, common words", paths: search(common) },
        Kind { name: "conversation", paths: conversations(server)? },
        alone("workspaces", "/workspaces"),
        alone("statistics", "/stats"),
        alone("stores", "/stores"),
    ])
}

fn conversations(server: &Running) -> Result<Vec<String>, Trouble> {
    let listed = server.client()?.ask(&format!("/api/v1/conversations?limit={CONVERSATIONS}"), None)?;
    let listed: Vec<Json> = serde_json::from_slice(&listed.body)?;
    Ok(listed.iter().filter_map(|one| one["id"].as_str()).map(conversation).collect())
}

/// The address of the conversation with this id.
pub(super) fn conversation(id: &str) -> String {
    format!("/c/{}", escaped(id))
}

/// `text` as it may stand in an address.
fn escaped(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(one).collect()
}
