//! The tracking of lines: facts for conversations that other sources have.

use std::collections::BTreeSet;
use std::sync::Arc;

use backscroll_cursor_store::{Tracking, Where, find};
use backscroll_fixtures::{
    self as fixtures, Composer, CursorHome, Journal, Speaks, StateDatabase, TrackingGeneration,
    behaves_like_a_source, recorded_named,
};
use backscroll_history::Ask;
use backscroll_model::{Attribution, FindingKind, Inventory as _, Layer};
use serde_json::json;

use crate::asked::{catalogued, fragments, listing};
use crate::feed_watch::Watch;

fn of(home: &std::path::Path) -> Tracking {
    Tracking::new(&home.join(".cursor/ai-tracking/ai-code-tracking.db"), Arc::default())
}

#[test]
fn models_files_and_folder_by_conversation_and_request() {
    let rows = fixtures::Tracking::new()
        .line("c1", "r1", "/home/dev/app/src/a.rs", "composer-2")
        .line("c1", "r1", "/home/dev/app/src/a.rs", "composer-2")
        .line("c1", "r2", "/home/dev/app/docs/b.md", "default")
        .line("c2", "r3", "relative.rs", "composer-2")
        .summary("c3", "Named here", "…");
    let home = CursorHome::new().unwrap().tracking(rows).write().unwrap();
    let source = of(home.root());
    behaves_like_a_source(&source);
    assert_eq!(listing(&source).0, [], "it lists nothing by itself");
    let read = fragments(&source, "c1").remove(0);
    assert_eq!(read.summary.models, ["composer-2"]);
    assert_eq!(read.facts.files, ["/home/dev/app/docs/b.md", "/home/dev/app/src/a.rs"]);
    let requests: Vec<_> =
        read.facts.requests.iter().map(|one| (one.request_id.as_str(), one.model.as_deref())).collect();
    assert_eq!(requests, [("r1", Some("composer-2")), ("r2", None)]);
    let workspace = read.summary.workspace.unwrap();
    assert_eq!((workspace.path.as_str(), workspace.by), ("/home/dev/app", Attribution::Tracking));
    assert_eq!(read.summary.origins[0].layer, Layer::Tracking);
    assert_eq!(fragments(&source, "c2")[0].summary.workspace, None);
    assert_eq!(fragments(&source, "c3")[0].summary.title.as_deref(), Some("Named here"));
    let heads: Vec<_> = catalogued(&source).into_iter().flat_map(|one| one.heads).collect();
    let placed: Vec<_> =
        heads.iter().map(|head| (head.summary.id.as_str(), &head.summary.workspace)).collect();
    assert_eq!(placed, [("c1", &Some(workspace)), ("c2", &None)], "only several files show a folder");
    assert!(heads.iter().all(|head| head.summary.created_at.is_some() && head.summary.updated_at.is_some()));
}

/// The three generations, each with the same lines and commits: columns are read by name, and what a generation lacks is
/// unknown.
#[test]
fn every_generation_is_read_as_far_as_it_goes() {
    let table = [
        (TrackingGeneration::First, None, None),
        (TrackingGeneration::Second, Some("composer-2"), None),
        (TrackingGeneration::Third, Some("composer-2"), Some("Read tables in standard time")),
    ];
    for (generation, model, message) in table {
        let rows = fixtures::Tracking::new()
            .generation(generation)
            .line("c1", "r1", "/home/dev/app/src/a.rs", "composer-2")
            .line("c1", "r1", "/home/dev/app/docs/b.md", "composer-2")
            .line("c2", "r2", "lone.rs", "default")
            .commit("a41c9e2", "main", "Read tables in standard time")
            .commit("77b0d13", "main", "Read tables in standard time");
        let home = CursorHome::new().unwrap().tracking(rows).write().unwrap();
        let source = of(home.root());
        behaves_like_a_source(&source);
        let read = fragments(&source, "c1").remove(0);
        assert_eq!(read.summary.models.first().map(String::as_str), model, "{generation:?}");
        assert_eq!(read.facts.requests[0].model.as_deref(), model, "{generation:?}");
        assert_eq!(read.facts.files, ["/home/dev/app/docs/b.md", "/home/dev/app/src/a.rs"]);
        assert_eq!(read.summary.workspace.unwrap().path, "/home/dev/app", "{generation:?}");
        assert_eq!(fragments(&source, "c2")[0].summary.workspace, None, "one file shows no folder");

        let holding = source.holdings().unwrap().remove(0);
        assert_eq!((holding.tracked_lines, holding.conversations), (Some(3), 2), "{generation:?}");
        let times = [holding.first_at, holding.last_at].map(|at| at.unwrap().as_millisecond());
        assert_eq!(times, [1_783_397_700_000, 1_783_398_000_000], "lines, then commits");
        let commits: Vec<_> = holding.commits.iter().map(|commit| commit.hash.as_str()).collect();
        assert_eq!(commits.iter().copied().collect::<BTreeSet<_>>(), BTreeSet::from(["77b0d13", "a41c9e2"]));
        for commit in &holding.commits {
            assert_eq!((commit.branch.as_deref(), commit.message.as_deref()), (Some("main"), message));
            assert_eq!(commit.lines.is_some(), generation == TrackingGeneration::Third);
        }
    }
}

