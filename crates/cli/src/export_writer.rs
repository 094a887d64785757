//! One conversation, made into bytes of the wanted format: secrets taken out first, if they are to be; and its pictures.
//!
//! A conversation may name any file, and an export must not carry off a key because somebody called it a picture. So what
//! is read is a whole path of this machine to an ordinary file, and what is kept begins as pictures do.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};

use backscroll_model::{Conversation, ConversationId, Image, Message, Part, Summary};
use backscroll_redact::{Redactor, Report, Scanned};
use backscroll_render::{Detail, csv, html, json, markdown, plain};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::ValueEnum;
use jiff::tz::TimeZone;

use crate::export_folder::hash;

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
    /// Knows those that were learned before anything was written.
    known: Mutex<Redactor>,
    report: Mutex<Report>,
}

impl Redaction {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self { scanner: redactor.fresh(), known: Mutex::new(redactor), report: Mutex::default() }
    }

    /// What is known, whatever became of the others: a name without redaction would be worse than a panic they had.
    fn known(&self) -> MutexGuard<'_, Redactor> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
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
                        let asset = asset_of(image).filter(|_| self.assets.is_some())?;
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
            Format::Html => fill_pictures(conversation, LARGEST_IN_PAGE, ALL_IN_PAGE),
            Format::Md if self.assets.is_some() => {
                fill_pictures(conversation, LARGEST_PICTURE, u64::MAX);
            }
            Format::Md | Format::Jsonl | Format::Json | Format::Txt | Format::Csv => {}
        }
    }

    /// Whether secrets are taken out.
    pub(crate) fn redacts(&self) -> bool {
        self.redaction.is_some()
    }

    /// Looks for secrets in `conversation`: the long part of the work.
    pub(crate) fn scan(&self, conversation: &Conversation) -> Scanned {
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
            // Each conversation has a copy of its own: what one adds must not depend on which was first.
            let mut known = redaction.known().clone();
            known.apply(conversation, scanned);
            redaction.report().add(&known.report());
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
        self.redaction.as_ref().map(|redaction| redaction.report().clone()).unwrap_or_default()
    }
}

/// What is told in `all` of the conversations that this one names: a page needs no others.
fn of_those_named(conversation: &Conversation, all: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let calls = conversation.messages.iter().chain(&conversation.orphans).flat_map(Message::tool_calls);
    let named =
        conversation.summary.children.iter().chain(&conversation.summary.parent).map(ConversationId::as_str);
    let named = named.chain(calls.filter_map(|call| call.child.as_deref()));
    named.filter_map(|id| all.get_key_value(id)).map(|(id, told)| (id.clone(), told.clone())).collect()
}

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON object a line (backscroll.conversation/1)
    Jsonl,
    /// One JSON array of the same objects
    Json,
    /// Markdown with front matter, for GitHub and Obsidian
    #[value(alias = "markdown")]
    Md,
    /// A page that stands alone, without secrets unless asked
    Html,
    /// Plain text
    #[value(alias = "text")]
    Txt,
    /// One row for each message
    Csv,
}

impl Format {
    /// The name, which is also the ending of its files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Json => "json",
            Self::Md => "md",
            Self::Html => "html",
            Self::Txt => "txt",
            Self::Csv => "csv",
        }
    }

    /// Whether many conversations are usually kept in one file.
    pub(crate) fn is_for_programs(self) -> bool {
        matches!(self, Self::Jsonl | Self::Json | Self::Csv)
    }

    /// The format whose files people keep under `ending`.
    pub(crate) fn of_ending(ending: &str) -> Option<Self> {
        Self::value_variants().iter().copied().find(|format| format.has_ending(ending))
    }

    /// Whether `ending` is one under which people keep files of this format.
    pub(crate) fn has_ending(self, ending: &str) -> bool {
        let ending = ending.to_ascii_lowercase();
        ending == self.name()
            || matches!(
                (self, ending.as_str()),
                (Self::Md, "markdown") | (Self::Html, "htm") | (Self::Txt, "text")
            )
    }

    /// The name of the page that lists a folder's conversations.
    pub(crate) fn index_name(self) -> Option<&'static str> {
        match self {
            Self::Md => Some("README.md"),
            Self::Html => Some("index.html"),
            Self::Jsonl | Self::Json | Self::Txt | Self::Csv => None,
        }
    }
}

