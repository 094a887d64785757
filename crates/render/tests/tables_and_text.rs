//! Plain text and comma-separated values.

use backscroll_model::{Message, Named as _, Part, Role, Tokens};
use backscroll_render::{Detail, Options, csv, plain};
use jiff::tz::TimeZone;

use crate::every_part;

#[test]
fn plain_text_at_every_detail() {
    for detail in Detail::ALL.iter().copied() {
        let mut out = Vec::new();
        let look = Options::alone(detail, TimeZone::UTC);
        plain::conversation(&every_part::conversation(), &look, &mut out).unwrap();
        insta::assert_snapshot!(format!("plain_{}", detail.name()), String::from_utf8(out).unwrap());
    }
}

#[test]
fn every_heading_of_a_plain_text_has_something_below_it() {
    for detail in Detail::ALL.iter().copied() {
        let mut out = Vec::new();
        let look = Options::alone(detail, TimeZone::UTC);
        plain::conversation(&every_part::conversation(), &look, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let is_heading = |line: &str| line.starts_with("── ");
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_heading(line)) {
            // Orphans stand below their own headings.
            let below = lines[at + 1..].iter().find(|line| !line.is_empty());
            assert!(
                below.is_some_and(|below| !is_heading(below) || line.contains("does not list")),
                "{line}: {text}"
            );
        }
    }
}

#[test]
fn one_row_for_each_message() {
    let mut out = csv::HEADER.as_bytes().to_vec();
    csv::messages(&every_part::conversation(), &mut out).unwrap();
    insta::assert_snapshot!("csv", String::from_utf8(out).unwrap());
}

#[test]
fn every_bucket_of_tokens_has_a_column() {
    let mut conversation = every_part::conversation();
    let tokens =
        Tokens { cache_read: Some(3), cache_write: Some(4), reasoning: Some(5), ..Tokens::new(1, 2) };
    conversation.messages.truncate(1);
    conversation.orphans.clear();
    conversation.messages[0].tokens = Some(tokens);
    let mut out = csv::HEADER.as_bytes().to_vec();
    csv::messages(&conversation, &mut out).unwrap();
    let mut reader = ::csv::Reader::from_reader(out.as_slice());
    let heads = reader.headers().unwrap().clone();
    let row = reader.records().next().unwrap().unwrap();
    let named = heads.iter().zip(row.iter()).filter(|(head, _)| head.starts_with("tokens_"));
    let expected =
        [("input", "1"), ("output", "2"), ("cache_read", "3"), ("cache_write", "4"), ("reasoning", "5")];
    let expected = expected.map(|(name, count)| (format!("tokens_{name}"), count.to_owned()));
    assert_eq!(named.map(|(head, cell)| (head.to_owned(), cell.to_owned())).collect::<Vec<_>>(), expected);
}

#[test]
fn rows_come_back_from_a_parser() {
    let nasty = [
        "plain",
        "an old\rMac",
        "a,b",
        "\"quoted\"",
        "two\nlines\r\nand \"more\",",
        " around ",
        "=1+1",
        "\u{e9}\0",
        "",
    ];
    let mut conversation = every_part::conversation();
    let origin = || every_part::origin("m");
    conversation.messages = nasty
        .iter()
        .map(|text| Message {
            parts: vec![Part::Text((*text).to_owned())],
            ..Message::new("m", Role::User, origin())
        })
        .collect();
    conversation.orphans.clear();
    conversation.summary.title = Some("A \"title\", of\nsorts".to_owned());
    let mut out = csv::HEADER.as_bytes().to_vec();
    csv::messages(&conversation, &mut out).unwrap();
    let mut reader = ::csv::Reader::from_reader(out.as_slice());
    let heads = reader.headers().unwrap().clone();
    let column = |name: &str| heads.iter().position(|head| head == name).unwrap();
    let rows: Vec<::csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
    let cells = |name: &str| rows.iter().map(|row| row[column(name)].to_owned()).collect::<Vec<_>>();
    assert_eq!(cells("text"), nasty);
    assert_eq!(cells("title"), vec!["A \"title\", of\nsorts"; nasty.len()]);
    assert_eq!(cells("number"), ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
}
