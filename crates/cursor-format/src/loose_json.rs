//! A JSON object whose fields may each be of any type: one odd field never spoils the others.
//!
//! Values stay unparsed until somebody asks, so that a huge value costs a scan, not a tree.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// An object, its fields by name.
#[derive(Debug, Default, Clone)]
pub(crate) struct Object<'a>(BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'a> Object<'a> {
    /// The object that `json` holds, if it is one.
    pub(crate) fn read(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok().map(Self)
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

    /// The field `key` if it is an integer.
    pub(crate) fn integer(&self, key: &str) -> Option<i64> {
        serde_json::from_str(self.raw(key)?.get()).ok()
    }

    /// The field `key` if it is a count: an integer, a whole float, or either in a string.
    pub(crate) fn count(&self, key: &str) -> Option<u64> {
        let raw = self.raw(key)?;
        let shown = text(raw).unwrap_or_else(|| raw.get().to_owned());
        let whole = shown.split_once('.').map_or(shown.as_str(), |(whole, _)| whole);
        whole.parse().ok()
    }

    /// The field `key` if it is an object.
    pub(crate) fn object(&self, key: &str) -> Option<Object<'a>> {
        Object::of(self.raw(key)?)
    }

    /// The items of the field `key` if it is an array.
    pub(crate) fn items(&self, key: &str) -> Option<Vec<&'a RawValue>> {
        serde_json::from_str(self.raw(key)?.get()).ok()
    }

    /// The field names, in alphabetical order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(AsRef::as_ref)
    }
}

/// The string that `raw` is, if it is one.
pub(crate) fn text(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
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
        let object = Object::read(r#"{"a":1,"b":"two","c":null,"d":{"e":[1,2]},"f":"7","g":3.0}"#).unwrap();
        assert_eq!(object.integer("a"), Some(1));
        assert_eq!(object.text("a"), None);
        assert_eq!(object.text("b").as_deref(), Some("two"));
        assert!(object.raw("c").is_none());
        assert_eq!(object.object("d").unwrap().items("e").unwrap().len(), 2);
        assert_eq!((object.count("f"), object.count("g")), (Some(7), Some(3)));
        assert!(Object::read("[1]").is_none());
    }
}
