//! Reading Cursor's JSON leniently: a field of the wrong type never costs the whole value.
//!
//! Wire structs are declared with [`wire!`]: known fields are kept, all others skipped without being built.
//! As in JavaScript, the last of duplicate keys wins. Nothing here knows what the fields mean.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use memchr::memmem;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The key of a map, borrowed where it has no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct Key<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// Inside a visitor: whatever is neither list nor map gives this value.
macro_rules! scalars_give {
    ($value:expr) => {
        $crate::wire_json::numbers_give!($value);
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($value)
        }
    };
}
pub(crate) use scalars_give;

/// Inside a visitor: a number or a boolean gives this value.
macro_rules! numbers_give {
    ($value:expr) => {
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("anything")
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($value)
        }
    };
}
pub(crate) use numbers_give;

/// Declares a wire struct: `field: Type = "key"`, with `"key" | "other key"` where Cursor has used several.
///
/// `@lists knows` adds a field `lists` with every other non-empty value whose key `knows` accepts; `, @others ignores` collects
/// the names of the rest in `others`, but for those that `ignores` accepts.
macro_rules! wire {
    (
        $(#[$meta:meta])*
        struct $name:ident $(<$life:lifetime>)? {
            $( $(#[$field_meta:meta])* $field:ident: $type:ty = $($key:literal)|+, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        pub(crate) struct $name $(<$life>)? { $( $(#[$field_meta])* pub(crate) $field: $type, )* }

        $crate::wire_json::read_wire!($name, [$($life)?], { $( $field = $($key)|+, )* }, []);
    };
    (
        $(#[$meta:meta])*
        struct $name:ident<$life:lifetime> {
            $( $(#[$field_meta:meta])* $field:ident: $type:ty = $($key:literal)|+, )*
        }
        @lists $knows:expr
        $(, @others $ignores:expr)?
    ) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        pub(crate) struct $name<$life> {
            $( $(#[$field_meta])* pub(crate) $field: $type, )*
            /// Other lists that are of interest, under their keys.
            pub(crate) lists: Vec<(std::borrow::Cow<$life, str>, &$life serde_json::value::RawValue)>,
            $(
                #[doc = concat!("The names of all other fields that are not ignored by ", stringify!($ignores), ".")]
                pub(crate) others: Vec<std::borrow::Cow<$life, str>>,
            )?
        }

        $crate::wire_json::read_wire!($name, [$life], { $( $field = $($key)|+, )* }, [$knows $(, $ignores)?]);
    };
}
pub(crate) use wire;

/// Implements `Deserialize` for a wire struct. Its lifetime, if any, is that of the bytes.
macro_rules! read_wire {
    ($name:ident, [], $fields:tt, $knows:tt) => {
        $crate::wire_json::read_wire!(@impl $name, $name, $fields, $knows);
    };
    ($name:ident, [$life:lifetime], $fields:tt, $knows:tt) => {
        $crate::wire_json::read_wire!(@impl $name, $name<'de>, $fields, $knows);
    };
    (@impl $name:ident, $whole:ty, { $( $field:ident = $($key:literal)|+, )* }, [$($knows:expr $(, $ignores:expr)?)?]) => {
        impl<'de> serde::de::Deserialize<'de> for $whole {
            fn deserialize<D: serde::de::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                struct WireVisitor;
                impl<'de> serde::de::Visitor<'de> for WireVisitor {
                    type Value = $whole;
                    $crate::wire_json::scalars_give!($name::default());

                    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                        while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
                        Ok($name::default())
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                        let mut value = $name::default();
                        while let Some($crate::wire_json::Key(key)) = map.next_key()? {
                            match &*key {
                                $( $($key)|+ => value.$field = map.next_value()?, )*
                                $( other if $knows(other) => {
                                    let list: &'de serde_json::value::RawValue = map.next_value()?;
                                    if !matches!(list.get(), "[]" | "{}" | "null" | "\"\"" | "false" | "true") {
                                        value.lists.push((key, list));
                                    }
                                } )?
                                _ => {
                                    map.next_value::<serde::de::IgnoredAny>()?;
                                    $( $(if !$ignores(&key) {
                                        value.others.push(key);
                                    })? )?
                                }
                            }
                        }
                        Ok(value)
                    }
                }
                from.deserialize_any(WireVisitor)
            }
        }
    };
}
pub(crate) use read_wire;

/// A list; anything but a list is empty. Of a map, the values are taken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

/// A map with keys of its own, in stored order; anything but a map is empty.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entries<T>(pub(crate) Vec<(String, T)>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// The elements of a JSON list, each as it stands.
pub(crate) fn elements(list: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str::<List<&RawValue>>(list.get()).unwrap_or_default().0
}

/// The elements of the list that `bytes` hold; `None` if they hold none.
pub(crate) fn list<'a>(bytes: &'a [u8], repaired: &'a OnceCell<Vec<u8>>) -> Option<Vec<&'a RawValue>> {
    let list = parse::<&RawValue>(bytes, repaired).ok()?;
    list.get().starts_with('[').then(|| elements(list))
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;
    scalars_give!(List::default());

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = seq.next_element()? {
            list.push(element);
        }
        Ok(List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<List<T>, A::Error> {
        let mut list = Vec::new();
        while let Some((_, element)) = map.next_entry::<IgnoredAny, T>()? {
            list.push(element);
        }
        Ok(List(list))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ListVisitor(PhantomData))
    }
}

struct EntriesVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<T> {
    type Value = Entries<T>;
    scalars_give!(Entries::default());

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Entries<T>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Entries::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<T>, A::Error> {
        let mut entries = Vec::new();
        while let Some((Key(key), value)) = map.next_entry::<Key<'de>, T>()? {
            entries.push((key.into_owned(), value));
        }
        Ok(Entries(entries))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(EntriesVisitor(PhantomData))
    }
}

/// An object, its fields by name.
#[derive(Debug, Default, Clone)]
pub(crate) struct Object<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Object<'a> {
    /// The object that `json` holds, if it is one.
    pub(crate) fn read(json: &'a str) -> Option<Self> {
        let entries: Entries<&'a RawValue> =
            json.trim_ascii_start().starts_with('{').then(|| serde_json::from_str(json).ok())??;
        Some(Self(entries.0.into_iter().collect()))
    }

    /// The object inside `raw`, if it is one.
    pub(crate) fn parse(raw: &'a RawValue) -> Option<Self> {
        Self::read(raw.get())
    }

    /// The field `key` unless it is absent or null.
    pub(crate) fn raw(&self, key: &str) -> Option<&'a RawValue> {
        self.0.get(key).copied().filter(|raw| raw.get() != "null")
    }

    /// The field `key` if it is a string.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        text(self.raw(key)?)
    }

    /// The first of `keys` that is a string.
    pub(crate) fn first_text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.text(key))
    }

    /// The field `key` if it is a whole number, or one in a string.
    pub(crate) fn integer(&self, key: &str) -> Option<i64> {
        serde_json::from_str::<Int>(self.raw(key)?.get()).ok()?.0
    }

    /// The same, if it is not negative.
    pub(crate) fn count(&self, key: &str) -> Option<u64> {
        self.integer(key).and_then(|number| u64::try_from(number).ok())
    }

    /// The field `key` if it is an object.
    pub(crate) fn object(&self, key: &str) -> Option<Object<'a>> {
        Object::parse(self.raw(key)?)
    }

    /// The items of the field `key` if it is an array.
    pub(crate) fn items(&self, key: &str) -> Option<Vec<&'a RawValue>> {
        let list = self.raw(key).filter(|raw| raw.get().starts_with('['))?;
        serde_json::from_str::<List<&RawValue>>(list.get()).ok().map(|list| list.0)
    }
}

