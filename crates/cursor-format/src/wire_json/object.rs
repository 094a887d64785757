//! Wire structs: declared by the fields that we read; every other field is skipped.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Visitor};

/// The key of a map, borrowed where it has no escapes.
pub(crate) struct Key<'a>(pub(crate) Cow<'a, str>);

struct KeyVisitor<'a>(PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for KeyVisitor<'a> {
    type Value = Key<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Key<'a>, E> {
        Ok(Key(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Key<'a>, E> {
        Ok(Key(Cow::Owned(text.to_owned())))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(KeyVisitor(PhantomData))
    }
}

/// Inside a visitor: whatever is neither list nor map gives this value.
macro_rules! scalars_give {
    ($value:expr) => {
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("anything")
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($value)
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
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($value)
        }
    };
}
pub(crate) use scalars_give;

/// Declares a wire struct: `field: Type = "key"`, with `"key" | "other key"` where Cursor has used several.
///
/// `@lists knows` adds a field `lists` with every other non-empty value whose key `knows` accepts.
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
    ) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        pub(crate) struct $name<$life> {
            $( $(#[$field_meta])* pub(crate) $field: $type, )*
            /// Other lists that are of interest, under their keys.
            pub(crate) lists: Vec<(std::borrow::Cow<$life, str>, &$life serde_json::value::RawValue)>,
        }

        $crate::wire_json::read_wire!($name, [$life], { $( $field = $($key)|+, )* }, [$knows]);
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
    (@impl $name:ident, $whole:ty, { $( $field:ident = $($key:literal)|+, )* }, [$($knows:expr)?]) => {
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
