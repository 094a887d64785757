//! The generator of large homes, at its smallest: deterministic, and with everything that makes real homes hard.

use std::path::Path;
use std::process::Command;

use backscroll_fixtures::{create_database, sha256_of};

fn generate(out: &Path, seed: &str) {
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    xtask.args([
        "generate",
        "--gb",
        "0.004",
        "--biggest",
        "300",
        "--cli-stores",
        "3",
        "--transcripts",
        "7",
        "--workspaces",
        "15",
        "--tabs",
        "9",
        "--sdk-stores",
        "2",
        "--backups",
        "2",
        "--seed",
        seed,
    ]);
    let output = xtask.arg("--out").arg(out).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn global(home: &Path) -> std::path::PathBuf {
    home.join(".config/Cursor/User/globalStorage/state.vscdb")
}

#[test]
fn the_same_seed_gives_the_same_home() {
    let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let hashes: Vec<_> = homes
        .iter()
        .zip(["7", "7", "8"])
        .map(|(home, seed)| {
            generate(home.path(), seed);
            sha256_of(&std::fs::read(global(home.path())).unwrap())
        })
        .collect();
    assert_eq!(hashes[0], hashes[1]);
    assert_ne!(hashes[0], hashes[2]);
}

#[test]
fn every_count_can_be_chosen() {
    let home = tempfile::tempdir().unwrap();
    generate(home.path(), "1");
    let files = |below: &str, wanted: fn(&Path) -> bool| {
        let mut waiting = vec![home.path().join(below)];
        let mut count = 0;
        while let Some(folder) = waiting.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { waiting.push(path) } else { count += usize::from(wanted(&path)) }
            }
        }
        count
    };
    let user = ".config/Cursor/User";
    assert_eq!(files(&format!("{user}/workspaceStorage"), |path| path.ends_with("state.vscdb")), 15);
    assert_eq!(files(".cursor/chats", |path| path.ends_with("store.db")), 3);
    assert_eq!(files(".cursor/projects", |path| path.ends_with("index.db")), 2);
    assert_eq!(files(".cursor/projects", |path| path.ends_with("store.db")), 6, "three agents in each store");
    let is_transcript = |path: &Path| {
        let of_sdk = path.file_name().unwrap().to_string_lossy().starts_with("agent-");
        !of_sdk && path.iter().any(|part| part == "agent-transcripts")
    };
    assert_eq!(files(".cursor/projects", is_transcript), 7);
    let is_backup = |path: &Path| path.extension().is_some_and(|ending| ending == "backup");
    assert_eq!(files(&format!("{user}/globalStorage"), is_backup), 2);
    assert_eq!(files(&format!("{user}/profiles"), |path| path.ends_with("state.vscdb")), 1);
}

#[test]
fn a_generated_home_is_as_odd_as_real_ones() {
    let home = tempfile::tempdir().unwrap();
    generate(home.path(), "1");
    let connection = create_database(&global(home.path())).unwrap();
    let ask = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let bubbles = "key >= 'bubbleId:' AND key < 'bubbleId;'";
    let composers = "key >= 'composerData:' AND key < 'composerData;'";
    assert!(ask(&format!("SELECT count(*) FROM cursorDiskKV WHERE {bubbles}")) > 200);
    assert!(ask(&format!("SELECT count(*) FROM cursorDiskKV WHERE {composers} AND value IS NULL")) == 40);
    assert!(ask("SELECT count(*) FROM cursorDiskKV WHERE key IS NULL") == 3);
    assert!(ask("SELECT max(rowid) - count(*) FROM cursorDiskKV") > 20, "replaced rows leave gaps");
    assert!(ask("SELECT count(*) FROM composerHeaders") > 0);
    let blobs =
        ask("SELECT sum(length(value)) FROM cursorDiskKV WHERE key >= 'agentKv:' AND key < 'agentKv;'");
    assert!(blobs >= 1_800_000, "{blobs}");
    let longest = format!(
        "SELECT max(json_array_length(value, '$.fullConversationHeadersOnly')) FROM cursorDiskKV WHERE {composers}"
    );
    assert!(ask(&longest) > 240, "{}", ask(&longest));
}
