//! Runs the program on the demo home, at a fixed time and width, and draws what it printed.
//!
//! The clock stands still because a listing tells times as people do (`10 h ago`); a picture made tomorrow must be the
//! same as one made today.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use backscroll_cli::{Environment, Exit, Streams, Surroundings};

use super::{styled, svg};
use crate::arguments::{Arguments, Trouble};

const CELLS: u16 = 96;
const NOW: &str = "2026-07-08T18:20:00+00:00[UTC]";
const SHOWN: [&[&str]; 2] = [&["list"], &["show", "@1"]];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let out = arguments.path("out").ok_or("picture needs --out DIR")?;
    let home = tempfile::tempdir()?;
    backscroll_fixtures::demo_home(home.path())?;
    let mut output = String::new();
    for typed in SHOWN {
        if !output.is_empty() {
            output.push('\n');
        }
        let words = typed.join(" ");
        output.extend(["\u{1b}[2m$\u{1b}[0m \u{1b}[1mbackscroll ", words.as_str(), "\u{1b}[0m\n"]);
        output += &printed(home.path(), typed)?;
    }
    let about =
        "A terminal: backscroll list shows a table of conversations, backscroll show @1 the latest of them";
    fs::create_dir_all(&out)?;
    Ok(fs::write(out.join("backscroll.svg"), svg::window(&styled::lines(&output)?, CELLS, about))?)
}

/// What the program prints on a terminal whose user lives in `home`.
fn printed(home: &Path, typed: &[&str]) -> Result<String, Trouble> {
    let (out, err) = (Kept::default(), Kept::default());
    let streams = Streams { out: Box::new(out.clone()), err: Box::new(err.clone()) };
    let words = ["backscroll"].iter().chain(typed);
    let exit = backscroll_cli::run(words, &terminal(home)?, streams, &backscroll_cli::find_with);
    match exit {
        Exit::Done => Ok(out.text()),
        exit => Err(format!("backscroll {typed:?} ended with {exit:?}: {}", err.text()).into()),
    }
}

fn terminal(home: &Path) -> Result<Environment, Trouble> {
    Ok(Environment {
        is_agent: false,
        cache: None,
        named_data: None,
        claude_config_dir: None,
        codex_home: None,
        data: None,
        program: "backscroll".into(),
        surroundings: Surroundings {
            home: Some(home.to_owned()),
            temp: home.to_owned(),
            ..Surroundings::default()
        },
        config: None,
        current_folder: home.to_owned(),
        no_color: false,
        pager: Some("cat".to_owned()),
        less_is_set_up: false,
        width: Some(usize::from(CELLS)),
        in_is_terminal: true,
        out_is_terminal: true,
        err_is_terminal: false,
        now: NOW.parse()?,
    })
}

/// A stream that keeps what is written to it.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
