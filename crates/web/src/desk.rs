//! What every request may use: the history, what is kept of it in memory, the workers, and the keys of the door.

use std::sync::Arc;

use backscroll_history::History;
use tokio::sync::watch;

use crate::guard::Keys;
use crate::workers::Workers;
use crate::{Clock, Settings, Token};

/// What every request may use.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) history: Arc<History>,
    pub(crate) workers: Workers,
    pub(crate) clock: Clock,
    pub(crate) token: Token,
    pub(crate) keys: Keys,
    pub(crate) looked_in: String,
    /// Comes true when the server ends, so that streams end with it.
    pub(crate) is_ending: watch::Receiver<bool>,
}

impl Desk {
    pub(crate) fn new(
        history: Arc<History>,
        settings: Settings,
        port: u16,
        is_ending: watch::Receiver<bool>,
    ) -> Self {
        Self {
            history,
            workers: Workers::new(),
            clock: settings.clock,
            keys: Keys::new(settings.token.clone(), port),
            token: settings.token,
            looked_in: settings.looked_in,
            is_ending,
        }
    }
}
