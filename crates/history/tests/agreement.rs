//! A listing and the whole conversation: a listing may know less, and never something else.

use std::path::Path;

use backscroll_fixtures::{
    Composer, CursorHome, Speaks, StateDatabase, Tracking, Transcript, demo_home, recorded,
};
use backscroll_history::{Ask, Filter};
use backscroll_model::{AtIs, Attribution, Workspace};
use serde_json::json;

use crate::home::{all, ask, load};

fn assert_agreement(home: &Path) {
    ask(home, |history| {
        for listed in all(history) {
            let whole = load(history, listed.id.as_str());
            let summary = &whole.summary;
            let name = format!("{}: {}", home.display(), listed.id);
            assert!(listed.workspace.is_none() || listed.workspace == summary.workspace, "{name}");
            assert_eq!(whole.facts.held_in, None, "{name}: it stands in the summary");
            assert_eq!(listed.created_at.or(summary.created_at), summary.created_at, "{name}");
            assert_eq!(listed.updated_at, summary.updated_at, "{name}");
            let own = [summary.created_at, summary.updated_at];
            let (guessed, known): (Vec<_>, Vec<_>) =
                whole.messages.iter().partition(|message| message.at.is == AtIs::Conversation);
            for message in guessed {
                let is_neighbours = known.iter().any(|other| other.at.at == message.at.at);
                assert!(
                    is_neighbours || own.contains(&message.at.at),
                    "{name}: {} has an own time",
                    message.id
                );
            }
        }
    });
}

#[test]
fn in_every_recorded_home_and_the_demo() {
    for store in recorded().unwrap() {
        let home = store.copy_to_temp().unwrap();
        for below in ["", "snapshot1", "snapshot2"].map(|below| home.path().join(below)) {
            if below.is_dir() {
                assert_agreement(&below);
            }
        }
    }
    let demo = tempfile::tempdir().unwrap();
    demo_home(demo.path()).unwrap();
    assert_agreement(demo.path());
}

fn transcript(id: &str, before: &str) -> Transcript {
    let arguments = json!({ "path": "/nowhere/dev/my_app/src/x.rs" });
    Transcript::new("/nowhere/dev/my_app", id).user("ask").assistant(before).tool(
        "Read",
        arguments,
        json!("x"),
    )
}

/// The workspace of the conversation `c1`, as it is listed and as the whole has it.
fn workspaces(home: CursorHome) -> [Option<(String, Attribution)>; 2] {
    let home = home.write().unwrap();
    assert_agreement(home.root());
    ask(home.root(), |history| {
        let listed = all(history).into_iter().find(|summary| summary.id.as_str() == "c1").unwrap();
        let short = |workspace: Option<Workspace>| workspace.map(|it| (it.path, it.by));
        [short(listed.workspace), short(load(history, "c1").summary.workspace)]
    })
}

#[test]
fn what_is_cheap_to_know_is_listed_and_what_only_messages_tell_never_contradicts_it() {
    let home = || CursorHome::new().unwrap();
    let far_down = "words ".repeat(20_000);
    let tracked = |tracking: Tracking| {
        tracking.line("c1", "r1", "/home/a/tracked/x.rs", "m").line("c1", "r1", "/home/a/tracked/y.rs", "m")
    };
    let named =
        Composer::new("c1").titled("c1").user("one").with("workspaceUris", json!(["file:///home/a/said"]));
    let by = |path: &str, by| Some((path.to_owned(), by));
    let slug = || by("/nowhere/dev/my_app", Attribution::Slug);
    let tracking = || by("/home/a/tracked", Attribution::Tracking);
    let said = || by("/home/a/said", Attribution::Message);
    let table = [
        ("near the beginning", home().transcript(transcript("c1", "")), [slug(), slug()]),
        ("far down", home().transcript(transcript("c1", &far_down)), [None, slug()]),
        (
            "far down, and tracked",
            home().transcript(transcript("c1", &far_down)).tracking(tracked(Tracking::new())),
            [tracking(), tracking()],
        ),
        (
            "near the beginning, and tracked",
            home().transcript(transcript("c1", "")).tracking(tracked(Tracking::new())),
            [slug(), slug()],
        ),
        ("in a message", home().global(StateDatabase::new().composer(&named)), [None, said()]),
        (
            "in a message, and tracked",
            home().global(StateDatabase::new().composer(&named)).tracking(tracked(Tracking::new())),
            [tracking(), tracking()],
        ),
        (
            "in a message, and in a transcript",
            home().global(StateDatabase::new().composer(&named)).transcript(transcript("c1", "")),
            [slug(), slug()],
        ),
    ];
    for (name, home, expected) in table {
        assert_eq!(workspaces(home), expected, "{name}");
    }
}

#[test]
fn a_workspace_that_a_transcript_proves_can_be_asked_for() {
    let home = CursorHome::new().unwrap().transcript(transcript("c1", "")).write().unwrap();
    let query = Ask::default().with([Filter::Workspace(vec!["/nowhere/dev/my_app".to_owned()])]);
    let found = ask(home.root(), |history| history.list(&query).summaries.len());
    assert_eq!(found, 1);
}
