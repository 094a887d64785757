//! Every recorded transcript, against the tallies in its `about.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use backscroll_cursor_format::transcript::{
    Dialect, Transcript, absolute_paths, decode, head, link_subagents,
};
use backscroll_model::{
    ConversationId, FindingKind, Layer, Message, Origin, Part, Payload, Role, ToolStatus,
};
use toml::{Table, Value};

fn recorded() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/recorded");
    let entries = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("transcripts-"))
        .collect();
    folders.sort();
    folders
}

fn number(table: &Table, key: &str) -> u64 {
    table.get(key).and_then(Value::as_integer).map_or(0, |n| n.try_into().unwrap())
}

fn tally(table: &Table, key: &str) -> BTreeMap<String, u64> {
    let inner = table.get(key).and_then(Value::as_table).cloned().unwrap_or_default();
    inner.keys().map(|name| (name.clone(), number(&inner, name))).collect()
}

fn count(messages: &[Message], is: impl Fn(&Part) -> bool) -> u64 {
    messages.iter().flat_map(|message| &message.parts).filter(|part| is(part)).count() as u64
}

fn roles(messages: &[Message], role: Role) -> u64 {
    messages.iter().filter(|message| message.role == role).count() as u64
}

fn answered(messages: &[Message]) -> u64 {
    let calls = messages.iter().flat_map(Message::tool_calls);
    calls.filter(|call| call.status == ToolStatus::Completed).count() as u64
}

fn check(text: &str, transcript: &Transcript, expected: &Table) {
    let messages = &transcript.messages;
    let by_role = tally(expected, "by_role");
    let parts = tally(expected, "parts");
    let part = |name: &str| parts.get(name).copied().unwrap_or(0);
    // What the editor said in the user's name is of the role `system` with us, and of the role `user` in the file.
    assert_eq!(roles(messages, Role::User) + roles(messages, Role::System), by_role["user"]);
    assert_eq!(roles(messages, Role::Assistant), by_role["assistant"]);
    let mut tools: BTreeMap<String, u64> = BTreeMap::new();
    for call in messages.iter().flat_map(Message::tool_calls) {
        *tools.entry(call.raw_name.clone()).or_default() += 1;
        let takes_none = call.raw_name.ends_with("list_allowed_directories");
        assert_eq!(call.arguments.is_none(), takes_none, "{}", call.raw_name);
    }
    assert_eq!(tools, tally(expected, "tools"));
    let calls = count(messages, |one| matches!(one, Part::ToolCall(_)));
    assert_eq!(calls, part("tool_call") + part("tool_use") + part("toolCalls"));
    assert_eq!(answered(messages), part("tool_result") + part("toolResult"));
    assert_eq!(answered(messages), by_role.get("tool").copied().unwrap_or(part("tool_result")));
    let glued = count(
        messages,
        |one| matches!(one, Part::ToolCall(call) if matches!(&call.arguments, Some(Payload::Text(text)) if text.starts_with("*** Begin Patch"))),
    );
    assert_eq!(glued, number(expected, "glued_patch_calls"));
    let prompts = messages.iter().filter(|one| one.role == Role::User && !one.text().trim().is_empty());
    assert_eq!(prompts.count() as u64, part("<user_query>"));
    let timed = messages.iter().filter(|one| one.at.at.is_some());
    assert_eq!(timed.count() as u64, part("<timestamp>"));
    if expected["format"].as_str() == Some("jsonl") {
        assert_eq!(count(messages, |one| matches!(one, Part::Text(_))), part("text"));
    }
    if expected["format"].as_str() == Some("txt") {
        check_wrappers(messages, &parts);
        check_thoughts(text, messages, part("thinking") + part("<think>"));
    }
}

/// The tallies of JSON files do not count these.
fn check_wrappers(messages: &[Message], parts: &BTreeMap<String, u64>) {
    let part = |name: &str| parts.get(name).copied().unwrap_or(0);
    let wrapped = |tag: &str| {
        count(messages, |one| matches!(one, Part::Attachment(it) if it.title.as_deref() == Some(tag)))
    };
    assert_eq!(wrapped("manually_attached_skills"), part("<manually_attached_skills>"));
    assert_eq!(wrapped("attached_files") + wrapped("code_selection"), part("<attached_files>"));
}

/// Markers with nothing behind them are counted in the tally and are no thoughts.
fn check_thoughts(text: &str, messages: &[Message], marked: u64) {
    let empty = text.lines().filter(|line| *line == "[Thinking] ").count() as u64;
    let thoughts = count(messages, |one| matches!(one, Part::Thinking { .. }));
    assert_eq!(thoughts + empty, marked);
}

#[test]
fn every_tally_holds() {
    let mut files = 0;
    for folder in recorded() {
        let about: Table = fs::read_to_string(folder.join("about.toml")).unwrap().parse().unwrap();
        let expected = about["expected"].as_table().unwrap();
        for file in expected["file"].as_array().unwrap() {
            let file = file.as_table().unwrap();
            let path = folder.join(file["path"].as_str().unwrap());
            let dialect = Dialect::of_extension(file["format"].as_str().unwrap()).unwrap();
            let bytes = fs::read(&path).unwrap();
            let origin = Origin::new(Layer::TranscriptText, path.as_path(), "file");
            let decoded = decode(dialect, &bytes, &origin);
            eprintln!("{}", path.display());
            check(std::str::from_utf8(&bytes).unwrap(), &decoded.value, file);
            let records = tally(file, "by_role").values().sum::<u64>();
            assert_eq!(decoded.value.records, records);
            assert_eq!(decoded.findings, []);
            assert!(decoded.value.coverage.adds_up());
            assert!(head(dialect, &bytes).title.is_some());
            files += 1;
        }
        let listed = expected["file"].as_array().unwrap().len() as u64;
        assert_eq!(number(expected, "files"), listed);
    }
    assert_eq!(files, 14);
}

