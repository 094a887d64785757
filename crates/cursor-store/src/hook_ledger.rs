//! The ledger of hooks, to which `backscroll hook` appends: one file for each month. It is evidence about conversations that other
//! sources have: measured tokens, exact times, who started whom.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use backscroll_cursor_format::hooks::{self, Ledger};
use backscroll_model::{
    Catalogue, CatalogueEntry, Catalogued, Decoded, Finding, FindingKind, FragmentKind, Inventory, Layer,
    Mark, Origin, Scope, Source, SourceError, SourceId, SourceReport, Store, locked,
};

use backscroll_own_files::OwnFolder;
use jiff::Timestamp;

use crate::files::{ABSENT, FileCache, closed, file_stamp, is_anything};
use crate::fingerprint;
use crate::plain_file::beginning;
use crate::transcripts::LONGEST;

/// The ledger in a folder.
#[derive(Debug)]
pub struct HookLedger {
    folder: PathBuf,
    files: Arc<FileCache>,
    /// What the files held when they had these stamps: every conversation is looked for in them.
    read: Mutex<HashMap<PathBuf, (u64, Arc<LedgerEvents>)>>,
}

type LedgerEvents = Decoded<Ledger>;

impl HookLedger {
    /// The events that are asked for.
    pub const EVENTS: [&'static str; 5] = hooks::DEFAULT_EVENTS;

    /// The longest payload that is kept.
    pub const LONGEST_PAYLOAD: usize = hooks::LONGEST_PAYLOAD;

    /// Where the ledger lies in our folder for data.
    pub fn folder_in(data: &Path) -> PathBuf {
        data.join("hooks")
    }

    /// The ledger in our folder for data, if there is anything of that name.
    pub fn in_data(data: &Path) -> Option<Self> {
        Self::in_folder(&Self::folder_in(data), Arc::default())
    }

    /// The ledger in `folder`, if there is anything.
    pub(crate) fn in_folder(folder: &Path, files: Arc<FileCache>) -> Option<Self> {
        // Where it is not there yet, it may come: whoever stays looks at the folders that were searched.
        files.children(folder);
        is_anything(folder).then(|| Self { folder: folder.to_owned(), files, read: Mutex::default() })
    }

    /// Appends a line for `payload`, which came at `now`, to the ledger in our folder for data. The line is written at once, so that
    /// several programs may append at the same time. A line that an earlier program could not finish is ended first.
    pub fn append(data: &Path, payload: &[u8], now: Timestamp, with_content: bool) -> io::Result<()> {
        let line = hooks::ledger_line(payload, now, with_content);
        let folder = OwnFolder::private(&Self::folder_in(data))?;
        let mut file = folder.append(&format!("{}.jsonl", now.strftime("%Y-%m")))?;
        let line = if is_ended(&mut file)? { line } else { format!("\n{line}") };
        file.write_all(line.as_bytes())
    }

    fn months(&self) -> Vec<PathBuf> {
        let is_month = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "jsonl");
        self.files.files(&self.folder).into_iter().filter(is_month).collect()
    }

    fn events(&self, file: &Path) -> Result<Arc<LedgerEvents>, SourceError> {
        let mut read = locked(&self.read);
        // Taken before it is read: what is appended meanwhile is read again.
        let stamp = file_stamp(file);
        if let Some((_, known)) = read.get(file).filter(|(known, _)| *known == stamp) {
            return Ok(Arc::clone(known));
        }
        let read_file = beginning(file, LONGEST);
        let (bytes, is_all) = read_file.map_err(|because| SourceError::new(Layer::Hooks, file, because))?;
        let mut events = hooks::ledger(&bytes, &at(file));
        if !is_all {
            let says = format!("the ledger is longer than {LONGEST} bytes and is cut off");
            events.findings.push(Finding::new(FindingKind::Incomplete, at(file), says));
        }
        let events = Arc::new(events);
        read.insert(file.to_owned(), (stamp, Arc::clone(&events)));
        Ok(events)
    }
}

/// Whether the last line of a file has its end.
fn is_ended(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn at(file: &Path) -> Origin {
    Origin::new(Layer::Hooks, file, "")
}

impl Inventory for HookLedger {
    fn files(&self) -> Vec<(Layer, PathBuf)> {
        self.months().into_iter().map(|file| (Layer::Hooks, file)).collect()
    }

    fn holdings(&self) -> Result<Vec<SourceReport>, SourceError> {
        let holding = |file: PathBuf| {
            let events = self.events(&file)?;
            let times = || events.value.events.iter().filter_map(|event| event.at);
            let conversations = events.value.conversations().len() as u64;
            Ok(SourceReport {
                conversations,
                first_at: times().min(),
                last_at: times().max(),
                ..SourceReport::new(Layer::Hooks, file)
            })
        };
        self.months().into_iter().map(holding).collect()
    }
}

impl Source for HookLedger {
    fn id(&self) -> SourceId {
        SourceId::new("hooks", &self.folder, Layer::Hooks)
    }

    fn stores(&self) -> Decoded<Vec<Store>> {
        let store = |file: PathBuf| Store { stamp: file_stamp(&file), path: Arc::from(file) };
        let findings = closed(&self.folder, &self.files.read_folder(&self.folder)).into_iter().collect();
        Decoded { value: self.months().into_iter().map(store).collect(), findings }
    }

    fn stamp(&self, store: &Path) -> Option<u64> {
        Some(file_stamp(store)).filter(|stamp| *stamp != ABSENT)
    }

    fn catalogue(&self, store: &Path, _: Option<&Mark>) -> Result<Catalogue, SourceError> {
        let events = self.events(store)?;
        let entry = |id| {
            let head = events.value.fragment(&id, &at(store))?;
            let stamp = fingerprint::of_fragment(&head);
            let entry = CatalogueEntry::new(id, store, FragmentKind::Evidence);
            Some(Catalogued { entry, heads: vec![head], stamp })
        };
        let entries = events.value.conversations().into_iter().filter_map(entry).collect();
        Ok(Catalogue { findings: events.findings.clone(), ..Catalogue::whole(entries) })
    }

    fn load(
        &self,
        entry: &CatalogueEntry,
        _: Scope<'_>,
    ) -> Result<Vec<backscroll_model::Fragment>, SourceError> {
        let events = self.events(&entry.store)?;
        Ok(events.value.fragment(&entry.id, &at(&entry.store)).into_iter().collect())
    }
}
