//! What a run costs: time on the clock, and the processors' time, which others who use the machine do not change so much.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::arguments::Trouble;

/// The unit in which Linux tells the processors' time.
const TICK: Duration = Duration::from_millis(10);

/// What something cost.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    /// On the clock.
    pub(super) wall: Duration,
    /// Of all processors together, in hundredths of a second; zero where the system does not tell.
    pub(super) processors: Duration,
}

impl Cost {
    /// How many times `other` this is, by the clock and by the processors.
    pub(super) fn by(self, other: Self) -> (f64, f64) {
        let ratio = |of: Duration, to: Duration| of.as_secs_f64() / to.as_secs_f64().max(1e-9);
        (ratio(self.wall, other.wall), ratio(self.processors, other.processors))
    }
}

/// What `work` costs in this process.
pub(super) fn of(work: impl FnOnce() -> Result<(), Trouble>) -> Result<Cost, Trouble> {
    measured(OWN, work)
}

/// What it costs to run the program with these words, its start included.
pub(super) fn of_program(program: &Path, words: &[String]) -> Result<Cost, Trouble> {
    measured(CHILDREN, || {
        let mut command = Command::new(program);
        let status = command.args(words).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        if status.success() { Ok(()) } else { Err(format!("{words:?} ended with {status}").into()) }
    })
}

/// Where `/proc/self/stat` tells this process's time, and that of programs which it ran; counted behind its name.
const OWN: [usize; 2] = [11, 12];
const CHILDREN: [usize; 2] = [13, 14];

fn measured(whose: [usize; 2], work: impl FnOnce() -> Result<(), Trouble>) -> Result<Cost, Trouble> {
    let (before, began) = (processors(whose), Instant::now());
    work()?;
    Ok(Cost { wall: began.elapsed(), processors: processors(whose).saturating_sub(before) })
}

fn processors(whose: [usize; 2]) -> Duration {
    let told = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = told.rsplit_once(')').map_or("", |(_, rest)| rest);
    let numbers: Vec<&str> = behind_name.split_whitespace().collect();
    let ticks = |at: usize| numbers.get(at).and_then(|number| number.parse::<u32>().ok()).unwrap_or(0);
    TICK * whose.into_iter().map(ticks).sum::<u32>()
}
