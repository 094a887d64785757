//! What a tool answered, taken out of `{status, value}` and read as each tool writes it.

use backscroll_model::Payload;

use crate::wire_json::Object;

/// A tool's answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The answer without its envelope, as stored.
    pub value: Option<Payload>,
    /// The answer as text: what the model was shown.
    pub output: String,
    /// It failed: a bad status, or an exit code other than zero.
    pub is_error: bool,
    /// What it changed, where it tells.
    pub diff: Option<String>,
}

/// Takes `result` out of its envelope.
pub fn unwrap(result: Option<&Payload>) -> Outcome {
    let json = match result {
        None => return Outcome::default(),
        Some(Payload::Text(text)) => {
            return Outcome { value: result.cloned(), output: text.clone(), ..Outcome::default() };
        }
        Some(Payload::Json(json)) => json,
    };
    let Some(envelope) = Object::of(json) else {
        return plain(Payload::Json(json.clone()), false);
    };
    let is_bad = envelope.text("status").is_some_and(|status| {
        matches!(status.to_ascii_lowercase().as_str(), "error" | "failed" | "failure" | "rejected")
    });
    let inside = envelope.raw("value").or_else(|| envelope.raw("error").filter(|_| is_bad));
    let is_bare = envelope.raw("status").is_none() && envelope.raw("value").is_none();
    match inside {
        Some(inside) => plain(Payload::from_raw(inside), is_bad),
        None if is_bare => plain(Payload::Json(json.clone()), is_bad),
        None => Outcome { is_error: is_bad, ..Outcome::default() },
    }
}

fn plain(value: Payload, is_bad: bool) -> Outcome {
    let mut outcome = Outcome { is_error: is_bad, ..Outcome::default() };
    if let Payload::Json(json) = &value
        && let Some(object) = Object::of(json)
    {
        let exit_code = object.integer("exitCode").or_else(|| object.integer("exit_code"));
        outcome.is_error |= exit_code.is_some_and(|code| code != 0);
        outcome.diff = object.first_text(&["diffString", "diff"]).filter(|diff| !diff.is_empty());
        let reason = || reason(&object).filter(|_| is_bad);
        let output = shown(&object, outcome.diff.as_deref()).or_else(reason);
        outcome.output = output.unwrap_or_else(|| json.get().to_owned());
    } else if !value.is_hollow() {
        value.as_str().clone_into(&mut outcome.output);
    }
    outcome.value = Some(value);
    outcome
}

/// Why it failed, where a field says so in words.
fn reason(object: &Object<'_>) -> Option<String> {
    let inside = object.object("error").and_then(|error| error.text("message"));
    inside.or_else(|| object.first_text(&["error", "message", "reason"])).filter(|reason| !reason.is_empty())
}

fn shown(object: &Object<'_>, diff: Option<&str>) -> Option<String> {
    if object.raw("stdout").is_some() || object.raw("stderr").is_some() {
        let stdout = object.text("stdout").unwrap_or_default();
        let stdout = stdout.strip_suffix('\n').unwrap_or(&stdout);
        let stderr = object.text("stderr").unwrap_or_default();
        return Some(match (stdout.is_empty(), stderr.is_empty()) {
            (_, true) => stdout.to_owned(),
            (true, false) => format!("[stderr]\n{stderr}"),
            (false, false) => format!("{stdout}\n[stderr]\n{stderr}"),
        });
    }
    object.text("content").or_else(|| diff.map(str::to_owned))
}
