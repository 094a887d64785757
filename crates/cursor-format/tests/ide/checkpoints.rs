//! Checkpoints: what the editor kept of files, against V0 in all of its places, and in the recorded stores.

use std::collections::{BTreeMap, BTreeSet};

use backscroll_cursor_format::ide;
use backscroll_model::{ConversationId, Decoded, FindingKind, KeptFiles, Side};
use serde_json::{Value, json};

use super::store::{Table, databases, origin};

fn kept(table: &Table, id: &str) -> Decoded<KeptFiles> {
    let key = format!("composerData:{id}");
    let record = table.bytes(&key).expect("a record");
    ide::kept_files(&ConversationId::new(id), record, table, &origin(&key)).expect("maps answer")
}

/// What is kept at one side of a message: each path and its text, in order.
fn decoded<'a>(kept: &'a KeptFiles, message: &str, side: Side) -> Vec<(&'a str, Option<&'a str>)> {
    let is_it = |checkpoint: &&backscroll_model::Checkpoint| {
        checkpoint.message.as_str() == message && checkpoint.side == side
    };
    let states = kept.checkpoints.iter().filter(is_it).flat_map(|checkpoint| &checkpoint.states);
    let state = |number: &usize| (kept.states[*number].path.as_str(), kept.states[*number].text.as_deref());
    states.map(state).collect()
}

fn file(path: &str) -> Value {
    json!({"$mid": 1, "external": format!("file://{path}"), "path": path, "scheme": "file"})
}

fn change(first: u64, end: u64, lines: &[&str]) -> Value {
    json!({"original": {"startLineNumber": first, "endLineNumberExclusive": end}, "modified": lines})
}

/// A conversation with V0 in the record by lines, by state, in a row, and of a file that was made.
fn table() -> Table {
    let mut table = Table::default();
    table.put_json(
        "composerData:c",
        &json!({
            "composerId": "c",
            "fullConversationHeadersOnly": [{"bubbleId": "b1", "type": 1}, {"bubbleId": "b2", "type": 2}],
            "originalModelLines": {"file:///w/lines.rs": ["a", "b", "c"]},
            "originalFileStates": {
                "file:///w/with%20space.rs": {"content": "x\ny\n"},
                "file:///w/row.rs": {"contentKey": "ofsContent:c:file:///w/row.rs"},
            },
        }),
    );
    table.put("ofsContent:c:file:///w/row.rs", "r1\nr2");
    table.put_json("bubbleId:c:b1", &json!({"type": 1, "checkpointId": "k1"}));
    table.put_json("bubbleId:c:b2", &json!({"type": 2, "checkpointId": "k2", "afterCheckpointId": "k3"}));
    table
}

#[test]
fn every_file_is_read_against_its_first_version() {
    let mut table = table();
    table.put_json(
        "checkpointId:c:k1",
        &json!({"files": [
            {"uri": file("/w/lines.rs"), "originalModelDiffWrtV0": []},
            {"uri": file("/w/with space.rs"), "originalModelDiffWrtV0": [change(1, 2, &["X", "X2"])]},
            {"uri": file("/w/new.rs"), "originalModelDiffWrtV0": [], "isNewlyCreated": true},
        ]}),
    );
    table.put_json(
        "checkpointId:c:k2",
        &json!({
            "files": [
                {"uri": file("/w/lines.rs"), "originalModelDiffWrtV0": [change(3, 4, &[])]},
                {"uri": file("/w/row.rs"), "originalModelDiffWrtV0": [change(3, 3, &["r3"])]},
            ],
            "nonExistentFiles": [{"uri": {"$mid": 1, "path": "/w/new.rs", "scheme": "file"}}],
        }),
    );
    // What is proposed and not yet accepted is in the file.
    table.put_json(
        "checkpointId:c:k3",
        &json!({
            "files": [{"uri": file("/w/lines.rs"), "originalModelDiffWrtV0": []}],
            "activeInlineDiffs": [
                {"uri": file("/w/lines.rs"), "originalTextDiffWrtV0": [], "newTextDiffWrtV0": [change(2, 3, &["B"])]},
            ],
        }),
    );
    let Decoded { value, findings } = kept(&table, "c");
    assert_eq!(findings, []);
    assert_eq!(
        decoded(&value, "b1", Side::Before),
        [("/w/lines.rs", Some("a\nb\nc")), ("/w/with space.rs", Some("X\nX2\ny\n")), ("/w/new.rs", Some(""))]
    );
    assert_eq!(
        decoded(&value, "b2", Side::Before),
        [("/w/lines.rs", Some("a\nb")), ("/w/row.rs", Some("r1\nr2\nr3")), ("/w/new.rs", None)]
    );
    assert_eq!(decoded(&value, "b2", Side::After), [("/w/lines.rs", Some("a\nB\nc"))]);
}

