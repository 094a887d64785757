//! The few classes that code is coloured by. Grammars tell hundreds of scopes apart; readers do not.

use std::sync::LazyLock;

use syntect::parsing::{Scope, ScopeStack};

/// Scopes and the class of what stands in them; longer scopes stand before their beginnings.
const CLASSES: &[(&str, &str)] = &[
    ("comment", "c"),
    ("constant.character.escape", "n"),
    ("string", "s"),
    ("constant", "n"),
    ("keyword.operator", ""),
    ("keyword", "k"),
    ("storage", "k"),
    ("variable.language", "k"),
    ("entity.name.function", "f"),
    ("support.function", "f"),
    ("variable.function", "f"),
    ("entity.name.tag", "k"),
    ("entity.other.attribute-name", "f"),
    ("entity.name", "t"),
    ("entity.other.inherited-class", "t"),
    ("support.type", "t"),
    ("support.class", "t"),
    ("markup.inserted", "i"),
    ("markup.deleted", "d"),
    ("markup.heading", "k"),
];

static SCOPES: LazyLock<Vec<(Scope, &'static str)>> = LazyLock::new(|| {
    CLASSES.iter().filter_map(|(scope, class)| Some((Scope::new(scope).ok()?, *class))).collect()
});

/// The class of what stands in `stack`, the innermost scope first; empty for plain text.
pub(super) fn class_of(stack: &ScopeStack) -> &'static str {
    let known = |scope: &Scope| SCOPES.iter().find(|(known, _)| known.is_prefix_of(*scope));
    stack.scopes.iter().rev().find_map(known).map_or("", |(_, class)| *class)
}
