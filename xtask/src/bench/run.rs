//! One run: make the home if it is not there, build the program, measure, print.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

use super::cli;
use super::floor;
use super::measure::{Manner, Times, files_opened, peak_memory, silently, times, times_after};
use super::quality;
use super::queries;
use super::report::{Line, Promise, table};
use super::search;
use super::serve;
use super::shapes;
use crate::arguments::{Arguments, Trouble};
use crate::generate::{Plan, generate};

pub(super) const MEGABYTE: u64 = 1024 * 1024;

#[expect(clippy::print_stdout, reason = "the chore tells what it measured")]
pub(crate) fn run(arguments: &Arguments) -> Result<(), Trouble> {
    if arguments.has("search-quality") {
        return quality::run(arguments);
    }
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
    if arguments.has("shapes") {
        return shapes::run(&program, &target, manner);
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

/// One question to the program.
struct Question {
    what: String,
    words: Vec<String>,
    floor: Option<Times>,
    promise: Promise,
    megabytes: u64,
    /// Whether what is kept of the home is thrown away before each run.
    is_first: bool,
}

fn measure(program: &Path, home: &Path, manner: Manner) -> Result<Vec<Line>, Trouble> {
    let work = tempfile::tempdir()?;
    let index = work.path().join("index");
    let around = ["--home", text(home)?, "--index", text(&index)?].map(str::to_owned);
    let mut lines = Vec::new();
    for mut question in questions(program, home, &around, manner)? {
        question.words.extend(around.iter().cloned());
        let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
        let forget = || {
            let is_forgotten = question.is_first && index.exists();
            if is_forgotten { Ok(std::fs::remove_dir_all(&index)?) } else { Ok(()) }
        };
        let measured = times_after(manner, forget, || silently(program, &words))?;
        let opened = files_opened(program, &words).filter(|_| !question.is_first);
        let opened = opened.map(|opened| format!(", {opened} files opened")).unwrap_or_default();
        lines.push(Line {
            what: format!("{}{opened}", question.what),
            program: measured,
            floor: question.floor,
            promise: question.promise,
            peak: peak_memory(program, &words),
            peak_promise: question.megabytes * MEGABYTE,
        });
    }
    Ok(lines)
}

fn text(path: &Path) -> Result<&str, Trouble> {
    path.to_str().ok_or_else(|| "a path is not text".into())
}

/// Everything that is asked, in the order in which somebody would ask it.
fn questions(
    program: &Path,
    home: &Path,
    around: &[String],
    manner: Manner,
) -> Result<Vec<Question>, Trouble> {
    let (_, largest) = median_and_largest(program, text(home)?)?;
    let list = times(manner, || floor::list(home).map(drop))?;
    let bubbles = times(manner, || floor::export(home).map(drop))?;
    let ask = |what: &str, words: &[&str], floor, promise, megabytes, is_first| Question {
        what: what.to_owned(),
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        floor,
        promise,
        megabytes,
        is_first,
    };
    let mut questions = vec![
        ask("list, the first time", &["list"], Some(list), Promise::TimesFloor(3.0), 64, true),
        ask("list, again", &["list"], Some(list), Promise::TimesFloor(1.3), 64, false),
    ];
    for surface in ["ide", "ide-chat", "cli", "sdk", "transcript"] {
        if let Some(id) = latest(program, surface, around)? {
            let show = ["show", &id];
            questions.push(ask(
                &format!("show, {surface}"),
                &show,
                None,
                Promise::Milliseconds(30.0),
                64,
                false,
            ));
        }
    }
    let (id, messages) = &largest;
    let page = format!("export --format html, largest ({messages} messages)");
    questions.extend([
        ask(
            &format!("show, largest ({messages} messages)"),
            &["show", id],
            None,
            Promise::Milliseconds(300.0),
            64,
            false,
        ),
        ask(
            "export --format jsonl",
            &["export", "--format", "jsonl"],
            Some(bubbles),
            Promise::TimesFloor(12.0),
            150,
            false,
        ),
        ask(
            "export --format md",
            &["export", "--format", "md"],
            Some(bubbles),
            Promise::TimesFloor(15.0),
            200,
            false,
        ),
        ask(&page, &["export", id, "--format", "html"], None, Promise::Milliseconds(1000.0), 200, false),
        ask("first index", &["index", "refresh"], Some(bubbles), Promise::TimesFloor(25.0), 400, true),
        ask("refresh, nothing changed", &["index", "refresh"], None, Promise::Milliseconds(20.0), 64, false),
    ]);
    Ok(questions)
}

/// The latest conversation of a surface, if there is any.
fn latest(program: &Path, surface: &str, around: &[String]) -> Result<Option<String>, Trouble> {
    let mut list = Command::new(program);
    list.args(["list", "--json", "--limit", "1", "--surface", surface]).args(around);
    let output = list.output()?.stdout;
    let summary: Option<Json> = serde_json::from_slice(&output).ok();
    Ok(summary.and_then(|summary| Some(summary["id"].as_str()?.to_owned())))
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
