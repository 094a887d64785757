//! How times and paths are written as JSON.

/// A time as RFC 3339 in UTC, with milliseconds where there are any.
pub mod time {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a time, or `null`.
    pub fn serialize<S: Serializer>(time: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
        match time {
            None => to.serialize_none(),
            Some(time)
                if matches!(time.subsec_nanosecond() % 1_000_000, 0) && time.subsec_nanosecond() != 0 =>
            {
                to.collect_str(&format_args!("{time:.3}"))
            }
            Some(time) => to.collect_str(time),
        }
    }

    /// Reads a time, or `null`.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
        let text = Option::<std::borrow::Cow<'de, str>>::deserialize(from)?;
        text.map(|text| text.parse()).transpose().map_err(serde::de::Error::custom)
    }
}

/// A path as text; what is not UTF-8 in it is replaced.
pub mod path {
    use std::path::Path;
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a path.
    pub fn serialize<S: Serializer>(path: &(impl AsRef<Path> + ?Sized), to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&path.as_ref().to_string_lossy())
    }

    /// Reads a path.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Path>, D::Error> {
        String::deserialize(from).map(|text| Path::new(&text).into())
    }
}
