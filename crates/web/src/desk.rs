//! What every request may use: the library, conversations at hand, the workers, and the keys of the door.

use std::fmt;
use std::sync::Arc;

use backscroll_render::redact::RedactOptions;
use tokio::sync::watch;

use crate::conversation::Rendered;
use crate::edition::Edition;
use crate::guard::Keys;
use crate::library::Library;
use crate::problem::Problem;
use crate::search::{Answers, CountedFacets, Finder};
use crate::shelf::Shelf;
use crate::statistics::Counted;
use crate::stores::Reported;
use crate::workers::Workers;
use crate::{Clock, Settings, Stores, Token};

/// What every request may use.
pub(crate) struct Desk {
    pub(crate) stores: Arc<dyn Stores>,
    pub(crate) library: Library,
    pub(crate) shelf: Shelf,
    pub(crate) rendered: Rendered,
    pub(crate) finder: Finder,
    pub(crate) facets: CountedFacets,
    pub(crate) answers: Answers,
    pub(crate) counted: Counted,
    pub(crate) reported: Reported,
    pub(crate) workers: Workers,
    pub(crate) clock: Clock,
    pub(crate) token: Token,
    pub(crate) keys: Keys,
    pub(crate) looked_in: String,
    pub(crate) redaction: RedactOptions,
    /// Comes true when the server ends, so that streams end with it.
    pub(crate) is_ending: watch::Receiver<bool>,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("library", &self.library).finish_non_exhaustive()
    }
}

impl Desk {
    pub(crate) fn new(
        stores: Arc<dyn Stores>,
        settings: Settings,
        port: u16,
        is_ending: watch::Receiver<bool>,
    ) -> Self {
        Self {
            library: Library::new(Arc::clone(&stores)),
            stores,
            shelf: Shelf::default(),
            rendered: Rendered::default(),
            finder: Finder::default(),
            facets: CountedFacets::default(),
            answers: Answers::default(),
            counted: Counted::default(),
            reported: Reported::default(),
            workers: Workers::new(),
            clock: settings.clock,
            keys: Keys::new(settings.token.clone(), port),
            token: settings.token,
            looked_in: settings.looked_in,
            redaction: settings.redaction,
            is_ending,
        }
    }

    /// Answers from what is known of all conversations.
    pub(crate) async fn read<T: Send + 'static>(
        self: Arc<Self>,
        answer: impl FnOnce(&Self, &Arc<Edition>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let desk = Arc::clone(&self);
        self.workers.quick(move || answer(&desk, &desk.edition())).await?
    }

    /// Answers out of the index, and messages that are read back.
    pub(crate) async fn search<T: Send + 'static>(
        self: Arc<Self>,
        answer: impl FnOnce(&Self, &Arc<Edition>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let desk = Arc::clone(&self);
        self.workers.search(move || answer(&desk, &desk.edition())).await?
    }

    /// Answers with the whole of conversations.
    pub(crate) async fn study<T: Send + 'static>(
        self: Arc<Self>,
        answer: impl FnOnce(&Self, &Arc<Edition>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let desk = Arc::clone(&self);
        self.workers.heavy(move || answer(&desk, &desk.edition())).await?
    }

    /// Answers with the whole of stores.
    pub(crate) async fn survey<T: Send + 'static>(
        self: Arc<Self>,
        answer: impl FnOnce(&Self, &Arc<Edition>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let desk = Arc::clone(&self);
        self.workers.slow(move || answer(&desk, &desk.edition())).await?
    }

    /// What is known now. Conversations that have changed meanwhile are taken off the shelf.
    pub(crate) fn edition(&self) -> Arc<Edition> {
        let edition = self.library.edition();
        self.shelf.keep_up(&edition);
        self.finder.catch_up(&self.stores, &edition);
        edition
    }
}