#[test]
fn the_third_generation_says_whose_lines_a_commit_has_and_which_files_went() {
    let rows = fixtures::Tracking::new()
        .generation(TrackingGeneration::Third)
        .commit("a41c9e2", "main", "Fix")
        .kept_file("src/kept.rs", "c1", "composer-2")
        .deleted_file("src/gone.rs", "c1", "gpt-5");
    let home = CursorHome::new().unwrap().tracking(rows).write().unwrap();
    let source = of(home.root());
    let commit = source.holdings().unwrap().remove(0).commits.remove(0);
    let lines = commit.lines.unwrap();
    assert_eq!((lines.all.added, lines.all.removed), (10, 4));
    let added = [lines.tab.added, lines.composer.added, lines.human.added, lines.blank.added];
    assert_eq!(added, [1, 7, 2, 0]);
    assert_eq!(commit.ai_percentage.as_deref(), Some("70.00"), "the later measure");
    assert_eq!(commit.date.as_deref(), Some("2026-07-07 06:20:00 +0200"));
    let read = fragments(&source, "c1").remove(0);
    assert_eq!(read.facts.files, ["src/kept.rs", "src/gone.rs"]);
    assert_eq!(read.summary.models, ["composer-2", "gpt-5"]);
}

#[test]
fn lines_that_name_a_request_alone_are_kept_by_request() {
    let rows = fixtures::Tracking::new().line("", "r1", "/home/dev/app/a.rs", "composer-2").line(
        "c1",
        "r2",
        "/home/dev/app/b.rs",
        "gpt-5",
    );
    let home = CursorHome::new().unwrap().tracking(rows).write().unwrap();
    let unattributed = fragments(&of(home.root()), "").remove(0).facts.requests;
    let requests: Vec<_> =
        unattributed.iter().map(|one| (one.request_id.as_str(), one.model.as_deref())).collect();
    assert_eq!(requests, [("r1", Some("composer-2"))], "lines of a conversation are read with it");
}

#[test]
fn unknown_columns_and_lost_tables_do_no_harm() {
    let home = CursorHome::new().unwrap().write().unwrap();
    let file = home.root().join("tracking.db");
    let database = fixtures::create_database(&file).unwrap();
    database
        .execute_batch(
            "CREATE TABLE ai_code_hashes (hologram BLOB, conversationId TEXT, fileName TEXT);
             INSERT INTO ai_code_hashes VALUES (x'00', 'c1', '/a/b/c.rs'), (NULL, NULL, NULL);
             CREATE TABLE scored_commits (scoredAt TEXT, commitHash TEXT, mood TEXT);
             INSERT INTO scored_commits VALUES ('1783398000000', 'abc', 'good'), (NULL, NULL, 'lost');",
        )
        .unwrap();
    drop(database);
    let source = Tracking::new(&file, Arc::default());
    behaves_like_a_source(&source);
    assert_eq!(fragments(&source, "c1")[0].facts.files, ["/a/b/c.rs"]);
    let holding = source.holdings().unwrap().remove(0);
    assert_eq!((holding.tracked_lines, holding.conversations, holding.commits.len()), (Some(2), 1, 1));
    assert_eq!(holding.last_at.unwrap().as_millisecond(), 1_783_398_000_000);
    let findings = listing(&source).1;
    assert_eq!(findings.len(), 1, "a commit without a hash is reported");
    assert_eq!((findings[0].kind, findings[0].at.key.as_str()), (FindingKind::NullRow, "scored_commits"));

    let empty = home.root().join("empty.db");
    drop(fixtures::create_database(&empty).unwrap());
    let holding = Tracking::new(&empty, Arc::default()).holdings().unwrap().remove(0);
    assert_eq!((holding.tracked_lines, holding.first_at), (None, None));
}

#[test]
fn the_recorded_database() {
    let store = recorded_named("transcripts-txt-with-tracking-db").unwrap();
    let home = store.copy_to_temp().unwrap();
    let source = of(home.path());
    behaves_like_a_source(&source);
    let read = fragments(&source, "eaa7bafd-bbc5-49ad-b85e-cc6d57a28142");
    assert_eq!(read.len(), 1, "it names the conversation of the transcript");
    assert_eq!(read[0].summary.models, Vec::<String>::new(), "`default` is no model");
    assert!(!read[0].facts.files.is_empty());
    let holding = source.holdings().unwrap().remove(0);
    assert_eq!((holding.tracked_lines, holding.conversations), (Some(669), 1));
    assert!(holding.commits.is_empty() && holding.first_at < holding.last_at);
}

