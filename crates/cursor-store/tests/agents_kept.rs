//! Sessions of the command line agent whose blobs are kept in memory or asked for one by one: both read the same.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use backscroll_cursor_format::agent::{self, AgentConversation, GraphLocation};
use backscroll_cursor_format::{BlobId, Blobs, RowsError};
use backscroll_cursor_store::{CliStores, KnownPaths};
use backscroll_fixtures::{BlobGraph, CliChat, CursorHome, Proto, Speaks};
use backscroll_model::{FindingKind, Fragment, Layer, Message, Moment, Origin};
use serde_json::json;

use crate::asked::fragments;

/// All blobs of a session in memory, as the format's own tests read them.
struct Plain(HashMap<String, Vec<u8>>);

impl Blobs for Plain {
    fn blob(&self, id: &BlobId) -> Result<Option<Cow<'_, [u8]>>, RowsError> {
        Ok(self.0.get(&id.to_string()).map(|bytes| Cow::Borrowed(bytes.as_slice())))
    }
}

fn plainly(graph: &BlobGraph, store: &Path) -> AgentConversation {
    let mut blobs: HashMap<String, Vec<u8>> = graph.blobs().iter().cloned().collect();
    let root = graph.root_id();
    blobs.insert(root.clone(), graph.root());
    let at = Origin::new(Layer::CliStore, store, root.as_str());
    let read = agent::conversation_at(&root, &GraphLocation { blobs: &Plain(blobs), root: at, prefix: "" });
    assert_eq!(read.findings, []);
    read.value.unwrap()
}

fn load(home: &Path) -> Fragment {
    let source = CliStores::chats(&home.join(".cursor/chats"), Arc::new(KnownPaths::default()));
    fragments(&source, "s1").remove(0)
}

/// Everything but times, which a session adds to what its blobs hold.
fn untimed(messages: &[Message]) -> Vec<Message> {
    messages.iter().map(|one| Message { at: Moment::default(), ..one.clone() }).collect()
}

/// Sizes around the largest blob that is kept in memory.
const SIZES: [usize; 9] = [1, 1_000, 2_900, 3_000, 3_072, 3_200, 5_000, 70_000, 300_000];

/// A session with answers of all sizes, some of which the root lists once more.
fn session() -> CliChat {
    let mut chat = CliChat::new("/home/dev/app", "s1").named("Sizes");
    for (turn, size) in SIZES.into_iter().cycle().take(60).enumerate() {
        let answer = format!("answer {turn} {}", "y".repeat(size));
        chat = chat.user(&format!("question {turn}."));
        chat = chat
            .tool("Read", json!({ "path": format!("/a/{turn}") }), json!("z".repeat(size)))
            .assistant(&answer);
    }
    let graph = chat.graph();
    let again = |wanted: &str| {
        let is_it = |bytes: &[u8]| bytes.starts_with(b"{") && String::from_utf8_lossy(bytes).contains(wanted);
        let (id, _) = graph.blobs().iter().find(|(_, bytes)| is_it(bytes)).unwrap();
        *BlobId::spelled(id.as_bytes()).unwrap().as_bytes()
    };
    let again = ["question 3.", "answer 1 ", "answer 8 ", "answer 8 ", "answer 59 "].map(again);
    chat.root_fields(again.iter().fold(Proto::new(), |root, id| root.bytes(1, id)))
}

#[test]
fn sizes_and_repetitions_make_no_difference() {
    let chat = session();
    let home = CursorHome::new().unwrap().cli(chat.clone()).write().unwrap();
    let store = home.cursor_dir().join(chat.folder()).join("store.db");
    let expected = plainly(&chat.graph(), &store);
    let whole = load(home.root());
    assert_eq!(whole.findings, []);
    assert!(untimed(&whole.messages) == untimed(&expected.messages), "all are read as they are stored");
    assert_eq!((whole.coverage, whole.orphans.len()), (expected.coverage, 0));
    let texts: Vec<String> = whole.messages.iter().map(Message::text).collect();
    for (wanted, times) in [("question 3.", 2), ("answer 8 ", 3), ("answer 59 ", 2), ("answer 2 ", 1)] {
        assert_eq!(texts.iter().filter(|text| text.starts_with(wanted)).count(), times, "{wanted}");
    }
}

/// What is kept of one store is limited. Messages behind the limit are asked for one by one.
#[test]
fn a_store_of_more_than_is_kept_is_read_the_same() {
    let chat = session();
    let home = CursorHome::new().unwrap().cli(chat.clone()).write().unwrap();
    let store = home.cursor_dir().join(chat.folder()).join("store.db");
    let expected = plainly(&chat.graph(), &store);
    let connection = backscroll_fixtures::create_database(&store).unwrap();
    // Twenty-six megabytes in rows before all others.
    let junk = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 8700)
                INSERT INTO blobs (rowid, id, data) SELECT -i, printf('%064x', i), zeroblob(3000) FROM n";
    connection.execute(junk, []).unwrap();
    let branch = json!({ "role": "assistant", "content": "not taken" }).to_string();
    connection.execute("INSERT INTO blobs VALUES ('no hash', ?1)", [branch.as_bytes()]).unwrap();
    drop(connection);
    let whole = load(home.root());
    assert!(untimed(&whole.messages) == untimed(&expected.messages), "all are read as they are stored");
    assert_eq!(whole.orphans.iter().map(Message::text).collect::<Vec<_>>(), ["not taken"]);
    let kinds: Vec<_> = whole.findings.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [FindingKind::OrphanMessage, FindingKind::Unreached], "{:?}", whole.findings);
    assert!(whole.findings[1].says.starts_with("8700 blobs"), "{:?}", whole.findings);
}
