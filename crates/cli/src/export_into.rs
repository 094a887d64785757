//! What an export is asked for, and its first way: all into one stream.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use backscroll_history::{AskError, History, Query};
use backscroll_model::{ConversationId, Summary};
use backscroll_render::redact::{Redactor, Report};

use crate::commands::export::ExportArgs;
use crate::counted::counted;
use crate::error::{CommandError, chain};
use crate::exit::Exit;
use crate::export_folder::{ASSETS, Folder};
use crate::export_format::Frame;
use crate::export_render::{Rendered, Wanted};
use crate::export_writer::{Document, Redaction, Writer};
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

impl<'a> Asked<'a> {
    /// What writes them.
    pub(crate) fn writer(&mut self, ui: &Ui<'_>) -> Writer {
        Writer {
            format: self.args.format(),
            detail: self.args.detail.detail(),
            time_zone: ui.environment.now.time_zone().clone(),
            is_one_of_several: self.ids.len() > 1,
            links: BTreeMap::new(),
            titles: BTreeMap::new(),
            index: None,
            assets: self.args.has_assets().then(|| format!("{ASSETS}/")),
            redaction: self.redactor.take().map(Redaction::by),
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
pub(crate) fn tell_redacted(ui: &mut Ui<'_>, report: &Report) {
    if !report.is_empty() {
        ui.note(&format!("taken out: {}", report.told()));
    }
}

/// Says what was left out, and decides how the program ends.
pub(crate) fn finish(ui: &mut Ui<'_>, outcome: &Outcome<'_>, troubles: &[AskError]) -> Exit {
    for error in troubles {
        ui.warning(&format!("left out: {}", chain(error)));
    }
    match outcome.conclude(ui) {
        Exit::Done if !troubles.is_empty() && outcome.is_strict => Exit::Findings,
        Exit::NothingMatched if !troubles.is_empty() => Exit::Unreadable,
        exit => exit,
    }
}
