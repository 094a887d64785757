//! What is answered when a page cannot be: a status, what happened, and what to do. It travels through the router as
//! data; [`crate::guard`] turns it into a page or, under `/api`, into JSON.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use backscroll_history::AskError;

pub(crate) type Result<T, E = Problem> = std::result::Result<T, E>;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// What happened, in a few words.
    pub(crate) title: String,
    /// What it means, in a sentence.
    pub(crate) says: String,
    /// Where to go on: an address and its name.
    pub(crate) way: Option<(&'static str, &'static str)>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, title: impl Into<String>, says: impl Into<String>) -> Self {
        Self { status, title: title.into(), says: says.into(), way: None }
    }

    /// The same, and where to go on.
    fn leading_to(self, address: &'static str, name: &'static str) -> Self {
        Self { way: Some((address, name)), ..self }
    }

    pub(crate) fn no_page() -> Self {
        let says = "Nothing is served at this address. The start page leads to everything there is.";
        Self::new(StatusCode::NOT_FOUND, "No such page", says)
    }

    pub(crate) fn no_conversation(asked: &str) -> Self {
        let says = format!(
            "No store on this machine has “{asked}”. It may have been deleted since the link was made; \
             the search finds what is still there."
        );
        Self::new(StatusCode::NOT_FOUND, "No such conversation", says)
            .leading_to("/search", "All conversations")
    }

    pub(crate) fn no_store(asked: Option<&str>) -> Self {
        let says = |asked| {
            format!("“{asked}” is none of the stores that were found. The page of stores lists them all.")
        };
        Self::missing("store", asked.map(says)).leading_to("/stores", "All stores")
    }

    pub(crate) fn no_workspace(asked: Option<&str>) -> Self {
        let says = |asked| format!("No conversation belongs to “{asked}”.");
        Self::missing("workspace", asked.map(says)).leading_to("/workspaces", "All workspaces")
    }

    /// There is no such thing; the address names none if nothing is said.
    fn missing(what: &str, says: Option<String>) -> Self {
        match says {
            Some(says) => Self::new(StatusCode::NOT_FOUND, format!("No such {what}"), says),
            None => Self::bad_request(format!("The address does not say which {what} is meant.")),
        }
    }

    /// The request itself makes no sense.
    pub(crate) fn bad_request(says: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "That cannot be understood", says)
    }

    pub(crate) fn only_reading() -> Self {
        let says = "This server only shows things: it answers GET requests and changes nothing.";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "Only reading", says)
    }

    pub(crate) fn too_slow() -> Self {
        let says =
            "The answer took longer than thirty seconds. Other pages still work; try again in a moment.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "This takes too long", says)
    }

    /// There is nothing to search in, perhaps only for a while.
    pub(crate) fn no_search(says: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "No search", says)
    }

    pub(crate) fn bug() -> Self {
        let says = "A bug in backscroll kept this page from being made. Your data is untouched. \
                    The terminal in which backscroll runs says more; please report those lines.";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "Something broke", says)
    }
}

impl From<AskError> for Problem {
    fn from(error: AskError) -> Self {
        match error {
            AskError::NoMatch { asked } => Self::no_conversation(&asked),
            AskError::Ambiguous { asked, matches } => {
                let says =
                    format!("“{asked}” may mean {} conversations; give more of the id.", matches.len());
                Self::new(StatusCode::NOT_FOUND, "Several may be meant", says)
            }
            AskError::Source(error) => {
                let says = format!("{error}: {}", error.because);
                Self::new(StatusCode::BAD_GATEWAY, "A store cannot be read", says)
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut answer = self.status.into_response();
        answer.extensions_mut().insert(self);
        answer
    }
}
