//! An export from the history to its bytes: each conversation is loaded, its secrets are removed, it is written; all into one
//! stream, or one file each into a folder.
//!
//! Where secrets are removed from several conversations, all of them are searched before the first is written: a secret that
//! only the last one gives away may also be in the first, or in the name of a file.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use backscroll_history::{Ask, AskError, Content, History};
use backscroll_model::{Conversation, ConversationId, Finding, OrderedQueue, Summary, locked};
use backscroll_redact::{Redactor, Report, Scanned};
use backscroll_render::Options;
use backscroll_render::html::IndexEntry;

use crate::folder::{ASSETS, Files, Folder, FolderError};
use crate::format::{Document, Format, IndexPage};
use crate::names;
use crate::pictures::{self, Assets, Picture};

/// Two workers, and few conversations in memory.
const QUEUE: OrderedQueue = OrderedQueue { workers: 2, pieces_ahead: 8, bytes_ahead: usize::MAX };

/// What to export, and how.
#[derive(Debug)]
pub struct Export<'a> {
    /// Where conversations are loaded from, as they are stored.
    pub history: &'a History,
    /// The conversations, in order. Ids are enough, unless files are named after them.
    pub conversations: Vec<Summary>,
    /// Which of them are left out after all.
    pub filter: Option<&'a Ask>,
    /// The format.
    pub format: &'static Format,
    /// How each is written.
    pub options: Options,
    /// Whether pictures are written beside the files.
    pub has_assets: bool,
    /// Removes secrets.
    pub redactor: Option<Redactor>,
}

/// How a folder is written to.
#[derive(Debug, Clone, Default)]
pub struct FolderOptions {
    /// Whether files of an earlier export are brought up to date.
    pub may_update: bool,
    /// Whether any file may be overwritten.
    pub may_overwrite: bool,
    /// With `may_update`: what is done about conversations that are gone from the history.
    pub gone: WhenGone,
    /// Names the places that are exported. What an export of other places wrote is not gone; only a hash is kept in the folder.
    pub places: String,
}

/// What is done about files of conversations that are gone from the history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WhenGone {
    /// They are removed.
    #[default]
    Remove,
    /// They stay, and the manifest and the index say that they were deleted.
    Mark,
    /// They stay, because only a part of the history was opened.
    Ignore,
}

/// A step of an export.
#[derive(Debug)]
pub enum Step<'a> {
    /// One more conversation was searched for secrets.
    Searched,
    /// One more conversation is done. These bytes are the next ones of the output: none if it is left out.
    Done(&'a [u8]),
    /// The last bytes of the output.
    End(&'a [u8]),
}

/// What is done at each step.
pub type OnStep<'a> = dyn FnMut(Step<'_>) -> io::Result<()> + 'a;

/// What an export did.
#[derive(Debug, Default)]
pub struct Exported {
    /// How many conversations are in the output.
    pub conversations: usize,
    /// Those with findings; true where something could not be read.
    pub with_findings: Vec<(ConversationId, bool)>,
    /// Why others could not be read.
    pub unreadable: Vec<AskError>,
    /// What was removed from them.
    pub redacted: Report,
    /// What happened to the files of a folder.
    pub files: Files,
}

/// An export could not be finished.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The folder cannot be written to.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Something else cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// A conversation in its format.
struct Rendered {
    bytes: Vec<u8>,
    /// Its summary, without secrets if they are removed.
    summary: Summary,
    findings: Vec<Finding>,
    pictures: Vec<Picture>,
}

enum LeftOut {
    Filtered,
    Unreadable(AskError),
    Unwritten(io::Error),
}

