//! Lines of the ledger of hooks: any payload becomes one, and any bytes are read.

use backscroll_cursor_format::hooks::{LONGEST_LINE, LONGEST_PAYLOAD, ledger, ledger_line};
use backscroll_model::{ConversationId, FindingKind, Layer, Origin, Tokens};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn origin() -> Origin {
    Origin::new(Layer::Hooks, std::path::Path::new("2026-11.jsonl"), "")
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_790_000_000 + second).unwrap()
}

/// The payload of an event, with more fields.
fn payload(event: &str, generation: &str, more: &Json) -> Vec<u8> {
    let mut payload = json!({"hook_event_name": event, "conversation_id": "c", "generation_id": generation});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload.to_string().into_bytes()
}

fn lines(payloads: &[Vec<u8>]) -> Vec<u8> {
    let line = |(second, payload): (i64, &Vec<u8>)| ledger_line(payload, at(second), false);
    (0..).zip(payloads).map(line).collect::<String>().into_bytes()
}

fn tokens(input: u64, output: u64) -> Json {
    json!({"input_tokens": input, "output_tokens": output, "cache_read_tokens": 7, "cache_write_tokens": 1})
}

/// A turn: request, tokens, and the seconds of question and answer.
type Turn = (String, Option<Tokens>, Option<i64>, Option<i64>);

/// The turns of `c`.
fn turns(payloads: &[Vec<u8>]) -> Vec<Turn> {
    let read = ledger(&lines(payloads), &origin());
    assert_eq!(read.findings, []);
    let fragment = read.value.fragment(&ConversationId::new("c"), &origin()).unwrap();
    let second = |time: Option<Timestamp>| time.map(|time| time.as_second() - at(0).as_second());
    let turns = fragment.facts.requests.into_iter();
    turns.map(|one| (one.request_id, one.tokens, second(one.asked_at), second(one.answered_at))).collect()
}

fn counted(input: u64, output: u64, times: u64) -> Tokens {
    Tokens { cache_read: Some(7 * times), cache_write: Some(times), ..Tokens::new(input, output) }
}

#[test]
fn a_turn_has_the_tokens_of_its_stop_and_the_times_of_its_ends() {
    let asked = payload("beforeSubmitPrompt", "g1", &json!({"prompt": "x"}));
    let answered = payload("afterAgentResponse", "g1", &tokens(5, 1));
    let stopped = payload("stop", "g1", &tokens(10, 2));
    let whole = [asked.clone(), answered.clone(), stopped.clone()];
    assert_eq!(turns(&whole), [("g1".to_owned(), Some(counted(10, 2, 1)), Some(0), Some(2))]);
    // Reported again, by a second file of hooks or by a restarted editor.
    let again = [&whole[..], &whole[..]].concat();
    assert_eq!(turns(&again), turns(&whole), "a repeated event counts once");
    assert_eq!(turns(&[asked, answered]), [("g1".to_owned(), Some(counted(5, 1, 1)), Some(0), Some(1))]);
    let two = [stopped, payload("stop", "g2", &tokens(20, 4))];
    assert_eq!(
        turns(&two).iter().map(|turn| turn.1).collect::<Vec<_>>(),
        [Some(counted(10, 2, 1)), Some(counted(20, 4, 1))]
    );
}

#[test]
fn a_turn_that_goes_on_counts_each_time_and_the_last_word_of_each() {
    let stop = |count: u64, input: u64| {
        let mut more = tokens(input, 1);
        more["loop_count"] = json!(count);
        payload("stop", "g", &more)
    };
    let counted_turns = turns(&[stop(0, 10), stop(0, 12), stop(1, 100)]);
    assert_eq!(counted_turns[0].1, Some(counted(112, 2, 2)));
}

#[test]
fn an_event_that_names_no_turn_is_one_of_its_own() {
    let stop = |input: u64| {
        let mut payload: Json = serde_json::from_slice(&payload("stop", "g", &tokens(input, 1))).unwrap();
        payload.as_object_mut().unwrap().remove("generation_id");
        payload.to_string().into_bytes()
    };
    let found = turns(&[stop(1), stop(2), payload("preCompact", "g", &json!({}))]);
    assert_eq!(
        found.iter().map(|turn| turn.1).collect::<Vec<_>>(),
        [Some(counted(1, 1, 1)), Some(counted(2, 1, 1))]
    );
}

