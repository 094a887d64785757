//! One conversation, made into bytes of the wanted format: secrets taken out first, if they are to be.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use backscroll_model::{Conversation, ConversationId, Message, Summary};
use backscroll_render::redact::{Redactor, Report, Scanned};
use backscroll_render::{Detail, csv, html, json, markdown, plain};
use jiff::tz::TimeZone;

use crate::export_assets::{self, Asset};
use crate::export_format::Format;
use crate::picture_file;

/// A conversation in the wanted format.
pub(crate) struct Document {
    pub(crate) bytes: Vec<u8>,
    /// What may be told of it in a list: without secrets, if they were taken out.
    pub(crate) summary: Summary,
    /// How many things were not as they should be.
    pub(crate) findings: usize,
    /// Pictures that lie beside it.
    pub(crate) assets: Vec<Asset>,
}

/// How conversations are written.
pub(crate) struct Writer {
    pub(crate) format: Format,
    pub(crate) detail: Detail,
    pub(crate) time_zone: TimeZone,
    /// Several conversations stand in one file.
    pub(crate) is_one_of_several: bool,
    /// Where the other conversations lie, seen from a file of this export.
    pub(crate) links: BTreeMap<String, String>,
    /// What the other conversations are called, without secrets, if they are to be taken out.
    pub(crate) titles: BTreeMap<String, String>,
    /// The way from a file to the list of all.
    pub(crate) index: Option<String>,
    /// The way from a file to the folder of pictures, if they are to be written.
    pub(crate) assets: Option<String>,
    /// Takes secrets out, if they are to be.
    pub(crate) redaction: Option<Redaction>,
}

/// Takes secrets out of all conversations of an export.
pub(crate) struct Redaction {
    /// Looks for them. Knows none, so that all workers may use it at once.
    scanner: Redactor,
    /// Knows all that were found so far.
    known: Mutex<Redactor>,
}

impl Redaction {
    pub(crate) fn by(redactor: Redactor) -> Self {
        Self { scanner: redactor.fresh(), known: Mutex::new(redactor) }
    }

    /// What is known, whatever became of the others: a name without redaction would be worse than a panic they had.
    fn known(&self) -> MutexGuard<'_, Redactor> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Pictures in a page are no larger than this, and no more than this together.
const LARGEST_IN_PAGE: u64 = 10 * 1024 * 1024;
const ALL_IN_PAGE: u64 = 40 * 1024 * 1024;

impl Writer {
    /// Writes `conversation`.
    pub(crate) fn document(&self, conversation: Conversation) -> io::Result<Document> {
        let findings = conversation.findings.len();
        let mut bytes = Vec::new();
        let assets = RefCell::new(Vec::new());
        let out = &mut bytes;
        match self.format {
            Format::Jsonl | Format::Json => json::conversation(&conversation, out)?,
            Format::Csv => csv::messages(&conversation, out)?,
            Format::Txt => {
                let look = plain::Look { detail: self.detail, time_zone: self.time_zone.clone() };
                plain::conversation(&conversation, &look, out)?;
            }
            Format::Md => {
                let look = markdown::Look {
                    detail: self.detail,
                    time_zone: self.time_zone.clone(),
                    front_matter: !self.is_one_of_several,
                    links: &self.links,
                    titles: &self.titles,
                    picture: &|image| {
                        let asset = export_assets::of(image).filter(|_| self.assets.is_some())?;
                        let address = format!("{}{}", self.assets.as_deref().unwrap_or_default(), asset.name);
                        assets.borrow_mut().push(asset);
                        Some(address)
                    },
                };
                markdown::conversation(&conversation, &look, out)?;
            }
            Format::Html => {
                let mut look = html::Look::new(self.detail, self.time_zone.clone());
                look.links = of_those_named(&conversation, &self.links);
                look.titles = of_those_named(&conversation, &self.titles);
                html::page(&conversation, &html::PageLook { look, index: self.index.clone() }, out)?;
            }
        }
        Ok(Document { bytes, summary: conversation.summary, findings, assets: assets.into_inner() })
    }

    /// Puts pictures that lie in files into `conversation`, if they are to be shown or copied.
    pub(crate) fn fetch_pictures(&self, conversation: &mut Conversation) {
        match self.format {
            Format::Html => picture_file::fill(conversation, LARGEST_IN_PAGE, ALL_IN_PAGE),
            Format::Md if self.assets.is_some() => {
                picture_file::fill(conversation, picture_file::LARGEST, u64::MAX);
            }
            Format::Md | Format::Jsonl | Format::Json | Format::Txt | Format::Csv => {}
        }
    }

    /// Whether secrets are taken out.
    pub(crate) fn redacts(&self) -> bool {
        self.redaction.is_some()
    }

    /// Looks for secrets in `conversation`: the long part of the work.
    pub(crate) fn scan(&self, conversation: &mut Conversation) -> Scanned {
        self.redaction.as_ref().map(|redaction| redaction.scanner.scan(conversation)).unwrap_or_default()
    }

    /// Remembers what was found, to take it out of all conversations.
    pub(crate) fn learn(&self, scanned: &Scanned) {
        if let Some(redaction) = &self.redaction {
            redaction.known().know(scanned);
        }
    }

    /// Takes out of `conversation` what was found in it, and everything known besides.
    pub(crate) fn redact(&self, conversation: &mut Conversation, scanned: Scanned) {
        if let Some(redaction) = &self.redaction {
            redaction.known().apply(conversation, scanned);
        }
    }

    /// What may be told of these conversations: without secrets, if they are to be taken out.
    pub(crate) fn told(&self, summaries: &[Summary]) -> Vec<Summary> {
        let mut told = summaries.to_vec();
        if let Some(redaction) = &self.redaction {
            // What is told of them here is counted when they are written.
            let mut known = redaction.known().clone();
            for summary in &mut told {
                known.summary(summary);
            }
        }
        told
    }

    /// What was taken out of all conversations.
    pub(crate) fn report(&self) -> Report {
        self.redaction.as_ref().map(|redaction| redaction.known().report()).unwrap_or_default()
    }
}

/// What is told in `all` of the conversations that this one names: a page needs no others.
fn of_those_named(conversation: &Conversation, all: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let calls = conversation.messages.iter().chain(&conversation.orphans).flat_map(Message::tool_calls);
    let named = conversation.children.iter().chain(&conversation.summary.parent).map(ConversationId::as_str);
    let named = named.chain(calls.filter_map(|call| call.child.as_deref()));
    named.filter_map(|id| all.get_key_value(id)).map(|(id, told)| (id.clone(), told.clone())).collect()
}
