//! Measures the program against what SQLite alone needs. Numbers are printed, never asserted.

mod floor;
mod measure;
mod report;
mod run;

pub(crate) use run::run;
