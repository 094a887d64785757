//! The two ways of an export: all into one stream, or one file for each conversation.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use backscroll_history::{AskError, History, Query};
use backscroll_model::{ConversationId, Summary};
use backscroll_render::html::{self, IndexEntry};
use backscroll_render::markdown;
use backscroll_render::redact::{Redactor, Report};

use crate::commands::export::ExportArgs;
use crate::counted::counted;
use crate::error::{CommandError, chain};
use crate::exit::Exit;
use crate::export_folder::{ASSETS, Folder};
use crate::export_format::{Format, Frame};
use crate::export_key;
use crate::export_names;
use crate::export_pipeline::{self, Rendered};
use crate::export_writer::Writer;
use crate::outcome::Outcome;
use crate::output_file::OutputFile;
use crate::progress::Progress;
use crate::ui::Ui;

/// What is to be exported.
pub(crate) struct Asked<'a> {
    pub(crate) history: &'a History,
    pub(crate) ids: Vec<Summary>,
    pub(crate) filter: Option<&'a Query>,
    pub(crate) args: &'a ExportArgs,
    /// Takes secrets out, if they are to be.
    pub(crate) redactor: Option<Redactor>,
}

/// The conversations that are asked for, in order, each once. Where files are to be named, named ones are looked up.
pub(crate) fn asked(
    history: &History,
    outcome: &mut Outcome<'_>,
    typed: &[String],
    query: &Query,
    need_names: bool,
) -> Result<Vec<Summary>, CommandError> {
    if typed.is_empty() {
        return Ok(outcome.ask(history, query));
    }
    let mut ids: Vec<ConversationId> = Vec::new();
    for asked in typed {
        let id = history.resolve(asked)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids.truncate(query.limit.unwrap_or(usize::MAX));
    let known = |id: ConversationId| {
        let origin = backscroll_model::Origin::new(backscroll_model::Layer::IdeGlobal, Path::new(""), "");
        let nameless = || Summary::new(id.clone(), backscroll_model::Surface::Ide, origin);
        if need_names { history.load(&id).map(|whole| whole.summary) } else { Ok(nameless()) }
    };
    Ok(ids.into_iter().map(known).collect::<Result<_, AskError>>()?)
}

/// Tells before anything is read if the file cannot be written.
pub(crate) fn check_file(place: Option<&Path>, args: &ExportArgs) -> Result<(), CommandError> {
    place.map_or(Ok(()), |place| OutputFile::create(place, args.force).map(drop))
}

impl Asked<'_> {
    fn writer(&mut self, ui: &Ui<'_>) -> Writer {
        Writer {
            format: self.args.format,
            detail: self.args.detail.detail(),
            time_zone: ui.environment.now.time_zone().clone(),
            is_one_of_several: self.ids.len() > 1,
            links: BTreeMap::new(),
            index: None,
            assets: self.args.assets.then(|| format!("{ASSETS}/")),
            redactor: self.redactor.take().map(Mutex::new),
            redacts_apart: false,
        }
    }

    fn ids(&self) -> Vec<ConversationId> {
        self.ids.iter().map(|summary| summary.id.clone()).collect()
    }
}

/// Writes all conversations one after the other, to a file or to standard output.
pub(crate) fn one(
    ui: &mut Ui<'_>,
    mut outcome: Outcome<'_>,
    mut asked: Asked<'_>,
    place: Option<&Path>,
) -> Result<Exit, CommandError> {
    let mut file = place.map(|path| OutputFile::create(path, asked.args.force)).transpose()?;
    let beside = place
        .and_then(Path::parent)
        .map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let mut pictures =
        beside.filter(|_| asked.args.assets).map(|beside| Folder::open(beside, false, false)).transpose()?;
    let writer = asked.writer(ui);
    let mut progress = Progress::of(asked.ids.len(), ui.shows_progress());
    let (mut troubles, mut matched, mut frame) = (Vec::new(), 0, Frame::of(asked.args.format));
    export_pipeline::run(asked.history, &asked.ids(), asked.filter, &writer, |_, rendered| {
        let mut bytes = 0;
        match rendered {
            Rendered::Written(document) => {
                matched += 1;
                bytes = document.bytes.len();
                outcome.in_conversations += document.findings;
                match &mut file {
                    Some(file) => frame.item(&document.bytes, file)?,
                    None => frame.item(&document.bytes, ui.out())?,
                }
                if let Some(pictures) = &mut pictures {
                    document.assets.iter().try_for_each(|asset| pictures.put_asset(asset))?;
                }
            }
            Rendered::NotWanted => {}
            Rendered::Failed(error) => troubles.push(error),
        }
        progress.step(bytes, &mut |line| ui.aside(line));
        Ok(())
    })?;
    progress.clear(&mut |line| ui.aside(line));
    match &mut file {
        Some(file) => frame.end(file)?,
        None => frame.end(ui.out())?,
    }
    outcome.matched = matched;
    ui.flush()?;
    // A file without a single conversation would only be mistaken for a result.
    if let Some(file) = file.filter(|_| matched > 0) {
        let place = file.keep()?;
        ui.note(&format!("{} written to {}", counted(matched, "conversation"), place.display()));
    }
    tell_redacted(ui, &writer.report());
    Ok(finish(ui, &outcome, &troubles))
}