/// What the steps of [`Detail`] leave in, for the help.
pub(crate) const DETAIL_HELP: &[&str] = &[
    "What you and the assistant said",
    "Thinking and tools too, folded",
    "Everything: whole results, attachments, system messages, origins",
];

/// What stands around and between the conversations of one file.
pub(crate) struct Frame {
    format: Format,
    is_begun: bool,
}

impl Frame {
    pub(crate) fn of(format: Format) -> Self {
        Self { format, is_begun: false }
    }

    /// Writes one conversation.
    pub(crate) fn item(&mut self, bytes: &[u8], mut out: &mut dyn Write) -> io::Result<()> {
        match (self.format, self.is_begun) {
            (Format::Json, false) => out.write_all(b"[\n")?,
            (Format::Json, true) => out.write_all(b",\n")?,
            (Format::Csv, false) => csv::header(&mut out)?,
            (Format::Md, true) => out.write_all(b"\n---\n\n")?,
            (Format::Txt, true) => out.write_all(b"\n\n")?,
            (Format::Jsonl | Format::Html | Format::Md | Format::Txt | Format::Csv, _) => {}
        }
        self.is_begun = true;
        out.write_all(bytes)?;
        if self.format == Format::Jsonl { out.write_all(b"\n") } else { Ok(()) }
    }

    /// Writes what stands behind the last one.
    pub(crate) fn end(&self, mut out: &mut dyn Write) -> io::Result<()> {
        match (self.format, self.is_begun) {
            (Format::Json, false) => out.write_all(b"[]\n"),
            (Format::Json, true) => out.write_all(b"\n]\n"),
            (Format::Csv, false) => csv::header(&mut out),
            (Format::Jsonl | Format::Md | Format::Html | Format::Txt | Format::Csv, _) => Ok(()),
        }
    }
}

