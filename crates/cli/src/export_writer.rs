//! One conversation, made into bytes of the wanted format: secrets taken out first, if they are to be.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use backscroll_model::{Conversation, Summary};
use backscroll_render::redact::{Redactor, Report};
use backscroll_render::{Detail, csv, html, json, markdown, plain};
use jiff::tz::TimeZone;

use crate::export_assets::{self, Asset};
use crate::export_format::Format;

/// A conversation in the wanted format.
pub(crate) struct Document {
    pub(crate) bytes: Vec<u8>,
    /// What may be told of it in a list: without secrets, if they were taken out.
    pub(crate) summary: Summary,
    /// How many things were not as they should be.
    pub(crate) findings: usize,
    /// What was taken out of it.
    pub(crate) report: Report,
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
    /// The way from a file to the list of all.
    pub(crate) index: Option<String>,
    /// The way from a file to the folder of pictures, if they are to be written.
    pub(crate) assets: Option<String>,
    /// Takes secrets out.
    pub(crate) redactor: Option<Mutex<Redactor>>,
    /// What is found in one conversation is not looked for in the others, so that a new one changes no other file.
    pub(crate) redacts_apart: bool,
}

impl Writer {
    /// Writes `conversation`.
    pub(crate) fn document(&self, conversation: Conversation, report: Report) -> io::Result<Document> {
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
                look.links.clone_from(&self.links);
                html::page(&conversation, &html::PageLook { look, index: self.index.clone() }, out)?;
            }
        }
        Ok(Document { bytes, summary: conversation.summary, findings, report, assets: assets.into_inner() })
    }

    /// Takes the secrets out of `conversation`, and tells what they were where they are counted apart.
    pub(crate) fn redact(&self, conversation: &mut Conversation) -> Report {
        let Some(shared) = &self.redactor else { return Report::default() };
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.redacts_apart {
            shared.conversation(conversation);
            return Report::default();
        }
        let mut own = shared.fresh();
        drop(shared);
        own.conversation(conversation);
        own.report()
    }

    /// What was taken out of all conversations, where they share their placeholders.
    pub(crate) fn report(&self) -> Report {
        let shared = self
            .redactor
            .as_ref()
            .map(|shared| shared.lock().unwrap_or_else(PoisonError::into_inner).report());
        shared.unwrap_or_default()
    }
}
