//! How cost grows with the number of stores of each kind: homes that have little else, in one size and in twice that size.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::cost::{self, Cost};
use super::measure::Manner;
use crate::arguments::{Arguments, Trouble};
use crate::generate::{Plan, generate};

/// What grows, by the option that says how much of it there is, and from which number.
const SHAPES: [(&str, usize); 5] =
    [("workspaces", 2_000), ("tabs", 400), ("sdk-stores", 60), ("cli-stores", 1_000), ("transcripts", 5_000)];

/// What is promised of a home of twice the size.
const PROMISED: [(&str, f64); 4] = [("first list", 2.6), ("list", 2.6), ("show", 1.5), ("export", 2.6)];

/// Makes the homes in `target`, unless they are there, and prints a table.
#[expect(clippy::print_stdout, reason = "the chore tells what it measured")]
pub(super) fn run(program: &Path, target: &Path, manner: Manner) -> Result<(), Trouble> {
    println!("| what grows | {} |", PROMISED.map(|(name, most)| format!("{name} (≤ {most} ×)")).join(" | "));
    println!("|---|{}", "---|".repeat(PROMISED.len()));
    for (option, size) in SHAPES {
        let [once, twice] = [size, 2 * size].map(|size| measure(program, target, option, size, manner));
        let (once, twice) = (once?, twice?);
        let cells = once.iter().zip(&twice).map(|(once, twice)| {
            let ms = |cost: &Cost| format!("{:.0}", cost.wall.as_secs_f64() * 1e3);
            format!("{} → {} ms, {:.2} ×", ms(once), ms(twice), twice.by(*once).0)
        });
        println!("| {option} {size} → {} | {} |", 2 * size, cells.collect::<Vec<_>>().join(" | "));
    }
    Ok(())
}

/// The best of several runs of each question.
fn measure(
    program: &Path,
    target: &Path,
    option: &str,
    size: usize,
    manner: Manner,
) -> Result<[Cost; 4], Trouble> {
    let home = home(target, option, size)?;
    let work = tempfile::tempdir()?;
    let index = work.path().join("index");
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or("a path is not text");
    let around = ["--home".to_owned(), text(&home)?, "--index".to_owned(), text(&index)?];
    let words = |question: &[&str]| {
        question.iter().map(|word| (*word).to_owned()).chain(around.iter().cloned()).collect::<Vec<_>>()
    };
    let best = |question: &[&str]| -> Result<Cost, Trouble> {
        let words = words(question);
        let runs = (0..manner.runs.max(1)).map(|_| cost::of_program(program, &words));
        let runs = runs.collect::<Result<Vec<_>, _>>()?;
        Ok(runs.into_iter().min_by_key(|cost| cost.wall).unwrap_or_default())
    };
    let first = cost::of_program(program, &words(&["list"]))?;
    let listed =
        Command::new(program).args(words(&["list", "--all", "--json"])).stderr(Stdio::null()).output()?;
    let listed = String::from_utf8(listed.stdout)?;
    let ids: Vec<String> = listed
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|summary| Some(summary["id"].as_str()?.to_owned()))
        .collect();
    let middle = ids.get(ids.len() / 2).ok_or("the home has no conversation")?;
    Ok([first, best(&["list"])?, best(&["show", middle])?, best(&["export", "--format", "jsonl"])?])
}

fn home(target: &Path, option: &str, size: usize) -> Result<PathBuf, Trouble> {
    let out = target.join(format!("bench-{option}-{size}"));
    if !out.join(".config").is_dir() {
        let mut words = ["--gb", "0.01", "--biggest", "50", "--backups", "0", "--profiles", "0"]
            .map(str::to_owned)
            .to_vec();
        for (other, _) in SHAPES {
            let count = if other == option {
                size
            } else if other == "workspaces" {
                3
            } else {
                0
            };
            words.extend([format!("--{other}"), count.to_string()]);
        }
        let arguments = Arguments::parse(words.into_iter())?;
        generate(&Plan::from(&arguments, out.clone())?)?;
    }
    Ok(out)
}
