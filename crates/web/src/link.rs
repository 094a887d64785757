//! Addresses of our own pages. Ids, paths and words come from stores: everything that is not a letter or a digit is
//! written in percent form, so that none of it can end a path, add a parameter or name another host.

use backscroll_model::{ConversationId, Workspace};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What needs no percent form.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'~');

/// `text` as one piece of an address.
pub(crate) fn piece(text: &str) -> String {
    // A piece of dots would mean a folder above.
    utf8_percent_encode(text, if text.contains(|c| c != '.') { DOTTED } else { PLAIN }).to_string()
}

const DOTTED: &AsciiSet = &PLAIN.remove(b'.');

pub(crate) fn conversation(id: &ConversationId) -> String {
    format!("/c/{}", piece(id.as_str()))
}

/// Something below the page of a conversation.
pub(crate) fn of_conversation(id: &ConversationId, below: &str) -> String {
    format!("/c/{}/{below}", piece(id.as_str()))
}

/// A message on the page of its conversation, by its number counted from zero.
pub(crate) fn message(id: &ConversationId, number: usize) -> String {
    format!("/c/{}?at={number}#m{}", piece(id.as_str()), number.saturating_add(1))
}

/// A stored message that its conversation does not list, on the page of those.
pub(crate) fn orphan(id: &ConversationId, number: usize) -> String {
    of_conversation(id, &format!("about#m{}", number.saturating_add(1)))
}

pub(crate) fn workspace(workspace: &Workspace) -> String {
    let remote = workspace.remote.as_deref().map(|remote| format!("&remote={}", piece(remote)));
    format!("/workspace?path={}{}", piece(&workspace.path), remote.unwrap_or_default())
}

/// `path` with these parameters, those without a value left out.
pub(crate) fn with<'a>(path: &str, parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let given = parameters.into_iter().filter(|(_, value)| !value.is_empty());
    let pairs: Vec<String> = given.map(|(name, value)| format!("{name}={}", piece(value))).collect();
    if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_an_id_leaves_its_place() {
        let table = [
            ("98251e54-ab", "/c/98251e54-ab"),
            ("a/../b", "/c/a%2F..%2Fb"),
            ("..", "/c/%2E%2E"),
            ("x\ny?z#&\"<", "/c/x%0Ay%3Fz%23%26%22%3C"),
            ("日", "/c/%E6%97%A5"),
        ];
        for (id, expected) in table {
            assert_eq!(conversation(&ConversationId::new(id)), expected);
        }
        assert_eq!(with("/search", [("q", "a b&c"), ("sort", "")]), "/search?q=a%20b%26c");
    }
}
