//! Values that stand beside their name without a sign between them: in manifests, calls, tags, cells of tables, sentences.

use std::sync::LazyLock;

use regex::Regex;

use crate::assignment::{FAR, Value, Written, bare, quoted};
use crate::likely;
use crate::options::around;

/// How far before its name a word may stand that tells what it is.
const NEAR: usize = 120;

/// A way in which a value stands beside its name.
struct Way {
    /// What stands before the name.
    begins: fn(before: &str, name: &str) -> bool,
    /// What stands between them.
    between: Regex,
    takes: Takes,
}

/// What is taken for a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// Whatever would be one behind a sign.
    AsIfSigned,
    /// The same, if it is not a word of the sentence.
    Said,
    /// A string.
    Argument,
    /// Anything that can hardly be something else.
    Cell,
    /// All up to the closing tag.
    Element,
    /// All up to the end of the line.
    Line,
}

static WAYS: LazyLock<Vec<Way>> = LazyLock::new(|| {
    let way = |begins, between, takes| Way {
        begins,
        between: Regex::new(between).expect("the pattern is written here"),
        takes,
    };
    vec![
        // `name: API_KEY` and in the next line `value: …`; `<add key="ApiKey" value="…"`; a variable and its default.
        way(
            |before, _| {
                let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
                before.trim_end_matches(is_of_name).trim_end().ends_with(['"', '\'', ':', '='])
            },
            r#"^["'\\]*\s*[,;{]?\s*(?:(?:type|sensitive|nullable|description)\s*=\s*(?:"[^"\n]*"|\w+)\s*)*["'\\]*(?:[Vv]alue|default)["'\\]*\s*[:=][ \t]*"#,
            Takes::AsIfSigned,
        ),
        // `define("API_KEY", "…")`, `setApiKey("…")`.
        way(|before, _| before.ends_with(['"', '\'']), r#"^["'],\s*"#, Takes::Argument),
        way(|before, _| !before.ends_with(['"', '\'']), r"^\(\s*", Takes::Argument),
        // `storePassword "…"`, `ALTER USER mira PASSWORD '…'`.
        way(|_, _| true, r"^[ \t]+", Takes::Argument),
        // `set -x API_KEY …`, `setx API_KEY …`, `ENV DB_PASSWORD …`, `gh secret set API_KEY --body …`.
        way(|before, _| sets(before), r"^[ \t]+(?:(?:--body|-b|--value)[ =])?", Takes::AsIfSigned),
        // `<password>…</password>`.
        way(
            |before, _| {
                before
                    .trim_end_matches(|c: char| c.is_ascii_alphanumeric() || ":._-".contains(c))
                    .ends_with('<')
            },
            r"^(?:\s[^<>]{0,160})?>\s*(?:<[Vv]alue>)?",
            Takes::Element,
        ),
        // A part of a form.
        way(
            |before, _| before.ends_with("name=\""),
            r#"^"(?:;[^\n]{0,80})?\r?\n(?:[\w-]+:[^\n]{0,80}\r?\n)*\r?\n"#,
            Takes::Line,
        ),
        // `<setting name="ApiSecret"><value>…</value>`, `<Key>Password</Key><Value>…</Value>`.
        way(
            |before, _| before.contains('<'),
            r#"^(?:"[^<>]{0,120})?(?:</\w+)?>\s*<(?:[Vv]alue|string|td|dd|t)(?:\s[^<>]{0,80})?>"#,
            Takes::Element,
        ),
        way(|before, _| before.contains("=\""), r#"^"[^<>]{0,120}>"#, Takes::Element),
        // `<key>ApiKey</key><string>…</string>`.
        way(|before, _| before.ends_with("<key>"), r"^</key>\s*<string>", Takes::Element),
        // `| API_KEY | … |`.
        way(
            |before, _| before.trim_end_matches(['`', '*', ' ']).ends_with('|'),
            r"^[`*]* *\| *",
            Takes::Cell,
        ),
        // A name and a value in columns, as commands print them.
        way(|before, _| before.is_empty() || before.ends_with('\n'), r"^(?: {2,}|\t)[ \t]*", Takes::Cell),
        // `The password is …`.
        way(|_, _| true, r"^[ \t]+(?:is|was|ist|war|lautet)[ \t]*:?[ \t]+", Takes::Said),
        // `machine git.test login mira password …`, `requirepass …`.
        way(is_listed, r"^[ \t]+", Takes::AsIfSigned),
    ]
});

/// The value that stands beside the name between `start` and `end`.
pub(crate) fn value_beside(text: &str, start: usize, end: usize) -> Option<Value> {
    let (before, behind) = (&text[around(text, start, NEAR, 0)], &text[around(text, end, 0, FAR)]);
    let name = &text[start..end];
    WAYS.iter().filter(|way| (way.begins)(before, name)).find_map(|way| {
        let at = end + way.between.find(behind)?.end();
        let value = value_of_way(text, at, way.takes)?;
        match way.takes {
            Takes::Said if likely::is_one_word(text.get(value.range.clone())?) => None,
            Takes::AsIfSigned | Takes::Said | Takes::Element | Takes::Line => Some(value),
            Takes::Argument if value.written != Written::Quoted => None,
            Takes::Argument | Takes::Cell => Some(Value { written: Written::Loose, ..value }),
        }
    })
}

/// The value that begins at `at`, in quotes or not; in a tag it ends where the next one begins.
fn value_of_way(text: &str, at: usize, takes: Takes) -> Option<Value> {
    if takes == Takes::Line {
        let length =
            text.get(at..)?.bytes().take(FAR).take_while(|byte| !matches!(byte, b'\n' | b'\r')).count();
        return Some(Value { range: at..at + length, written: Written::Quoted });
    }
    if takes == Takes::Element {
        let rest = text.get(at..)?;
        if let Some(data) = rest.strip_prefix("<![CDATA[") {
            let length = data.find("]]>").filter(|length| *length <= FAR)?;
            let begin = at + rest.len() - data.len();
            return Some(Value { range: begin..begin + length, written: Written::Quoted });
        }
        let length = rest.bytes().take(FAR).position(|byte| matches!(byte, b'<' | b'\n'))?;
        let is_closed = length > 0 && rest[length..].starts_with("</");
        return is_closed.then_some(Value { range: at..at + length, written: Written::Quoted });
    }
    match text.as_bytes().get(at..)? {
        // A string that holds a string: `"\"…\""`.
        [b'"', b'\\', b'"', ..] => quoted(text, at + 3, b'"', 1),
        [quote @ (b'"' | b'\'' | b'`'), ..] => quoted(text, at + 1, *quote, 0),
        _ => bare(text, at, false),
    }
}

/// Whether the words before a variable say that it is being set.
fn sets(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let said = line.split_whitespace().rfind(|word| !word.starts_with('-'));
    let said = said.and_then(|word| word.rsplit(['"', '\'', '`', '(']).next());
    said.is_some_and(|word| ["set", "setx", "setenv", "ENV", "ARG"].contains(&word))
}

/// Whether this is a line of a file in which a space stands between names and values.
fn is_listed(before: &str, name: &str) -> bool {
    let is_netrc = name == "password" && before.contains("machine ") && before.contains("login ");
    is_netrc || matches!(name, "requirepass" | "bindpw" | "_authToken")
}
