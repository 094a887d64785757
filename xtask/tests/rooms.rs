//! Who may know whom: the rooms, and the crates from outside that only some of them may touch.

use std::process::Command;

use serde_json::Value;

use crate::repository::root;

/// Which rooms may know which. A room may depend only on what stands in its own row.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("cursor-format", &["model"]),
    ("salvage", &[]),
    ("own-files", &[]),
    ("cursor-store", &["model", "cursor-format", "salvage", "own-files"]),
    ("index", &["model", "own-files"]),
    ("history", &["model", "index", "redact"]),
    ("redact", &["model"]),
    ("render", &["model", "redact"]),
    ("export", &["model", "history", "redact", "render", "own-files"]),
    ("loopback", &["model"]),
    ("web", &["model", "history", "redact", "render", "export", "loopback"]),
    ("mcp", &["model", "history", "redact", "render", "loopback"]),
    ("fixtures", &["model"]),
    (
        "cli",
        &[
            "model",
            "cursor-store",
            "history",
            "redact",
            "render",
            "export",
            "own-files",
            "web",
            "mcp",
            "fixtures",
        ],
    ),
    ("xtask", &["fixtures", "cli", "history", "index", "redact"]),
];

/// What tests may know besides: the builders of homes, and real sources where questions are asked of them.
const TESTS_MAY_KNOW: &[(&str, &[&str])] = &[
    ("cursor-store", &["fixtures", "history"]),
    ("history", &["fixtures", "cursor-store", "cursor-format"]),
    ("mcp", &["fixtures"]),
    ("web", &["fixtures", "cursor-store"]),
];

/// Outside crates that only the named rooms may use. Crates that are not named may be used by all.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("rusqlite", &["cursor-store", "index", "fixtures", "xtask"]),
    (
        "serde_json",
        &[
            "model",
            "cursor-format",
            "cursor-store",
            "index",
            "redact",
            "render",
            "export",
            "web",
            "mcp",
            "cli",
            "fixtures",
            "xtask",
        ],
    ),
    ("clap", &["cli"]),
    ("anstyle", &["cli", "render"]),
    ("cap-fs-ext", &["own-files"]),
    ("cap-std", &["own-files"]),
    ("rustix", &["own-files"]),
    ("tempfile", &["cursor-store", "own-files", "fixtures", "cli", "xtask"]),
    ("base64", &["cursor-format", "render", "export", "fixtures"]),
    ("md-5", &["cursor-format", "fixtures"]),
    ("sha2", &["cursor-format", "redact", "render", "export", "fixtures"]),
    ("percent-encoding", &["cursor-format", "cursor-store", "redact", "render", "web", "mcp", "cli"]),
    ("similar", &["cursor-format", "history", "render", "cli"]),
    ("csv", &["render"]),
    ("jsonc-parser", &["cli"]),
    ("toml", &["cli", "fixtures"]),
    ("axum", &["web"]),
    ("maud", &["render", "web"]),
    ("ammonia", &["render"]),
    ("syntect", &["render"]),
    ("two-face", &["render"]),
    ("pulldown-cmark", &["render"]),
    ("tokio", &["web", "mcp", "loopback"]),
    ("futures-util", &["web", "loopback"]),
    ("getrandom", &["cli", "own-files"]),
    ("hyper", &["mcp", "loopback"]),
    ("hyper-util", &["web", "loopback"]),
    ("http", &["mcp", "loopback"]),
    ("rmcp", &["mcp"]),
    ("anyhow", &[]),
];

/// One dependency: who, whom, and whether only for tests.
struct Edge {
    room: String,
    knows: String,
    for_tests: bool,
}

/// What is wrong with these dependencies.
fn troubles(edges: &[Edge]) -> Vec<String> {
    edges.iter().filter_map(trouble).collect()
}

fn trouble(edge: &Edge) -> Option<String> {
    let Edge { room, knows, for_tests } = edge;
    let row = |table: &'static [(&str, &[&str])], name: &str| {
        table.iter().find(|(known, _)| *known == name).map(|(_, row)| *row)
    };
    let Some(may) = row(MAY_KNOW, room) else {
        return Some(format!("`{room}` stands in no row of the table of rooms"));
    };
    if row(MAY_KNOW, knows).is_some() {
        let in_tests =
            *for_tests && row(TESTS_MAY_KNOW, room).is_some_and(|may| may.contains(&knows.as_str()));
        return (!may.contains(&knows.as_str()) && !in_tests)
            .then(|| format!("`{room}` must not know `{knows}`"));
    }
    let rooms = row(ONLY_IN, knows)?;
    (!for_tests && !rooms.contains(&room.as_str()))
        .then(|| format!("only {rooms:?} may use `{knows}`, not `{room}`"))
}

fn short(name: &Value) -> String {
    let name = name.as_str().unwrap();
    name.strip_prefix("backscroll-").unwrap_or(name).to_owned()
}

fn all_edges() -> Vec<Edge> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version=1"]).current_dir(root());
    let metadata: Value = serde_json::from_slice(&cargo.output().unwrap().stdout).unwrap();
    let mut edges = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        for dependency in package["dependencies"].as_array().unwrap() {
            let (room, knows) = (short(&package["name"]), short(&dependency["name"]));
            edges.push(Edge { room, knows, for_tests: dependency["kind"] == "dev" });
        }
    }
    edges
}

#[test]
fn rooms_know_only_what_they_may() {
    let edges = all_edges();
    assert!(edges.iter().any(|edge| edge.knows == "model"), "the dependencies were read");
    assert_eq!(troubles(&edges), [""; 0]);
}

#[test]
fn a_wrong_dependency_is_noticed() {
    let edge =
        |room: &str, knows: &str, for_tests| Edge { room: room.into(), knows: knows.into(), for_tests };
    let wrong = [
        edge("cursor-format", "cursor-store", false),
        edge("model", "fixtures", true),
        edge("cli", "rusqlite", false),
        edge("history", "serde_json", false),
        edge("attic", "model", false),
    ];
    assert_eq!(troubles(&wrong).len(), wrong.len());
    let right = [
        edge("cursor-store", "fixtures", true),
        edge("history", "serde_json", true),
        edge("cli", "fixtures", false),
    ];
    assert_eq!(troubles(&right), [""; 0]);
}
