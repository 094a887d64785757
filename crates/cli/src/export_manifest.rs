//! What an export wrote into its folder: which file belongs to which conversation, and what was in it.
//!
//! One line for each file, added before the file is put in its place: an export that was interrupted knows what is its own.
//! A file whose content is another than this list says belongs to the user. The numbers of placeholders are kept here too,
//! by marks from which nobody learns a secret.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use backscroll_model::{Attribution, ConversationId, Layer, Origin, Summary, Surface, Workspace};
use backscroll_render::redact::Numbered;

use crate::export_names::hash;
use crate::unfinished;

/// The file that holds the list.
pub(crate) const NAME: &str = ".backscroll-export";

/// Begins a line that tells the number of a placeholder.
const PLACEHOLDER: &str = "placeholder";

const FIRST_LINE: &str = "backscroll-export 1";

/// One file of an export.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The hash of what was written.
    pub(crate) hash: String,
    /// The hash of what it was to replace, if that may not have come to pass.
    pub(crate) before: Option<String>,
    /// The conversation; `None` for the page that lists them.
    pub(crate) summary: Option<Summary>,
}

/// The files of an export by their paths below its folder.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    pub(crate) entries: BTreeMap<String, Entry>,
    /// The numbers of placeholders.
    pub(crate) numbers: Vec<Numbered>,
}

impl Entry {
    /// A file that holds `bytes`.
    pub(crate) fn of(bytes: &[u8], summary: Option<Summary>) -> Self {
        Self { hash: hash(bytes), before: None, summary }
    }

    /// Whether we wrote `bytes`.
    pub(crate) fn wrote(&self, bytes: &[u8]) -> bool {
        let hash = hash(bytes);
        self.hash == hash || self.before.as_ref() == Some(&hash)
    }
}

impl Manifest {
    /// What is known of the files in `folder`.
    pub(crate) fn read(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join(NAME)).unwrap_or_default();
        let mut lines = text.lines();
        if lines.next() != Some(FIRST_LINE) {
            return Self::default();
        }
        let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
        let numbers = lines.clone().filter_map(parsed_number).collect();
        for (path, mut entry) in lines.filter_map(parsed) {
            entry.before = entries.remove(&path).map(|before| before.hash);
            entries.insert(path, entry);
        }
        Self { entries, numbers }
    }

    /// Notes that a file is about to be written.
    pub(crate) fn note(
        &mut self,
        folder: &Path,
        path: &str,
        entry: Entry,
        numbers: Vec<Numbered>,
    ) -> io::Result<()> {
        let place = folder.join(NAME);
        let is_new = !place.exists();
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(place)?;
        let first = if is_new { format!("{FIRST_LINE}\n") } else { String::new() };
        let marks = numbers.iter().map(|number| number_line(number) + "\n").collect::<Vec<_>>().concat();
        file.write_all(format!("{first}{marks}{}\n", line(path, &entry)).as_bytes())?;
        self.numbers.extend(numbers);
        self.entries.insert(path.to_owned(), entry);
        Ok(())
    }

    /// Writes the list anew, each file once.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let mut file = unfinished::one_of_many(folder)?;
        writeln!(file, "{FIRST_LINE}")?;
        for number in &self.numbers {
            writeln!(file, "{}", number_line(number))?;
        }
        for (path, entry) in &self.entries {
            writeln!(file, "{}", line(path, entry))?;
        }
        file.persist(folder.join(NAME)).map(drop).map_err(|error| error.error)
    }
}

fn number_line(Numbered { mark, kind, number }: &Numbered) -> String {
    format!("{PLACEHOLDER}\t{mark}\t{kind}\t{number}")
}

fn parsed_number(line: &str) -> Option<Numbered> {
    let mut cells = line.strip_prefix(PLACEHOLDER)?.strip_prefix('\t')?.split('\t').map(str::to_owned);
    let (mark, kind) = (cells.next()?, cells.next()?);
    Some(Numbered { mark, kind, number: cells.next()?.parse().ok()? })
}

fn line(path: &str, entry: &Entry) -> String {
    let mut cells = vec![entry.hash.clone(), escaped(path)];
    if let Some(summary) = &entry.summary {
        let workspace = summary.workspace.as_ref();
        cells.extend([
            escaped(summary.id.as_str()),
            summary.surface.name().to_owned(),
            summary.created_at.map(|at| at.to_string()).unwrap_or_default(),
            summary.updated_at.map(|at| at.to_string()).unwrap_or_default(),
            summary.messages.map(|messages| messages.to_string()).unwrap_or_default(),
            escaped(workspace.map(|workspace| workspace.path.as_str()).unwrap_or_default()),
            escaped(workspace.and_then(|workspace| workspace.remote.as_deref()).unwrap_or_default()),
            escaped(summary.title.as_deref().unwrap_or_default()),
            escaped(&summary.models.join("\n")),
        ]);
    }
    cells.join("\t")
}

fn parsed(line: &str) -> Option<(String, Entry)> {
    let cells: Vec<String> = line.split('\t').map(unescaped).collect();
    let (hash, path) = (cells.first()?.clone(), cells.get(1)?.clone());
    let is_below = !path.is_empty() && path.split('/').all(|name| !matches!(name, "" | "." | ".."));
    let is_plain = is_below && !path.contains(['\\', ':']);
    let text = |at: usize| cells.get(at).filter(|text| !text.is_empty());
    let summary = text(2).map(|id| {
        let origin = Origin::new(Layer::Archive, PathBuf::new(), String::new());
        Summary {
            created_at: text(4).and_then(|at| at.parse().ok()),
            updated_at: text(5).and_then(|at| at.parse().ok()),
            messages: text(6).and_then(|number| number.parse().ok()),
            workspace: text(7).map(|path| Workspace {
                path: path.clone(),
                uri: None,
                remote: text(8).cloned(),
                by: Attribution::Record,
            }),
            title: text(9).cloned(),
            models: text(10).map(|models| models.lines().map(str::to_owned).collect()).unwrap_or_default(),
            ..Summary::new(ConversationId::new(id), surface(text(3)), origin)
        }
    });
    let is_file = hash != PLACEHOLDER;
    (is_plain && is_file).then_some((path, Entry { hash, before: None, summary }))
}

fn surface(name: Option<&String>) -> Surface {
    let all = [Surface::IdeChat, Surface::Cli, Surface::Sdk, Surface::Transcript];
    all.into_iter().find(|surface| name.is_some_and(|name| name == surface.name())).unwrap_or(Surface::Ide)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        plain.push(match c {
            '\\' => match characters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some(c) => c,
                None => '\\',
            },
            c => c,
        });
    }
    plain
}
