//! Text, numbers, truths and times in every spelling that Cursor has used for them.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::repair::repair;

/// Any JSON value, of which only scalars are kept.
enum Scalar<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Cow<'a, str>),
    Other,
}

/// A text field: absent, there, or of another type than text.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) enum Text<'a> {
    #[default]
    Absent,
    Is(Cow<'a, str>),
    Odd,
}

impl Text<'_> {
    /// The text, if there is any and it is not empty.
    pub(crate) fn filled(&self) -> Option<&str> {
        match self {
            Self::Is(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// The text as an owned string, if there is any and it is not empty.
    pub(crate) fn owned(&self) -> Option<String> {
        self.filled().map(str::to_owned)
    }

    /// The text itself, if there is any and it is not empty.
    pub(crate) fn into_owned(self) -> Option<String> {
        match self {
            Self::Is(text) if !text.is_empty() => Some(text.into_owned()),
            _ => None,
        }
    }
}

/// A whole number: as a number, or as digits in a string.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Int(pub(crate) Option<i64>);

impl Int {
    /// The number if it is there and not negative.
    pub(crate) fn count(self) -> Option<u64> {
        self.0.and_then(|n| u64::try_from(n).ok())
    }
}

/// A number that may have a fraction.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Number(pub(crate) Option<f64>);

/// A yes or no: as a boolean, or as `"true"`.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Truth(pub(crate) bool);

/// A time: ISO text, or milliseconds since 1970 as a number or digits.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct When(pub(crate) Option<Timestamp>);

/// Milliseconds before this are counted from some process's start, not from 1970.
const EARLIEST_EPOCH_MS: i64 = 100_000_000_000;

/// The time that so many milliseconds since 1970 mean, unless they count from something else.
pub(crate) fn epoch_ms(ms: i64) -> Option<Timestamp> {
    if ms < EARLIEST_EPOCH_MS {
        return None;
    }
    Timestamp::from_millisecond(ms).ok()
}

/// The time that a text names: ISO 8601, without a zone for UTC, or milliseconds since 1970.
pub(crate) fn time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(at) = text.parse() {
        return Some(at);
    }
    if let Ok(ms) = text.parse() {
        return epoch_ms(ms);
    }
    let civil: DateTime = text.parse().ok()?;
    Offset::UTC.to_timestamp(civil).ok()
}

/// The text that a JSON value holds if it is a string. Halves of surrogate pairs are replaced.
pub(crate) fn text(value: &RawValue) -> Option<String> {
    let json = value.get();
    if !json.starts_with('"') {
        return None;
    }
    serde_json::from_str(json).ok().or_else(|| serde_json::from_slice(&repair(json.as_bytes())?).ok())
}

/// The same, if it is not empty.
pub(crate) fn string(value: &RawValue) -> Option<String> {
    text(value).filter(|text| !text.is_empty())
}

impl<'a> From<Scalar<'a>> for Text<'a> {
    fn from(scalar: Scalar<'a>) -> Self {
        match scalar {
            Scalar::Text(text) => Self::Is(text),
            Scalar::Null => Self::Absent,
            Scalar::Bool(_) | Scalar::Int(_) | Scalar::Float(_) | Scalar::Other => Self::Odd,
        }
    }
}

impl From<Scalar<'_>> for Int {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a fraction is cut off on purpose, and `as` saturates"
    )]
    fn from(scalar: Scalar<'_>) -> Self {
        Self(match scalar {
            Scalar::Int(n) => Some(n),
            Scalar::Float(n) => n.is_finite().then_some(n as i64),
            Scalar::Text(text) => {
                let text = text.trim();
                text.parse().ok().or_else(|| Self::from(Scalar::Float(text.parse().ok()?)).0)
            }
            Scalar::Null | Scalar::Bool(_) | Scalar::Other => None,
        })
    }
}

impl From<Scalar<'_>> for Number {
    #[expect(clippy::cast_precision_loss, reason = "gauges and percentages are small")]
    fn from(scalar: Scalar<'_>) -> Self {
        Self(match scalar {
            Scalar::Int(n) => Some(n as f64),
            Scalar::Float(n) => Some(n),
            Scalar::Text(text) => text.trim().parse().ok(),
            Scalar::Null | Scalar::Bool(_) | Scalar::Other => None,
        })
    }
}

impl From<Scalar<'_>> for Truth {
    fn from(scalar: Scalar<'_>) -> Self {
        Self(match scalar {
            Scalar::Bool(yes) => yes,
            Scalar::Int(n) => n != 0,
            Scalar::Text(text) => text == "true",
            Scalar::Null | Scalar::Float(_) | Scalar::Other => false,
        })
    }
}

impl From<Scalar<'_>> for When {
    fn from(scalar: Scalar<'_>) -> Self {
        Self(match scalar {
            Scalar::Text(text) => time(&text),
            other => Int::from(other).0.and_then(epoch_ms),
        })
    }
}

struct ScalarVisitor<'a>(PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for ScalarVisitor<'a> {
    type Value = Scalar<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<Scalar<'a>, E> {
        Ok(Scalar::Null)
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Scalar<'a>, E> {
        Ok(Scalar::Bool(yes))
    }

    fn visit_i64<E>(self, n: i64) -> Result<Scalar<'a>, E> {
        Ok(Scalar::Int(n))
    }

    fn visit_u64<E>(self, n: u64) -> Result<Scalar<'a>, E> {
        Ok(i64::try_from(n).map_or(Scalar::Other, Scalar::Int))
    }

    fn visit_f64<E>(self, n: f64) -> Result<Scalar<'a>, E> {
        Ok(Scalar::Float(n))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Scalar<'a>, E> {
        Ok(Scalar::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar<'a>, E> {
        Ok(Scalar::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar<'a>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar<'a>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}

macro_rules! read_as_scalar {
    ($($type:ty),+) => {
        $(impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_any(ScalarVisitor(PhantomData)).map(Self::from)
            }
        })+
    };
}
read_as_scalar!(Int, Number, Truth, When);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ScalarVisitor(PhantomData)).map(Self::from)
    }
}
