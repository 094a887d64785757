//! Which conversation the user means by what they typed.

use backscroll_model::{ConversationId, Summary};

use crate::history::{AskError, History};
use crate::query::Query;

/// The conversation that `asked` means: `@1` for the latest, the beginning of an id, or part of a title.
pub(crate) fn resolve(history: &History, asked: &str) -> Result<ConversationId, AskError> {
    let no_match = || AskError::NoMatch { asked: asked.to_owned() };
    if let Some(number) = asked.strip_prefix('@').and_then(|number| number.parse::<usize>().ok()) {
        let listed = history.list(&Query::default()).summaries;
        let place = number.checked_sub(1).ok_or_else(no_match)?;
        return listed.into_iter().nth(place).map(|summary| summary.id).ok_or_else(no_match);
    }
    if asked.trim().is_empty() {
        return Err(no_match());
    }
    let ids = history.ids(asked);
    if let Some(exact) = ids.iter().find(|id| id.as_str() == asked) {
        return Ok(exact.clone());
    }
    if let [only] = ids.iter().collect::<Vec<_>>()[..] {
        return Ok(only.clone());
    }
    let all = history.list(&Query { all: true, ..Query::default() }).summaries;
    let matches: Vec<Summary> = if ids.is_empty() {
        match &history.nested(asked).into_iter().collect::<Vec<_>>()[..] {
            [only] => return Ok(only.clone()),
            _ => by_title(all, asked),
        }
    } else {
        all.into_iter().filter(|summary| ids.contains(&summary.id)).collect()
    };
    match &matches[..] {
        [] => Err(no_match()),
        [only] => Ok(only.id.clone()),
        _ => Err(AskError::Ambiguous { asked: asked.to_owned(), matches }),
    }
}

/// Those whose title holds `asked`, whatever the case; one whose title is just that wins.
fn by_title(all: Vec<Summary>, asked: &str) -> Vec<Summary> {
    let wanted = asked.to_lowercase();
    let title = |summary: &Summary| summary.title.as_deref().unwrap_or_default().to_lowercase();
    let found: Vec<Summary> = all.into_iter().filter(|summary| title(summary).contains(&wanted)).collect();
    let exact: Vec<Summary> = found.iter().filter(|summary| title(summary) == wanted).cloned().collect();
    if exact.len() == 1 { exact } else { found }
}