#[test]
fn subagents_are_children_under_their_conversations_own_id() {
    let start = |id: &str| payload("subagentStart", "g", &json!({"subagent_id": id}));
    let stop = |id: &str, child: &str| {
        payload("subagentStop", "g", &json!({"subagent_id": id, "child_conversation_id": child}))
    };
    let read = ledger(&lines(&[start("s1"), stop("s1", "k1"), start("s2"), stop("c", "c")]), &origin()).value;
    let ids: Vec<String> = read.conversations().iter().map(ToString::to_string).collect();
    assert_eq!(ids, ["c", "k1", "s2"]);
    let of = |id: &str| read.fragment(&ConversationId::new(id), &origin()).unwrap().summary;
    assert_eq!(of("c").children, ["k1", "s2"].map(ConversationId::new));
    assert_eq!(of("k1").parent, Some(ConversationId::new("c")));
    assert_eq!(of("c").parent, None, "nobody starts itself");
}

#[test]
fn damaged_lines_are_counted_and_cost_no_other() {
    let good = ledger_line(&payload("stop", "g", &tokens(1, 1)), at(0), false);
    let lost = ledger_line(b"[1]", at(0), false);
    let huge = format!("{{\"v\":1,\"x\":\"{}\"}}\n", "x".repeat(LONGEST_LINE));
    let odd = "not json\n{}\n[]\n{\"v\":2}\n{\"v\":1}\n\n  \n{\"v\":1,\"payload\":3}\n";
    let cut = &good[..good.len() - 9];
    let bytes =
        [odd.as_bytes(), b"\xff\n", huge.as_bytes(), lost.as_bytes(), good.as_bytes(), cut.as_bytes()]
            .concat();
    let read = ledger(&bytes, &origin());
    assert_eq!(read.value.events.len(), 1);
    let says: Vec<(FindingKind, &str)> =
        read.findings.iter().map(|one| (one.kind, one.says.as_str())).collect();
    for expected in [
        (FindingKind::Undecodable, "a line is no JSON object (2 times)"),
        (FindingKind::Undecodable, "a line without a version"),
        (FindingKind::Undecodable, "a line is no text"),
        (FindingKind::Undecodable, "a line is too long"),
        (FindingKind::Undecodable, "a line without a payload"),
        (FindingKind::Undecodable, "a payload that is no object"),
        (FindingKind::Unknown, "a line of version 2"),
        (FindingKind::Damaged, "an event was not kept: the payload is no JSON object"),
        (FindingKind::Incomplete, "the last line is cut off"),
    ] {
        assert!(says.contains(&expected), "{expected:?} in {says:?}");
    }
    assert_eq!(says.len(), 9);
}

#[test]
fn large_payloads_are_cut_down_or_counted() {
    let long = payload("stop", "g", &json!({"text": "word ".repeat(LONGEST_LINE)}));
    for with_content in [false, true] {
        let line = ledger_line(&long, at(0), with_content);
        assert!(line.len() < 1_000 && line.contains("\"sizes\":{\"text\":"), "{line}");
    }
    let many: serde_json::Map<String, Json> = (0..200_000).map(|n| (format!("n{n}"), json!(n))).collect();
    let line = ledger_line(Json::Object(many).to_string().as_bytes(), at(0), false);
    assert!(line.contains("too many fields"), "{}", &line[..100]);
    let line = ledger_line(&vec![b' '; LONGEST_PAYLOAD + 1], at(0), true);
    assert!(line.contains("too large"), "{line}");
}

proptest! {
    #[test]
    fn any_bytes_make_one_line_and_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        ledger(&bytes, &origin());
        for with_content in [false, true] {
            let line = ledger_line(&bytes, at(0), with_content);
            prop_assert!(line.ends_with('\n') && line.matches('\n').count() == 1);
            prop_assert!(ledger(line.as_bytes(), &origin()).value.events.is_empty() || line.contains("conversation_id"));
        }
    }

    #[test]
    fn no_word_is_kept_unless_it_is_asked_for(
        words in "[a-z]{12}", name in "[a-z_]{1,12}", is_listed in any::<bool>(), is_object in any::<bool>()
    ) {
        let said = format!("zq {words}\n\"zq\"");
        let value = match (is_listed, is_object) {
            (true, _) => json!([said]),
            (false, true) => json!({"x": said}),
            (false, false) => json!(said),
        };
        let name = format!("w{name}_text");
        let more = json!({name: value, "user_email": format!("{words}@example.invalid")});
        let payload = payload("stop", "g", &more);
        let line = ledger_line(&payload, at(0), false);
        prop_assert!(!line.contains(&words), "{line}");
        let whole = ledger_line(&payload, at(0), true);
        prop_assert!(whole.contains(&format!("zq {words}")) && !whole.contains("@example"), "{whole}");
        for line in [line, whole] {
            let read = ledger(line.as_bytes(), &origin());
            prop_assert_eq!((read.value.events.len(), read.findings.len()), (1, 0));
        }
    }
}
