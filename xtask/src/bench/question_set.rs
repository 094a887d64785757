//! Two hundred questions of every sort, made of the words that a home itself holds. The same home gives the same questions.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::arguments::Trouble;
use crate::chance::Chance;

/// One question: words that go behind `search`, and what a plain search through files would look for, where it can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) typed: Vec<String>,
    pub(super) pattern: Option<String>,
}

/// A word of the index and in how many messages it stands.
type Word = (String, u64);

/// How many questions there are.
const COUNT: usize = 200;

/// The questions for the home whose index is `database`; `texts` are things that were said in it.
pub(super) fn questions(database: &Path, texts: &[String], seed: u64) -> Result<Vec<Question>, Trouble> {
    let words = vocabulary(database)?;
    let most = words.first().map_or(1, |word| word.1);
    let between = |low: u64, high: u64| -> Vec<&Word> {
        words.iter().filter(|(word, count)| (low..=high).contains(count) && word.len() >= 3).collect()
    };
    let rare = between(1, 3);
    let middle = between(20, (most / 20).max(20));
    let common = between((most / 20).max(4), most);
    let dense: Vec<&Word> = words.iter().filter(|(word, _)| word.chars().any(is_dense)).collect();
    let runs: Vec<Vec<&str>> =
        texts.iter().map(|text| plain_words(text)).filter(|run| run.len() > 3).collect();
    if common.is_empty() || runs.is_empty() {
        return Err("the home holds too few words to ask for".into());
    }
    let mut chance = Chance::new(seed);
    let made = (0..COUNT).map(|number| match number % 10 {
        0 | 1 => one(&pick(&mut chance, &rare, &common)),
        2 => one(&pick(&mut chance, &middle, &common)),
        3 => one(&pick(&mut chance, &common, &common)),
        4 => side_by_side(&mut chance, &runs, true),
        5 => side_by_side(&mut chance, &runs, false),
        6 => beginning(&pick(&mut chance, &middle, &common)),
        7 => field(&mut chance, &pick_word(&mut Chance::new(number as u64), &common)),
        8 if !dense.is_empty() && number % 20 == 8 => one(&pick(&mut chance, &dense, &common)),
        8 => both(&pick(&mut chance, &common, &common), &pick(&mut chance, &middle, &common)),
        _ => one(&format!("{}{}", pick(&mut chance, &rare, &common), "qzx")),
    });
    Ok(made.collect())
}

/// The `number` words that stand in the most messages.
pub(super) fn common_words(database: &Path, number: usize) -> Result<Vec<String>, Trouble> {
    let words = vocabulary(database)?.into_iter().map(|(word, _)| word);
    Ok(words.filter(|word| word.len() >= 3).take(number).collect())
}

/// Every word of the index, the most common first.
#[expect(clippy::disallowed_methods, reason = "our own file")]
fn vocabulary(database: &Path) -> Result<Vec<Word>, Trouble> {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute_batch("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row)")?;
    let mut all = connection.prepare("SELECT term, doc FROM temp.vocabulary")?;
    let words = all.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
    let mut words = words.collect::<Result<Vec<Word>, _>>()?;
    words.retain(|(word, _)| word.chars().all(char::is_alphabetic));
    words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(words)
}

fn is_dense(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// The words of a text as they stand, without those that mean something to a query.
fn plain_words(text: &str) -> Vec<&str> {
    let words = text.split_whitespace().take_while(|word| word.chars().all(char::is_alphabetic));
    words.filter(|word| !matches!(*word, "OR" | "AND" | "NOT")).collect()
}

fn pick(chance: &mut Chance, from: &[&Word], otherwise: &[&Word]) -> String {
    pick_word(chance, if from.is_empty() { otherwise } else { from })
}

fn pick_word(chance: &mut Chance, from: &[&Word]) -> String {
    chance.pick(from).0.clone()
}

fn one(word: &str) -> Question {
    Question { typed: vec![word.to_owned()], pattern: Some(word.to_owned()) }
}

fn both(first: &str, second: &str) -> Question {
    Question { typed: vec![first.to_owned(), second.to_owned()], pattern: Some(second.to_owned()) }
}

fn beginning(word: &str) -> Question {
    let beginning: String = word.chars().take(4).collect();
    Question { typed: vec![format!("{beginning}*")], pattern: Some(beginning) }
}

/// Two words that stand side by side somewhere, as a phrase or not.
fn side_by_side(chance: &mut Chance, runs: &[Vec<&str>], is_phrase: bool) -> Question {
    let run = chance.pick(runs);
    let at = chance.below(run.len() - 1);
    let both = format!("{} {}", run[at], run[at + 1]);
    let typed = if is_phrase { format!("\"{both}\"") } else { both.clone() };
    Question { typed: vec![typed], pattern: Some(both) }
}

/// A word among certain messages.
fn field(chance: &mut Chance, word: &str) -> Question {
    let facts = ["role:user", "role:assistant", "has:diff", "surface:ide", "tool:shell", "part:text"];
    Question { typed: vec![(*chance.pick(&facts)).to_owned(), word.to_owned()], pattern: None }
}
