//! What hooks measured, in the conversations that stores have.

use std::path::Path;

use backscroll_cursor_store::{HookLedger, Where, find};
use backscroll_fixtures::{
    Composer, CursorHome, SdkAgent, SdkStore, Speaks, StateDatabase, Transcript, WrittenHome, hook_payload,
};
use backscroll_history::History;
use backscroll_model::{AtIs, Conversation, Fact, Flag, Layer, Tokens};
use jiff::Timestamp;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::home::{all, load};

fn history(home: &WrittenHome, data: &Path) -> History {
    let place = Where { home: Some(home.root().to_owned()), data: Some(data.to_owned()), ..Where::default() };
    let found = find(&place);
    History::over(found.sources, found.findings)
}

fn tell(data: &Path, event: &str, conversation: &str, generation: &str, at: i64, more: &Json) {
    let mut payload = hook_payload(event, conversation, generation);
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let at = Timestamp::from_millisecond(at).unwrap();
    HookLedger::append(data, payload.to_string().as_bytes(), at, false).unwrap();
}

fn stop(data: &Path, conversation: &str, generation: &str, at: i64, input: u64) {
    let more =
        json!({"input_tokens": input, "output_tokens": 2, "cache_read_tokens": 30, "cache_write_tokens": 4});
    tell(data, "stop", conversation, generation, at, &more);
}

fn tokens(input: u64, times: u64) -> Tokens {
    Tokens { cache_read: Some(30 * times), cache_write: Some(4 * times), ..Tokens::new(input, 2 * times) }
}

fn counted(whole: &Conversation) -> Vec<Option<Tokens>> {
    whole.messages.iter().map(|message| message.tokens).collect()
}

fn two_turns(id: &str) -> Composer {
    Composer::new(id)
        .titled("Tides")
        .user("one")
        .thinking("hm")
        .assistant("first")
        .user("two")
        .assistant("second")
}

#[test]
fn tokens_go_to_the_answer_of_the_turn_that_names_the_request() {
    let composer = two_turns("c");
    let data = TempDir::new().unwrap();
    for (generation, input) in [(composer.request_id(0), 10), (composer.request_id(3), 100)] {
        for second in 0..2 {
            stop(data.path(), "c", &generation, composer.time_of(4) + second * 1_000, input);
        }
    }
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&composer)).write().unwrap();
    let whole = load(&history(&home, data.path()), "c");
    assert_eq!(
        counted(&whole),
        [None, None, Some(tokens(10, 1)), None, Some(tokens(100, 1))],
        "a repeated event counts once"
    );
    assert_eq!(whole.facts.tokens, Some(tokens(110, 2)));
    let noted = whole.messages[2].fact_origins.iter().find(|one| one.fact == Fact::Tokens).unwrap();
    assert_eq!((noted.origin.layer, noted.origin.key.as_str()), (Layer::Hooks, "line 1"));
    assert!(
        whole.fact_origins.iter().any(|one| one.fact == Fact::Tokens && one.origin.layer == Layer::Hooks)
    );
    assert_eq!(load(&history(&home, home.root()), "c").facts.tokens, None, "without the ledger nobody knows");
}

