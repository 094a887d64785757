//! The picture in the README: what the program really prints for the demo home, as an SVG.

mod run;
mod styled;
mod svg;

pub(crate) use run::run;