#[test]
fn what_is_not_there_is_said() {
    let mut table = table();
    table.put("checkpointId:c:k1", "{\"files\":[");
    table.put_json(
        "checkpointId:c:k3",
        &json!({"files": [{"uri": file("/w/unknown.rs"), "originalModelDiffWrtV0": [change(1, 2, &["x"])]}, 7]}),
    );
    let Decoded { value, findings } = kept(&table, "c");
    let kinds: Vec<(FindingKind, &str)> =
        findings.iter().map(|finding| (finding.kind, finding.at.key.as_str())).collect();
    let expected = [
        (FindingKind::Undecodable, "checkpointId:c:k1"),
        (FindingKind::DanglingReference, "checkpointId:c:k2"),
        (FindingKind::DanglingReference, "checkpointId:c:k3"),
    ];
    assert_eq!(kinds, expected);
    assert!(value.states.is_empty() && value.checkpoints.len() == 2);
}

/// V0 with changes done from the last to the first, so that no number shifts: another way than the decoder's.
fn applied(v0: &[String], changes: &Value) -> String {
    let mut lines = v0.to_vec();
    for change in changes.as_array().unwrap().iter().rev() {
        let line = |key: &str| usize::try_from(change["original"][key].as_u64().unwrap()).unwrap() - 1;
        let modified = change["modified"].as_array().unwrap().iter();
        let modified = modified.map(|line| line.as_str().unwrap().to_owned());
        lines.splice(line("startLineNumber")..line("endLineNumberExclusive"), modified);
    }
    lines.join("\n")
}

/// The files of one recorded checkpoint by another way, and those that are gone.
fn expected(v0: &Value, checkpoint: &Value) -> BTreeMap<String, Option<String>> {
    let path = |file: &Value| file["uri"]["path"].as_str().unwrap().to_owned();
    let each = |list: &str| checkpoint[list].as_array().unwrap().clone();
    let text = |file: &Value, field: &str| {
        let lines = v0[format!("file://{}", path(file))].as_array().unwrap();
        let lines: Vec<String> = lines.iter().map(|line| line.as_str().unwrap().to_owned()).collect();
        Some(applied(&lines, &file[field]))
    };
    let mut files = BTreeMap::new();
    files.extend(each("files").iter().map(|file| (path(file), text(file, "originalModelDiffWrtV0"))));
    files.extend(each("activeInlineDiffs").iter().map(|file| (path(file), text(file, "newTextDiffWrtV0"))));
    files.extend(each("nonExistentFiles").iter().map(|file| (path(file), None)));
    files
}

#[test]
fn recorded_checkpoints_are_all_read() {
    // Checkpoints that messages name, and different states of files in them.
    let table = [
        ("global-null-bubbles-big-checkpoints", 58, 36),
        ("global-older-backup-null-bubbles", 45, 18),
        ("global-orphans-empty-backup", 10, 6),
    ];
    for (home, checkpoints, different) in table {
        let store = Table::of(&databases(home).0[0], "cursorDiskKV");
        let ids: Vec<String> = store.composers().map(|(id, _)| id.as_str().to_owned()).collect();
        let (mut named, mut states) = (0, 0);
        for id in ids {
            let Decoded { value, findings } = kept(&store, &id);
            assert_eq!(findings, [], "{home}");
            let record: Value =
                serde_json::from_slice(store.bytes(&format!("composerData:{id}")).unwrap()).unwrap();
            named += value.checkpoints.len();
            states += value.states.len();
            for checkpoint in &value.checkpoints {
                let bubble = store.bytes(&format!("bubbleId:{id}:{}", checkpoint.message.as_str())).unwrap();
                let bubble: Value = serde_json::from_slice(bubble).unwrap();
                let field =
                    if checkpoint.side == Side::Before { "checkpointId" } else { "afterCheckpointId" };
                let row = format!("checkpointId:{id}:{}", bubble[field].as_str().unwrap());
                let row: Value = serde_json::from_slice(store.bytes(&row).unwrap()).unwrap();
                let states = checkpoint.states.iter().map(|number| &value.states[*number]);
                let decoded: BTreeMap<String, Option<String>> =
                    states.map(|state| (state.path.clone(), state.text.clone())).collect();
                assert_eq!(decoded, expected(&record["originalModelLines"], &row), "{home}");
            }
            let once: BTreeSet<_> = value.states.iter().map(|state| (&state.path, &state.text)).collect();
            assert_eq!(once.len(), value.states.len(), "{home}: each state once");
        }
        assert_eq!((named, states), (checkpoints, different), "{home}");
    }
}

#[test]
fn a_recorded_v0_in_a_row_is_found() {
    let store = Table::of(&databases("profile-agentkv-wal-workspaces").0[0], "cursorDiskKV");
    let id = "9112965b-2e0a-4b4d-9997-c290a743ba7f";
    let Decoded { value, findings } = kept(&store, id);
    assert_eq!(findings, []);
    let path = "/home/dev/.config/iase/usepovam.lua";
    let row = store.bytes(&format!("ofsContent:{id}:file://{path}")).unwrap();
    let texts: Vec<&str> = value.states.iter().filter_map(|state| state.text.as_deref()).collect();
    assert_eq!(texts.len(), 2, "before the edit and after it");
    assert!(texts.contains(&std::str::from_utf8(row).unwrap()));
    assert!(texts.iter().any(|text| text.contains("\n    jovimo   = \"AFIB-Z-4\",\n")));
}
