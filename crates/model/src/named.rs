//! Enums whose variants have names: one list, from which names, lookup, JSON, the words of queries and the values of options come.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

/// An enum whose variants have names. Made by [`named!`](crate::named!).
pub trait Named: Copy + 'static {
    /// Every variant, in the order of its declaration.
    const ALL: &'static [Self];

    /// The name that people and programs use.
    fn name(self) -> &'static str;

    /// The variant with this name.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.name() == name)
    }
}

/// Declares an enum whose variants have names. It is written to and read from JSON by these names.
#[macro_export]
macro_rules! named {
    ($(#[$about:meta])* $visible:vis enum $type:ident { $($(#[$about_one:meta])* $one:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visible enum $type { $($(#[$about_one])* $one,)+ }

        impl $type {
            /// The name that people and programs use.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$one => $name,)+ }
            }
        }

        impl $crate::Named for $type {
            const ALL: &'static [Self] = &[$(Self::$one),+];

            fn name(self) -> &'static str {
                self.name()
            }
        }

        impl $crate::serde::Serialize for $type {
            fn serialize<S: $crate::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $crate::named::serialize(*self, to)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::named::deserialize(from)
            }
        }
    };
}

/// Writes the name of `one`.
pub fn serialize<S: Serializer>(one: impl Named, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(one.name())
}

/// Reads a name.
pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let name = Cow::<str>::deserialize(from)?;
    T::from_name(&name).ok_or_else(|| D::Error::custom(format_args!("`{name}` is unknown")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layer, Surface};

    #[test]
    fn a_name_leads_to_what_it_names_and_back() {
        for layer in Layer::ALL {
            assert_eq!(Layer::from_name(layer.name()), Some(*layer));
        }
        assert_eq!(Layer::from_name("ide_global"), None);
    }

    #[test]
    fn json_holds_the_name() {
        assert_eq!(serde_json::to_string(&Surface::IdeChat).unwrap(), "\"ide-chat\"");
        assert_eq!(serde_json::from_str::<Surface>("\"ide-chat\"").unwrap(), Surface::IdeChat);
        let error = serde_json::from_str::<Surface>("\"attic\"").unwrap_err();
        assert!(error.to_string().contains("`attic` is unknown"), "{error}");
    }
}
