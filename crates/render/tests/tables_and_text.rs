//! Plain text and comma-separated values.

use backscroll_model::{Message, Named as _, Part, Role};
use backscroll_render::{Detail, csv, plain};
use jiff::tz::TimeZone;

use crate::every_part;

#[test]
fn plain_text_at_every_detail() {
    for detail in Detail::ALL.iter().copied() {
        let mut out = Vec::new();
        let look = plain::Look { detail, time_zone: TimeZone::UTC };
        plain::conversation(&every_part::conversation(), &look, &mut out).unwrap();
        insta::assert_snapshot!(format!("plain_{}", detail.name()), String::from_utf8(out).unwrap());
    }
}

#[test]
fn one_row_for_each_message() {
    let mut out = Vec::new();
    csv::header(&mut out).unwrap();
    csv::messages(&every_part::conversation(), &mut out).unwrap();
    insta::assert_snapshot!("csv", String::from_utf8(out).unwrap());
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
    let mut out = Vec::new();
    csv::header(&mut out).unwrap();
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
