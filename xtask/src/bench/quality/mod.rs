//! How well a search finds what somebody remembers, and remembers wrongly: known items, asked for in many ways, beside
//! SQLite's own full text (stems, any word) over the same conversations.

mod corpus;
mod dialogues;
mod plain;
mod questions;

use std::collections::BTreeMap;
use std::path::PathBuf;

use backscroll_cli::{Where, find};
use backscroll_fixtures::{Composer, CursorHome, HeaderTable, StateDatabase};
use backscroll_history::{Ask, Found, History, Index, Request, parse};
use backscroll_index::{Manner, refresh};
use jiff::Zoned;

use crate::arguments::{Arguments, Trouble};
use questions::Question;

/// What was found of the questions of one class.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    questions: usize,
    first: usize,
    among_five: usize,
    reciprocal: f64,
    empty: usize,
}

impl Score {
    fn add(&mut self, place: Option<usize>, is_empty: bool) {
        self.questions += 1;
        self.empty += usize::from(is_empty);
        if let Some(place) = place {
            self.first += usize::from(place == 0);
            self.among_five += usize::from(place < 5);
            #[expect(clippy::cast_precision_loss, reason = "a place is small")]
            let reciprocal = 1.0 / (place + 1) as f64;
            self.reciprocal += reciprocal;
        }
    }

    fn shown(&self) -> String {
        #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
        let share = |part: f64| part / self.questions.max(1) as f64;
        #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
        let (first, five) = (share(self.first as f64), share(self.among_five as f64));
        format!("{first:.2} | {five:.2} | {:.2} | {}", share(self.reciprocal), self.empty)
    }
}

/// Makes the conversations, asks for them, and prints a table; then the same for dialogues.
pub(super) fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let folder = arguments.path("dir").map_or_else(registry, Ok)?;
    let seed = arguments.number("seed", 1)?;
    let talks = corpus::talks(&folder)?;
    if !arguments.has("dialogues") {
        compare(&talks, &questions::questions(&talks, seed), seed, arguments.has("misses"))?;
    }
    let sessions = dialogues::dialogues(&talks);
    compare(&sessions, &dialogues::questions(&sessions, seed), seed, arguments.has("misses"))
}

/// Asks for `talks` here and of plain full text, and prints what each found.
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "the chore tells what it measured")]
fn compare(talks: &[corpus::Talk], asked: &[Question], seed: u64, with_misses: bool) -> Result<(), Trouble> {
    let work = tempfile::tempdir()?;
    let (history, index) = indexed(talks, work.path())?;
    let plain = plain::Plain::of(talks)?;
    let now = corpus::now();
    let mut ours: BTreeMap<&str, (Score, Score)> = BTreeMap::new();
    let mut times = Vec::new();
    for question in asked {
        let begun = std::time::Instant::now();
        let answer = answer(&history, &index, question, &now)?;
        times.push(begun.elapsed());
        let found: Vec<String> =
            answer.conversations.iter().map(|one| one.summary.id.as_str().to_owned()).collect();
        let theirs = plain.ask(&question.typed)?;
        let place = |found: &[String]| found.iter().position(|id| *id == question.wanted);
        if with_misses && place(&found).is_none_or(|place| place > 0) {
            let shown = |at: usize| {
                let one = answer.conversations.get(at)?;
                let score = one.hits.first().map_or(0.0, |hit| hit.hit.score);
                Some(format!("{} {score:.3} {:?}", one.rung.name(), corpus::title_of(talks, &found[at])))
            };
            eprintln!(
                "{:<12} {:?} ours {:?} theirs {:?} wanted {} got {}",
                question.class,
                question.typed,
                place(&found),
                place(&theirs),
                place(&found).and_then(shown).unwrap_or_default(),
                shown(0).unwrap_or_default(),
            );
        }
        for class in [question.class, "**all**"] {
            let (own, other) = ours.entry(class).or_default();
            own.add(place(&found), found.is_empty());
            other.add(place(&theirs), theirs.is_empty());
        }
    }
    times.sort();
    println!("{} conversations, {} questions (seed {seed})\n", talks.len(), asked.len());
    println!("| class | questions | hit@1 | hit@5 | MRR | empty | FTS5 hit@1 | hit@5 | MRR | empty |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (class, (own, other)) in &ours {
        println!("| {class} | {} | {} | {} |", own.questions, own.shown(), other.shown());
    }
    println!("\nmedian {:?}, 95 % within {:?}\n", times[times.len() / 2], times[times.len() * 95 / 100]);
    Ok(())
}

/// The sources of the crates that this repository is built from: text of others that every developer has.
#[expect(clippy::disallowed_methods, reason = "a chore may ask where cargo keeps its sources")]
fn registry() -> Result<PathBuf, Trouble> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    Ok(home.ok_or("where is cargo's home? --dir DIR names a folder of texts")?.join("registry/src"))
}

fn answer(history: &History, index: &Index, question: &Question, now: &Zoned) -> Result<Found, Trouble> {
    let ask = parse(&question.typed, now).map_err(|error| format!("{:?}: {error}", question.typed))?;
    let request = Request::new(Ask { limit: Some(10), ..ask }, now.timestamp());
    Ok(history.search(index, &request, backscroll_history::Showing::default())?)
}

fn indexed(talks: &[corpus::Talk], folder: &std::path::Path) -> Result<(History, Index), Trouble> {
    let composers: Vec<Composer> = talks.iter().map(corpus::composer).collect();
    let mut headers = HeaderTable::new();
    let mut global = StateDatabase::new();
    for composer in &composers {
        headers = headers.composer(composer);
        global = global.composer(composer);
    }
    let global = global.head_list(composers.iter().map(Composer::head)).header_table(headers);
    let home = folder.join("home");
    CursorHome::at(&home).global(global).write()?;
    let found = find(&Where { home: Some(home), ..Where::default() });
    let history = History::over(found.sources, found.findings);
    let place = folder.join("index");
    refresh(&place, &history, Manner::ordinary(corpus::now().timestamp()), &mut |_, _| {})?;
    let index = Index::open(&place)?.ok_or("no index was made")?;
    Ok((history, index))
}
