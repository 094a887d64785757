//! The test vectors of the format reference, appendix A.2 and A.5.

use backscroll_cursor_format::BlobId;
use backscroll_cursor_format::agent::{StateError, TurnShape, conversation_at, conversation_state, root};
use backscroll_model::Role;

use super::build::Proto;
use super::store::{Held, conversation, hex, origin};

const MESSAGE: &str =
    r#"{"role":"user","content":[{"type":"text","text":"<user_query>\nhi\n</user_query>"}]}"#;
const MESSAGE_ID: &str = "ec1ef328c5511d01040739a4ec68c491acc8bf0345d2f06085bd060e46e1d889";
const ROOT: &str = "0a20ec1ef328c5511d01040739a4ec68c491acc8bf0345d2f06085bd060e46e1d8895001b20103696465d0018ce2a0d6f333da0103555443";
const ROOT_ID: &str = "cf18befa12f279151867a05afdaea7bfe35bd0a70866a3d686552cd44099316c";
const STATE: &str = "~CiDsHvMoxVEdAQQHOaTsaMSRrMi/A0XS8GCFvQYORuHYiVABsgEDaWRl0AGM4qDW8zPaAQNVVEM=";

#[test]
fn a2_a_root_spelled_in_three_ways() {
    let bytes = conversation_state(STATE).expect("a state").expect("not empty");
    assert_eq!(hex(&bytes), ROOT);
    assert_eq!(conversation_state(ROOT), Ok(Some(bytes.clone())));
    assert_eq!(conversation_state("~"), Ok(None));
    assert_eq!(conversation_state(""), Ok(None));
    assert_eq!(conversation_state("~?"), Err(StateError));
    assert_eq!(conversation_state("nonsense"), Err(StateError));

    let taken = root(&bytes, &origin("root"));
    assert_eq!(taken.findings, []);
    assert_eq!(taken.value.messages[0].id(), BlobId::spelled(MESSAGE_ID.as_bytes()));
    assert_eq!(taken.value.facts.mode, Some("agent"));
    let started = taken.value.facts.started_at.expect("a time");
    assert_eq!(started.as_millisecond(), 1_783_397_626_124);

    let mut held = Held::default();
    assert_eq!(hex(&held.put(MESSAGE)), MESSAGE_ID);
    assert_eq!(hex(&held.put(&bytes)), ROOT_ID);
    let inline = conversation(&bytes, &held.place());
    assert_eq!(inline.findings, []);
    assert_eq!(inline.value.messages.len(), 1);
    assert_eq!(inline.value.messages[0].role, Role::User);
    assert!(inline.value.messages[0].text().contains("hi"));
    assert_eq!(inline.value.messages[0].at.at, Some(started));
    let stored = conversation_at(ROOT_ID, &held.place());
    assert_eq!(stored.value, Some(inline.value));
}

#[test]
fn a5_old_turns_are_ignored_when_new_ones_exist() {
    let mut held = Held::default();
    let user = held.put(Proto::new().bytes(1, "hello").bytes(2, "u1").0);
    let step = held.put(Proto::new().message(1, &Proto::new().bytes(1, "hi there")).0);
    let inner = Proto::new().bytes(1, user).bytes(2, step);
    let old = held.put(&inner.0);
    let new = held.put(Proto::new().message(1, &inner).0);
    let texts = |bytes: &[u8]| {
        let decoded = conversation(bytes, &held.place());
        assert_eq!(decoded.findings, []);
        let messages = decoded.value.messages;
        messages.iter().map(|one| (one.id.to_string(), one.text())).collect::<Vec<_>>()
    };
    let aug = Proto::new().bytes(2, old).0;
    let oct = Proto::new().bytes(2, old).bytes(8, new).0;
    assert_eq!(root(&aug, &origin("r")).value.turn_shape, TurnShape::Direct);
    assert_eq!(root(&oct, &origin("r")).value.turn_shape, TurnShape::Wrapped);
    let read = texts(&oct);
    assert_eq!(read.len(), 2);
    assert_eq!(read[0], ("u1".to_owned(), "hello".to_owned()));
    assert_eq!(read[1].1, "hi there");
    assert_eq!(texts(&aug), read);
}
