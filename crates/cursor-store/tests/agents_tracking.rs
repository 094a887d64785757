//! The tracking of lines: facts for conversations that others tell of.

use backscroll_cursor_store::Tracking;
use backscroll_fixtures::{self as fixtures, CursorHome, behaves_like_a_source, recorded_named};
use backscroll_model::{Attribution, Layer, Source};

fn of(home: &std::path::Path) -> Tracking {
    Tracking::new(&home.join(".cursor/ai-tracking/ai-code-tracking.db"))
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
    assert_eq!(source.summaries().unwrap().0, [], "it lists nothing by itself");
    let told = source.load(&"c1".into()).unwrap().remove(0);
    assert_eq!(told.summary.models, ["composer-2"]);
    assert_eq!(told.facts.files, ["/home/dev/app/docs/b.md", "/home/dev/app/src/a.rs"]);
    let requests: Vec<_> =
        told.facts.requests.iter().map(|one| (one.request_id.as_str(), one.model.as_deref())).collect();
    assert_eq!(requests, [("r1", Some("composer-2")), ("r2", None)]);
    let workspace = told.summary.workspace.unwrap();
    assert_eq!((workspace.path.as_str(), workspace.by), ("/home/dev/app", Attribution::Tracking));
    assert_eq!(told.summary.origins[0].layer, Layer::Tracking);
    assert_eq!(source.load(&"c2".into()).unwrap()[0].summary.workspace, None);
    assert_eq!(source.load(&"c3".into()).unwrap()[0].summary.title.as_deref(), Some("Named here"));
    let belongings = source.belongings().unwrap();
    assert_eq!(belongings.len(), 1);
    assert_eq!(belongings[0].0.as_str(), "c1");
}

#[test]
fn the_first_generation_names_no_model() {
    let home = CursorHome::new().unwrap().write().unwrap();
    let file = home.root().join("tracking.db");
    let database = fixtures::create_database(&file).unwrap();
    database
        .execute_batch(
            "CREATE TABLE ai_code_hashes (hash TEXT PRIMARY KEY, source TEXT NOT NULL, fileExtension TEXT, fileName TEXT,
               requestId TEXT, conversationId TEXT, timestamp INTEGER, createdAt INTEGER NOT NULL);
             INSERT INTO ai_code_hashes VALUES ('h', 'composer', 'rs', '/a/b/c.rs', NULL, 'c1', 1, 1);",
        )
        .unwrap();
    drop(database);
    let source = Tracking::new(&file);
    behaves_like_a_source(&source);
    let told = source.load(&"c1".into()).unwrap().remove(0);
    assert_eq!(told.facts.files, ["/a/b/c.rs"]);
    assert_eq!(told.summary.workspace, None, "one file does not tell where its project begins");
}

#[test]
fn the_recorded_database() {
    let store = recorded_named("transcripts-txt-with-tracking-db").unwrap();
    let home = store.copy_to_temp().unwrap();
    let source = of(home.path());
    behaves_like_a_source(&source);
    let told = source.load(&"eaa7bafd-bbc5-49ad-b85e-cc6d57a28142".into()).unwrap();
    assert_eq!(told.len(), 1, "it names the conversation of the transcript");
    assert_eq!(told[0].summary.models, Vec::<String>::new(), "`default` is no model");
    assert!(!told[0].facts.files.is_empty());
}
