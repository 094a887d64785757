//! The replay: a conversation as a page that plays it, with the files as they stood at every moment.

pub mod script;
