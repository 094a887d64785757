//! Protobuf's wire format without a schema: numbered fields in stored order. Must not guess what they mean.

use std::borrow::Cow;

use jiff::Timestamp;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number of variable length.
    Varint(u64),
    /// Eight bytes.
    Fixed64(u64),
    /// Four bytes.
    Fixed32(u32),
    /// Text, bytes or a nested message.
    Bytes(&'a [u8]),
}

/// One field of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its number.
    pub number: u32,
    /// Its value.
    pub value: Value<'a>,
}

/// The bytes are no protobuf message from `offset` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{says} at byte {offset}")]
pub struct WireError {
    /// Where the field begins that could not be read.
    pub offset: usize,
    /// What is wrong with it.
    pub says: &'static str,
}

/// The fields of a message, up to the first that cannot be read.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    whole: usize,
    rest: &'a [u8],
}

/// Reads `bytes` as a message.
pub fn fields(bytes: &[u8]) -> Fields<'_> {
    Fields { whole: bytes.len(), rest: bytes }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let offset = self.whole - self.rest.len();
        let mut rest = self.rest;
        let read = field(&mut rest);
        self.rest = if read.is_ok() { rest } else { &[] };
        Some(read.map_err(|says| WireError { offset, says }))
    }
}

fn field<'a>(rest: &mut &'a [u8]) -> Result<Field<'a>, &'static str> {
    let tag = u32::try_from(varint(rest)?).map_err(|_| "a field number is too large")?;
    let number = tag >> 3;
    if number == 0 {
        return Err("a field has the number 0");
    }
    let value = match tag & 7 {
        0 => Value::Varint(varint(rest)?),
        1 => Value::Fixed64(u64::from_le_bytes(fixed(rest)?)),
        2 => {
            let length = usize::try_from(varint(rest)?).map_err(|_| "a length is too large")?;
            let (bytes, after) = rest.split_at_checked(length).ok_or("a field is longer than the message")?;
            *rest = after;
            Value::Bytes(bytes)
        }
        5 => Value::Fixed32(u32::from_le_bytes(fixed(rest)?)),
        3 | 4 => return Err("a group, which Cursor never writes"),
        _ => return Err("an unknown wire type"),
    };
    Ok(Field { number, value })
}

fn varint(rest: &mut &[u8]) -> Result<u64, &'static str> {
    let mut value = 0_u64;
    for (place, &byte) in rest.iter().enumerate().take(10) {
        if place == 9 && byte > 1 {
            return Err("a number is too long");
        }
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            *rest = &rest[place + 1..];
            return Ok(value);
        }
    }
    Err("a number is cut off")
}

fn fixed<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], &'static str> {
    let (bytes, after) = rest.split_first_chunk::<N>().ok_or("a number is cut off")?;
    *rest = after;
    Ok(*bytes)
}

/// A message by field number: as much of it as could be read.
#[derive(Debug, Clone)]
pub(super) struct ProtoMessage<'a> {
    pub(super) fields: Vec<Field<'a>>,
    pub(super) error: Option<WireError>,
}

impl<'a> ProtoMessage<'a> {
    /// Everything up to the first unreadable field.
    pub(super) fn read(bytes: &'a [u8]) -> Self {
        let (mut all, mut error) = (Vec::with_capacity(likely_fields(bytes)), None);
        for field in fields(bytes) {
            match field {
                Ok(field) => all.push(field),
                Err(wrong) => error = Some(wrong),
            }
        }
        Self { fields: all, error }
    }

    /// The message, if every byte of it can be read.
    pub(super) fn whole(bytes: &'a [u8]) -> Option<Self> {
        let message = Self::read(bytes);
        message.error.is_none().then_some(message)
    }

    /// Every length-delimited value of field `number`.
    pub(super) fn every(&self, number: u32) -> impl Iterator<Item = &'a [u8]> {
        self.fields.iter().filter_map(move |field| match field.value {
            Value::Bytes(bytes) if field.number == number => Some(bytes),
            _ => None,
        })
    }

    /// The last length-delimited value of field `number`.
    pub(super) fn bytes(&self, number: u32) -> Option<&'a [u8]> {
        self.every(number).last()
    }

    /// Field `number` as text; invalid UTF-8 is replaced.
    pub(super) fn text(&self, number: u32) -> Option<String> {
        self.bytes(number).map(|bytes| readable(bytes).into_owned())
    }

    /// The same, lent where it is valid; empty if there is none.
    pub(super) fn readable(&self, number: u32) -> Cow<'a, str> {
        self.bytes(number).map(readable).unwrap_or_default()
    }

    /// Field `number` as text, unless empty.
    pub(super) fn words(&self, number: u32) -> Option<String> {
        self.text(number).filter(|text| !text.is_empty())
    }

    /// Field `number` as every text it has.
    pub(super) fn texts(&self, number: u32) -> Vec<String> {
        self.every(number).map(|bytes| readable(bytes).into_owned()).collect()
    }

    /// Field `number` as a nested message.
    pub(super) fn message(&self, number: u32) -> Option<ProtoMessage<'a>> {
        self.bytes(number).map(ProtoMessage::read)
    }

    /// Field `number` as a number.
    pub(super) fn number(&self, number: u32) -> Option<u64> {
        let mut numbers = self.fields.iter().filter_map(|field| match field.value {
            Value::Varint(value) if field.number == number => Some(value),
            _ => None,
        });
        numbers.next_back()
    }

    /// Field `number` as milliseconds since 1970.
    pub(super) fn time(&self, number: u32) -> Option<Timestamp> {
        let milliseconds = i64::try_from(self.number(number).filter(|&ms| ms > 0)?).ok()?;
        Timestamp::from_millisecond(milliseconds).ok()
    }

    /// A map whose keys are text: entries of field `number`.
    pub(super) fn map(&self, number: u32) -> impl Iterator<Item = (String, &'a [u8])> {
        self.every(number).filter_map(|entry| {
            let entry = ProtoMessage::read(entry);
            Some((entry.text(1)?, entry.bytes(2).unwrap_or_default()))
        })
    }
}

/// How many fields a message of this many bytes may have: most of those with very many list ids of blobs.
fn likely_fields(bytes: &[u8]) -> usize {
    (bytes.len() / 34).clamp(4, 1 << 16)
}

/// `bytes` as text; what is no UTF-8 is replaced. Nearly all of it is, so that is tried first: it is much faster.
pub(super) fn readable(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
