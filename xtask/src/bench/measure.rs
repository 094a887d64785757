//! Takes times, several of them, and the most memory a program held.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::arguments::Trouble;

/// The best and the worst of several runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub(super) best: Duration,
    pub(super) worst: Duration,
}

/// How often something is measured, and in what state of the system's cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) runs: usize,
    /// Nothing is in the cache when a run begins, as on the first use of a day.
    pub(super) is_cold: bool,
}

/// Runs `work` once to warm up, unless it is to be cold, and then as often as asked.
pub(super) fn times(manner: Manner, work: impl FnMut() -> Result<(), Trouble>) -> Result<Times, Trouble> {
    times_after(manner, || Ok(()), work)
}

/// The same, with `prepare` before each run, which is not measured.
pub(super) fn times_after(
    manner: Manner,
    mut prepare: impl FnMut() -> Result<(), Trouble>,
    mut work: impl FnMut() -> Result<(), Trouble>,
) -> Result<Times, Trouble> {
    if !manner.is_cold {
        prepare()?;
        work()?;
    }
    let mut taken = Vec::new();
    for _ in 0..manner.runs.max(1) {
        prepare()?;
        if manner.is_cold {
            empty_the_cache()?;
        }
        let began = Instant::now();
        work()?;
        taken.push(began.elapsed());
    }
    let best = taken.iter().min().copied().unwrap_or_default();
    let worst = taken.iter().max().copied().unwrap_or_default();
    Ok(Times { best, worst })
}

/// Makes the system forget every file that it has read. Linux only, and for root only.
fn empty_the_cache() -> Result<(), Trouble> {
    Command::new("sync").status()?;
    fs::write("/proc/sys/vm/drop_caches", "3")
        .map_err(|error| format!("the cache cannot be emptied here: {error}").into())
}

/// Runs the program with its output thrown away.
pub(super) fn silently(program: &Path, arguments: &[&str]) -> Result<(), Trouble> {
    let status =
        Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{arguments:?} ended with {status}").into()) }
}

/// How many files and folders the program opens, where `strace` is there to count them.
pub(super) fn files_opened(program: &Path, arguments: &[&str]) -> Option<u64> {
    let report = tempfile::NamedTempFile::new().ok()?;
    let mut command = Command::new("strace");
    command.args(["-f", "-c", "-e", "trace=open,openat,openat2", "-o"]).arg(report.path());
    command.arg(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    if !command.status().ok()?.success() {
        return None;
    }
    let counted = fs::read_to_string(report.path()).ok()?;
    let calls = |line: &str| {
        let mut words = line.split_whitespace();
        let calls = words.nth(3)?.parse::<u64>().ok()?;
        line.contains("open").then_some(calls)
    };
    Some(counted.lines().filter_map(calls).sum())
}

/// The most memory that the program held, in bytes, where this system tells.
pub(super) fn peak_memory(program: &Path, arguments: &[&str]) -> Option<u64> {
    told_by_time(program, arguments).or_else(|| told_by_proc(program, arguments))
}

fn told_by_time(program: &Path, arguments: &[&str]) -> Option<u64> {
    let report = tempfile::NamedTempFile::new().ok()?;
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%M", "-o"]).arg(report.path()).arg(program).args(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    if !command.status().ok()?.success() {
        return None;
    }
    let kilobytes: u64 = fs::read_to_string(report.path()).ok()?.lines().last()?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Looks at the running program again and again; what it held in its last millisecond may be missed.
fn told_by_proc(program: &Path, arguments: &[&str]) -> Option<u64> {
    let mut child =
        Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let status = format!("/proc/{}/status", child.id());
    let mut most = None;
    while child.try_wait().ok()?.is_none() {
        let told = fs::read_to_string(&status).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        most = most.max(kilobytes.map(|kilobytes| kilobytes * 1024));
        std::thread::sleep(Duration::from_millis(1));
    }
    most
}
