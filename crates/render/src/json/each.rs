//! Lists of model values, each turned into its wire form only while it is written, so that nothing is built twice.

use serde::{Serialize, Serializer};

/// A model value that has a wire form.
pub(super) trait Wired {
    /// The form, borrowing from the value.
    type Wire<'a>: Serialize
    where
        Self: 'a;

    /// The value in that form.
    fn wire(&self) -> Self::Wire<'_>;
}

/// All of `0`, in order, in wire form.
pub(super) struct Each<'a, T>(pub(super) &'a [T]);

impl<T> Each<'_, T> {
    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Wired> Serialize for Each<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(T::wire))
    }
}

impl Wired for backscroll_model::ConversationId {
    type Wire<'a> = &'a str;

    fn wire(&self) -> &str {
        self.as_str()
    }
}
