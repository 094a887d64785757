//! Stores with holes: each is reported, none is silent.

use backscroll_cursor_format::MOST_MESSAGES;
use backscroll_cursor_format::agent::{Piece, conversation_at, message};
use backscroll_model::FindingKind;

use super::build::Proto;
use super::store::{Held, conversation, hex, origin, skeleton};

fn kinds(root: &Proto, held: &Held) -> Vec<FindingKind> {
    let decoded = conversation(&root.0, &held.place());
    assert!(decoded.value.coverage.adds_up());
    decoded.findings.iter().map(|one| one.kind).collect()
}

#[test]
fn missing_blobs_are_reported() {
    let held = Held::default();
    let root = Proto::new().bytes(1, [1; 32]).bytes(8, [2; 32]).bytes(13, [3; 32]);
    assert_eq!(kinds(&root, &held), [FindingKind::DanglingReference; 3]);
    assert_eq!(conversation(&root.0, &held.place()).value.coverage.missing, 1);
    let lost = conversation_at(&hex(&[9; 32]), &held.place());
    assert_eq!(lost.value, None);
    assert_eq!(lost.findings[0].kind, FindingKind::DanglingReference);
    assert_eq!(skeleton(&root.0, &held.place()).findings[0].kind, FindingKind::DanglingReference);
}

