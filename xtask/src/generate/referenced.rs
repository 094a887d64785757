//! Rows that conversations refer to, and the heap of blobs that nothing refers to any more.

use std::io;

use backscroll_fixtures::{Composer, Era, Value, sha256_of, uuid_from};
use serde_json::json;

use super::global::Global;
use crate::chance::Chance;
use crate::words::Words;

/// Request contexts of a conversation, and the code blocks of older ones with their diffs.
pub(super) fn write_beside(
    global: &mut Global,
    words: &Words,
    chance: &mut Chance,
    composer: &Composer,
) -> io::Result<()> {
    let id = composer.id();
    if composer.is_of(Era::Inline045) {
        return Ok(());
    }
    for user in composer.user_bubbles() {
        let size = chance.size(2_500.0, 1.0);
        let layout = words.code(chance, size);
        let context = json!({ "terminalFiles": [], "cursorRules": [], "attachedFoldersListDirResults": [], "summarizedComposers": [], "gitStatusRaw": "## main", "projectLayouts": [layout] });
        global.row(Some(&format!("messageRequestContext:{id}:{user}")), &context.into())?;
    }
    if composer.is_of(Era::V3) && chance.percent(60.0) {
        write_code_blocks(global, words, chance, composer)?;
    }
    Ok(())
}

/// The composer's record once more, now with the files it changed, and a diff row for each change.
fn write_code_blocks(
    global: &mut Global,
    words: &Words,
    chance: &mut Chance,
    composer: &Composer,
) -> io::Result<()> {
    let size = chance.size(40_000.0, 1.1).min(400_000);
    let lines: Vec<String> = words.code(chance, size).lines().map(str::to_owned).collect();
    let uri = format!("file:///home/dev/projects/file_{}.rs", chance.below(90));
    let bubble = composer.bubble_id(1);
    let mut blocks = Vec::new();
    for index in 0..=chance.below(5) {
        let diff = uuid_from(&format!("{}/{index}", composer.id()));
        blocks.push(json!({ "_v": 2, "bubbleId": bubble, "codeBlockIdx": index, "uri": { "$mid": 1, "external": uri, "path": &uri[7..], "scheme": "file" }, "version": index, "status": "accepted", "languageId": "rust", "diffId": diff, "lastDiffId": diff, "isNoOp": false }));
        let start = 1 + chance.below(lines.len());
        let changed: Vec<_> = words.code(chance, 900).lines().map(str::to_owned).collect();
        let edit = json!({ "newModelDiffWrtV0": [{ "original": { "startLineNumber": start, "endLineNumberExclusive": start + 1 }, "modified": changed }], "originalModelDiffWrtV0": [] });
        global.row(Some(&format!("codeBlockDiff:{}:{diff}", composer.id())), &edit.into())?;
    }
    let mut document = composer.document();
    document["originalModelLines"][&uri] = json!(lines);
    document["codeBlockData"][&uri] = json!(blocks);
    global.row(Some(&format!("composerData:{}", composer.id())), &document.into())
}

/// Checkpoints of the conversations `ids`, until there are `bytes` of them.
pub(super) fn fill_checkpoints(
    global: &mut Global,
    words: &Words,
    chance: &mut Chance,
    ids: &[String],
    bytes: u64,
) -> io::Result<()> {
    while !ids.is_empty() && global.bytes_of("checkpointId") < bytes {
        let size = chance.size(20_000.0, 1.5);
        let lines: Vec<_> = words.code(chance, size).lines().map(str::to_owned).collect();
        let uri = json!({ "$mid": 1, "external": "file:///home/dev/projects/a.rs", "path": "/home/dev/projects/a.rs", "scheme": "file" });
        let diff =
            json!([{ "original": { "startLineNumber": 1, "endLineNumberExclusive": 2 }, "modified": lines }]);
        let checkpoint = json!({ "files": [{ "uri": uri, "originalModelDiffWrtV0": diff }], "nonExistentFiles": [], "newlyCreatedFolders": [], "activeInlineDiffs": [], "inlineDiffNewlyCreatedResources": { "files": [], "folders": [] } });
        let key = format!("checkpointId:{}:{}", chance.pick(ids), chance.uuid());
        global.row(Some(&key), &checkpoint.into())?;
    }
    Ok(())
}

/// Blobs that nothing refers to any more, until there are `bytes` of blobs: old roots and files that were read.
pub(super) fn fill_agent_blobs(
    global: &mut Global,
    words: &Words,
    chance: &mut Chance,
    bytes: u64,
) -> io::Result<()> {
    while global.bytes_of("agentKv") < bytes {
        let blob = if chance.percent(40.0) {
            (0..chance.size(60.0, 1.0))
                .flat_map(|_| {
                    [0x0a, 0x20]
                        .into_iter()
                        .chain((0..4).flat_map(|_| chance.next().to_le_bytes()).collect::<Vec<_>>())
                })
                .collect()
        } else {
            let size = chance.size(4_000.0, 1.3);
            words.code(chance, size).into_bytes()
        };
        let key = format!("agentKv:blob:{}", sha256_of(&blob));
        global.row(Some(&key), &Value::Blob(blob))?;
    }
    Ok(())
}