/// The list that was there before the database, in the editor's own: by conversation as far as an entry names one.
#[test]
fn the_older_list_of_lines_is_read_too() {
    let line = |metadata: serde_json::Value| json!({ "hash": "1a2b3c4d", "metadata": metadata });
    let written = |file: &str| {
        line(
            json!({ "source": "composer", "composerId": "c1", "fileName": file, "requestId": "r1", "timestamp": 1_757_000_000_000_i64 }),
        )
    };
    let list = |last: &str| {
        json!([
            written("/home/dev/app/src/a.rs"),
            written(last),
            line(json!({ "source": "tab", "fileName": "/home/dev/app/src/c.rs", "fileExtension": "rs" })),
            line(json!({ "source": "composer", "composerId": "c2" })),
            "strange",
        ])
    };
    let composer = |id: &str| Composer::new(id).titled(id).user("ask").assistant("answer");
    let database = StateDatabase::new().composer(&composer("c1")).composer(&composer("c2"));
    let home = CursorHome::new()
        .unwrap()
        .global(database.item("aiCodeTrackingLines", list("/home/dev/app/docs/b.md")))
        .write()
        .unwrap();
    let mut watch = Watch::on(home.root());
    let history = watch.history();
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    found.sources.iter().for_each(|source| behaves_like_a_source(&**source));
    let listing = history.list(&Ask::default());
    let says: Vec<_> = listing.findings.iter().map(|one| (one.at.key.as_str(), one.says.as_str())).collect();
    assert_eq!(says, [("aiCodeTrackingLines", "1 tracked lines are of no shape that we know")]);
    let folders: Vec<_> = listing
        .summaries
        .iter()
        .map(|one| {
            (one.id.as_str(), one.workspace.as_ref().map(|workspace| (workspace.path.as_str(), workspace.by)))
        })
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    assert_eq!(folders, [("c1", Some(("/home/dev/app", Attribution::Tracking))), ("c2", None)]);
    let read = history.load(&"c1".into()).unwrap();
    assert_eq!(read.facts.files, ["/home/dev/app/docs/b.md", "/home/dev/app/src/a.rs"]);
    assert_eq!(read.facts.requests[0].request_id, "r1");
    let origin = &read.summary.origins.last().unwrap();
    assert_eq!((origin.layer, origin.key.as_str()), (Layer::Tracking, "aiCodeTrackingLines"));
    assert_eq!(
        read.summary.workspace,
        listing.summaries.iter().find(|one| one.id.as_str() == "c1").unwrap().workspace
    );

    let connection = fixtures::create_database(&home.global_database()).unwrap();
    let changed = list("/home/dev/app/docs/other.md").to_string();
    connection
        .execute("UPDATE ItemTable SET value = ?1 WHERE key = 'aiCodeTrackingLines'", [changed])
        .unwrap();
    drop(connection);
    assert_eq!(watch.named(), ["c1"]);
}

/// It is by far the longest value of its table, so a damaged page is likely to be one of its own.
#[test]
fn a_damaged_list_of_lines_costs_no_conversation() {
    const PAGE: usize = 4096;
    let composer = Composer::new("c1").titled("c1").user("ask").assistant("answer");
    let database = StateDatabase::new().composer(&composer).journal(Journal::Rollback);
    let list = format!("[{}]", " ".repeat(20 * PAGE));
    let home = CursorHome::new().unwrap().global(database.item("aiCodeTrackingLines", list)).write().unwrap();
    let file = home.global_database();
    let mut bytes = std::fs::read(&file).unwrap();
    let inside = bytes.chunks(PAGE).position(|page| page[4..].iter().all(|byte| *byte == b' ')).unwrap();
    // The number of the page with which the list goes on: there is no such page.
    bytes[inside * PAGE..inside * PAGE + 4].fill(0xff);
    std::fs::write(&file, bytes).unwrap();

    let mut watch = Watch::on(home.root());
    let history = watch.history();
    let listing = history.list(&Ask::default());
    assert_eq!(listing.summaries.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["c1"]);
    let says: Vec<_> = listing.findings.iter().map(|one| (one.kind, one.at.key.as_str())).collect();
    assert_eq!(says, [(FindingKind::Damaged, "aiCodeTrackingLines")], "{:?}", listing.findings);
    assert_eq!(history.load(&"c1".into()).unwrap().messages.len(), 2);
    assert_eq!(watch.named(), ["c1"; 0], "what cannot be read did not change");
}
