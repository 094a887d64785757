//! One run: make the home if it is not there, build the program, measure, print.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

use super::cli;
use super::floor;
use super::measure::{Manner, peak_memory, silently, times};
use super::queries;
use super::report::{Line, Promise, table};
use super::search;
use super::serve;
use crate::arguments::{Arguments, Trouble};
use crate::generate::{Plan, generate};

pub(super) const MEGABYTE: u64 = 1024 * 1024;

#[expect(clippy::print_stdout, reason = "the chore tells what it measured")]
pub(crate) fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let manner = Manner { runs: arguments.number("runs", 5)?, is_cold: arguments.has("cold") };
    let (program, target) = build()?;
    let home = home(arguments, &target)?;
    if arguments.has("search") {
        let others: Vec<PathBuf> =
            ["half", "double"].iter().filter_map(|name| arguments.path(name)).collect();
        search::run(&program, &home, &others, manner)?;
    }
    if arguments.has("serve") {
        return serve::run(&program, &home, arguments, manner.runs);
    }
    if arguments.has("search") || arguments.has("queries") {
        return queries::run(&program, &home, manner);
    }
    let lines = if arguments.has("cli") {
        cli::measure(&program, &home, manner)?
    } else {
        measure(&program, &home, manner)?
    };
    print!("{}", table(&lines, arguments.has("markdown")));
    Ok(())
}

/// Builds the program as packages are built; gives its path and the folder of builds.
fn build() -> Result<(PathBuf, PathBuf), Trouble> {
    let status =
        Command::new(env!("CARGO")).args(["build", "--profile", "dist", "-p", "backscroll-cli"]).status()?;
    if !status.success() {
        return Err("the program does not build".into());
    }
    let own = std::env::current_exe()?;
    let target = own.ancestors().nth(2).ok_or("xtask runs from a folder of builds")?.to_owned();
    Ok((target.join("dist").join(format!("backscroll{}", std::env::consts::EXE_SUFFIX)), target))
}

fn home(arguments: &Arguments, target: &Path) -> Result<PathBuf, Trouble> {
    if let Some(home) = arguments.path("home") {
        return Ok(home);
    }
    let plan = Plan::from(arguments, PathBuf::new())?;
    let out = target.join(format!("bench-home-{}-{}", plan.bytes, plan.seed));
    if !out.join(".cursor").is_dir() {
        generate(&Plan { out: out.clone(), ..plan })?;
    }
    Ok(out)
}

fn measure(program: &Path, home: &Path, manner: Manner) -> Result<Vec<Line>, Trouble> {
    let home_text = home.to_str().ok_or("the home's path is not text")?;
    let (median, largest) = median_and_largest(program, home_text)?;
    let list_floor = times(manner, || floor::list(home).map(drop))?;
    let export_floor = times(manner, || floor::export(home).map(drop))?;
    let jsonl = times(manner, || silently(program, &["export", "--format", "jsonl", "--home", home_text]))?;
    let questions = [
        ("list".to_owned(), vec!["list", "--no-index"], Some(list_floor), Promise::TimesFloor(1.3), 64),
        (
            format!("show, median ({} messages)", median.1),
            vec!["show", &median.0],
            None,
            Promise::Milliseconds(30.0),
            64,
        ),
        (
            format!("show, largest ({} messages)", largest.1),
            vec!["show", &largest.0],
            None,
            Promise::Milliseconds(30.0),
            64,
        ),
        (
            "export --format jsonl".to_owned(),
            vec!["export", "--format", "jsonl"],
            Some(export_floor),
            Promise::TimesFloor(2.0),
            150,
        ),
        (
            "export --format md (against jsonl)".to_owned(),
            vec!["export", "--format", "md"],
            Some(jsonl),
            Promise::TimesFloor(3.0),
            200,
        ),
        (
            format!("export --format html, largest ({} messages)", largest.1),
            vec!["export", &largest.0, "--format", "html"],
            None,
            Promise::Milliseconds(1000.0),
            200,
        ),
    ];
    let mut lines = Vec::new();
    for (what, mut words, floor, promise, megabytes) in questions {
        words.extend(["--home", home_text]);
        lines.push(Line {
            what,
            program: times(manner, || silently(program, &words))?,
            floor,
            promise,
            peak: peak_memory(program, &words),
            peak_promise: megabytes * MEGABYTE,
        });
    }
    Ok(lines)
}

/// A conversation's id and how many messages it lists.
pub(super) type Listed = (String, u64);

/// The ids and sizes of two conversations, as the program itself lists them.
pub(super) fn median_and_largest(program: &Path, home: &str) -> Result<(Listed, Listed), Trouble> {
    let output = Command::new(program).args(["list", "--json", "--home", home]).output()?;
    let mut sizes: Vec<(u64, String)> = String::from_utf8(output.stdout)?
        .lines()
        .filter_map(|line| serde_json::from_str::<Json>(line).ok())
        .filter_map(|summary| Some((summary["messages"].as_u64()?, summary["id"].as_str()?.to_owned())))
        .collect();
    sizes.sort();
    let median = sizes.get(sizes.len() / 2).ok_or("the program lists no conversation")?;
    let largest = sizes.last().ok_or("the program lists no conversation")?;
    Ok(((median.1.clone(), median.0), (largest.1.clone(), largest.0)))
}
