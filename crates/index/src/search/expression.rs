//! Words as an expression of the full-text engine.

use super::terms::Lexicon;
use crate::fields::Field;
use crate::query::{Node, PartName};

/// The expression for `node`; `None` if the engine cannot say it: facts, or a `NOT` without anything to take away from.
pub(super) fn expression_for(node: &Node, lexicon: &Lexicon) -> Option<String> {
    match node {
        Node::Text(text) => Some(lexicon.forms(text).expression()),
        Node::Filter { .. } | Node::Not(_) => None,
        Node::Any(nodes) => {
            let all: Option<Vec<String>> = nodes.iter().map(|node| expression_for(node, lexicon)).collect();
            all.map(|all| format!("({})", all.join(" OR ")))
        }
        Node::All(nodes) => of_all(nodes, lexicon),
    }
}

/// The expression for all of `nodes` together.
fn of_all(nodes: &[Node], lexicon: &Lexicon) -> Option<String> {
    let (mut wanted, mut excluded) = (Vec::new(), Vec::new());
    for node in nodes {
        match node {
            Node::Not(node) => excluded.push(expression_for(node, lexicon)?),
            node => wanted.push(expression_for(node, lexicon)?),
        }
    }
    if wanted.is_empty() {
        return None;
    }
    let wanted = format!("({})", wanted.join(" AND "));
    Some(if excluded.is_empty() { wanted } else { format!("({wanted} NOT ({}))", excluded.join(" OR ")) })
}

/// The columns in which words of such parts stand; empty means all.
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

/// `expression`, of which only these columns count; all of them if none is named.
pub(super) fn within(expression: &str, columns: &[Field]) -> String {
    if columns.is_empty() {
        return expression.to_owned();
    }
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
            ("auth", r#""auth""#),
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
            let expression = expression_for(&root, &Lexicon::default());
            assert_eq!(expression.as_deref(), Some(expected), "{query}");
        }
    }
}
