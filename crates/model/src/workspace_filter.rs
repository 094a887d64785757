//! Whether a workspace is the one that was asked for. Pure: paths are compared as text, never looked up, because
//! most of them lie on another machine or are gone.

use crate::Workspace;

impl Workspace {
    /// Whether a workspace at `path`, on the host `remote`, is meant by `asked`: an absolute path means that folder and
    /// everything in it; anything else, a part of the path or of the host.
    pub fn answers_to(path: &str, remote: Option<&str>, asked: &str) -> bool {
        if is_absolute(asked) {
            return lies_in(path, asked);
        }
        contains(&with_slashes(path), &with_slashes(asked)) || contains(remote.unwrap_or_default(), asked)
    }
}

/// Whether `part` stands in `text`, whatever the case.
fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || has_drive(path)
}

/// Whether `path` begins with a drive, as in `c:\work`. Two letters before the colon would be a scheme or a host.
fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
}

/// Whether `path` is `folder` or lies in it. Windows does not tell cases apart.
fn lies_in(path: &str, folder: &str) -> bool {
    let (path, folder) = (comparable(path), comparable(folder));
    path.strip_prefix(&folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || folder.is_empty())
}

fn comparable(path: &str) -> String {
    let slashed = with_slashes(path);
    let trimmed = slashed.trim_end_matches('/');
    if has_drive(trimmed) || path.starts_with('\\') { trimmed.to_lowercase() } else { trimmed.to_owned() }
}

fn with_slashes(path: &str) -> String {
    path.replace('\\', "/")
}
