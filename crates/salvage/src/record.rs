//! Records: the values of one row, as a tree's cell holds them.

use crate::bytes::{varint, varint_size};

/// One stored value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// A whole number.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// Text as UTF-8. Where the database says UTF-8, these are the stored bytes, which may be anything.
    Text(Vec<u8>),
    /// Bytes.
    Blob(Vec<u8>),
}

/// How a database stores text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
}

impl Encoding {
    fn text(self, bytes: &[u8]) -> Vec<u8> {
        let unit: fn([u8; 2]) -> u16 = match self {
            Self::Utf8 => return bytes.to_vec(),
            Self::Utf16Le => u16::from_le_bytes,
            Self::Utf16Be => u16::from_be_bytes,
        };
        let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
        let text: String =
            char::decode_utf16(units).map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        text.into_bytes()
    }
}

/// The values of a record whose `payload` may end early.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) values: Vec<Value>,
    /// Whether all values that its header announces are there.
    pub(crate) is_complete: bool,
}

/// How many columns a record's header announces; `None` if it is no header of a record with `length` bytes.
pub(crate) fn column_count(payload: &[u8], length: usize) -> Option<usize> {
    let (types, _) = serial_types(payload)?;
    let (header, _) = varint_size(payload, 0)?;
    let body: Option<usize> =
        types.iter().try_fold(header, |sum, kind| sum.checked_add(size_of_value(*kind)?));
    (body == Some(length)).then_some(types.len())
}

/// Reads what is there of a record; `None` if it does not begin as one.
pub(crate) fn read(payload: &[u8], encoding: Encoding) -> Option<Record> {
    let (types, mut at) = serial_types(payload)?;
    let mut record = Record { values: Vec::with_capacity(types.len()), is_complete: true };
    for kind in types {
        let size = size_of_value(kind)?;
        let Some(bytes) = at.checked_add(size).and_then(|end| payload.get(at..end)) else {
            record.is_complete = false;
            return Some(record);
        };
        record.values.push(value(kind, bytes, encoding));
        at += size;
    }
    Some(record)
}

/// The serial types, and where the values begin.
fn serial_types(payload: &[u8]) -> Option<(Vec<u64>, usize)> {
    let (header, mut at) = varint_size(payload, 0)?;
    let mut types = Vec::new();
    let bytes = payload.get(..header)?;
    while at < header {
        let (kind, end) = varint(bytes, at)?;
        types.push(kind.cast_unsigned());
        at = end;
    }
    (at == header && header > 0).then_some((types, header))
}

/// How many bytes a value of this serial type has; `None` for a type that does not exist.
fn size_of_value(kind: u64) -> Option<usize> {
    Some(match kind {
        0 | 8 | 9 => 0,
        1..=4 => usize::try_from(kind).ok()?,
        5 => 6,
        6 | 7 => 8,
        10 | 11 => return None,
        _ => usize::try_from((kind - 12) / 2).ok().filter(|size| i32::try_from(*size).is_ok())?,
    })
}

fn value(kind: u64, bytes: &[u8], encoding: Encoding) -> Value {
    match kind {
        0 => Value::Null,
        8 => Value::Integer(0),
        9 => Value::Integer(1),
        1..=6 => Value::Integer(integer(bytes)),
        7 => match f64::from_be_bytes(bytes.try_into().unwrap_or_default()) {
            number if number.is_nan() => Value::Null,
            number => Value::Real(number),
        },
        text if text % 2 == 1 => Value::Text(encoding.text(bytes)),
        _ => Value::Blob(bytes.to_vec()),
    }
}

fn integer(bytes: &[u8]) -> i64 {
    let sign = if bytes.first().is_some_and(|first| first & 0x80 != 0) { -1 } else { 0 };
    bytes.iter().fold(sign, |number, byte| number << 8 | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_serial_type_is_read() {
        let types: &[u8] = &[14, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17];
        let mut record = vec![u8::try_from(types.len()).unwrap()];
        record.extend(&types[1..]);
        record.extend([0xff]);
        record.extend([0x01, 0x00]);
        record.extend([0xff, 0xff, 0xfe]);
        record.extend(7_i32.to_be_bytes());
        record.extend([0, 0, 0, 0, 1, 0]);
        record.extend(i64::MIN.to_be_bytes());
        record.extend(1.5_f64.to_be_bytes());
        record.extend(*b"\0\x01hi");
        let read = read(&record, Encoding::Utf8).unwrap();
        assert!(read.is_complete);
        let expected = [
            Value::Null,
            Value::Integer(-1),
            Value::Integer(256),
            Value::Integer(-2),
            Value::Integer(7),
            Value::Integer(256),
            Value::Integer(i64::MIN),
            Value::Real(1.5),
            Value::Integer(0),
            Value::Integer(1),
            Value::Blob(vec![0, 1]),
            Value::Text(b"hi".to_vec()),
        ];
        assert_eq!(read.values, expected);
        assert_eq!(column_count(&record, record.len()), Some(expected.len()));
    }

    #[test]
    fn a_record_that_ends_early_keeps_its_first_values() {
        let record = [3, 15, 17, b'a', b'b'];
        let read = read(&record, Encoding::Utf8).unwrap();
        assert_eq!((read.values, read.is_complete), (vec![Value::Text(b"a".to_vec())], false));
        for not_a_record in [&[][..], &[0], &[2, 10], &[9, 1], &[1]] {
            let read = super::read(not_a_record, Encoding::Utf8);
            assert!(read.is_none_or(|read| read.values.is_empty()), "{not_a_record:?}");
        }
    }

    #[test]
    fn text_of_every_encoding_becomes_utf8() {
        assert_eq!(Encoding::Utf16Le.text(&[0x61, 0, 0x3d, 0xd8, 0, 0xde]), "a😀".as_bytes());
        assert_eq!(Encoding::Utf16Be.text(&[0, 0x61, 0xd8, 0x3d]), "a\u{fffd}".as_bytes());
    }
}
