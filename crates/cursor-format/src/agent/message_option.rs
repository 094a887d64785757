//! What Cursor writes beside a message, in `providerOptions.cursor`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::message_part::{flag, object, plain};
use crate::diff;

/// What Cursor says beside a message.
pub(super) struct CursorOptions {
    pub(super) request_id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) high_level: Option<HighLevel>,
}

/// What is of use in Cursor's structured copy of a result.
#[derive(Debug, Clone, Default)]
pub(super) struct HighLevel {
    pub(super) is_error: bool,
    pub(super) is_rejected: bool,
    pub(super) diff: Option<String>,
    pub(super) child: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Options<'a> {
    #[serde(borrow)]
    cursor: Option<&'a RawValue>,
    #[serde(borrow)]
    request_id: Option<&'a RawValue>,
    #[serde(borrow)]
    model_name: Option<&'a RawValue>,
    #[serde(borrow)]
    high_level_tool_call_result: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct StoredHighLevel<'a> {
    #[serde(borrow)]
    is_error: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Outcome<'a> {
    #[serde(borrow)]
    success: Option<&'a RawValue>,
    #[serde(borrow)]
    rejected: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Success<'a> {
    #[serde(borrow)]
    path: Option<&'a RawValue>,
    #[serde(borrow)]
    diff_string: Option<&'a RawValue>,
    #[serde(borrow)]
    before_full_file_content: Option<&'a RawValue>,
    #[serde(borrow)]
    after_full_file_content: Option<&'a RawValue>,
    #[serde(borrow)]
    agent_id: Option<&'a RawValue>,
}

/// `providerOptions.cursor`.
pub(super) fn cursor_options(raw: &RawValue) -> Option<CursorOptions> {
    let cursor: Options<'_> = object(object::<Options<'_>>(raw)?.cursor?)?;
    Some(CursorOptions {
        request_id: plain(cursor.request_id),
        model: plain(cursor.model_name),
        high_level: cursor.high_level_tool_call_result.and_then(high_level),
    })
}

fn high_level(raw: &RawValue) -> Option<HighLevel> {
    let stored: StoredHighLevel<'_> = object(raw)?;
    let outcome: Outcome<'_> = stored.output.and_then(object).unwrap_or_default();
    let success: Success<'_> = outcome.success.and_then(object).unwrap_or_default();
    let computed = || {
        let before = plain(success.before_full_file_content).unwrap_or_default();
        let after = plain(success.after_full_file_content)?;
        diff::unified(&plain(success.path).unwrap_or_default(), &before, &after)
    };
    Some(HighLevel {
        is_error: flag(stored.is_error),
        is_rejected: outcome.rejected.is_some(),
        diff: plain(success.diff_string).or_else(computed),
        child: plain(success.agent_id),
    })
}
