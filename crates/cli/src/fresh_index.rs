//! The search index, brought up to date before it is asked, with a line that says how far that is; and where it is
//! kept: each selection of places has its own.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

use backscroll_history::{Became, Cleaner, History, Index, IndexError, Manner, Refreshed, discard, refresh};
use backscroll_model::error_chain;
use backscroll_own_files::OwnFolder;

use crate::args::GlobalArgs;
use crate::environment::Environment;
use crate::error::{CommandError, Exit, Outcome, Result};
use crate::ui::{Progress, Ui};
use crate::wiring::Where;

/// Brings the index in `folder` up to date, in this manner.
pub(crate) fn bring_up_to_date(
    ui: &mut Ui<'_>,
    history: &History,
    folder: &Path,
    manner: Manner,
) -> Result<Refreshed, IndexError> {
    with_progress(ui, |progress| refresh(folder, history, manner, progress))
}

fn with_progress<T>(ui: &mut Ui<'_>, work: impl FnOnce(&mut dyn FnMut(usize, usize)) -> T) -> T {
    let mut progress = Progress::new(0, ui.shows_progress());
    let done = work(&mut |done, total| progress.stands(done, total, &mut |line| ui.aside(line)));
    progress.clear(&mut |line| ui.aside(line));
    done
}

/// The index in `folder`, as fresh as it can be, or a temporary one where that cannot be used. Says so if another process is just
/// writing it; what is wrong with the stores goes into the account of `outcome`.
pub(crate) fn fresh(
    ui: &mut Ui<'_>,
    history: &History,
    folder: Option<&Path>,
    outcome: &mut Outcome<'_>,
) -> Result<Index> {
    let mut kept = folder.map(|folder| kept(ui, history, folder));
    if let (Some(folder), Some(Err(error))) = (folder, &kept)
        && (error.is_damage() || error.is_gone())
    {
        discard(folder);
        kept = Some(self::kept(ui, history, folder));
    }
    let (index, refreshed) = match kept {
        Some(Err(error)) if error.is_in_the_way() => return Err(error.into()),
        Some(Err(error)) => temporary(ui, history, &error_chain(&error))?,
        Some(Ok(None)) => temporary(ui, history, "another backscroll is still making the index")?,
        None => temporary(ui, history, "there is no folder for the index; --index names one")?,
        Some(Ok(Some(kept))) => kept,
    };
    outcome.unreadable.extend(refreshed.unreadable);
    outcome.take(history.account());
    if refreshed.became == Became::Busy {
        ui.warning("another backscroll is writing the index; this is what it held before");
    }
    // What was lost is said when it is first met, and whenever somebody is strict about it.
    outcome.note_losses(if outcome.is_strict { index.losses()? } else { refreshed.losses });
    Ok(index)
}

/// The index in `folder`, brought up to date; `None` if another process is still making it.
fn kept(ui: &mut Ui<'_>, history: &History, folder: &Path) -> Result<Option<(Index, Refreshed)>, IndexError> {
    let manner = Manner::ordinary(ui.environment.now.timestamp());
    let refreshed = bring_up_to_date(ui, history, folder, manner)?;
    let Some(index) = Index::open(folder)? else { return Ok(None) };
    // The first question opens all its files. After that they may be deleted.
    index.conversations()?;
    Ok(Some((index, refreshed)))
}

/// An index for this command alone.
fn temporary(ui: &mut Ui<'_>, history: &History, why: &str) -> Result<(Index, Refreshed), IndexError> {
    ui.warning(&format!("a temporary index is used: {why}"));
    let now = ui.environment.now.timestamp();
    with_progress(ui, |progress| Index::apart(history, now, progress))
}

pub(crate) fn no_folder() -> CommandError {
    CommandError::new(Exit::Refused, "there is no folder for the index")
}

impl From<IndexError> for CommandError {
    fn from(error: IndexError) -> Self {
        // That error says itself what to do.
        let is_in_the_way = error.is_in_the_way();
        let refused = Self::new(Exit::Refused, error);
        let hint = "the index is a cache: its folder may be deleted, see `backscroll index status`";
        if is_in_the_way { refused } else { refused.hinted(hint) }
    }
}

/// The index's folder; `None` if this system has no place for it and none was named.
pub(crate) fn index_folder(
    global: &GlobalArgs,
    places: &Where,
    environment: &Environment,
) -> Option<PathBuf> {
    let named = global.index.as_ref().map(|folder| environment.current_folder.join(folder));
    let beneath = named.or_else(|| environment.cache.as_ref().map(|cache| cache.join("index")))?;
    Some(beneath.join(index_name(places)))
}

/// The folder of the index that a history with this cleaner has below `folder`, the one of a history without. It holds no word that the
/// cleaner takes out, so that no search finds a piece of a secret.
pub(crate) fn folder_for(folder: &Path, cleaner: Option<&Cleaner>) -> PathBuf {
    let Some(cleaner) = cleaner else { return folder.to_owned() };
    let redacted = folder.with_extension(format!("redacted-{}", cleaner.fingerprint()));
    if !redacted.exists() {
        // Those of other rules would be left for ever. Where one cannot be removed, it only takes room.
        let _ = remove_outdated(folder);
    }
    redacted
}

/// Removes the indexes beside `folder` that other rules of redaction made.
fn remove_outdated(folder: &Path) -> io::Result<()> {
    let beneath = OwnFolder::open(folder.parent().unwrap_or(folder))?;
    let begins = format!("{}.redacted-", folder.file_name().unwrap_or_default().to_string_lossy());
    for outdated in beneath.names().into_iter().filter(|name| name.starts_with(&begins)) {
        let Some(files) = OwnFolder::find_private(&beneath.place().join(&outdated))? else { continue };
        for file in files.names() {
            beneath.remove(Path::new(&outdated).join(file))?;
        }
    }
    Ok(())
}

/// A name for what is looked at: the same in every run, another for other places.
fn index_name(places: &Where) -> String {
    let mut hasher = DefaultHasher::new();
    let around = &places.environment;
    if places.stores.is_empty() {
        places.home.hash(&mut hasher);
        around.user_data_dirs.hash(&mut hasher);
        if places.home.is_none() {
            let around = [
                &around.home,
                &around.xdg_config_home,
                &around.appdata,
                &around.cursor_config_dir,
                &around.cursor_data_dir,
                &around.windows_users,
            ];
            around.hash(&mut hasher);
        }
    } else {
        places.stores.hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}
