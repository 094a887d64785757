//! Words as an expression of the full-text engine.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::IndexError;
use crate::fields::Field;
use crate::query::{Node, PartName, Text};
use crate::tokens::Typed;

/// Words shorter than this have no plural worth a guess.
const SHORTEST_PLURAL: usize = 4;

/// The expression for `node`; `None` if the engine cannot say it: facts, or a `NOT` without anything to take away from.
pub(super) fn expression_for(node: &Node, spellings: &Spellings) -> Option<String> {
    match node {
        Node::Text(text) => Some(of_text(text, spellings)),
        Node::Filter { .. } | Node::Not(_) => None,
        Node::Any(nodes) => {
            let all: Option<Vec<String>> = nodes.iter().map(|node| expression_for(node, spellings)).collect();
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
            Node::Not(node) => excluded.push(expression_for(node, spellings)?),
            node => wanted.push(expression_for(node, spellings)?),
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
    // A file's name is in the index as one word more; an identifier's is among its spellings.
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

/// The plural of a word, or the singular of a plural, as far as a letter shows.
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

/// So many ways of writing a whole phrase are tried.
const MOST_PHRASES: usize = 16;
/// A piece in the middle or at the end of a name is at least so long, so that `into` is not taken for `in to`.
const SHORTEST_PIECE: usize = 3;

/// In which pieces the words of the phrases of a question stand somewhere in the index.
#[derive(Debug, Default)]
pub(super) struct Spellings(HashMap<String, Vec<String>>);

impl Spellings {
    /// Looks up the words of every phrase of `root`.
    pub(super) fn of(connection: &Connection, root: Option<&Node>) -> Result<Self, IndexError> {
        let mut words = Vec::new();
        if let Some(root) = root {
            words_of_phrases(root, &mut words);
        }
        let mut spellings = HashMap::new();
        for word in words {
            let torn = in_pieces(connection, &word)?;
            spellings.insert(word, torn);
        }
        Ok(Self(spellings))
    }

    /// All ways of writing what was typed, with one space between pieces; as it was typed comes first.
    fn phrases(&self, typed: &Typed) -> Vec<String> {
        let mut phrases = vec![String::new()];
        for name in &typed.names {
            let ways = self.ways(name);
            let room = (MOST_PHRASES / phrases.len()).max(1);
            let joined = |way: &String| {
                phrases
                    .iter()
                    .map(|begun| format!("{begun} {way}").trim_start().to_owned())
                    .collect::<Vec<_>>()
            };
            phrases = ways.iter().take(room).flat_map(joined).collect();
        }
        phrases
    }

    fn ways(&self, name: &[String]) -> Vec<String> {
        match name {
            [word] => std::iter::once(word).chain(self.0.get(word).into_iter().flatten()).cloned().collect(),
            pieces => vec![pieces.join(" "), pieces.concat()],
        }
    }
}

/// The names of one piece in phrases of several.
fn words_of_phrases(node: &Node, words: &mut Vec<String>) {
    match node {
        Node::Text(text) => {
            let mut names = Typed::of(&text.typed).names;
            if names.len() < 2 {
                return;
            }
            if text.is_prefix {
                names.pop();
            }
            words.extend(names.into_iter().filter(|name| name.len() == 1).flatten());
        }
        Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| words_of_phrases(node, words)),
        Node::Not(node) => words_of_phrases(node, words),
        Node::Filter { .. } => {}
    }
}

/// The ways in which `word` falls into two words of the index.
fn in_pieces(connection: &Connection, word: &str) -> Result<Vec<String>, IndexError> {
    let mut ways = Vec::new();
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Ok(ways);
    }
    let mut find = connection.prepare_cached("SELECT 1 FROM words WHERE words MATCH ?1 LIMIT 1")?;
    let mut is_known = |piece: &str| find.exists([format!("\"{piece}\"")]);
    for at in 1..(word.len() + 1).saturating_sub(SHORTEST_PIECE) {
        let (first, rest) = word.split_at(at);
        if is_known(rest)? && is_known(first)? {
            ways.push(format!("{first} {rest}"));
        }
    }
    Ok(ways)
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
            let expression = expression_for(&root, &Spellings::default());
            assert_eq!(expression.as_deref(), Some(expected), "{query}");
        }
    }

    #[test]
    fn a_phrase_is_asked_for_in_every_spelling() {
        let spellings = Spellings(HashMap::from([("github".to_owned(), vec!["git hub".to_owned()])]));
        let table = [
            ("the github action", "the github action | the git hub action"),
            ("the GitHub action", "the git hub action | the github action"),
            ("parseToken", "parse token | parsetoken"),
            ("a b", "a b"),
        ];
        for (typed, expected) in table {
            assert_eq!(spellings.phrases(&Typed::of(typed)).join(" | "), expected, "{typed}");
        }
        let many = spellings.phrases(&Typed::of(&"GitHub ".repeat(10)));
        assert!(many.len() <= MOST_PHRASES && many[0] == "git hub ".repeat(10).trim());
    }
}
