//! An export: what it is asked for, and its two ways: all into one stream, or one file for each conversation into a folder.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use backscroll_history::{AskError, History, Query};
use backscroll_model::{ConversationId, Summary, Surface, error_chain};
use backscroll_redact::{Redactor, Report};
use backscroll_render::html::IndexEntry;
use backscroll_render::{html, markdown};

use crate::commands::export::ExportArgs;
use crate::error::{CommandError, Exit, Outcome};
use crate::export_folder::{self, ASSETS, Folder};
use crate::export_render::{Rendered, Wanted};
use crate::export_writer::{Document, Format, Frame, Redaction, Writer};
use crate::output_file::OutputFile;
use crate::ui::{Progress, Ui, counted};

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
        let nameless = || Summary::without_origin(id.clone(), Surface::Ide);
        if need_names { history.load(&id).map(|whole| whole.summary) } else { Ok(nameless()) }
    };
    Ok(ids.into_iter().map(known).collect::<Result<_, AskError>>()?)
}

/// Tells before anything is read if the file cannot be written.
pub(crate) fn check_file(place: Option<&Path>, args: &ExportArgs) -> Result<(), CommandError> {
    // Opening a pipe to close it again would end its reader.
    let file = place.filter(|place| !place.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir()));
    file.map_or(Ok(()), |place| OutputFile::create(place, args.force).map(drop))
}

impl<'a> Asked<'a> {
    /// What writes them.
    pub(crate) fn writer(&mut self, ui: &Ui<'_>) -> Writer {
        Writer {
            format: self.args.format(),
            detail: self.args.detail,
            time_zone: ui.environment.now.time_zone().clone(),
            is_one_of_several: self.ids.len() > 1,
            links: BTreeMap::new(),
            titles: BTreeMap::new(),
            index: None,
            assets: self.args.has_assets().then(|| format!("{ASSETS}/")),
            redaction: self.redactor.take().map(Redaction::new),
        }
    }

