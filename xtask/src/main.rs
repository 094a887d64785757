//! Chores of the repository: large homes to measure with, the measuring, and documents that are written from the
//! program itself. Never part of the program.

#![expect(clippy::disallowed_methods, reason = "chores write where they are told to")]

mod arguments;
mod bench;
mod chance;
mod drift;
mod generate;
mod hostile;
mod picture;
mod redaction_noise;
mod reference;
mod secrets;
mod seeds;
mod words;
mod worked;

use std::process::ExitCode;

use arguments::Arguments;

const USAGE: &str = "\
usage:
  cargo run --release -p xtask -- generate --out DIR [--gb 1.0] [--seed 1] [--biggest MESSAGES]
      [--workspaces 100] [--tabs 700] [--cli-stores 70] [--cli-turns 0] [--sdk-stores 12] [--sdk-agents 3]
      [--transcripts 1500] [--checkpoints PERCENT] [--backups 1] [--profiles 1]
  cargo run --profile dist -p xtask -- bench [--home DIR | --gb 1.0] [--runs 5] [--cold] [--markdown]
      [--search [--half DIR] [--double DIR]] [--serve [--clients 50] [--seconds 10]] [--cli] [--shapes]
  cargo run --release -p xtask -- bench --search-quality [--dir DIR] [--seed 1] [--misses] [--dialogues]
  cargo run --release -p xtask -- redaction-noise --dir DIR [--show LINES]
  cargo run -p xtask -- drift OLD NEW
  cargo run --release -p xtask -- secrets [--each 2000] [--seed 1] [--only KIND]
  cargo run -p xtask -- seeds --out DIR
  cargo run -p xtask -- hostile --out DIR
  cargo run -p xtask -- worked --out DIR [--messages 120]
  cargo run -p xtask -- picture --out docs/pictures
  cargo run -p xtask -- reference --out docs/cli.md";

#[expect(clippy::print_stderr, reason = "this is the program's one mouth for trouble")]
fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let chore = words.next().unwrap_or_default();
    let done =
        if chore == "drift" { drift::run(&words.collect::<Vec<_>>()) } else { chore_of(&chore, words) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn chore_of(chore: &str, words: impl Iterator<Item = String>) -> Result<(), arguments::Trouble> {
    Arguments::parse(words).and_then(|arguments| match chore {
        "generate" => generate::run(&arguments),
        "bench" => bench::run(&arguments),
        "seeds" => seeds::run(&arguments),
        "hostile" => hostile::run(&arguments),
        "worked" => worked::run(&arguments),
        "picture" => picture::run(&arguments),
        "redaction-noise" => redaction_noise::run(&arguments),
        "secrets" => secrets::run(&arguments),
        "reference" => reference::run(&arguments),
        _ => Err(USAGE.into()),
    })
}
