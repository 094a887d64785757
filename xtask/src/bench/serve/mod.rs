//! Measures the server: many clients at once, page by page, and how soon a huge conversation shows its first words.

mod client;
mod crowd;
mod first_content;
mod pages;
mod run;
mod running;

pub(super) use run::run;
