//! Words as an expression of the full-text engine.

use super::spellings::Spellings;
use crate::fields::Field;
use crate::query::{Node, PartName, Text};
use crate::tokens::Typed;

/// Words shorter than this have no plural worth a guess.
const SHORTEST_PLURAL: usize = 4;

/// The expression for `node`; `None` if the engine cannot say it: facts, or a `NOT` without anything to take away from.
pub(super) fn of_node(node: &Node, spellings: &Spellings) -> Option<String> {
    match node {
        Node::Text(text) => Some(of_text(text, spellings)),
        Node::Filter { .. } | Node::Not(_) => None,
        Node::Any(nodes) => {
            let all: Option<Vec<String>> = nodes.iter().map(|node| of_node(node, spellings)).collect();
            all.map(|all| format!("({})", all.join(" OR ")))
        }
        Node::All(nodes) => of_all(nodes, spellings),
    }
}

/// The expression for all of `nodes` together.
fn of_all(nodes: &[Node], spellings: &Spellings) -> Option<String> {
    let (mut wanted, mut excluded) = (Vec::new(), Vec::new());
    for node in nodes {
        match node {
            Node::Not(node) => excluded.push(of_node(node, spellings)?),
            node => wanted.push(of_node(node, spellings)?),
        }
    }
    if wanted.is_empty() {
        return None;
    }
    let wanted = format!("({})", wanted.join(" AND "));
    Some(if excluded.is_empty() { wanted } else { format!("({wanted} NOT ({}))", excluded.join(" OR ")) })
}

/// The expression for one word or phrase.
fn of_text(text: &Text, spellings: &Spellings) -> String {
    let typed = Typed::of(&text.typed);
    let star = if text.is_prefix || typed.is_single { " *" } else { "" };
    let mut phrases = spellings.phrases(&typed);
    // A file's name stands in the index as one word more; an identifier's is among its spellings.
    phrases.extend(typed.whole.clone().filter(|whole| !phrases.contains(whole)));
    let mut forms: Vec<String> = phrases.iter().map(|phrase| format!("\"{phrase}\"{star}")).collect();
    let pieces = typed.pieces();
    if typed.is_number && !text.is_prefix {
        forms.extend(pieces.iter().map(|number| format!("\"{number}_\" *")));
    }
    if let ([word], false, false) = (&pieces[..], text.is_prefix, text.is_quoted) {
        forms.extend(other_number(word).map(|other| format!("\"{other}\"")));
    }
    if forms.len() == 1 { forms.remove(0) } else { format!("({})", forms.join(" OR ")) }
}

/// The plural of a word, or the singular of a plural, as far as a letter tells.
pub(crate) fn other_number(word: &str) -> Option<String> {
    if word.len() < SHORTEST_PLURAL || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    match word.strip_suffix('s') {
        Some(one) if !one.ends_with(['s', 'u', 'i']) && one.len() >= SHORTEST_PLURAL - 1 => {
            Some(one.to_owned())
        }
        Some(_) => None,
        None => Some(format!("{word}s")),
    }
}

/// The columns in which words of such parts stand; `None` means that no words do.
pub(super) fn columns(parts: &[PartName]) -> Vec<Field> {
    let mut columns: Vec<Field> = parts.iter().flat_map(|part| of_part(*part)).copied().collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

fn of_part(part: PartName) -> &'static [Field] {
    match part {
        PartName::Text | PartName::Summary | PartName::Error | PartName::Todos => &[Field::Said],
        PartName::Thinking => &[Field::Thinking],
        PartName::ToolCall => &[Field::Arguments, Field::Results],
        PartName::Arguments => &[Field::Arguments],
        PartName::Result => &[Field::Results],
        PartName::Code => &[Field::Code],
        PartName::Attachment => &[Field::Attached],
        PartName::Path | PartName::Image => &[Field::Paths],
        PartName::Title => &[Field::Title],
    }
}

/// `expression`, of which only these columns count.
pub(super) fn within(expression: &str, columns: &[Field]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
    format!("{{{}}} : ({expression})", names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_what_the_engine_understands() {
        let now = "2026-03-24T15:30:00Z[UTC]".parse().expect("a time");
        let table = [
            ("auth", r#"("auth" OR "auths")"#),
            ("errors", r#"("errors" OR "error")"#),
            ("status", r#""status""#),
            ("\"auth\"", r#""auth""#),
            ("fooBar", r#"("foo bar" OR "foobar")"#),
            ("\"let foo\" -x", r#"(("let foo") NOT ("x"))"#),
            ("fooB*", r#"("foo b" * OR "foob" *)"#),
            ("1.2", r#"("1_2" OR "1_2_" *)"#),
            ("自", r#""自" *"#),
            ("a (b OR c)", r#"("a" AND ("b" OR "c"))"#),
        ];
        for (query, expected) in table {
            let ask = crate::query::parse(query, &now).expect("a query");
            let root = ask.root.expect("words");
            let expression = of_node(&root, &Spellings::default());
            assert_eq!(expression.as_deref(), Some(expected), "{query}");
        }
    }
}
