//! Lists and maps whose elements are read leniently.

use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::object::{Key, scalars_give};

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
