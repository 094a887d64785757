//! How the names of a phrase may be written: `GitHub` stands in the index as `git hub`, `github` as one word, and who types
//! one means the other too. A single word needs none of this: whole identifiers are words of the index.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::IndexError;
use crate::query::Node;
use crate::tokens::Typed;

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
    pub(super) fn phrases(&self, typed: &Typed) -> Vec<String> {
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
