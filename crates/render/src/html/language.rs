//! The language of a piece of code: from the tag of its fence, or from the name of its file. What a tag says is never
//! used but to look a known language up.

use std::sync::LazyLock;

use syntect::parsing::{SyntaxReference, SyntaxSet};

/// Every language that we can colour.
pub(super) static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// What a fence or an editor calls a language, where the syntaxes call it something else.
const ALSO_CALLED: &[(&str, &str)] = &[
    ("shell", "bash"),
    ("console", "bash"),
    ("shellscript", "bash"),
    ("zsh", "bash"),
    ("terminal", "bash"),
    ("jsonc", "json"),
    ("json5", "json"),
    ("jsonl", "json"),
    ("typescriptreact", "tsx"),
    ("javascriptreact", "js"),
    ("jsx", "js"),
    ("mjs", "js"),
    ("cjs", "js"),
    ("mts", "ts"),
    ("cts", "ts"),
    ("golang", "go"),
    ("csharp", "cs"),
    ("vscdb", ""),
];

/// Words that name no language, though a syntax is called so.
const PLAIN: &[&str] = &["", "text", "txt", "plain", "plaintext", "output"];

/// The language that is called `name`.
pub(super) fn named(name: &str) -> Option<&'static SyntaxReference> {
    let name = name.trim();
    // No language has a longer name, and stored ones can be a page long.
    if name.len() > 40 || PLAIN.iter().any(|plain| name.eq_ignore_ascii_case(plain)) {
        return None;
    }
    let other = ALSO_CALLED.iter().find(|(called, _)| name.eq_ignore_ascii_case(called));
    SYNTAXES.find_syntax_by_token(other.map_or(name, |(_, other)| other))
}

/// The language that files such as `path` are written in.
pub(super) fn of_file(path: &str) -> Option<&'static SyntaxReference> {
    let name = path.rsplit(['/', '\\']).next()?;
    named(name.rsplit('.').next()?).or_else(|| named(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_found_by_the_names_people_use() {
        let table = [
            ("rust", Some("Rust")),
            ("TS", Some("TypeScript")),
            ("typescriptreact", Some("TypeScriptReact")),
            ("toml", Some("TOML")),
            ("shell", Some("Bourne Again Shell (bash)")),
            ("text", None),
            ("\"><script>", None),
        ];
        for (name, expected) in table {
            assert_eq!(named(name).map(|syntax| syntax.name.as_str()), expected, "{name}");
        }
        assert_eq!(of_file("C:\\a\\b.py").map(|syntax| syntax.name.as_str()), Some("Python"));
        assert_eq!(of_file("app/Dockerfile").map(|syntax| syntax.name.as_str()), Some("Dockerfile"));
        assert!(of_file("notes").is_none());
    }
}
