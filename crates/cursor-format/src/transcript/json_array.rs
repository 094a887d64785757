//! A transcript that is one JSON array of records.

use std::fmt;

use backscroll_model::FindingKind;
use serde::Deserializer as _;
use serde::de::{SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::builder::Builder;
use super::json_lines::shown;
use super::record::Record;
use crate::wire_json::Object;

/// Reads every complete item; the array may end too early.
pub(super) fn read(text: &str, builder: &mut Builder) {
    if text.trim().is_empty() {
        return;
    }
    let mut number = 0;
    let outcome = each_item(text, |raw| {
        number += 1;
        builder.count_record();
        let key = format!("record {number}");
        if let Some(object) = Object::of(raw) {
            Record::of(object).add_to(builder, &number.to_string(), &key);
        } else {
            builder.count_undecodable();
            builder.find(FindingKind::Undecodable, &key, format!("no object: {}", shown(raw.get())));
        }
        true
    });
    if let Err(error) = outcome {
        let key = format!("record {}", number + 1);
        if error.is_eof() {
            builder.find(FindingKind::Incomplete, &key, "the array is half written");
        } else {
            builder.count_undecodable();
            builder.find(FindingKind::Undecodable, &key, format!("not readable from here on: {error}"));
        }
    }
}

/// Hands out the items of the array in `text` until `each` has enough.
pub(super) fn each_item<'de>(
    text: &'de str,
    each: impl FnMut(&'de RawValue) -> bool,
) -> Result<(), serde_json::Error> {
    struct Items<F>(F);

    impl<'de, F: FnMut(&'de RawValue) -> bool> Visitor<'de> for Items<F> {
        type Value = bool;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array of records")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<bool, A::Error> {
            while let Some(raw) = items.next_element::<&RawValue>()? {
                if !(self.0)(raw) {
                    return Err(serde::de::Error::custom("enough"));
                }
            }
            Ok(true)
        }
    }

    let mut reader = serde_json::Deserializer::from_str(text);
    reader.deserialize_seq(Items(each))?;
    reader.end()
}