/// One picture.
pub(crate) struct Asset {
    /// Its file name: made from its content, so that the same picture is written once.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// The picture that `image` holds. What it is, its first bytes tell, never a label.
fn asset_of(image: &Image) -> Option<Asset> {
    let bytes = stored_picture(image)?;
    let ending = picture_ending(&bytes)?;
    Some(Asset { name: format!("{}.{ending}", &hash(&bytes)[..16]), bytes })
}

/// Larger pictures stay where they are.
const LARGEST_PICTURE: u64 = 50 * 1024 * 1024;

/// Puts the pictures of `conversation` into it whose files still lie on this machine, as far as `largest` bytes each and
/// `all` bytes together go.
fn fill_pictures(conversation: &mut Conversation, largest: u64, all: u64) {
    let stores: Vec<PathBuf> =
        conversation.summary.origins.iter().map(|origin| origin.file.to_path_buf()).collect();
    let mut left = all;
    for message in conversation.messages.iter_mut().chain(&mut conversation.orphans) {
        let images = message.parts.iter_mut().filter_map(|part| match part {
            Part::Image(image) if image.data.is_none() => Some(image),
            _ => None,
        });
        for image in images {
            let Some(bytes) = read_picture(image, &stores, largest.min(left)) else { continue };
            left = left.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            image.data = Some(STANDARD.encode(bytes));
        }
    }
}

/// What the picture holds, whether the store has it or a file.
fn stored_picture(image: &Image) -> Option<Vec<u8>> {
    let data = image.data.as_deref()?;
    let data = data.rsplit_once("base64,").map_or(data, |(_, data)| data);
    STANDARD.decode(data.trim()).ok()
}

/// The ending of a file that begins like this; `None` for what is no picture.
fn picture_ending(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("png"),
        [0xff, 0xd8, 0xff, ..] => Some("jpg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("webp"),
        _ => None,
    }
}

fn read_picture(image: &Image, stores: &[PathBuf], largest: u64) -> Option<Vec<u8>> {
    let path = image.path.as_deref()?;
    // What begins with two slashes may be another machine, which would learn that somebody looked.
    let is_elsewhere = path.starts_with("//") || path.starts_with("\\\\");
    let here = Some(PathBuf::from(path)).filter(|path| path.is_absolute() && !is_elsewhere);
    here.into_iter().chain(moved(path, stores)).find_map(|place| picture(&place, largest))
}

/// Where a picture of Cursor's own folders lies now, if its home was copied or belongs to another system.
fn moved(path: &str, stores: &[PathBuf]) -> Vec<PathBuf> {
    let names: Vec<&str> = path.split(['/', '\\']).filter(|name| !name.is_empty()).collect();
    // The folder of the editor or of the agent, and what lies below it.
    let below = |folder: &str, next: &str| {
        let at = names.windows(2).rposition(|pair| pair == [folder, next])?;
        let below = &names[at + 1..];
        let is_plain = below.iter().all(|name| *name != ".." && !name.contains(':'));
        is_plain.then(|| below.iter().collect::<PathBuf>())
    };
    let places = [("User", below("User", "workspaceStorage")), (".cursor", below(".cursor", "projects"))];
    let places = places.into_iter().filter_map(|(folder, below)| Some((folder, below?)));
    let roots = |folder: &str| {
        let root =
            |store: &PathBuf| store.ancestors().find(|above| above.ends_with(folder)).map(Path::to_path_buf);
        let mut roots: Vec<PathBuf> = stores.iter().filter_map(root).collect();
        roots.dedup();
        roots
    };
    places.flat_map(|(folder, below)| roots(folder).into_iter().map(move |root| root.join(&below))).collect()
}

fn picture(place: &Path, largest: u64) -> Option<Vec<u8>> {
    fs::metadata(place).ok().filter(|about| about.is_file() && about.len() <= largest)?;
    let mut bytes = Vec::new();
    fs::File::open(place).ok()?.take(largest).read_to_end(&mut bytes).ok()?;
    picture_ending(&bytes).map(|_| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_begins_as_a_picture_is_one() {
        let table: &[(&[u8], Option<&str>)] = &[
            (b"\x89PNG\r\n\x1a\n....", Some("png")),
            (b"\xff\xd8\xff\xe0JFIF", Some("jpg")),
            (b"GIF89a", Some("gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"root:x:0:0:root:/root:/bin/bash", None),
            (b"BMW_API_KEY=secret", None),
            (b"GIF8 is how it begins", None),
            (b"<svg onload=alert(1)>", None),
            (b"", None),
        ];
        for (bytes, expected) in table {
            assert_eq!(picture_ending(bytes), *expected, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_picture_of_cursors_own_folders_is_found_in_a_copied_home() {
        let stores = [PathBuf::from("/backup/.config/Cursor/User/globalStorage/state.vscdb")];
        let windows =
            "c:\\Users\\mira\\AppData\\Roaming\\Cursor\\User\\workspaceStorage\\ab12\\images\\shot.png";
        let expected = PathBuf::from("/backup/.config/Cursor/User/workspaceStorage/ab12/images/shot.png");
        assert_eq!(moved(windows, &stores), [expected]);
        let agent = [PathBuf::from("/backup/.cursor/chats/a/b/store.db")];
        assert_eq!(
            moved("/home/mira/.cursor/projects/x/assets/shot.png", &agent),
            [PathBuf::from("/backup/.cursor/projects/x/assets/shot.png")]
        );
        for elsewhere in
            ["/etc/passwd", "/home/mira/User/../secret.png", "/u/User/workspaceStorage/../../../etc/x"]
        {
            assert_eq!(moved(elsewhere, &stores), Vec::<PathBuf>::new(), "{elsewhere}");
        }
    }
}
