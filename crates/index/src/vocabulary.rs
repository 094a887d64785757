//! The words that the index has: which of them a typed word may stand for. See the table `vocabulary` in
//! [`schema`](crate::schema).

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use rusqlite::Connection;
use rust_stemmers::{Algorithm, Stemmer};

use crate::IndexError;
use crate::database::Statements as _;

/// Shorter words, in characters, are not in the table.
pub(crate) const SHORTEST: usize = 3;
/// Longer ones are not either.
const LONGEST: usize = 24;

/// Words from this many characters on may have one wrong letter.
const ONE_SLIP: usize = 5;
/// Words from this many characters on may have two.
const TWO_SLIPS: usize = 9;

/// At most this many other forms of a word are asked for, the most frequent first.
const MOST_FORMS: usize = 8;
/// At most this many words that a mistyped one may have meant.
const MOST_MEANT: usize = 3;

/// Fills the table with what the full-text table has, in place of what is in it.
pub(crate) fn fill(connection: &Connection) -> Result<(), IndexError> {
    connection.execute_batch(&format!(
        "CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, row);
         DELETE FROM vocabulary;
         INSERT INTO vocabulary (word, rows) SELECT term, doc FROM temp.terms
             WHERE length(term) BETWEEN {SHORTEST} AND {LONGEST} AND term NOT GLOB '*[0-9_]*';
         DROP TABLE temp.terms;"
    ))?;
    Ok(())
}

/// Counts words of rows that were added, or removed.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    rows: HashMap<String, i64>,
}

impl Counted {
    /// Counts the words of `rows` rows, more or fewer, that have the same words, given as the streams of their columns.
    pub(crate) fn add<'a>(&mut self, streams: impl Iterator<Item = &'a str>, rows: i64) {
        let words: HashSet<String> = streams
            .flat_map(str::split_ascii_whitespace)
            .filter(|word| is_listed(word))
            .map(str::to_ascii_lowercase)
            .collect();
        for word in words {
            *self.rows.entry(word).or_default() += rows;
        }
    }

    /// Writes them down. To be called at the end of a transaction only.
    pub(crate) fn write(&mut self, connection: &Connection) -> Result<(), IndexError> {
        let sql = "INSERT INTO vocabulary (word, rows) VALUES (?1, ?2)
                   ON CONFLICT (word) DO UPDATE SET rows = rows + ?2";
        for (word, rows) in self.rows.drain().filter(|(_, rows)| *rows != 0) {
            connection.run(sql, (&word, rows))?;
            if rows < 0 {
                connection.run("DELETE FROM vocabulary WHERE word = ?1 AND rows <= 0", [word])?;
            }
        }
        Ok(())
    }
}

/// Asks the table.
pub(crate) struct Vocabulary<'a> {
    connection: &'a Connection,
    stemmer: OnceCell<Stemmer>,
}

impl std::fmt::Debug for Vocabulary<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vocabulary").finish_non_exhaustive()
    }
}