#[test]
fn the_head_is_the_title_of_the_first_prompt_everywhere() {
    for folder in recorded() {
        for path in files_below(&folder) {
            let Some(dialect) = path.extension().and_then(|e| Dialect::of_extension(e.to_str().unwrap()))
            else {
                continue;
            };
            let bytes = fs::read(&path).unwrap();
            let origin = Origin::new(Layer::TranscriptText, path.as_path(), "file");
            let messages = decode(dialect, &bytes, &origin).value.messages;
            let first = messages.iter().find(|one| one.role == Role::User && !one.text().is_empty()).unwrap();
            let head = head(dialect, &bytes);
            assert_eq!(head.title, backscroll_cursor_format::user_text::title_line(&first.text()));
            assert_eq!(head.at, first.at.at);
        }
    }
}

/// The longest beginning of the tool paths whose slug is the folder's name (rule 5 of the slugs).
#[test]
fn tool_paths_name_the_folder_of_a_slug() {
    let folder = recorded().into_iter().find(|path| path.ends_with("transcripts-jsonl-txt-pairs")).unwrap();
    let mut all = Vec::new();
    for path in files_below(&folder).into_iter().filter(|path| path.extension().is_some_and(|e| e == "txt")) {
        let origin = Origin::new(Layer::TranscriptText, path.as_path(), "file");
        all.extend(absolute_paths(&decode(Dialect::Text, &fs::read(&path).unwrap(), &origin).value.messages));
    }
    let found = backscroll_cursor_format::slug::folder_of(
        "Users-dev-Documents-dev-ehuficiw-config",
        all.iter().map(String::as_str),
    );
    assert_eq!(found.as_deref(), Some("/Users/dev/Documents/dev/ehuficiw-config"));
}

/// A file cut anywhere gives a beginning of its messages and reports the cut.
#[test]
fn a_cut_file_gives_what_is_complete() {
    let folder = recorded().into_iter().find(|path| path.ends_with("transcripts-parent-subagent")).unwrap();
    let path =
        files_below(&folder).into_iter().find(|p| p.extension().is_some_and(|e| e == "jsonl")).unwrap();
    let bytes = fs::read(&path).unwrap();
    let origin = Origin::new(Layer::TranscriptJsonl, path.as_path(), "file");
    let whole = decode(Dialect::Jsonl, &bytes, &origin).value.messages;
    for length in 0..bytes.len() {
        let cut = decode(Dialect::Jsonl, &bytes[..length], &origin);
        assert_eq!(cut.value.messages[..], whole[..cut.value.messages.len()]);
        let is_at_line_end = length == 0 || bytes[length - 1] == b'\n' || bytes[length] == b'\n';
        let is_read = cut.findings.iter().any(|one| one.kind == FindingKind::Incomplete);
        assert_eq!(is_read, !is_at_line_end, "cut at {length}");
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect();
    files.sort();
    files
}

/// C062: a subagent is linked to the call that has its prompt.
#[test]
fn c062_subagents_are_linked_by_their_prompt() {
    let folder = recorded().into_iter().find(|path| path.ends_with("transcripts-parent-subagent")).unwrap();
    let files = files_below(&folder);
    let read = |path: &Path| {
        let origin = Origin::new(Layer::TranscriptJsonl, path, "file");
        decode(Dialect::Jsonl, &fs::read(path).unwrap(), &origin).value.messages
    };
    let child_path = files.iter().find(|path| path.parent().unwrap().ends_with("subagents")).unwrap();
    let parent_path =
        files.iter().find(|path| path.parent() == child_path.parent().unwrap().parent()).unwrap();
    let (mut parent, child) = (read(parent_path), read(child_path));
    let id = ConversationId::new(child_path.file_stem().unwrap().to_str().unwrap());
    assert_eq!(link_subagents(&mut parent, [(&id, child.as_slice())]), 1);
    let linked = parent.iter().flat_map(Message::tool_calls).filter_map(|call| call.child.as_deref());
    assert_eq!(linked.collect::<Vec<_>>(), [id.as_str()]);
    assert_eq!(link_subagents(&mut parent, [(&id, child.as_slice())]), 0, "the call is taken");
}

/// Two dialects of one conversation have the same prompts, so that they can be merged.
#[test]
fn dialects_of_one_conversation_agree_on_its_prompts() {
    let mut pairs = 0;
    for text in recorded().iter().flat_map(|folder| files_below(folder)) {
        let other = ["jsonl", "json"].map(|extension| text.with_extension(extension));
        let Some(other) =
            other.iter().find(|path| path.exists()).filter(|_| text.extension().unwrap() == "txt")
        else {
            continue;
        };
        let prompts = |path: &Path| {
            let dialect = Dialect::of_extension(path.extension().unwrap().to_str().unwrap()).unwrap();
            let origin = Origin::new(Layer::TranscriptText, path, "file");
            let messages = decode(dialect, &fs::read(path).unwrap(), &origin).value.messages;
            let users = messages.iter().filter(|message| message.role == Role::User);
            users.map(Message::text).collect::<Vec<_>>()
        };
        assert_eq!(prompts(&text), prompts(other), "{}", text.display());
        pairs += 1;
    }
    assert_eq!(pairs, 5);
}
