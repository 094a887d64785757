//! The search index in a few lines for people.

use std::io::{self, Write};

use jiff::Zoned;

use super::relative_time::relative;
use super::size;
use crate::IndexReport;
use crate::text::sanitise;

/// Writes one line for each fact: its name, then what it is.
pub fn index(report: &IndexReport, now: &Zoned, out: &mut dyn Write) -> io::Result<()> {
    let place = report.place.to_string_lossy();
    let mut line = |name: &str, text: &str| writeln!(out, "{name:14} {}", sanitise(text));
    line("place", &place)?;
    line("format", &report.format.to_string())?;
    if !report.is_there {
        return line("state", "there is none yet; the first search makes it");
    }
    line("state", &state(report))?;
    let refreshed = report.refreshed_at.map_or_else(|| "never".to_owned(), |at| relative(at, now));
    line("refreshed", &refreshed)?;
    line("conversations", &report.conversations.to_string())?;
    line("messages", &report.messages.to_string())?;
    if report.unread > 0 {
        line("unread", &format!("{} conversations could not be read", report.unread))?;
    }
    line("text indexed", &size(report.text_bytes))?;
    line("disk use", &size(report.disk_bytes))
}

fn state(report: &IndexReport) -> String {
    match report.changed {
        Some(0) => "fresh".to_owned(),
        Some(1) => "1 conversation changed since".to_owned(),
        Some(count) => format!("{count} conversations changed since"),
        None => "any number of conversations may have changed since".to_owned(),
    }
}
