//! One run: starts the server, lets a crowd ask for each kind of page, and prints what it waited.

use std::path::Path;
use std::time::Duration;

use super::crowd::{Asked, Crowd, Until, Waits};
use super::first_content::{Looks, looks};
use super::pages::{self, Kind};
use super::running::Running;
use crate::arguments::{Arguments, Trouble};
use crate::bench::queries::{said, share};
use crate::bench::question_set::{Question, common_words, questions};
use crate::bench::run::median_and_largest;
use crate::bench::search::{database, line};

/// First bytes are promised within this time.
const FIRST_BYTE: Duration = Duration::from_millis(50);
/// The first message of a huge conversation is.
const FIRST_CONTENT: Duration = Duration::from_millis(800);
/// The server may hold so much.
const MEMORY: u64 = 200;
/// The number of words that stand nearly everywhere.
const COMMON: usize = 12;

/// Measures the server on `home` and prints two tables.
pub(in crate::bench) fn run(
    program: &Path,
    home: &Path,
    arguments: &Arguments,
    runs: usize,
) -> Result<(), Trouble> {
    let lasts = Duration::from_secs(arguments.number("seconds", 10)?);
    let crowd = Crowd { clients: arguments.number("clients", 50)?, until: Until::Time(lasts) };
    let work = tempfile::tempdir_in(home.parent().unwrap_or(home))?;
    let index = work.path().join("index");
    let server = Running::start(program, home, &index)?;
    wait_for_index(&server)?;
    let file = database(&index)?;
    let asked: Vec<String> =
        questions(&file, &said(home), 4)?.iter().map(|Question { typed, .. }| typed.join(" ")).collect();
    let kinds = pages::kinds(&server, &asked, &common_words(&file, COMMON)?)?;
    drop(server);
    let server = Running::start(program, home, &index)?;
    wait_for_index(&server)?;
    told_of_crowd(&server, &kinds, crowd)?;
    let peak = server.peak().unwrap_or(0) >> 20;
    line("peak memory of the server", &format!("{peak} MB"), &format!("≤ {MEMORY} MB"), peak <= MEMORY);
    drop(server);
    told_of_largest(program, home, &index, runs)
}

/// Asks until the index knows everything: an answer then carries no note.
fn wait_for_index(server: &Running) -> Result<(), Trouble> {
    let mut client = server.client()?;
    for _ in 0..600 {
        let answer = client.ask("/search?q=anything", None)?;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        if !text.contains("being brought up to date") {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Err("the index does not catch up".into())
}

fn told_of_crowd(server: &Running, kinds: &[Kind], crowd: Crowd) -> Result<(), Trouble> {
    let paths =
        |kind: &Kind, number: usize| kind.paths.iter().map(move |path| (number, path.clone())).collect();
    let nowhere = Asked { paths: vec![(0, pages::NOWHERE.to_owned())], expected: 404 };
    let floor = crowd.ask(server, &nowhere, 1)?.swap_remove(0);
    heading(crowd.clients);
    page("nothing there: the floor", &floor, (server, &floor));
    for kind in kinds.iter().filter(|kind| kind.paths.len() > 1) {
        let once = Crowd { until: Until::Once, ..crowd };
        let waits = once.ask(server, &Asked { paths: paths(kind, 0), expected: 200 }, 1)?;
        page(&format!("{}, each for the first time", kind.name), &waits[0], (server, &floor));
    }
    for kind in kinds {
        let waits = crowd.ask(server, &Asked { paths: paths(kind, 0), expected: 200 }, 1)?;
        page(kind.name, &waits[0], (server, &floor));
    }
    let longest = kinds.iter().map(|kind| kind.paths.len()).max().unwrap_or(0);
    let in_turn = (0..longest).flat_map(|turn| {
        kinds
            .iter()
            .enumerate()
            .map(move |(number, kind)| (number, kind.paths[turn % kind.paths.len()].clone()))
    });
    let mixed = Asked { paths: in_turn.collect(), expected: 200 };
    for (kind, waits) in kinds.iter().zip(crowd.ask(server, &mixed, kinds.len())?) {
        page(&format!("{}, among all others", kind.name), &waits, (server, &floor));
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the chore tells what it measured")]
fn heading(clients: usize) {
    println!("{clients} clients; milliseconds, p50 / p95\n");
    println!(
        "| page | first byte | whole page | whole p50 by the floor | answers | peak so far | promised, first byte p95 |"
    );
    println!("|---|---|---|---|---|---|---|");
}

#[expect(clippy::print_stdout, reason = "the chore tells what it measured")]
fn page(name: &str, waits: &Waits, (server, floor): (&Running, &Waits)) {
    let both = |taken: &[Duration]| {
        format!("{} / {}", milliseconds(share(taken, 50)), milliseconds(share(taken, 95)))
    };
    let by = share(&waits.whole, 50).as_secs_f64() / share(&floor.whole, 50).as_secs_f64().max(1e-9);
    let is_kept = share(&waits.first, 95) <= FIRST_BYTE && waits.wrong == 0;
    let wrong = if waits.wrong > 0 { format!(", {} wrong", waits.wrong) } else { String::new() };
    println!(
        "| {name} | {} | {} | {by:.1} × | {}{wrong} | {} MB | ≤ {} {} |",
        both(&waits.first),
        both(&waits.whole),
        waits.whole.len(),
        server.peak().unwrap_or(0) >> 20,
        FIRST_BYTE.as_millis(),
        if is_kept { "kept" } else { "BROKEN" }
    );
}

#[expect(clippy::print_stdout, reason = "the chore tells what it measured")]
fn told_of_largest(program: &Path, home: &Path, index: &Path, runs: usize) -> Result<(), Trouble> {
    let (_, (id, messages)) =
        median_and_largest(program, home.to_str().ok_or("the home's path is not text")?)?;
    println!(
        "\nThe largest conversation, {messages} messages; milliseconds, best / worst of {runs} servers\n"
    );
    println!("| look | first message | whole page | floor | promised |\n|---|---|---|---|---|");
    let places =
        [("its beginning", 0), ("its middle", messages / 2), ("its end", messages.saturating_sub(1))];
    for (place, at) in places {
        let (cold, warm) = looks(program, home, index, (&id, at), runs)?;
        for (state, Looks { message, whole, floor }) in [("first", cold), ("again", warm)] {
            let both = |taken: &[Duration]| {
                let (best, worst) = (taken.iter().min(), taken.iter().max());
                let shown = |time: Option<&Duration>| milliseconds(time.copied().unwrap_or_default());
                format!("{} / {}", shown(best), shown(worst))
            };
            let is_kept = message.iter().max().is_some_and(|worst| *worst <= FIRST_CONTENT);
            println!(
                "| {place}, {state} | {} | {} | {} | ≤ {} {} |",
                both(&message),
                both(&whole),
                both(&floor),
                FIRST_CONTENT.as_millis(),
                if is_kept { "kept" } else { "BROKEN" }
            );
        }
    }
    Ok(())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e3)
}
