//! Names that stand where a model's name should, and name none.

/// `name` unless it is a placeholder.
pub(crate) fn known_model(name: &str) -> Option<&str> {
    let name = name.trim();
    let is_placeholder = matches!(name, "" | "default" | "auto" | "auto-smart" | "unknown");
    (!is_placeholder).then_some(name)
}
