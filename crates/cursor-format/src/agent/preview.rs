//! The first words of a conversation, for lists: a handful of blobs, however long it is.

use std::borrow::Cow;

use super::conversation::named_folder;
use super::graph::Place;
use super::message::{Speaker, message};
use super::message_part::Piece;
use super::root::{Reference, root};
use crate::{BlobId, user_text};

/// What a list shows of a conversation that nobody named.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preview {
    /// The first line that the user typed.
    pub title: Option<String>,
    /// The folder that the prompt names.
    pub working_directory: Option<String>,
    /// Absolute paths at the ends of lines: one of them may be the folder, if something proves it.
    pub paths: Vec<String>,
}

/// So many paths are kept.
const MOST_PATHS: usize = 64;

/// Looks at the root and at most `most` of its messages. What is missing or damaged is passed over: whoever reads
/// the whole conversation is told of it.
pub fn preview(root_id: &str, place: &Place<'_>, most: usize) -> Preview {
    let Some(id) = BlobId::spelled(root_id.as_bytes()) else { return Preview::default() };
    let Ok(Some(bytes)) = place.blobs.blob(&id) else { return Preview::default() };
    preview_of(&root(&bytes, &place.root).value.messages, place, most)
}

/// The same of the first of these messages.
pub fn preview_of(listed: &[Reference], place: &Place<'_>, most: usize) -> Preview {
    let mut preview = Preview::default();
    for reference in listed.iter().take(most) {
        let bytes = match reference {
            Reference::Inline(bytes) => Cow::Borrowed(bytes.as_slice()),
            Reference::Blob(id) => match place.blobs.blob(id) {
                Ok(Some(bytes)) => bytes,
                _ => continue,
            },
        };
        let Some(stored) = message(&bytes, &place.root).value else { continue };
        for piece in &stored.pieces {
            let Piece::Text(text) = piece else { continue };
            if matches!(stored.speaker, Speaker::System | Speaker::User)
                && preview.working_directory.is_none()
            {
                preview.working_directory = text.lines().find_map(named_folder);
                let room = MOST_PATHS.saturating_sub(preview.paths.len());
                preview.paths.extend(text.lines().filter_map(path_at_end).take(room));
            }
            if stored.speaker == Speaker::User && !user_text::unwrap(text).is_context {
                preview.title = user_text::title_line(text);
            }
            if preview.title.is_some() {
                return preview;
            }
        }
    }
    preview
}

/// The absolute path that a line such as `Folder: /home/dev/app` ends with.
fn path_at_end(line: &str) -> Option<String> {
    let (_, path) = line.trim().rsplit_once(": ")?;
    let bytes = path.as_bytes();
    let is_absolute = matches!(bytes, [b'/', ..]) || matches!(bytes, [_, b':', b'/' | b'\\', ..]);
    is_absolute.then(|| path.to_owned())
}
