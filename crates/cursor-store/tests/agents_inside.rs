//! Agents whose states lie inside of the store of the agent that started them.

use std::fs;
use std::path::Path;

use backscroll_cursor_store::{Where, find};
use backscroll_fixtures::{
    CliChat, CursorHome, Proto, SdkAgent, SdkStore, Speaks, Transcript, create_database, sha256_of,
};
use backscroll_history::{Ask, History};
use backscroll_model::{Conversation, ConversationId, Message, Surface};

const BEGUN: u64 = 1_783_397_626_124;

fn history(home: &Path) -> History {
    let found = find(&Where { home: Some(home.to_owned()), ..Where::default() });
    History::over(found.sources, found.findings)
}

fn texts(whole: &Conversation) -> Vec<String> {
    let said = whole.messages.iter().filter(|message| message.role != backscroll_model::Role::System);
    said.map(Message::text).collect()
}

fn child(id: &str) -> CliChat {
    CliChat::new("/home/dev/app", id).user(&format!("ask {id}")).assistant(&format!("answer {id}"))
}

/// The state of an agent, as a session keeps it; `further` are fields of its root.
fn state(chat: &CliChat, further: &Proto) -> Proto {
    let root = [chat.graph().root(), further.clone().into_bytes()].concat();
    Proto::new().bytes(1, &root).number(2, BEGUN).number(3, BEGUN + 1000).text(5, "model-x")
}

fn entry(id: &str, state: &Proto) -> Proto {
    Proto::new().text(1, id).message(2, state)
}

/// A session that keeps `child`, which keeps `grandchild`, and by a blob of its own `apart`.
fn parent() -> CliChat {
    let grandchild =
        Proto::new().message(16, &entry("grandchild", &state(&child("grandchild"), &Proto::new())));
    let inline = Proto::new().message(16, &entry("child", &state(&child("child"), &grandchild)));
    let apart = state(&child("apart"), &Proto::new()).into_bytes();
    let name = sha256_of(&apart);
    let hash: Vec<u8> =
        (0..64).step_by(2).map(|at| u8::from_str_radix(&name[at..at + 2], 16).unwrap()).collect();
    let by_blob = Proto::new().message(31, &Proto::new().text(1, "apart").bytes(2, &hash));
    let mut parent = child("parent").root_fields(inline.followed_by(by_blob)).stale_blob(apart);
    for chat in ["child", "grandchild", "apart"] {
        for (_, bytes) in child(chat).graph().blobs() {
            parent = parent.stale_blob(bytes.clone());
        }
    }
    parent
}

#[test]
fn agents_that_agents_started_are_found_however_their_state_is_kept() {
    let home = CursorHome::new().unwrap().cli(parent()).write().unwrap();
    let listed = history(home.root()).list(&Ask::everything()).summaries;
    let table = [("child", "parent"), ("grandchild", "child"), ("apart", "parent")];
    assert_eq!(listed.len(), 1 + table.len());
    for (id, started_by) in table {
        let whole = history(home.root()).load(&id.into()).unwrap();
        assert_eq!(texts(&whole), [format!("ask {id}"), format!("answer {id}")]);
        assert_eq!(whole.summary.parent, Some(started_by.into()), "{id}");
        let begun = whole.summary.created_at.unwrap().as_millisecond();
        assert_eq!(
            (begun.cast_unsigned(), whole.summary.models.clone()),
            (BEGUN, vec!["model-x".to_owned()]),
            "{id}"
        );
        let summary = listed.iter().find(|one| one.id.as_str() == id).unwrap();
        let [listed, read] =
            [summary, &whole.summary].map(|one| (one.parent.clone(), one.created_at, one.title.clone()));
        assert_eq!(listed, read, "{id}");
        assert_eq!(listed.2, Some(format!("ask {id}")));
    }
}

#[test]
fn a_subagent_with_a_transcript_has_messages_from_its_state_too() {
    let lines = Transcript::new("/home/dev/app", "child").subagent_of("parent");
    let lines = lines.user("ask child").assistant("answer child").assistant("only here");
    let home = CursorHome::new().unwrap().cli(parent()).transcript(lines).write().unwrap();
    let whole = history(home.root()).load(&"child".into()).unwrap();
    assert_eq!(whole.summary.surface, Surface::Cli, "as the listing says");
    assert_eq!(texts(&whole), ["ask child", "answer child", "only here"]);
    assert_eq!(whole.summary.origins.len(), 2);
}

#[test]
fn the_store_of_an_sdk_agent_keeps_agents_too() {
    let id = "agent-5a1c0000-0000-4000-8000-000000000001";
    let store = SdkStore::new("/home/dev/app").agent(SdkAgent::new(id).user("hi").assistant("Hi."));
    let home = CursorHome::new().unwrap().sdk(store).write().unwrap();
    let agents = home.cursor_dir().join("projects/home-dev-app/sdk-agent-store");
    let agents = fs::read_dir(agents).unwrap().next().unwrap().unwrap().path().join("agents");
    let own = fs::read_dir(agents).unwrap().next().unwrap().unwrap().path().join("store.db");
    fs::remove_file(&own).unwrap();
    parent().write_store(&own).unwrap();
    let meta = format!(r#"{{"agentId":"{id}","latestRootBlobId":"{}"}}"#, parent().graph().root_id());
    create_database(&own).unwrap().execute("UPDATE meta SET value = ?1", [meta]).unwrap();
    let listed = history(home.root()).list(&Ask::everything()).summaries;
    assert_eq!(listed.len(), 4);
    for kept in ["child", "grandchild", "apart"] {
        let whole = history(home.root()).load(&ConversationId::new(kept)).unwrap();
        assert_eq!(texts(&whole), [format!("ask {kept}"), format!("answer {kept}")]);
        assert_eq!(whole.summary.surface, Surface::Sdk);
    }
    assert_eq!(history(home.root()).load(&"child".into()).unwrap().summary.parent, Some(id.into()));
}
