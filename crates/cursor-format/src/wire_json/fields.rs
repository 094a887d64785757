//! An object whose fields are asked for by name, for records that have too many shapes to be declared.
//!
//! Values stay unparsed until somebody asks, so that a huge value costs a scan, not a tree.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::collections::{Entries, List};
use super::scalars::{Int, text};

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
    pub(crate) fn of(raw: &'a RawValue) -> Option<Self> {
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
        Object::of(self.raw(key)?)
    }

    /// The items of the field `key` if it is an array.
    pub(crate) fn items(&self, key: &str) -> Option<Vec<&'a RawValue>> {
        let list = self.raw(key).filter(|raw| raw.get().starts_with('['))?;
        serde_json::from_str::<List<&RawValue>>(list.get()).ok().map(|list| list.0)
    }

    /// The field names, in alphabetical order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// `text` as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
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
}
