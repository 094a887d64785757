//! What an edit changed, as a unified diff, from the arguments of the tool that made it.

mod arguments;
mod patch;

pub use arguments::from_arguments;
pub(crate) use arguments::path;
pub use patch::from_patch;
