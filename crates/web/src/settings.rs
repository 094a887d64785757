//! What whoever starts the server decides: the port, the token, and what this room may not find out by itself.

use std::fmt;
use std::sync::Arc;

use backscroll_render::redact::RedactOptions;
use jiff::Zoned;

use crate::Token;

/// Tells the time, and where we are.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Zoned + Send + Sync>);

impl Clock {
    /// The clock that `now` reads.
    pub fn new(now: impl Fn() -> Zoned + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// What time it is.
    pub fn now(&self) -> Zoned {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

/// How to serve.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The port on the loopback address; 0 lets the system choose.
    pub port: u16,
    /// What a browser must know.
    pub token: Token,
    /// What time it is.
    pub clock: Clock,
    /// Where was looked, for the page that has nothing to show.
    pub looked_in: String,
    /// What is taken out of pages and replays, besides what always is.
    pub redaction: RedactOptions,
}
