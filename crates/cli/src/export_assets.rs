//! Pictures of a conversation, to be written beside its document.

use backscroll_model::Image;

use crate::export_names::hash;
use crate::picture_file;

/// One picture.
pub(crate) struct Asset {
    /// Its file name: made from its content, so that the same picture is written once.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// The picture that `image` holds. What it is, its first bytes tell, never a label.
pub(crate) fn of(image: &Image) -> Option<Asset> {
    let bytes = picture_file::stored(image)?;
    let ending = picture_file::ending(&bytes)?;
    Some(Asset { name: format!("{}.{ending}", &hash(&bytes)[..16]), bytes })
}
