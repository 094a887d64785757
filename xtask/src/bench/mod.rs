//! Measures the program against what SQLite alone needs. Numbers are printed, never asserted.

mod cli;
mod cost;
mod engine;
mod floor;
mod growth;
mod measure;
mod quality;
mod queries;
mod question_set;
mod report;
mod run;
mod search;
mod serve;
mod shapes;

pub(crate) use run::run;