impl<'a> Vocabulary<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self { connection, stemmer: OnceCell::new() }
    }

    /// About how many rows have `word`; `None` if it is not in the table.
    pub(crate) fn rows(&self, word: &str) -> Result<Option<i64>, IndexError> {
        self.connection.one("SELECT rows FROM vocabulary WHERE word = ?1", [word], |row| row.get(0))
    }

    /// Whether the index has `word`, in the table or not.
    pub(crate) fn has(&self, word: &str) -> Result<bool, IndexError> {
        if is_listed(word) {
            return Ok(self.rows(word)?.is_some());
        }
        let mut find = self.connection.prepare_cached("SELECT 1 FROM words WHERE words MATCH ?1 LIMIT 1")?;
        Ok(find.exists([format!("\"{word}\"")])?)
    }

    /// Other forms of `word` that the index has, such as `relied` and `relies` for `rely`, most frequent first.
    pub(crate) fn inflections(&self, word: &str) -> Result<Vec<String>, IndexError> {
        if word.len() < SHORTEST || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Ok(Vec::new());
        }
        let stem = self.stem(word);
        let beginning =
            stem.get(..stem.len().saturating_sub(1).max(SHORTEST).min(stem.len())).unwrap_or(&stem);
        let mut alike = Vec::new();
        self.each_beginning(beginning, |other, rows| {
            if other != word && other.is_ascii() && self.stem(other) == stem {
                alike.push((other.to_owned(), rows));
            }
        })?;
        alike.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(alike.into_iter().take(MOST_FORMS).map(|(word, _)| word).collect())
    }

    fn stem(&self, word: &str) -> String {
        self.stemmer.get_or_init(|| Stemmer::create(Algorithm::English)).stem(word).into_owned()
    }

    /// Words of the index that differ from `word` by a slip of the finger, nearest and most frequent first.
    pub(crate) fn meant_by(&self, word: &str) -> Result<Vec<String>, IndexError> {
        let typed: Vec<char> = word.chars().collect();
        let most = match typed.len() {
            TWO_SLIPS.. => 2,
            ONE_SLIP.. => 1,
            _ => return Ok(Vec::new()),
        };
        // Nearly everybody gets the first letter right, and then few words need a look.
        let first: String = typed.iter().take(1).collect();
        let mut near = self.near(&typed, most, &first)?;
        if near.is_empty() {
            near = self.near(&typed, most, "")?;
        }
        let nearest = near.iter().map(|(distance, ..)| *distance).min();
        near.retain(|(distance, ..)| Some(*distance) == nearest);
        near.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.2.cmp(&b.2)));
        Ok(near.into_iter().take(MOST_MEANT).map(|(.., word)| word).collect())
    }

    /// Words that begin so and differ from `typed` in at most `most` places: distance, rows, word.
    fn near(
        &self,
        typed: &[char],
        most: usize,
        beginning: &str,
    ) -> Result<Vec<(usize, i64, String)>, IndexError> {
        let mut near = Vec::new();
        let mut letters: Vec<char> = Vec::new();
        self.each_beginning(beginning, |other, rows| {
            if other.len() + 3 * most < typed.len() || other.len() > 4 * (typed.len() + most) {
                return;
            }
            letters.clear();
            letters.extend(other.chars());
            if let Some(distance) = distance(typed, &letters, most) {
                near.push((distance, rows, other.to_owned()));
            }
        })?;
        Ok(near)
    }

    fn each_beginning(&self, beginning: &str, mut take: impl FnMut(&str, i64)) -> Result<(), IndexError> {
        let sql = "SELECT word, rows FROM vocabulary WHERE word >= ?1 AND word < ?1 || char(1114111)";
        let mut all = self.connection.prepare_cached(sql)?;
        let mut rows = all.query([beginning])?;
        while let Some(row) = rows.next()? {
            take(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?, row.get(1)?);
        }
        Ok(())
    }
}

/// Whether a word like this would be in the table.
pub(crate) fn is_listed(word: &str) -> bool {
    let length = word.chars().count();
    (SHORTEST..=LONGEST).contains(&length) && !word.contains(|c: char| c.is_ascii_digit() || c == '_')
}

/// How many letters must be changed, added, left out or swapped with their neighbour; `None` if more than `most`.
fn distance(a: &[char], b: &[char], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let width = b.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut above: Vec<usize> = (0..width).collect();
    let mut line: Vec<usize> = vec![0; width];
    for (i, x) in a.iter().enumerate() {
        line[0] = i + 1;
        let mut smallest = line[0];
        for (j, y) in b.iter().enumerate() {
            let mut cost = (above[j] + usize::from(x != y)).min(above[j + 1] + 1).min(line[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                cost = cost.min(before[j - 1] + 1);
            }
            line[j + 1] = cost;
            smallest = smallest.min(cost);
        }
        if smallest > most {
            return None;
        }
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut line);
    }
    Some(above[b.len()]).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_counted() {
        let table = [
            ("protocol", "protocol", Some(0)),
            ("protoocol", "protocol", Some(1)),
            ("portocol", "protocol", Some(1)),
            ("protocl", "protocol", Some(1)),
            ("prxtxcol", "protocol", Some(2)),
            ("prxtxcxl", "protocol", None),
        ];
        for (a, b, expected) in table {
            let letters = |word: &str| word.chars().collect::<Vec<_>>();
            assert_eq!(distance(&letters(a), &letters(b), 2), expected, "{a} {b}");
        }
    }
}