/// Writes one file for each conversation into `root`, and a page that lists them.
pub(crate) fn folder(
    ui: &mut Ui<'_>,
    mut outcome: Outcome<'_>,
    mut asked: Asked<'_>,
    root: &Path,
) -> Result<Exit, CommandError> {
    let mut folder = Folder::open(root, asked.args.update, asked.args.force)?;
    if let Some(redactor) = asked.redactor.take() {
        let key = export_key::key(ui.environment.cache.as_deref())?;
        asked.redactor = Some(redactor.numbered_by(folder.number_with(key)));
    }
    let mut writer = Writer { is_one_of_several: false, redacts_apart: true, ..asked.writer(ui) };
    let paths = names(&asked, &writer);
    folder.check(paths.iter().map(String::as_str).chain(asked.args.format.index_name()))?;
    let linked = asked.ids.iter().zip(&paths);
    writer.links = linked.map(|(summary, path)| (summary.id.to_string(), format!("../{path}"))).collect();
    writer.index = asked.args.format.index_name().map(|name| format!("../{name}"));
    writer.assets = writer.assets.map(|assets| format!("../{assets}"));
    let mut progress = Progress::of(asked.ids.len(), ui.shows_progress());
    let (mut troubles, mut report, mut current) = (Vec::new(), Report::default(), Vec::new());
    export_pipeline::run(asked.history, &asked.ids(), asked.filter, &writer, |number, rendered| {
        let mut bytes = 0;
        match rendered {
            Rendered::Written(document) => {
                bytes = document.bytes.len();
                outcome.in_conversations += document.findings;
                report.add(&document.report);
                let mut whole = Vec::with_capacity(bytes + 1);
                let mut frame = Frame::of(asked.args.format);
                frame.item(&document.bytes, &mut whole)?;
                frame.end(&mut whole)?;
                document.assets.iter().try_for_each(|asset| folder.put_asset(asset))?;
                folder.put(&paths[number], &whole, Some(document.summary.clone()))?;
                current.push((paths[number].clone(), document.summary));
            }
            Rendered::NotWanted => {}
            Rendered::Failed(error) => troubles.push(error),
        }
        progress.step(bytes, &mut |line| ui.aside(line));
        Ok(())
    })?;
    progress.clear(&mut |line| ui.aside(line));
    outcome.matched = current.len();
    let (written, unchanged) = (folder.written, folder.unchanged);
    folder.remove_replaced(&current)?;
    write_index(ui, &mut folder, asked.args.format)?;
    folder.finish()?;
    for path in &folder.kept {
        ui.warning(&format!("left alone, because it was changed by somebody else: {path}"));
    }
    let besides = if unchanged > 0 { format!(", {unchanged} unchanged") } else { String::new() };
    ui.note(&format!("{} written to {}{besides}", counted(written, "conversation"), root.display()));
    tell_redacted(ui, &report);
    Ok(finish(ui, &outcome, &troubles))
}

/// The paths of all files; without secrets, if they are to be taken out.
fn names(asked: &Asked<'_>, writer: &Writer) -> Vec<String> {
    let mut summaries = asked.ids.clone();
    if let Some(shared) = &writer.redactor {
        // Never open by mistake: a name without redaction would be worse than a panic that somebody else had.
        let redactor = shared.lock().unwrap_or_else(PoisonError::into_inner).fresh();
        for summary in &mut summaries {
            redactor.fresh().summary(summary);
        }
    }
    export_names::paths(&summaries, asked.args.format)
}

fn write_index(ui: &Ui<'_>, folder: &mut Folder, format: Format) -> Result<(), CommandError> {
    let Some(name) = format.index_name() else { return Ok(()) };
    let encoded = |path: &str| path.replace('%', "%25");
    let entries = folder.conversations().into_iter();
    let entries: Vec<IndexEntry> =
        entries.map(|(path, summary)| IndexEntry { address: encoded(&path), summary }).collect();
    let zone = ui.environment.now.time_zone();
    let mut bytes = Vec::new();
    match format {
        Format::Html => html::index_page(&entries, zone, &mut bytes)?,
        Format::Md | Format::Jsonl | Format::Json | Format::Txt | Format::Csv => {
            markdown::index(&entries, zone, &mut bytes)?;
        }
    }
    bytes.flush()?;
    Ok(folder.put(name, &bytes, None)?)
}

fn tell_redacted(ui: &mut Ui<'_>, report: &Report) {
    if !report.is_empty() {
        ui.note(&format!("taken out: {}", report.told()));
    }
}

fn finish(ui: &mut Ui<'_>, outcome: &Outcome<'_>, troubles: &[AskError]) -> Exit {
    for error in troubles {
        ui.warning(&format!("left out: {}", chain(error)));
    }
    match outcome.conclude(ui) {
        Exit::Done if !troubles.is_empty() && outcome.is_strict => Exit::Findings,
        Exit::NothingMatched if !troubles.is_empty() => Exit::Unreadable,
        exit => exit,
    }
}
