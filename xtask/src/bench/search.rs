//! Measures the search index: making it, and keeping it fresh.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::cost::{self, Cost};
use super::measure::{Manner, peak_memory};
use super::{engine, floor, growth};
use crate::arguments::Trouble;

/// What was measured, beside what is promised.
#[expect(clippy::print_stdout, reason = "the chore tells what it measured")]
pub(super) fn line(what: &str, measured: &str, promised: &str, kept: bool) {
    println!("| {what} | {measured} | {promised} {} |", if kept { "kept" } else { "BROKEN" });
}

/// Measures on `home` and prints a table; how refreshes grow is shown on `others` too.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(super) fn run(program: &Path, home: &Path, others: &[PathBuf], manner: Manner) -> Result<(), Trouble> {
    let work = tempfile::tempdir_in(home.parent().unwrap_or(home))?;
    let folder = work.path().join("index");
    let alone = best(manner.runs, || cost::of(|| floor::everything(home).map(drop)))?;
    let rebuild = arguments("rebuild", home, &folder)?;
    let build = best(manner.runs.clamp(1, 3), || cost::of_program(program, &rebuild))?;
    let words: Vec<&str> = rebuild.iter().map(String::as_str).collect();
    let peak = peak_memory(program, &words).unwrap_or(0);
    let file = database(&folder)?;
    let (recorded, replayed) = (work.path().join("words"), work.path().join("replayed.db"));
    let text = engine::record(home, &recorded)?;
    let engine = engine::replay(&recorded, &file, &replayed)?;
    std::fs::remove_file(&recorded)?;
    let disk = std::fs::metadata(&file)?.len();
    line("first build", &shown(build), "–", true);
    let (by, processors) = build.by(engine);
    let told = format!("{} → {by:.2} × (processors {processors:.2} ×)", shown(engine));
    line("… by the full-text engine alone", &told, "≤ 1.3 ×", by <= 1.3);
    let (by, processors) = build.by(alone);
    let told = format!("{} → {by:.1} × (processors {processors:.1} ×)", shown(alone));
    line("… by SQLite handing over all rows", &told, "≤ 25 ×", by <= 25.0);
    let size = disk as f64 / text as f64;
    let told = format!("{:.1} of {:.1} MB → {size:.2} ×", disk as f64 / 1e6, text as f64 / 1e6);
    line("size by the text indexed", &told, "≤ 0.55 ×", size <= 0.55);
    line("peak memory", &format!("{} MB", peak >> 20), "≤ 400 MB", peak >> 20 <= 400);
    listed(program, home, &folder, manner)?;
    for home in std::iter::once(home).chain(others.iter().map(PathBuf::as_path)) {
        kept_fresh(program, home, manner)?;
    }
    Ok(())
}

/// Measures a listing that the index answers, beside what SQLite alone needs for one out of the stores.
fn listed(program: &Path, home: &Path, folder: &Path, manner: Manner) -> Result<(), Trouble> {
    let runs = manner.runs.max(10);
    let floor = several(runs, || cost::of(|| floor::list(home).map(drop)))?;
    let mut words = vec!["list".to_owned()];
    words.extend(arguments("refresh", home, folder)?.into_iter().skip(2));
    let list = several(runs, || cost::of_program(program, &words))?;
    let (by, processors) = list.by(floor);
    let told = format!("{} by {} → {by:.2} × (processors {processors:.2} ×)", shown(list), shown(floor));
    line("list out of a fresh index, by SQLite alone", &told, "≤ 1.3 ×", by <= 1.3);
    Ok(())
}

/// Measures how a copy of `home` is kept fresh.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
fn kept_fresh(program: &Path, home: &Path, manner: Manner) -> Result<(), Trouble> {
    let work = tempfile::tempdir_in(home.parent().unwrap_or(home))?;
    let (copy, folder) = (work.path().join("home"), work.path().join("index"));
    growth::copy(home, &copy)?;
    let refresh = arguments("refresh", &copy, &folder)?;
    let build = cost::of_program(program, &refresh)?;
    let idle = several(manner.runs.max(10), || cost::of_program(program, &refresh))?;
    let bytes = std::fs::metadata(copy.join(".config/Cursor/User/globalStorage/state.vscdb"))?.len();
    let mut round = 0;
    let grown = several(5, || {
        round += 1;
        growth::grow(&copy, bytes / 1_000, round)?;
        cost::of_program(program, &refresh)
    })?;
    let size = format!("{:.1} GB", bytes as f64 / 1e9);
    let is_short = idle.wall <= Duration::from_millis(20);
    line(&format!("refresh, nothing changed, {size}"), &shown(idle), "≤ 20 ms", is_short);
    let (by, processors) = grown.by(build);
    let told = format!(
        "{} of {} → {:.2} % (processors {:.2} %)",
        shown(grown),
        shown(build),
        by * 100.0,
        processors * 100.0
    );
    line(&format!("refresh after 0.1 % growth, {size}, by the first build"), &told, "≤ 1 %", by <= 0.01);
    Ok(())
}

/// The cost of the run that was the shortest.
fn best(runs: usize, mut run: impl FnMut() -> Result<Cost, Trouble>) -> Result<Cost, Trouble> {
    let costs = (0..runs.max(1)).map(|_| run()).collect::<Result<Vec<_>, _>>()?;
    Ok(costs.into_iter().min_by_key(|cost| cost.wall).unwrap_or_default())
}

/// The shortest time on the clock, and the processors' time in the middle: one run is too short for its unit.
fn several(runs: usize, mut run: impl FnMut() -> Result<Cost, Trouble>) -> Result<Cost, Trouble> {
    let costs = (0..runs.max(1)).map(|_| run()).collect::<Result<Vec<_>, _>>()?;
    let wall = costs.iter().map(|cost| cost.wall).min().unwrap_or_default();
    let processors: Duration = costs.iter().map(|cost| cost.processors).sum();
    Ok(Cost { wall, processors: processors / u32::try_from(costs.len())? })
}

fn arguments(what: &str, home: &Path, folder: &Path) -> Result<[String; 6], Trouble> {
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or("a path is not text");
    let (home, folder) = (text(home)?, text(folder)?);
    Ok(["index".to_owned(), what.to_owned(), "--home".to_owned(), home, "--index".to_owned(), folder])
}

/// The database of the one index beneath `folder`.
pub(super) fn database(folder: &Path) -> Result<PathBuf, Trouble> {
    let inner = std::fs::read_dir(folder)?.next().ok_or("there is no index")??.path();
    let named = std::fs::read_to_string(inner.join("current"))?;
    let name = named.lines().next().unwrap_or_default();
    Ok(inner.join(name))
}

fn shown(cost: Cost) -> String {
    format!("{} ({} of processors)", seconds(cost.wall), seconds(cost.processors))
}

pub(super) fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{:.1} ms", time.as_secs_f64() * 1e3)
    } else {
        format!("{:.2} s", time.as_secs_f64())
    }
}