    fn wanted(&self) -> Wanted<'a> {
        let ids = self.ids.iter().map(|summary| summary.id.clone()).collect();
        Wanted { history: self.history, ids, filter: self.filter }
    }

    /// Looks for secrets in all conversations before anything is written, where they are to go.
    pub(crate) fn learn(&self, ui: &mut Ui<'_>, writer: &Writer) -> Result<(), CommandError> {
        if !writer.redacts() {
            return Ok(());
        }
        let mut progress = Progress::of(self.ids.len(), ui.shows_progress()).doing("looking for secrets");
        self.wanted().learn(writer, || progress.step(0, &mut |line| ui.aside(line)))?;
        progress.clear(&mut |line| ui.aside(line));
        Ok(())
    }

    /// Gives every conversation to `put` in its format, and tells what could not be read.
    pub(crate) fn write_each(
        &self,
        ui: &mut Ui<'_>,
        outcome: &mut Outcome<'_>,
        writer: &Writer,
        mut put: impl FnMut(&mut Ui<'_>, usize, Document) -> io::Result<()>,
    ) -> Result<Vec<AskError>, CommandError> {
        let mut progress = Progress::of(self.ids.len(), ui.shows_progress());
        let mut troubles = Vec::new();
        let written = self.wanted().render(writer, |number, rendered| {
            let mut bytes = 0;
            match rendered {
                Rendered::Written(document) => {
                    bytes = document.bytes.len();
                    outcome.in_conversations += document.findings;
                    outcome.matched += 1;
                    put(ui, number, *document)?;
                }
                Rendered::NotWanted => {}
                Rendered::Failed(error) => troubles.push(error),
                Rendered::Unwritten(error) => return Err(error),
            }
            progress.step(bytes, &mut |line| ui.aside(line));
            Ok(())
        });
        progress.clear(&mut |line| ui.aside(line));
        written?;
        Ok(troubles)
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
    let mut pictures = beside
        .filter(|_| asked.args.has_assets())
        .map(|beside| Folder::open(beside, false, false))
        .transpose()?;
    let writer = asked.writer(ui);
    if asked.ids.len() > 1 {
        asked.learn(ui, &writer)?;
    }
    let mut frame = Frame::of(asked.args.format());
    let troubles = asked.write_each(ui, &mut outcome, &writer, |ui, _, document| {
        match &mut file {
            Some(file) => frame.item(&document.bytes, file)?,
            None => frame.item(&document.bytes, ui.out())?,
        }
        let Some(pictures) = &mut pictures else { return Ok(()) };
        document.assets.iter().try_for_each(|asset| pictures.put_asset(asset))
    })?;
    let matched = outcome.matched;
    match &mut file {
        Some(file) => frame.end(file)?,
        None => frame.end(ui.out())?,
    }
    ui.flush()?;
    // A file without a single conversation would only be mistaken for a result.
    if let Some(file) = file.filter(|_| matched > 0) {
        let place = file.keep()?;
        ui.note(&format!("{} written to {}", counted(matched, "conversation"), place.display()));
    }
    tell_redacted(ui, &writer.report());
    Ok(finish(ui, &outcome, &troubles))
}

/// Says what was taken out.
fn tell_redacted(ui: &mut Ui<'_>, report: &Report) {
    if !report.is_empty() {
        ui.note(&format!("taken out: {}", report.told()));
    }
}

/// Says what was left out, and decides how the program ends.
pub(crate) fn finish(ui: &mut Ui<'_>, outcome: &Outcome<'_>, troubles: &[AskError]) -> Exit {
    for error in troubles {
        ui.warning(&format!("left out: {}", error_chain(error)));
    }
    match outcome.conclude(ui) {
        Exit::Done if !troubles.is_empty() && outcome.is_strict => Exit::Findings,
        Exit::NothingMatched if !troubles.is_empty() => Exit::Unreadable,
        exit => exit,
    }
}

/// Writes one file for each conversation into `root`, and a page that lists them.
pub(crate) fn folder(
    ui: &mut Ui<'_>,
    mut outcome: Outcome<'_>,
    mut asked: Asked<'_>,
    root: &Path,
) -> Result<Exit, CommandError> {
    let mut folder = Folder::open(root, asked.args.update, asked.args.force)?;
    if asked.ids.is_empty() {
        return Ok(finish(ui, &outcome, &[]));
    }
    let mut writer = Writer { is_one_of_several: false, ..asked.writer(ui) };
    // Even of one conversation: its name may hold what only its messages give away.
    asked.learn(ui, &writer)?;
    let told = writer.told(&asked.ids);
    let paths = export_folder::paths(&told, asked.args.format());
    folder.check(paths.iter().map(String::as_str).chain(asked.args.format().index_name()))?;
    let linked = asked.ids.iter().zip(&paths);
    writer.links = linked.map(|(summary, path)| (summary.id.to_string(), format!("../{path}"))).collect();
    let titles = told.into_iter().filter_map(|summary| Some((summary.id.to_string(), summary.title?)));
    writer.titles = titles.collect();
    writer.index = asked.args.format().index_name().map(|name| format!("../{name}"));
    writer.assets = writer.assets.map(|assets| format!("../{assets}"));
    let mut current = Vec::new();
    let troubles = asked.write_each(ui, &mut outcome, &writer, |_, number, document| {
        let mut whole = Vec::with_capacity(document.bytes.len() + 1);
        let mut frame = Frame::of(asked.args.format());
        frame.item(&document.bytes, &mut whole)?;
        frame.end(&mut whole)?;
        document.assets.iter().try_for_each(|asset| folder.put_asset(asset))?;
        folder.put(&paths[number], &whole, Some(document.summary.clone()))?;
        current.push((paths[number].clone(), document.summary));
        Ok(())
    })?;
    if current.is_empty() {
        return Ok(finish(ui, &outcome, &troubles));
    }
    let (written, unchanged) = (folder.written, folder.unchanged);
    folder.remove_replaced(&current)?;
    write_index(ui, &mut folder, asked.args.format())?;
    folder.finish()?;
    for path in &folder.kept {
        ui.warning(&format!("left alone, because it was changed by somebody else: {path}"));
    }
    let besides = if unchanged > 0 { format!(", {unchanged} unchanged") } else { String::new() };
    ui.note(&format!("{} written to {}{besides}", counted(written, "conversation"), root.display()));
    tell_redacted(ui, &writer.report());
    Ok(finish(ui, &outcome, &troubles))
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
    Ok(folder.put(name, &bytes, None)?)
}
