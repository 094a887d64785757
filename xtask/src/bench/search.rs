//! Measures the search index: making it, and keeping it fresh.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::measure::{Manner, peak_memory, times};
use super::{engine, floor, growth};
use crate::arguments::Trouble;

/// What was measured, beside what is promised.
#[expect(clippy::print_stdout, reason = "the chore tells what it measured")]
pub(super) fn line(what: &str, measured: &str, promised: &str, kept: bool) {
    println!("| {what} | {measured} | {promised} {} |", if kept { "kept" } else { "BROKEN" });
}

/// Measures on `home` and prints a table.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(super) fn run(program: &Path, home: &Path, manner: Manner) -> Result<(), Trouble> {
    let work = tempfile::tempdir_in(home.parent().unwrap_or(home))?;
    let folder = work.path().join("index");
    let alone = times(manner, || floor::everything(home).map(drop))?.best;
    let build = (0..manner.runs.clamp(1, 3)).map(|_| index(program, "rebuild", home, &folder));
    let build = build.collect::<Result<Vec<_>, _>>()?.into_iter().min().unwrap_or_default();
    let arguments = arguments("rebuild", home, &folder)?;
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let peak = peak_memory(program, &words).unwrap_or(0);
    let file = database(&folder)?;
    let (recorded, replayed) = (work.path().join("words"), work.path().join("replayed.db"));
    let text = engine::record(home, &recorded)?;
    let engine = engine::replay(&recorded, &file, &replayed)?;
    let disk = std::fs::metadata(&file)?.len();
    let ratio = |of: Duration, to: Duration| of.as_secs_f64() / to.as_secs_f64().max(1e-9);
    line("first build", &seconds(build), "–", true);
    let by = ratio(build, engine);
    line(
        "… by the full-text engine alone",
        &format!("{} → {by:.2} ×", seconds(engine)),
        "≤ 1.3 ×",
        by <= 1.3,
    );
    let by = ratio(build, alone);
    line(
        "… by SQLite handing over all rows",
        &format!("{} → {by:.1} ×", seconds(alone)),
        "≤ 25 ×",
        by <= 25.0,
    );
    let size = disk as f64 / text as f64;
    let shown = format!("{:.1} of {:.1} MB → {size:.2} ×", disk as f64 / 1e6, text as f64 / 1e6);
    line("size by the text indexed", &shown, "≤ 0.5 ×", size <= 0.5);
    line("peak memory", &format!("{} MB", peak >> 20), "≤ 400 MB", peak >> 20 <= 400);
    let idle = times(manner, || index(program, "refresh", home, &folder).map(drop))?.best;
    line("refresh, nothing changed", &seconds(idle), "≤ 20 ms", idle <= Duration::from_millis(20));
    let grown = grown(program, home, work.path())?;
    let share = ratio(grown, build) * 100.0;
    let shown = format!("{} → {share:.2} %", seconds(grown));
    line("refresh after 0.1 % growth, by the first build", &shown, "≤ 1 %", share <= 1.0);
    Ok(())
}

fn grown(program: &Path, home: &Path, work: &Path) -> Result<Duration, Trouble> {
    let (copy, folder) = (work.join("home"), work.join("index-of-copy"));
    growth::copy(home, &copy)?;
    index(program, "refresh", &copy, &folder)?;
    let bytes = std::fs::metadata(copy.join(".config/Cursor/User/globalStorage/state.vscdb"))?.len();
    let mut taken = Vec::new();
    for _ in 0..3 {
        growth::grow(&copy, bytes / 1_000)?;
        taken.push(index(program, "refresh", &copy, &folder)?);
    }
    Ok(taken.into_iter().min().unwrap_or_default())
}

fn arguments(what: &str, home: &Path, folder: &Path) -> Result<[String; 6], Trouble> {
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or("a path is not text");
    let (home, folder) = (text(home)?, text(folder)?);
    Ok(["index".to_owned(), what.to_owned(), "--home".to_owned(), home, "--index".to_owned(), folder])
}

/// Runs `backscroll index` once; gives how long it took, the start of the process included.
fn index(program: &Path, what: &str, home: &Path, folder: &Path) -> Result<Duration, Trouble> {
    let mut command = Command::new(program);
    command.args(arguments(what, home, folder)?).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let status = command.status()?;
    let taken = began.elapsed();
    if status.success() { Ok(taken) } else { Err(format!("index {what} ended with {status}").into()) }
}

/// The database of the one index beneath `folder`.
pub(super) fn database(folder: &Path) -> Result<PathBuf, Trouble> {
    let inner = std::fs::read_dir(folder)?.next().ok_or("there is no index")??.path();
    let name = std::fs::read_to_string(inner.join("current"))?;
    Ok(inner.join(name))
}

pub(super) fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{:.1} ms", time.as_secs_f64() * 1e3)
    } else {
        format!("{:.2} s", time.as_secs_f64())
    }
}