/// `text` as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

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

impl<'a> Text<'a> {
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

    /// The text as it was read, if there is any and it is not empty.
    pub(crate) fn into_text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Is(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// The text itself, if there is any and it is not empty.
    pub(crate) fn into_owned(self) -> Option<String> {
        self.into_text().map(Cow::into_owned)
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

/// The time that this many milliseconds since 1970 mean, unless they count from something else.
pub(crate) fn epoch_ms(ms: i64) -> Option<Timestamp> {
    if ms < EARLIEST_EPOCH_MS {
        return None;
    }
    Timestamp::from_millisecond(ms).ok()
}

/// The time that a text names: ISO 8601, without a zone for UTC, or milliseconds since 1970.
pub fn time(text: &str) -> Option<Timestamp> {
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

/// Parses `bytes` at once, and repairs them only if that fails: for readers who keep nothing unparsed that matters.
pub(crate) fn parse_at_once<'a, T: Deserialize<'a>>(
    bytes: &'a [u8],
    repaired: &'a OnceCell<Vec<u8>>,
) -> Result<T, serde_json::Error> {
    serde_json::from_slice(bytes).or_else(|_| parse(bytes, repaired))
}

/// Parses `bytes`. If they are not valid, a repaired copy is parsed and left in `repaired`.
///
/// Halves of surrogate pairs are looked for beforehand: values that are kept unparsed would hide them until the
/// field that holds them is read, and is then lost.
pub(crate) fn parse<'a, T: Deserialize<'a>>(
    bytes: &'a [u8],
    repaired: &'a OnceCell<Vec<u8>>,
) -> Result<T, serde_json::Error> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !has_surrogates(bytes)
    {
        let parsed = serde_json::from_str(text);
        if parsed.is_ok() || !bytes.iter().any(|byte| *byte < b' ') {
            return parsed;
        }
    }
    match repair(bytes) {
        Some(better) => serde_json::from_slice(repaired.get_or_init(|| better)),
        None => serde_json::from_slice(bytes),
    }
}

/// Whether an escape in `bytes` may be half of a surrogate pair.
fn has_surrogates(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, b"\\u").any(|at| matches!(bytes.get(at + 2), Some(b'd' | b'D')))
}

/// A copy of `bytes` without invalid UTF-8, halves of surrogate pairs and bare control characters in strings, if there are any.
fn repair(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    let was_sound = matches!(text, Cow::Borrowed(_));
    let whole = replace_surrogates(&text);
    let escaped = escape_controls(whole.as_deref().unwrap_or(&text));
    match escaped.or(whole) {
        Some(repaired) => Some(repaired.into_bytes()),
        None if was_sound => None,
        None => Some(text.into_owned().into_bytes()),
    }
}

/// Escapes control characters that stand bare inside strings, if there are any.
fn escape_controls(text: &str) -> Option<String> {
    let mut out = String::new();
    let (mut is_string, mut is_escaped, mut copied) = (false, false, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_string,
            b'"' => is_string = !is_string,
            0..=0x1f if is_string => {
                out.push_str(&text[copied..at]);
                out.extend(['\\', 'u', '0', '0']);
                out.push_str(&crate::hex::encode(&[byte]));
                copied = at + 1;
            }
            _ => {}
        }
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// Replaces `\ud83d` without its other half by `\ufffd`, if there is any.
fn replace_surrogates(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let (mut copied, mut here) = (0, 0);
    while let Some(&byte) = bytes.get(here) {
        if byte != b'\\' {
            here += 1;
            continue;
        }
        match surrogate(bytes, here) {
            Some(0xD800..=0xDBFF) if matches!(surrogate(bytes, here + 6), Some(0xDC00..=0xDFFF)) => {
                here += 12;
            }
            Some(_) => {
                out.extend_from_slice(&bytes[copied..here]);
                out.extend_from_slice(b"\\ufffd");
                here += 6;
                copied = here;
            }
            None => here += 2,
        }
    }
    if copied == 0 {
        return None;
    }
    out.extend_from_slice(&bytes[copied..]);
    String::from_utf8(out).ok()
}

/// The code unit of a `\uXXXX` escape at `at`, if it is half of a surrogate pair.
fn surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at.checked_add(6)?)?;
    let digits = escape.strip_prefix(b"\\u")?;
    let unit = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xD800..=0xDFFF).contains(&unit).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_one_by_one() {
        let json = r#"{"a":1,"b":"two","c":null,"d":{"e":[1,2]},"f":"7","g":3.0,"h":"half \ud83d"}"#;
        let object = Object::read(json).unwrap();
        assert_eq!(object.integer("a"), Some(1));
        assert_eq!(object.text("a"), None);
        assert_eq!(object.text("b").as_deref(), Some("two"));
        assert!(object.raw("c").is_none());
        assert_eq!(object.object("d").unwrap().items("e").unwrap().len(), 2);
        assert_eq!((object.count("f"), object.count("g")), (Some(7), Some(3)));
        assert_eq!(object.text("h").as_deref(), Some("half \u{fffd}"));
        assert!(Object::read("[1]").is_none());
    }

    #[test]
    fn halves_of_pairs_are_replaced_and_whole_pairs_stay() {
        let mended = |text: &str| repair(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(mended(r#""a\ud83d""#).as_deref(), Some(r#""a\ufffd""#));
        assert_eq!(mended(r#""\ud83d\ude00""#), None);
        assert_eq!(mended(r#""\ude00\ud83d""#).as_deref(), Some(r#""\ufffd\ufffd""#));
        assert_eq!(mended(r#""\\ud83d""#), None);
        assert_eq!(repair(b"\"\xff\"").unwrap(), "\"\u{fffd}\"".as_bytes());
    }
}
