//! Our reader of the wire format against another.

use backscroll_cursor_format::agent::{Value, fields};
use proptest::prelude::*;
use protobuf::Message as _;
use protobuf::UnknownValueRef;
use protobuf::well_known_types::empty::Empty;

/// A field in a form that both readers can be brought into.
type Plain = (u32, u8, u64, Vec<u8>);

fn ours(bytes: &[u8]) -> Option<Vec<Plain>> {
    fields(bytes)
        .map(|field| {
            let field = field.ok()?;
            Some(match field.value {
                Value::Varint(value) => (field.number, 0, value, Vec::new()),
                Value::Fixed64(value) => (field.number, 1, value, Vec::new()),
                Value::Bytes(bytes) => (field.number, 2, 0, bytes.to_vec()),
                Value::Fixed32(value) => (field.number, 5, u64::from(value), Vec::new()),
            })
        })
        .collect()
}

fn theirs(bytes: &[u8]) -> Option<Vec<Plain>> {
    let message = Empty::parse_from_bytes(bytes).ok()?;
    let all = message.special_fields.unknown_fields().iter();
    let all = all.map(|(number, value)| match value {
        UnknownValueRef::Varint(value) => (number, 0, value, Vec::new()),
        UnknownValueRef::Fixed64(value) => (number, 1, value, Vec::new()),
        UnknownValueRef::LengthDelimited(bytes) => (number, 2, 0, bytes.to_vec()),
        UnknownValueRef::Fixed32(value) => (number, 5, u64::from(value), Vec::new()),
    });
    Some(all.collect())
}

/// The other reader groups fields by number.
fn sorted(mut fields: Vec<Plain>) -> Vec<Plain> {
    fields.sort();
    fields
}

fn written() -> impl Strategy<Value = Vec<u8>> {
    let field = (1_u32..100, any::<u64>(), prop::collection::vec(any::<u8>(), 0..40), 0..4_u8);
    prop::collection::vec(field, 0..12).prop_map(|fields| {
        let mut message = super::build::Proto::new();
        for (number, value, bytes, kind) in fields {
            message = match kind {
                0 => message.number(number, value),
                1 => message.double(number, f64::from_bits(value)),
                _ => message.bytes(number, bytes),
            };
        }
        message.0
    })
}

proptest! {
    #[test]
    fn whole_messages_are_read_alike(bytes in written()) {
        let read = ours(&bytes).expect("a whole message");
        prop_assert_eq!(Some(sorted(read)), theirs(&bytes).map(sorted));
    }

    #[test]
    fn what_we_take_for_a_message_is_one(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        if let Some(read) = ours(&bytes) {
            prop_assert_eq!(Some(sorted(read)), theirs(&bytes).map(sorted));
        }
    }

    #[test]
    fn damage_is_noticed_where_they_notice_it(bytes in written(), at in any::<prop::sample::Index>(), cut in any::<bool>()) {
        let mut bytes = bytes;
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            if cut { bytes.truncate(at) } else { bytes[at] ^= 0x10 }
        }
        if theirs(&bytes).is_none() {
            prop_assert_eq!(ours(&bytes), None);
        }
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let table: [(&[u8], &str); 7] = [
        (&[0x08, 0x80], "a number is cut off at byte 0"),
        (&[0x08, 1, 0x12, 5, 1], "a field is longer than the message at byte 2"),
        (&[0x0b], "a group, which Cursor never writes at byte 0"),
        (&[0x00, 1], "a field has the number 0 at byte 0"),
        (&[0x0f], "an unknown wire type at byte 0"),
        (&[0x09, 1, 2], "a number is cut off at byte 0"),
        (
            &[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
            "a number is too long at byte 0",
        ),
    ];
    for (bytes, says) in table {
        let error = fields(bytes).find_map(Result::err).expect("an error");
        assert_eq!(error.to_string(), says);
    }
}
