//! Measures questions: the program run as a shell runs it, beside `rg` over the same conversations as Markdown.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use backscroll_cli::{Where, find};
use backscroll_history::{Ask, History};

use super::measure::Manner;
use super::question_set::{Question, questions};
use super::search::{database, line, seconds};
use crate::arguments::Trouble;

/// Conversations whose words are asked for again.
const CONVERSATIONS: usize = 40;

/// Plain searches are slow; this many are enough.
const PLAIN: usize = 40;

/// Measures two hundred questions on `home` and prints a table.
pub(super) fn run(program: &Path, home: &Path, manner: Manner) -> Result<(), Trouble> {
    let work = tempfile::tempdir_in(home.parent().unwrap_or(home))?;
    let folder = work.path().join("index");
    asked(program, home, &folder, &["index", "refresh"])?;
    let questions = questions(&database(&folder)?, &said(home), 4)?;
    let mut taken = Vec::new();
    for question in &questions {
        let words: Vec<&str> =
            std::iter::once("search").chain(question.typed.iter().map(String::as_str)).collect();
        let times = (0..manner.runs.max(1)).map(|_| asked(program, home, &folder, &words));
        taken.push(times.collect::<Result<Vec<_>, _>>()?.into_iter().min().unwrap_or_default());
    }
    let (half, most) = (share(&taken, 50), share(&taken, 95));
    line("search, p50 of 200 questions", &seconds(half), "≤ 30 ms", half <= Duration::from_millis(30));
    line("search, p95", &seconds(most), "–", true);
    slowest(&questions, &taken);
    let Some(plain) = plain(program, home, work.path(), &questions)? else {
        line("… by rg over the same as Markdown", "rg is not installed", "≥ 20 ×", false);
        return Ok(());
    };
    let by = share(&plain, 50).as_secs_f64() / half.as_secs_f64().max(1e-9);
    let shown = format!("{} → {by:.0} ×", seconds(share(&plain, 50)));
    line("… by rg over the same as Markdown", &shown, "≥ 20 ×", by >= 20.0);
    Ok(())
}

/// Runs the program once; gives how long it took. Nothing found is an answer too.
fn asked(program: &Path, home: &Path, folder: &Path, words: &[&str]) -> Result<Duration, Trouble> {
    let mut command = Command::new(program);
    command.args(words).arg("--home").arg(home).arg("--index").arg(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let status = command.status()?;
    let taken = began.elapsed();
    if matches!(status.code(), Some(0 | 1)) {
        Ok(taken)
    } else {
        Err(format!("{words:?} ended with {status}").into())
    }
}

/// What was said in some conversations, spread over all of them.
pub(super) fn said(home: &Path) -> Vec<String> {
    let found = find(&Where { home: Some(home.to_owned()), ..Where::default() });
    let history = History::over(found.sources, found.findings);
    let summaries = history.list(&Ask::default()).summaries;
    let step = (summaries.len() / CONVERSATIONS).max(1);
    let some = summaries.iter().step_by(step).filter_map(|summary| history.load(&summary.id).ok());
    some.flat_map(|whole| whole.messages.into_iter().map(|message| message.text()).collect::<Vec<_>>())
        .collect()
}

/// What `rg` needs for some of the questions, over everything written out as Markdown; `None` if it is not installed.
fn plain(
    program: &Path,
    home: &Path,
    work: &Path,
    questions: &[Question],
) -> Result<Option<Vec<Duration>>, Trouble> {
    let out = work.join("markdown");
    let there = Command::new("rg").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if there.is_err() {
        return Ok(None);
    }
    let mut export = Command::new(program);
    export.args(["export", "--all", "--format", "md", "--detail", "full", "--output"]).arg(&out);
    export.arg("--home").arg(home).stdout(Stdio::null()).stderr(Stdio::null());
    export.status()?;
    let patterns = questions.iter().filter_map(|question| question.pattern.as_deref());
    let step = (questions.len() / PLAIN).max(1);
    let mut taken = Vec::new();
    for (number, pattern) in patterns.step_by(step).enumerate() {
        let mut search = Command::new("rg");
        search.args(["--no-ignore", "--ignore-case", "--fixed-strings", "--"]).arg(pattern).arg(&out);
        search.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let began = Instant::now();
        search.status()?;
        // The first one reads the files from the disk.
        taken.extend((number > 0).then(|| began.elapsed()));
    }
    Ok(Some(taken))
}

/// A percentile: this share of the runs took no longer.
pub(super) fn share(taken: &[Duration], percent: usize) -> Duration {
    let mut sorted = taken.to_vec();
    sorted.sort_unstable();
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied().unwrap_or_default()
}

fn slowest(questions: &[Question], taken: &[Duration]) {
    let mut both: Vec<(&Duration, &Question)> = taken.iter().zip(questions).collect();
    both.sort_by_key(|(taken, _)| std::cmp::Reverse(**taken));
    for (taken, question) in both.into_iter().take(3) {
        line(&format!("… slowest: {}", question.typed.join(" ")), &seconds(*taken), "–", true);
    }
}
