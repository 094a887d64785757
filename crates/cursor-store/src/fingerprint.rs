//! Short numbers that stand for long things. Another build may count differently: then everything looks changed,
//! which costs a second reading and nothing else.

use std::fmt::{self, Debug, Write};
use std::hash::{DefaultHasher, Hash, Hasher};

use backscroll_model::{Fragment, Message};

/// The fingerprint of a value that can be hashed.
pub(crate) fn of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The fingerprint of everything that a value shows of itself.
pub(crate) fn of_all(value: &(impl Debug + ?Sized)) -> u64 {
    struct Sink(DefaultHasher);
    impl Write for Sink {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.write(text.as_bytes());
            Ok(())
        }
    }
    let mut sink = Sink(DefaultHasher::new());
    // Writing into a hasher cannot fail.
    let _ = write!(sink, "{value:?}");
    sink.0.finish()
}

/// The fingerprint of everything that a fragment holds.
pub(crate) fn of_fragment(fragment: &Fragment) -> u64 {
    let Fragment { kind, summary, facts, fact_origins, messages, orphans, coverage, findings, .. } = fragment;
    let head = of_all(&(kind, summary, facts, fact_origins, coverage, findings));
    let messages: Vec<u64> = messages.iter().chain(orphans).map(Message::fingerprint).collect();
    of(&(head, messages))
}
