//! How often redaction is wrong about ordinary code: hits of each kind in a million bytes of it, and how fast it looks.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use backscroll_redact::{RedactOptions, Redactor};

use crate::arguments::{Arguments, Trouble};

/// What was met so far.
#[derive(Default)]
struct Tally {
    files: usize,
    bytes: usize,
    spent: Duration,
    kinds: BTreeMap<String, usize>,
    /// Lines to look at, with placeholders in them.
    lines: Vec<String>,
}

/// Looks through every text file below `--dir` and prints what was taken for a secret.
#[expect(clippy::print_stdout, reason = "the figures are what was asked for")]
pub(crate) fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let folder = arguments.path("dir").ok_or("--dir is needed")?;
    let shown: usize = arguments.number("show", 0)?;
    let rules = Redactor::new(&RedactOptions::default())?;
    let mut tally = Tally::default();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                look(&mut tally, &rules, &entry.path(), shown);
            }
        }
    }
    let (megabytes, seconds) = (number(tally.bytes) / 1e6, tally.spent.as_secs_f64());
    println!("{} files, {megabytes:.1} MB, {:.1} MB/s", tally.files, megabytes / seconds);
    for (kind, hits) in &tally.kinds {
        println!("{kind:24} {hits:6}  {:.3} per MB", number(*hits) / megabytes);
    }
    let all: usize = tally.kinds.values().sum();
    println!("{:24} {all:6}  {:.3} per MB", "all", number(all) / megabytes);
    tally.lines.iter().take(shown).for_each(|line| println!("{line}"));
    Ok(())
}

fn look(tally: &mut Tally, rules: &Redactor, file: &PathBuf, shown: usize) {
    let Some(text) = fs::read(file).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else { return };
    tally.files += 1;
    tally.bytes += text.len();
    let mut redactor = rules.fresh();
    let begun = Instant::now();
    let redacted = redactor.text(&text);
    tally.spent += begun.elapsed();
    for (kind, count) in redactor.report().kinds() {
        *tally.kinds.entry(kind.to_owned()).or_default() +=
            usize::try_from(count.occurrences).unwrap_or(usize::MAX);
    }
    if shown > 0 && !redactor.report().is_empty() {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let lines = redacted.lines().filter(|line| line.contains('‹') && !text.contains(*line));
        tally.lines.extend(
            lines.map(|line| format!("{name}: {}", line.trim().chars().take(160).collect::<String>())),
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn number(count: usize) -> f64 {
    count as f64
}
