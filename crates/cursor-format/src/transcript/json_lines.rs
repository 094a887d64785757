//! A transcript of JSON lines: one record a line, appended while the agent works.

use backscroll_model::FindingKind;

use super::builder::Builder;
use super::record::Record;
use crate::wire_json::Object;

/// How much of a line that cannot be read a finding shows.
const SHOWN: usize = 200;

/// Reads every line; the last one may still be half written.
pub(super) fn read(text: &str, builder: &mut Builder) {
    let ends_whole = text.ends_with('\n');
    let mut lines = text.split('\n').enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        builder.count_record();
        let number = index + 1;
        let key = format!("line {number}");
        if let Some(object) = Object::read(line) {
            Record::of(object).add_to(builder, &number.to_string(), &key);
            continue;
        }
        if lines.peek().is_none() && !ends_whole {
            builder.find(
                FindingKind::Incomplete,
                &key,
                format!("the last line is half written: {}", shown(line)),
            );
        } else {
            builder.count_undecodable();
            builder.find(FindingKind::Undecodable, &key, format!("no JSON object: {}", shown(line)));
        }
    }
}

/// The beginning of a line, for people.
pub(super) fn shown(line: &str) -> String {
    line.chars().take(SHOWN).collect()
}
