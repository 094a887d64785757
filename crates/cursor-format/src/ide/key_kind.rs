//! What kind of row a key of `cursorDiskKV` names, and whose it is, by the key alone.
//!
//! Keys are `<kind>:<id>…`, with a few exceptions. A kind that we have never heard of is told by its own name, so that
//! what a newer Cursor stores can be seen; ids are never taken for kinds.

/// Kinds of which there are further kinds.
const DIVIDED: &str = "agentKv";
/// Kinds whose rows belong to the conversation that their key names next.
const OWNED: &[&str] = &[
    "agentKv:bubbleCheckpoint",
    "agentKv:checkpoint",
    "bubbleId",
    "checkpointId",
    "codeBlockDiff",
    "codeBlockPartialInlineDiffFates",
    "messageRequestContext",
    "ofsContent",
];
/// Names are no longer.
const LONGEST: usize = 48;

/// The kind that `key` names; `None` if it names none.
pub fn kind_of_key(key: &[u8]) -> Option<&str> {
    let first = before_colon(key);
    let further = || {
        let rest = key.get(DIVIDED.len() + 1..)?;
        name(key.get(..DIVIDED.len() + 1 + before_colon(rest).len())?)
    };
    // `inlineDiffs-<id>`, `composer.content.<hash>`: what stands before the last mark before the first digit.
    let beginning = || {
        let words = key.iter().position(|byte| !is_wordly(*byte)).map_or(key, |end| &key[..end]);
        name(&words[..words.iter().rposition(|byte| matches!(byte, b'-' | b'.'))?])
    };
    let divided = (first == DIVIDED.as_bytes()).then(further).flatten();
    divided.or_else(|| name(first)).or_else(beginning)
}

/// The conversation whose row this is, for kinds of rows that belong to one.
pub fn owner_of_key(key: &[u8]) -> Option<&str> {
    let kind = kind_of_key(key).filter(|kind| OWNED.contains(kind))?;
    let id = before_colon(key.get(kind.len() + 1..)?);
    str::from_utf8(id).ok().filter(|id| !id.is_empty())
}

fn before_colon(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == b':').next().unwrap_or_default()
}

/// A name is made of words; anything with a digit may be an id.
fn name(bytes: &[u8]) -> Option<&str> {
    let is_name = bytes.first()?.is_ascii_alphabetic()
        && bytes.last()?.is_ascii_alphabetic()
        && bytes.len() <= LONGEST
        && bytes.iter().all(|byte| is_wordly(*byte) || *byte == b':');
    is_name.then(|| str::from_utf8(bytes).ok()).flatten()
}

fn is_wordly(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'.' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_owners() {
        let id = "98251e54-aaaa-4bbb-8ccc-0123456789ab";
        let table = [
            (format!("bubbleId:{id}:d0216c2d"), Some("bubbleId"), Some(id)),
            (format!("composerData:{id}"), Some("composerData"), None),
            (format!("agentKv:blob:{}", "ab12".repeat(16)), Some("agentKv:blob"), None),
            (format!("agentKv:checkpoint:{id}"), Some("agentKv:checkpoint"), Some(id)),
            ("agentKv".into(), Some("agentKv"), None),
            ("agentKv:17".into(), Some("agentKv"), None),
            ("agentKv:".into(), Some("agentKv"), None),
            (format!("ofsContent:{id}:file:///a/b.rs"), Some("ofsContent"), Some(id)),
            (format!("composer.content.{}", "e3b0c442"), Some("composer.content"), None),
            (format!("inlineDiffs-{id}"), Some("inlineDiffs"), None),
            ("inlineDiffsData".into(), Some("inlineDiffsData"), None),
            ("patch-graph:17:x".into(), Some("patch-graph"), None),
            (format!("bc-{id}:cloudAgent:metadata"), Some("bc"), None),
            ("somethingNew:1".into(), Some("somethingNew"), None),
            (id.into(), None, None),
            (format!("{}:1", "x".repeat(49)), None, None),
            ("bubbleId::x".into(), Some("bubbleId"), None),
            ("日本:1".into(), None, None),
            (String::new(), None, None),
        ];
        for (key, kind, owner) in table {
            assert_eq!((kind_of_key(key.as_bytes()), owner_of_key(key.as_bytes())), (kind, owner), "{key}");
        }
        assert_eq!((kind_of_key(b"\xff\xfe:1"), owner_of_key(b"bubbleId:\xff:1")), (None, None));
    }

    proptest::proptest! {
        #[test]
        fn any_key_has_a_kind_that_it_begins_with_or_none(key: Vec<u8>) {
            if let Some(kind) = kind_of_key(&key) {
                proptest::prop_assert!(key.starts_with(kind.as_bytes()) && kind.len() <= LONGEST);
            }
            owner_of_key(&key);
        }
    }
}
