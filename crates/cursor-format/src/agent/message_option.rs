//! What Cursor writes beside a message, in `providerOptions.cursor`.

use serde_json::value::RawValue;

use crate::diff;
use crate::placeholders::known_model;
use crate::wire_json::{Text, Truth, wire};

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

wire! { struct WireOptions<'a> { cursor: WireCursor<'a> = "cursor", } }
wire! {
    struct WireCursor<'a> {
        request_id: Text<'a> = "requestId",
        model: Text<'a> = "modelName",
        high_level: Option<&'a RawValue> = "highLevelToolCallResult",
    }
}
wire! { struct WireHighLevel<'a> { is_error: Truth = "isError", output: WireOutcome<'a> = "output", } }
wire! {
    struct WireOutcome<'a> {
        success: WireSuccess<'a> = "success",
        rejected: Option<&'a RawValue> = "rejected",
    }
}
wire! {
    struct WireSuccess<'a> {
        path: Text<'a> = "path",
        diff: Text<'a> = "diffString",
        before: Text<'a> = "beforeFullFileContent",
        after: Text<'a> = "afterFullFileContent",
        agent_id: Text<'a> = "agentId",
    }
}

/// `providerOptions.cursor`.
pub(super) fn cursor_options(raw: &RawValue) -> Option<CursorOptions> {
    let WireOptions { cursor } = serde_json::from_str(raw.get()).ok()?;
    Some(CursorOptions {
        request_id: cursor.request_id.owned(),
        model: cursor.model.filled().and_then(known_model).map(str::to_owned),
        high_level: cursor.high_level.and_then(high_level),
    })
}

fn high_level(raw: &RawValue) -> Option<HighLevel> {
    let stored: WireHighLevel<'_> = serde_json::from_str(raw.get()).ok()?;
    let success = stored.output.success;
    let computed = || {
        let before = success.before.filled().unwrap_or_default();
        diff::unified(success.path.filled().unwrap_or_default(), before, success.after.filled()?)
    };
    Some(HighLevel {
        is_error: stored.is_error.0,
        is_rejected: stored.output.rejected.is_some(),
        diff: success.diff.owned().or_else(computed),
        child: success.agent_id.owned(),
    })
}
