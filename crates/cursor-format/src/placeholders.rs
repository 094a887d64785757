//! Names that stand where a model's or a conversation's name should, and name none.

/// The model that a stored name means: the last of a comma list, and none for a placeholder.
pub fn known_model(stored: &str) -> Option<&str> {
    let last = stored.rsplit(',').map(str::trim).find(|name| !name.is_empty())?;
    let is_placeholder = matches!(last, "default" | "auto" | "Auto" | "auto-smart" | "unknown");
    (!is_placeholder).then_some(last)
}

/// Whether Cursor gives this title to conversations that nobody named.
pub(crate) fn is_placeholder_title(title: &str) -> bool {
    let names = ["New Agent", "New Chat", "New Composer", "New Conversation", "New Project", "Untitled"];
    title.is_empty() || names.contains(&title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_name_no_model() {
        let table = [
            ("gpt-5", Some("gpt-5")),
            // C072: the last one of a comma list.
            ("gpt-5.2-high,claude-4.6-opus,claude-4.6-opus", Some("claude-4.6-opus")),
            ("claude,default", None),
            ("auto-smart", None),
            (" , ", None),
            ("", None),
        ];
        for (stored, expected) in table {
            assert_eq!(known_model(stored), expected, "{stored:?}");
        }
    }
}
