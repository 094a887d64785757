//! Conversations that are about the same: they share rare words, or files that few touched.

use std::collections::{BTreeSet, HashMap, HashSet};

use backscroll_model::{ConversationId, Summary};
use rusqlite::Connection;

use super::{answer, terms};
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

/// Who has less of the weight of the compared words, and no file, is not related.
const FLOOR: f64 = 0.1;
/// Who has as much of it, and more than one word, is close.
const CLOSE: f64 = 0.4;

/// Words that stand in prompts about anything, and say nothing of what a conversation is about; beside stop words.
const FILLERS: &str = " able actually add added adding already another apply back based better case change changed changes check code \
    complete correct create current data default details different entire error errors example existing fail failed feature file \
    files filter final find first fix fixed fixes following format found full function functions good great happen help idea implement \
    implemented info information input instead issue issues keep kind last line lines list long look looking looks main make makes \
    making message method missing move name names new next nice number okay open option options order output page part path place plan \
    point problem project proper properly question read remove removed result results return right same section seem seems send set \
    show shows side similar simple single small start state step steps still stuff sure system take task tell test tests text thing \
    time times title today told tried true false null none try trying turn type unknown update updated updates user value values version \
    work working works write wrong ";

/// A conversation that is about the same.
#[derive(Debug, Clone)]
pub struct Related {
    /// The conversation.
    pub summary: Summary,
    /// What they share.
    pub reason: Reason,
    /// They share a file, or much of what is telling.
    pub is_close: bool,
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

/// How many are close and how many are not: `1 close, 3 distant`.
pub fn closeness(related: &[Related]) -> String {
    let close = related.iter().filter(|one| one.is_close).count();
    let counts = [(close, "close"), (related.len() - close, "distant")];
    let told = counts.iter().filter(|(count, _)| *count > 0).map(|(count, how)| format!("{count} {how}"));
    told.collect::<Vec<_>>().join(", ")
}

#[derive(Default)]
struct Shared {
    score: f64,
    /// The weight of the words alone.
    words: f64,
    reason: Reason,
}

impl Shared {
    /// Whether they are close, where the compared words weigh `all`; `None` if they are not related.
    fn is_close(&self, all: f64) -> Option<bool> {
        if !self.reason.files.is_empty() {
            return Some(true);
        }
        let part = self.words / all;
        (part >= FLOOR).then_some(part >= CLOSE && self.reason.words.len() > 1)
    }
}

impl Index {
    /// Conversations about the same as `id`, whose own words are `texts`: title and prompts. Close ones first, most related first.
    pub fn related(&self, id: &ConversationId, texts: &[&str]) -> Result<Vec<Related>, IndexError> {
        let Some(own) = self.number_of(id)? else { return Ok(Vec::new()) };
        let connection = self.connection();
        let mut shared: HashMap<i64, Shared> = HashMap::new();
        let words = telling_words(connection, texts, own)?;
        let all: f64 = words.iter().map(|(_, weight, _)| weight).sum();
        for (word, weight, conversations) in words {
            for conversation in conversations {
                let one = shared.entry(conversation).or_default();
                one.score += weight;
                one.words += weight;
                one.reason.words.push(word.clone());
            }
        }
        add_files(connection, own, &mut shared)?;
        let mut related = Vec::new();
        for (conversation, mut one) in shared {
            let Some(is_close) = one.is_close(all) else { continue };
            let sql = "SELECT c.workspace IS NOT NULL AND c.workspace IS o.workspace AND c.remote IS o.remote
                       FROM conversation c, conversation o WHERE c.number = ? AND o.number = ?";
            let same: bool =
                connection.prepare_cached(sql)?.query_row([conversation, own], |row| row.get(0))?;
            one.reason.same_workspace = same;
            one.score *= if same { 1.25 } else { 1.0 };
            related.push((is_close, conversation, one));
        }
        related.sort_by(|(close, a, one), (closer, b, other)| {
            closer.cmp(close).then(other.score.total_cmp(&one.score)).then(b.cmp(a))
        });
        let found = related.into_iter().map(|(is_close, conversation, one)| {
            let summary = answer::summary(connection, conversation)?;
            Ok(Related { summary, reason: one.reason, is_close })
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
    let is_telling = |word: &str| {
        !terms::is_stop_word(word) && !FILLERS.split_ascii_whitespace().any(|filler| filler == word)
    };
    let counts = counter.counts.into_iter();
    let mut frequent: Vec<(String, u32)> = counts.filter(|(word, _)| is_telling(word)).collect();
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
