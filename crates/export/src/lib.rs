//! Conversations as files to keep or for other programs: the catalogue of formats, the pipeline that writes them, folders
//! that are brought up to date, names of files and pictures. Command line and server export through this room alone.

mod folder;
mod format;
mod names;
mod pictures;
mod pipeline;

pub use folder::{Files, FolderError};
pub use format::{FORMATS, Format, IndexPage, Pictures, Purpose, named, write_alone};
pub use names::file_name;
pub use pictures::{Picture, fetch as fetch_pictures};
pub use pipeline::{Export, ExportError, Exported, FolderOptions, OnStep, Step, WhenGone};
