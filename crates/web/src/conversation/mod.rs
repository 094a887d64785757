//! One conversation: its page in slices, and everything that can be asked about it.

mod about;
mod address;
mod early;
mod export;
mod files;
mod find;
mod head;
mod messages;
mod page;
mod picture;
mod related;
mod rendered;
mod replay;
mod secrets;
mod slice;

pub(crate) use about::about;
pub(crate) use export::export;
pub(crate) use files::files;
pub(crate) use find::find;
pub(crate) use messages::messages;
pub(crate) use page::page;
pub(crate) use picture::picture;
pub(crate) use related::related;
pub(crate) use rendered::Rendered;
pub(crate) use replay::replay;
use secrets::redacted;
