//! The second way of an export: one file for each conversation into a folder, and a page that lists them.

use std::path::Path;

use backscroll_render::html::{self, IndexEntry};
use backscroll_render::markdown;

use crate::counted::counted;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::export_folder::Folder;
use crate::export_format::{Format, Frame};
use crate::export_into::{self, Asked};
use crate::export_key;
use crate::export_names;
use crate::export_writer::Writer;
use crate::outcome::Outcome;
use crate::ui::Ui;

/// Writes one file for each conversation into `root`, and a page that lists them.
pub(crate) fn folder(
    ui: &mut Ui<'_>,
    mut outcome: Outcome<'_>,
    mut asked: Asked<'_>,
    root: &Path,
) -> Result<Exit, CommandError> {
    let mut folder = Folder::open(root, asked.args.update, asked.args.force)?;
    if asked.ids.is_empty() {
        return Ok(export_into::finish(ui, &outcome, &[]));
    }
    if let Some(redactor) = asked.redactor.take() {
        let key = export_key::key(ui.environment.cache.as_deref())?;
        asked.redactor = Some(redactor.numbered_by(folder.number_with(key)));
    }
    let mut writer = Writer { is_one_of_several: false, ..asked.writer(ui) };
    // Even of one conversation: its name may hold what only its messages give away.
    asked.learn(ui, &writer)?;
    let told = writer.told(&asked.ids);
    let paths = export_names::paths(&told, asked.args.format());
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
        return Ok(export_into::finish(ui, &outcome, &troubles));
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
    export_into::tell_redacted(ui, &writer.report());
    Ok(export_into::finish(ui, &outcome, &troubles))
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
