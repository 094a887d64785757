//! Who wrote a user's message, what hooks added, what was said in a voice call, and when the last turn ended.

use backscroll_model::{AtIs, Part, Role, SenderKind};

use super::build::Proto;
use super::store::{Held, conversation};

/// The root of one turn whose user's message has these fields besides its words.
fn root_of(held: &mut Held, user: &Proto, call: Option<&Proto>) -> Proto {
    let user = held.put(&user.0);
    let said = Proto::new().bytes(1, "done");
    let step = held.put(&Proto::new().message(1, &said).0);
    let mut turn = Proto::new().bytes(1, user).bytes(2, step);
    if let Some(call) = call {
        turn = turn.bytes(2, held.put(&Proto::new().message(2, call).0));
    }
    Proto::new().bytes(8, held.put(&Proto::new().message(1, &turn).0))
}

fn asked() -> Proto {
    Proto::new().bytes(1, "go on").bytes(2, "u1")
}

#[test]
fn every_field_that_names_a_sender() {
    let stated = |kind: u64| Proto::new().number(1, kind).bytes(2, "a7").bytes(3, "reviewer");
    let about = Proto::new().bytes(1, "Tests ran").bytes(2, "t1");
    let plan = Proto::new().bytes(1, "p1").bytes(2, "Tidy up");
    let table = [
        ("a person", asked(), None),
        ("a person that is named", asked().message(29, &stated(1)), None),
        ("27", asked().bytes(27, "a7"), Some((SenderKind::Agent, Some("a7"), None))),
        (
            "27 and 29",
            asked().bytes(27, "a7").message(29, &stated(2)),
            Some((SenderKind::Agent, Some("a7"), Some("reviewer"))),
        ),
        ("29", asked().message(29, &stated(2)), Some((SenderKind::Agent, Some("a7"), Some("reviewer")))),
        ("28", asked().number(28, 1), Some((SenderKind::Voice, None, None))),
        ("5", asked().number(5, 1), Some((SenderKind::Simulated, None, None))),
        ("9", asked().number(9, 2), Some((SenderKind::Simulated, None, Some("commit reminder")))),
        ("14", asked().message(14, &plan), Some((SenderKind::Simulated, Some("p1"), Some("Tidy up")))),
        ("15", asked().message(15, &about), Some((SenderKind::Simulated, Some("t1"), Some("Tests ran")))),
        (
            "21 without words",
            Proto::new()
                .bytes(2, "u1")
                .message(21, &Proto::new().bytes(1, "sessionStart").bytes(2, "mind it")),
            Some((SenderKind::Hook, None, Some("sessionStart"))),
        ),
    ];
    for (name, user, expected) in table {
        let mut held = Held::default();
        let root = root_of(&mut held, &user, None);
        let read = conversation(&root.0, &held.place());
        let sender = read.value.messages[0].sender.as_ref();
        let told = sender.map(|one| (one.kind, one.id.as_deref(), one.name.as_deref()));
        assert_eq!(told, expected, "{name}");
        assert_eq!(read.value.messages[0].role, Role::User, "{name}");
    }
}

#[test]
fn what_hooks_added_is_context_beside_words_and_calls() {
    let hook = |words: &str| Proto::new().bytes(1, "postToolUse").bytes(2, words);
    let shell = Proto::new().message(1, &Proto::new().bytes(1, "ls"));
    let call = Proto::new().message(1, &shell).bytes(57, "t1").message(54, &hook("about the call"));
    let mut held = Held::default();
    let root = root_of(&mut held, &asked().message(21, &hook("about the prompt")), Some(&call));
    let read = conversation(&root.0, &held.place()).value;
    let context: Vec<Vec<&str>> = read
        .messages
        .iter()
        .map(|message| {
            let texts = message.parts.iter().filter_map(|part| match part {
                Part::Attachment(attached) => attached.text.as_deref(),
                _ => None,
            });
            texts.collect()
        })
        .collect();
    assert_eq!(context, [vec!["about the prompt"], vec!["about the call"]]);
    assert_eq!((read.messages[0].text().as_str(), &read.messages[0].sender), ("go on", &None));
}

#[test]
fn utterances_follow_the_turn_that_they_answer_and_telemetry_bounds_the_last() {
    const AT: u64 = 1_790_000_000_000;
    let mut held = Held::default();
    let root = root_of(&mut held, &asked().number(25, AT), None);
    let said = Proto::new().bytes(1, "v1").number(2, 2).bytes(3, "spoken aloud").bytes(4, "u1");
    let telemetry = Proto::new().number(1, 1).number(2, AT + 5_000);
    let root = root.message(43, &said).message(40, &telemetry).bytes(49, "Europe/Vienna");
    let read = conversation(&root.0, &held.place());
    assert_eq!(read.findings, []);
    let texts: Vec<String> = read.value.messages.iter().map(backscroll_model::Message::text).collect();
    assert_eq!(texts, ["go on", "done", "spoken aloud"]);
    let spoken = &read.value.messages[2];
    assert_eq!(spoken.sender.as_ref().unwrap().kind, SenderKind::Voice);
    assert_eq!(
        (spoken.at.at.unwrap().as_millisecond(), spoken.at.is),
        (1_790_000_005_000, AtIs::Interpolated)
    );
    assert_eq!(read.value.facts.time_zone.as_deref(), Some("Europe/Vienna"));
    assert!(read.value.coverage.adds_up());
}
