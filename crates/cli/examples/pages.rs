//! Writes every conversation of a home as a page, for the tests in a browser: `pages HOME OUT`.

use std::error::Error;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::PathBuf;

use backscroll_cli::{Surroundings, Where, find};
use backscroll_history::{History, Query};
use backscroll_render::Detail;
use backscroll_render::html::{self, IndexEntry, Look, PageLook};
use jiff::tz::TimeZone;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args_os().skip(1).map(PathBuf::from);
    let (home, out) = words.next().zip(words.next()).ok_or("usage: pages HOME OUT")?;
    fs::create_dir_all(&out)?;
    let environment = Surroundings { temp: std::env::temp_dir(), ..Surroundings::default() };
    let found = find(&Where { home: Some(home), stores: Vec::new(), environment });
    let history = History::over(found.sources, found.findings);
    let mut entries = Vec::new();
    for summary in history.list(&Query::default()).summaries {
        let address = format!("{}.html", entries.len() + 1);
        let look = Look::new(Detail::Normal, TimeZone::UTC);
        let look = PageLook { index: Some("index.html".to_owned()), ..PageLook::alone(look) };
        html::page(&history.load(&summary.id)?, &look, BufWriter::new(File::create(out.join(&address))?))?;
        entries.push(IndexEntry { address, summary });
    }
    html::index_page(&entries, &TimeZone::UTC, File::create(out.join("index.html"))?)?;
    Ok(())
}