/// A transcript names neither requests nor the time of an answer.
#[test]
fn a_turn_without_a_request_is_known_by_when_it_was_asked_for() {
    let asked = "2026-07-07T04:13:00Z".parse::<Timestamp>().unwrap().as_millisecond();
    let id = "0d000000-0000-4000-8000-000000000001";
    let line = |role: &str, text: String| json!({"role": role, "message": {"content": [{"type": "text", "text": text}]}});
    let prompt = |minute: u32, words: &str| {
        let time = format!("<timestamp>Tuesday, Jul 7, 2026, 9:{minute} AM (UTC+5:30)</timestamp>");
        line("user", format!("{time}\n<user_query>\n{words}\n</user_query>"))
    };
    let lines = [
        prompt(43, "one"),
        line("assistant", "first".into()),
        prompt(48, "two"),
        line("assistant", "second".into()),
    ];
    let lines = lines.map(|line| line.to_string()).join("\n");
    let file = format!(".cursor/projects/w-p/agent-transcripts/{id}/{id}.jsonl");
    let home = CursorHome::new().unwrap().file(&file, lines).write().unwrap();
    let data = TempDir::new().unwrap();
    tell(data.path(), "beforeSubmitPrompt", id, "g2", asked + 345_000, &json!({}));
    stop(data.path(), id, "g2", asked + 350_000, 7);
    stop(data.path(), id, "nobody knows when", asked + 900_000, 1);
    let whole = load(&history(&home, data.path()), id);
    assert_eq!(counted(&whole), [None, None, None, Some(tokens(7, 1))]);
    let answer = whole.messages[3].at;
    assert_eq!((answer.at.unwrap().as_millisecond(), answer.is), (asked + 350_000, AtIs::Exact));
    assert_eq!(whole.facts.tokens, Some(tokens(8, 2)), "and the turn that nobody can place counts");
}

/// Neither requests nor times are known: as many measurements as turns are in the order of the turns.
#[test]
fn measurements_of_every_turn_are_in_the_order_of_the_turns() {
    let id = "0d000000-0000-4000-8000-000000000002";
    let talk = Transcript::new("/w/p", id).user("one").assistant("first").user("two").assistant("second");
    let home = CursorHome::new().unwrap().transcript(talk).write().unwrap();
    let data = TempDir::new().unwrap();
    stop(data.path(), id, "g1", 1_790_000_000_000, 1);
    let whole = load(&history(&home, data.path()), id);
    assert_eq!(counted(&whole), [None, None, None, None], "one of two: which of them is not known");
    assert_eq!(whole.facts.tokens, Some(tokens(1, 1)));
    stop(data.path(), id, "g2", 1_790_000_060_000, 10);
    let whole = load(&history(&home, data.path()), id);
    assert_eq!(counted(&whole), [None, Some(tokens(1, 1)), None, Some(tokens(10, 1))]);
    assert_eq!(whole.facts.tokens, Some(tokens(11, 2)));
}

#[test]
fn what_a_store_measured_itself_is_believed() {
    let usage = json!({"inputTokens": 1000, "outputTokens": 50});
    let agent = SdkAgent::new("agent-1").named("A").usage(usage).user("go").assistant("gone");
    let home = CursorHome::new().unwrap().sdk(SdkStore::new("/w/p").agent(agent)).write().unwrap();
    let data = TempDir::new().unwrap();
    stop(data.path(), "agent-1", "g", 1_790_000_000_000, 5);
    let whole = load(&history(&home, data.path()), "agent-1");
    assert_eq!(whole.facts.tokens, Some(Tokens::new(1000, 50)), "counted once");
}

#[test]
fn who_started_whom_is_known_by_the_hooks_alone() {
    let parent = Composer::new("p").titled("Parent").user("go").assistant("sent somebody");
    let child = Composer::new("child-1").titled("Child").user("look").assistant("looked");
    let database = StateDatabase::new().composer(&parent).composer(&child);
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    let data = TempDir::new().unwrap();
    tell(data.path(), "subagentStart", "p", "g", 1_790_000_000_000, &json!({}));
    tell(data.path(), "subagentStop", "p", "g", 1_790_000_004_000, &json!({}));
    let history = history(&home, data.path());
    assert_eq!(load(&history, "p").summary.children, ["child-1".into()]);
    let listed = all(&history);
    assert_eq!(listed.len(), 2, "the ledger alone makes no conversation");
    let child = listed.iter().find(|one| one.id.as_str() == "child-1").unwrap().clone();
    for summary in [child, load(&history, "child-1").summary] {
        assert_eq!(summary.parent, Some("p".into()));
        assert!(summary.flags.contains(&Flag::Subagent));
    }
    tell(data.path(), "stop", "only in the ledger", "g", 1_790_000_009_000, &json!({}));
    assert_eq!(all(&self::history(&home, data.path())).len(), 2);
}