impl Export<'_> {
    /// Writes all conversations one after the other; `step` gets the bytes. Pictures go into a folder in `beside`.
    pub fn to_stream(
        mut self,
        beside: Option<&Path>,
        step: &mut OnStep<'_>,
    ) -> Result<Exported, ExportError> {
        let beside = beside.filter(|_| self.has_assets);
        let mut pictures =
            beside.map(|beside| Folder::open(beside, &FolderOptions::default())).transpose()?;
        let redaction = self.redactor.take().map(Redaction::new);
        if self.conversations.len() > 1 {
            self.search(redaction.as_ref(), step)?;
        }
        self.options.is_shared = self.conversations.len() > 1;
        let mut is_first = true;
        let exported = self.write(redaction.as_ref(), &format!("{ASSETS}/"), step, |_, rendered, step| {
            let bytes = [self.format.before(is_first), &rendered.bytes].concat();
            is_first = false;
            step(Step::Done(&bytes))?;
            let Some(folder) = &mut pictures else { return Ok(()) };
            rendered.pictures.iter().try_for_each(|picture| folder.put_picture(picture))
        })?;
        step(Step::End(self.format.end(is_first)))?;
        Ok(exported)
    }

    /// Writes one file for each conversation into the folder `root`, and a page that lists them.
    pub fn to_folder(
        mut self,
        root: &Path,
        options: &FolderOptions,
        step: &mut OnStep<'_>,
    ) -> Result<Exported, ExportError> {
        let mut folder = Folder::open(root, options)?;
        if self.conversations.is_empty() {
            return Ok(Exported::default());
        }
        let redaction = self.redactor.take().map(Redaction::new);
        // Even for one conversation: its name may hold what only its messages give away.
        self.search(redaction.as_ref(), step)?;
        let mut named = self.placed();
        if let Some(redaction) = &redaction {
            redaction.summaries(&mut named);
        }
        let paths = names::paths(&named, self.format);
        let index = self.format.index.map(|index| index.name);
        folder.check(paths.iter().map(String::as_str).chain(index))?;
        let ids = || named.iter().map(|summary| summary.id.to_string());
        self.options.links = ids().zip(paths.iter().map(|path| format!("../{path}"))).collect();
        let titles =
            named.iter().filter_map(|summary| Some((summary.id.to_string(), summary.title.clone()?)));
        self.options.titles = titles.collect();
        self.options.index = index.map(|name| format!("../{name}"));
        let mut current = Vec::new();
        let is_whole = self.is_whole();
        let mut exported =
            self.write(redaction.as_ref(), &format!("../{ASSETS}/"), step, |number, rendered, step| {
                let whole = [self.format.before(true), &rendered.bytes, self.format.end(false)].concat();
                let summary = Some(rendered.summary.clone());
                let may_shrink = is_whole && !rendered.findings.iter().any(Finding::is_loss);
                folder.put(&paths[number], &whole, summary, &rendered.pictures, may_shrink)?;
                current.push((paths[number].clone(), rendered.summary));
                step(Step::Done(&whole))
            })?;
        if current.is_empty() {
            return Ok(exported);
        }
        if is_whole {
            folder.remove_replaced(&current)?;
        }
        if options.may_update && options.gone != WhenGone::Ignore {
            self.remove_gone(&mut folder, options.gone == WhenGone::Mark)?;
        }
        exported.files = std::mem::take(&mut folder.files);
        self.write_index(&mut folder)?;
        exported.files.kept.append(&mut folder.files.kept);
        folder.finish()?;
        Ok(exported)
    }

    /// The conversations, each with its workspace: one that no head places is read for what its messages tell.
    fn placed(&self) -> Vec<Summary> {
        let mut placed = self.conversations.clone();
        let unplaced = |number: &usize| self.conversations[*number].workspace.is_none();
        let unplaced: Vec<usize> = (0..self.conversations.len()).filter(unplaced).collect();
        // What cannot be read is reported when it is written.
        let told = |at: usize| self.load(unplaced[at]).ok().and_then(|whole| whole.summary.workspace);
        let Ok(()) = QUEUE.run(
            unplaced.len(),
            told,
            |_| 0,
            |at, workspace| {
                placed[unplaced[at]].workspace = workspace;
                Ok::<(), Infallible>(())
            },
        );
        placed
    }

    fn search(&self, redaction: Option<&Redaction>, step: &mut OnStep<'_>) -> io::Result<()> {
        let Some(redaction) = redaction else { return Ok(()) };
        let scan = |number: usize| Some(redaction.scanner.scan(&self.load(number).ok()?));
        QUEUE.run(
            self.conversations.len(),
            scan,
            |_| 0,
            |_, scanned| {
                if let Some(scanned) = scanned {
                    locked(&redaction.known).know(&scanned);
                }
                step(Step::Searched)
            },
        )
    }

    /// Renders each conversation and gives it to `put`, in order, with its number.
    fn write(
        &self,
        redaction: Option<&Redaction>,
        assets: &str,
        step: &mut OnStep<'_>,
        mut put: impl FnMut(usize, Rendered, &mut OnStep<'_>) -> io::Result<()>,
    ) -> io::Result<Exported> {
        let mut exported = Exported::default();
        let render = |number: usize| self.render(number, redaction, assets);
        QUEUE.run(
            self.conversations.len(),
            render,
            |_| 0,
            |number, rendered| {
                match rendered {
                    Ok(rendered) => {
                        if !rendered.findings.is_empty() {
                            let is_loss = rendered.findings.iter().any(Finding::is_loss_within);
                            exported.with_findings.push((rendered.summary.id.clone(), is_loss));
                        }
                        exported.conversations += 1;
                        return put(number, rendered, step);
                    }
                    Err(LeftOut::Filtered) => {}
                    Err(LeftOut::Unreadable(error)) => exported.unreadable.push(error),
                    Err(LeftOut::Unwritten(error)) => return Err(error),
                }
                step(Step::Done(&[]))
            },
        )?;
        if let Some(redaction) = redaction {
            exported.redacted = locked(&redaction.report).clone();
        }
        Ok(exported)
    }

    fn render(
        &self,
        number: usize,
        redaction: Option<&Redaction>,
        assets: &str,
    ) -> Result<Rendered, LeftOut> {
        let mut conversation = self.load(number)?;
        pictures::fetch(&mut conversation, self.format, self.has_assets);
        let redacted = redaction.map(|redaction| redaction.apply(&mut conversation));
        // What was taken out cannot be asked for.
        let content = || Some(Content::new(&conversation));
        if self.filter.is_some_and(|ask| !ask.wants(&conversation.summary, content)) {
            return Err(LeftOut::Filtered);
        }
        if let (Some(redaction), Some(redacted)) = (redaction, redacted) {
            locked(&redaction.report).add(&redacted);
        }
        let mut bytes = Vec::new();
        let assets = self.has_assets.then(|| Assets::new(assets));
        let one = Document { conversation: &conversation, options: &self.options, assets: assets.as_ref() };
        (self.format.conversation)(&one, &mut bytes).map_err(LeftOut::Unwritten)?;
        let pictures = assets.map(Assets::into_pictures).unwrap_or_default();
        let Conversation { summary, findings, .. } = conversation;
        Ok(Rendered { bytes, summary, findings, pictures })
    }

    #[expect(clippy::disallowed_methods, reason = "secrets are taken out of all conversations together")]
    fn load(&self, number: usize) -> Result<Conversation, LeftOut> {
        let id = &self.conversations[number].id;
        self.history.load_stored(id).map_err(LeftOut::Unreadable)
    }

    /// Whether every store could be read, and without loss: only then what is not there any more is gone.
    fn is_whole(&self) -> bool {
        let account = self.history.account();
        account.unreadable.is_empty() && !account.findings.iter().any(Finding::is_loss)
    }

    /// Removes or marks the files of conversations that the history does not have any more.
    fn remove_gone(&self, folder: &mut Folder, keeps_deleted: bool) -> io::Result<()> {
        let listing = self.history.list(&Ask::everything());
        let known = listing.summaries.iter().chain(&self.conversations);
        let known: BTreeSet<&str> = known.map(|summary| summary.id.as_str()).collect();
        if self.is_whole() {
            return folder.remove_gone(&known, keeps_deleted);
        }
        folder.files.uncertain = folder.gone(&known).len();
        Ok(())
    }

    fn write_index(&self, folder: &mut Folder) -> io::Result<()> {
        let Some(IndexPage { name, write }) = self.format.index else { return Ok(()) };
        let entry = |(path, summary): (String, Summary)| IndexEntry { address: path, summary };
        let entries: Vec<IndexEntry> = folder.conversations().into_iter().map(entry).collect();
        let mut bytes = Vec::new();
        write(&entries, &self.options.time_zone, &mut bytes)?;
        folder.put(name, &bytes, None, &[], true)
    }
}

/// Removes secrets from all conversations of an export.
struct Redaction {
    /// Finds secrets. Knows none, so that all workers use it at once.
    scanner: Redactor,
    /// Knows those that were found before anything was written.
    known: Mutex<Redactor>,
    report: Mutex<Report>,
}

impl Redaction {
    fn new(redactor: Redactor) -> Self {
        Self { scanner: redactor.fresh(), known: Mutex::new(redactor), report: Mutex::default() }
    }

    /// Removes from `conversation` the secrets in it and all known ones, and says what was removed.
    fn apply(&self, conversation: &mut Conversation) -> Report {
        let scanned: Scanned = self.scanner.scan(conversation);
        // Each conversation gets its own copy, so that the result does not depend on their order.
        let mut known = locked(&self.known).clone();
        known.apply(conversation, scanned);
        known.report()
    }

    /// Removes known secrets from `summaries`. They are counted when the conversations are written.
    fn summaries(&self, summaries: &mut [Summary]) {
        let mut known = locked(&self.known).clone();
        for summary in summaries {
            known.summary(summary);
        }
    }
}
