//! Conversations that are about the same: they share rare words, or files that few touched.

use std::collections::{BTreeSet, HashMap, HashSet};

use backscroll_model::{ConversationId, Summary};
use rusqlite::Connection;

use super::answer;
use crate::database::Statements as _;
use crate::tokens::{Sink, fold_into, walk};
use crate::{Index, IndexError};

/// This many of the most specific words are compared.
const WORDS: usize = 16;
/// The maximum number of words that are looked up, the most frequent of the conversation first.
const LOOKED_UP: usize = 120;
/// A word in more messages than this says nothing.
const COMMON: usize = 400;
/// A file that more conversations than this touched says nothing.
const COMMON_FILE: usize = 60;

/// A conversation that is about the same.
#[derive(Debug, Clone)]
pub struct Related {
    /// The conversation.
    pub summary: Summary,
    /// What they share.
    pub reason: Reason,
}

/// What two conversations share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reason {
    /// Rare words, most specific first.
    pub words: Vec<String>,
    /// Files that both touched.
    pub files: Vec<String>,
    /// Both belong to the same workspace.
    pub same_workspace: bool,
}

#[derive(Default)]
struct Shared {
    score: f64,
    reason: Reason,
}

impl Index {
    /// Conversations about the same as `id`, whose own words are `texts`: title and prompts. Most related first.
    pub fn related(&self, id: &ConversationId, texts: &[&str]) -> Result<Vec<Related>, IndexError> {
        let Some(own) = self.number_of(id)? else { return Ok(Vec::new()) };
        let connection = self.connection();
        let mut shared: HashMap<i64, Shared> = HashMap::new();
        for (word, weight, conversations) in telling_words(connection, texts, own)? {
            for conversation in conversations {
                let one = shared.entry(conversation).or_default();
                one.score += weight;
                one.reason.words.push(word.clone());
            }
        }
        add_files(connection, own, &mut shared)?;
        let mut related = Vec::new();
        for (conversation, mut one) in shared {
            let sql = "SELECT c.workspace IS NOT NULL AND c.workspace IS o.workspace AND c.remote IS o.remote
                       FROM conversation c, conversation o WHERE c.number = ? AND o.number = ?";
            let same: bool =
                connection.prepare_cached(sql)?.query_row([conversation, own], |row| row.get(0))?;
            one.reason.same_workspace = same;
            one.score *= if same { 1.25 } else { 1.0 };
            related.push((conversation, one));
        }
        related.sort_by(|(a, one), (b, other)| other.score.total_cmp(&one.score).then(b.cmp(a)));
        let found = related.into_iter().map(|(conversation, one)| {
            let summary = answer::summary(connection, conversation)?;
            Ok(Related { summary, reason: one.reason })
        });
        found.collect()
    }
}

/// The rarest of the frequent words of `texts`, each with its weight and the other conversations that have it.
fn telling_words(
    connection: &Connection,
    texts: &[&str],
    own: i64,
) -> Result<Vec<(String, f64, BTreeSet<i64>)>, IndexError> {
    let total: i64 = connection.query_row("SELECT count(*) FROM message", [], |row| row.get(0))?;
    let all: i64 = connection.query_row("SELECT count(*) FROM conversation", [], |row| row.get(0))?;
    let widespread = usize::try_from(all / 6).unwrap_or(0).max(1);
    let mut counter = Counter::default();
    for text in texts {
        walk(text, &mut counter);
    }
    let mut frequent: Vec<(String, u32)> = counter.counts.into_iter().collect();
    frequent
        .sort_by(|a, b| b.1.cmp(&a.1).then_with(|| b.0.len().cmp(&a.0.len())).then_with(|| a.0.cmp(&b.0)));
    frequent.truncate(LOOKED_UP);
    let mut words = Vec::new();
    for (word, count) in frequent {
        let conversations = conversations_with(connection, &word)?;
        let Some(rows) = conversations.as_ref().map(Vec::len).filter(|rows| *rows > 0) else { continue };
        let others: BTreeSet<i64> =
            conversations.into_iter().flatten().filter(|other| *other != own).collect();
        if others.is_empty() || others.len() > widespread {
            continue;
        }
        #[expect(clippy::cast_precision_loss, reason = "a weight needs no more")]
        let rarity = (total.max(1) as f64 / rows as f64).ln().max(0.1);
        words.push((word, rarity * (1.0 + f64::from(count).ln()), others));
    }
    words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    words.truncate(WORDS);
    Ok(words)
}

/// The conversation of each message with `word`; `None` if too many have it.
fn conversations_with(connection: &Connection, word: &str) -> Result<Option<Vec<i64>>, IndexError> {
    let sql = format!(
        "SELECT coalesce(m.conversation, (SELECT t.number FROM conversation t WHERE t.title_row = r.row))
         FROM (SELECT rowid AS row FROM words WHERE words MATCH ? LIMIT {}) r LEFT JOIN message m ON m.row = r.row",
        COMMON + 1
    );
    let expression = format!("{{title said paths code}} : \"{word}\"");
    let numbers: Vec<Option<i64>> = connection.all(&sql, [expression], |row| row.get(0))?;
    let numbers: Vec<i64> = numbers.into_iter().flatten().collect();
    Ok((numbers.len() <= COMMON).then_some(numbers))
}

fn add_files(connection: &Connection, own: i64, shared: &mut HashMap<i64, Shared>) -> Result<(), IndexError> {
    let sql = "SELECT DISTINCT t.file, f.path FROM message m JOIN touched t ON t.row = m.row JOIN file f ON f.number = t.file
               WHERE m.conversation = ?";
    let files: Vec<(i64, String)> = connection.all(sql, [own], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (file, path) in files {
        let sql = "SELECT DISTINCT conversation FROM touched WHERE file = ?";
        let by: HashSet<i64> = connection.all(sql, [file], |row| row.get(0))?;
        if by.len() > COMMON_FILE {
            continue;
        }
        let rarity = 12.0 / (1.0 + f64::from(u32::try_from(by.len()).unwrap_or(u32::MAX)).ln());
        for other in by.into_iter().filter(|other| *other != own) {
            let one = shared.entry(other).or_default();
            one.score += rarity;
            one.reason.files.push(path.clone());
        }
    }
    Ok(())
}

#[derive(Default)]
struct Counter {
    counts: HashMap<String, u32>,
}

impl Counter {
    fn count(&mut self, word: &str) {
        let mut folded = String::with_capacity(word.len());
        fold_into(word, &mut folded);
        let is_telling = folded.chars().count() >= if folded.is_ascii() { 4 } else { 2 };
        if is_telling && !folded.bytes().all(|byte| byte.is_ascii_digit()) {
            *self.counts.entry(folded).or_default() += 1;
        }
    }
}

impl Sink for Counter {
    fn piece(&mut self, text: &str, _start: usize) {
        self.count(text);
    }

    fn number(&mut self, _text: &str, _start: usize) {}
    fn end_of_number(&mut self, _text: &str, _start: usize) {}

    fn identifier(&mut self, text: &str, _start: usize) {
        self.count(&text.replace('_', ""));
    }

    fn file_name(&mut self, text: &str, _start: usize) {
        self.count(&text.replace(['.', '-'], "_"));
    }

    fn dense_end(&mut self, _last: &str, _start: usize, _alone: bool) {}
}