#[test]
fn a_blob_under_a_wrong_name_is_used_and_reported() {
    let mut held = Held::default();
    held.0.insert(hex(&[1; 32]), br#"{"role":"user","content":"hi"}"#.to_vec());
    let root = Proto::new().bytes(1, [1; 32]);
    assert_eq!(kinds(&root, &held), [FindingKind::HashMismatch]);
    assert_eq!(conversation(&root.0, &held.place()).value.messages[0].text(), "hi");
}

#[test]
fn a_blob_spelled_in_hexadecimal_is_read() {
    let mut held = Held::default();
    let bytes = br#"{"role":"user","content":"hi"}"#;
    let id = held.put(bytes);
    held.0.insert(hex(&id), hex(bytes).into_bytes());
    assert_eq!(kinds(&Proto::new().bytes(1, id), &held), []);
}

#[test]
fn lists_that_hold_themselves_are_circles() {
    let mut held = Held::default();
    held.0.insert(hex(&[1; 32]), Proto::new().bytes(1, [1; 32]).0);
    let root = Proto::new().bytes(1, [1; 32]);
    assert_eq!(kinds(&root, &held), [FindingKind::HashMismatch, FindingKind::Cycle]);
}

#[test]
fn lists_within_lists_end_somewhere() {
    let mut held = Held::default();
    let mut id = held.put(r#"{"role":"user","content":"hi"}"#);
    for _ in 0..10_000 {
        id = held.put(Proto::new().bytes(1, id).0);
    }
    assert_eq!(kinds(&Proto::new().bytes(1, id), &held), [FindingKind::TooLarge]);
}

/// A root of three megabytes may name one large blob a hundred thousand times.
#[test]
fn a_large_blob_is_not_read_a_hundred_thousand_times() {
    let mut held = Held::default();
    let large = held.put(format!(r#"{{"role":"user","content":"{}"}}"#, "large ".repeat(170_000)));
    let small = held.put(r#"{"role":"user","content":"small"}"#);
    let root = (0..100_000).fold(Proto::new(), |root, _| root.bytes(1, large));
    let root = (0..100).fold(root, |root, _| root.bytes(1, small));
    let decoded = conversation(&root.0, &held.place());
    assert!(decoded.value.coverage.adds_up());
    let found: Vec<_> = decoded.findings.iter().map(|one| (one.kind, one.at.key.as_str())).collect();
    let repeats = (FindingKind::TooLarge, &*hex(&large));
    assert!(found.contains(&repeats), "{found:?}");
    assert!(found.iter().all(|(kind, _)| *kind == FindingKind::TooLarge), "{found:?}");
    let words: usize = decoded.value.messages.iter().map(|message| message.text().len()).sum();
    assert!((8 << 20..64 << 20).contains(&words), "{words} bytes of words");
}

#[test]
fn a_session_of_very_many_messages_is_read_up_to_the_limit() {
    let mut held = Held::default();
    let ids = (0..MOST_MESSAGES + 5).map(|at| held.put(format!(r#"{{"role":"user","content":"m{at}"}}"#)));
    let ids: Vec<_> = ids.collect();
    let root = ids.iter().fold(Proto::new(), |root, id| root.bytes(1, id));
    let decoded = conversation(&root.0, &held.place());
    assert_eq!(decoded.value.messages.len(), MOST_MESSAGES);
    let found = &decoded.findings[..];
    assert!(matches!(found, [one] if one.says.contains("5 are left out")), "{found:?}");
}

#[test]
fn what_is_no_message_is_counted() {
    let mut held = Held::default();
    let ids = [&b"{\"role\":\"user\""[..], b"{\"role\":\"ghost\"}", b"\xff\xff"].map(|bytes| held.put(bytes));
    let root = ids.iter().fold(Proto::new(), |root, id| root.bytes(1, id));
    assert_eq!(kinds(&root, &held), [FindingKind::Undecodable; 3]);
    let coverage = conversation(&root.0, &held.place()).value.coverage;
    assert_eq!((coverage.listed, coverage.undecodable), (3, 3));
    let turn = held.put(b"\xff\xff");
    let step = held.put(Proto::new().number(9, 9).0);
    let turns = Proto::new().bytes(2, turn).bytes(2, held.put(Proto::new().bytes(2, step).0));
    assert_eq!(kinds(&turns, &held), [FindingKind::Undecodable, FindingKind::Unknown]);
}

/// The last of two contents counts; what is odd is reported, and nothing else is.
#[test]
fn odd_contents_are_reported_where_they_are_shown() {
    let table: [(&str, &[FindingKind], &[&str]); 8] = [
        (
            r#"{"role":"user","content":[{"type":"new"},"b"]}"#,
            &[FindingKind::Unknown],
            &[r#"{"type":"new"}"#, "b"],
        ),
        (r#"{"role":"nobody","content":[{"type":"new"}]}"#, &[FindingKind::Undecodable], &[]),
        (r#"{"role":"user","content":7}"#, &[FindingKind::Unknown], &["7"]),
        (r#"{"role":"user","content":{"type":"text","text":"a"}}"#, &[], &["a"]),
        (r#"{"content":[{"type":"new"}],"role":"user","content":"last"}"#, &[], &["last"]),
        (r#"{"content":"first","role":"user","content":["last"]}"#, &[], &["last"]),
        (r#"{"role":"user","content":"half \ud83d"}"#, &[], &["half \u{fffd}"]),
        (r#"{"role":"user","content":null}"#, &[], &[]),
    ];
    for (json, kinds, words) in table {
        let read = message(json.as_bytes(), &origin("blob"));
        assert_eq!(read.findings.iter().map(|one| one.kind).collect::<Vec<_>>(), kinds, "{json}");
        let pieces = read.value.map(|read| read.pieces).unwrap_or_default();
        let expected: Vec<Piece> = words.iter().map(|text| Piece::Text((*text).to_owned())).collect();
        assert_eq!(pieces, expected, "{json}");
    }
}

/// Pictures are written as the bytes of a JavaScript array, and files are no pictures (shape 20).
#[test]
fn pictures_in_bytes_and_files_are_told_apart() {
    let bytes = br#"{"role":"user","content":[
        {"type":"image","image":{"__type":"Uint8Array","hex":"89504e47"},"mimeType":"image/png"},
        {"type":"file","name":"notes.md","content":"milk","mediaType":"text/markdown"},
        {"type":"file","filename":"a.pdf","uri":"file:///p/a.pdf","mediaType":"application/pdf"},
        {"type":"file","data":"aGk=","mediaType":"image/png"}]}"#;
    let decoded = message(bytes, &origin("m"));
    assert_eq!(decoded.findings, []);
    let pieces = decoded.value.unwrap().pieces;
    let [Piece::Image(written), Piece::Attachment(held), Piece::Attachment(named), Piece::Image(older)] =
        pieces.as_slice()
    else {
        panic!("{pieces:?}");
    };
    assert_eq!(written.data.as_deref(), Some("iVBORw=="));
    assert_eq!((held.path.as_deref(), held.text.as_deref()), (Some("notes.md"), Some("milk")));
    assert_eq!((named.path.as_deref(), named.title.as_deref()), (Some("file:///p/a.pdf"), Some("a.pdf")));
    assert_eq!(older.data.as_deref(), Some("aGk="));
}
