//! Damaged, missing and odd logs: what their valid frames hold is read, and each is a finding.

use std::fs;
use std::path::{Path, PathBuf};

use backscroll_cursor_store::{Where, find};
use backscroll_fixtures::{
    CliChat, Composer, CursorHome, HeaderTable, Journal, SdkAgent, SdkStore, Speaks, StateDatabase,
    WrittenHome,
};
use backscroll_history::{Ask, History};

use crate::writer::Writer;

/// A home whose log holds the conversation.
fn home() -> WrittenHome {
    let composer = Composer::new("c1").titled("In the log").user("question").assistant("answer");
    let database = StateDatabase::new().composer(&composer).journal(Journal::WalHoldsEverything);
    CursorHome::new().unwrap().global(database).write().unwrap()
}

fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// How many messages the conversation has, and what is wrong.
fn look(home: &Path) -> (usize, String) {
    let found = find(&Where { home: Some(home.to_owned()), ..Where::default() });
    let history = History::over(found.sources, found.findings);
    let listing = history.list(&Ask::default());
    let says: Vec<String> = listing.findings.iter().map(|finding| finding.says.clone()).collect();
    let messages = history.load(&"c1".into()).map_or(0, |conversation| conversation.messages.len());
    (messages, says.join("; "))
}

/// SQLite waits for ten seconds for such a log. Nothing asserts the time, but the tests' own limit would.
#[test]
fn garbage_in_place_of_a_database_and_its_log_is_reported() {
    let home = home();
    let database = home.global_database();
    let garbage: Vec<u8> = (0..8192_u32).map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    fs::write(&database, &garbage).unwrap();
    fs::write(beside(&database, "-wal"), &garbage).unwrap();
    let (read, findings) = look(home.root());
    assert_eq!(read, 0);
    let found = find(&Where { home: Some(home.root().to_owned()), ..Where::default() });
    let unreadable = History::over(found.sources, found.findings).list(&Ask::default()).unreadable;
    let told = unreadable.iter().map(ToString::to_string).collect::<String>();
    assert!(told.contains("state.vscdb"), "{told}{findings}");
}

#[test]
fn a_journal_with_a_damaged_header_is_reported() {
    let composer = Composer::new("c1").titled("Half written").user("question").assistant("answer");
    let database = StateDatabase::new().composer(&composer).journal(Journal::HotRollback).item("later", "1");
    let home = CursorHome::new().unwrap().global(database).write().unwrap();
    assert_eq!(look(home.root()), (2, String::new()));
    flip(&beside(&home.global_database(), "-journal"), 22);
    let (_, findings) = look(home.root());
    assert!(findings.contains("the header of the journal is damaged"), "{findings}");
}

/// The frames of a large transaction lie in the log before it is committed; those of pages that it wrote twice have old checksums until
/// then, and keep them when it is rolled back.
#[test]
fn an_open_transaction_is_no_damage() {
    let home = home();
    let database = home.global_database();
    fs::remove_file(beside(&database, "-shm")).ok();
    let mut writer = Writer::on(&database);
    writer.run("PRAGMA journal_mode = WAL; PRAGMA cache_size = 10; BEGIN IMMEDIATE");
    let insert = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
                  INSERT INTO cursorDiskKV SELECT 'other:' || i, zeroblob(20000) FROM n";
    writer.run(insert);
    writer.run("UPDATE cursorDiskKV SET value = randomblob(20000) WHERE key LIKE 'other:%'");
    assert!(fs::metadata(beside(&database, "-wal")).unwrap().len() > 4 << 20, "it has spilled");
    assert_eq!(look(home.root()), (2, String::new()));
    writer.run("ROLLBACK");
    assert_eq!(look(home.root()), (2, String::new()), "rolled back");
    writer.crash();
    assert_eq!(look(home.root()), (2, String::new()), "and left behind");
}

#[test]
fn a_view_in_place_of_a_table_is_reported() {
    for table in ["cursorDiskKV", "ItemTable", "composerHeaders"] {
        let composer = Composer::new("c1").titled("Seen").user("question").assistant("answer");
        let headers = HeaderTable::new().composer(&composer);
        let view = format!("ALTER TABLE {table} RENAME TO other; CREATE VIEW {table} AS SELECT * FROM other");
        let database = StateDatabase::new().composer(&composer).header_table(headers).sql(view);
        let home = CursorHome::new().unwrap().global(database).write().unwrap();
        let (_, findings) = look(home.root());
        assert!(
            findings.contains(&format!("{table} is not a table with the columns")),
            "{table}: {findings}"
        );
    }
}

/// What is done to a database and its log.
type Harm = fn(&Path, &Path);

#[test]
fn a_damaged_log_keeps_its_valid_frames_and_is_reported() {
    let cases: [(&str, Harm, usize, &str); 11] = [
        ("nothing", |_, _| {}, 2, ""),
        ("a bit of the magic", |_, log| flip(log, 2), 2, "the header of the log is damaged"),
        ("a bit of the salt", |_, log| flip(log, 18), 2, "the header of the log is damaged"),
        ("a bit of the checksum", |_, log| flip(log, 29), 2, "the header of the log is damaged"),
        (
            "a bit of the last commit",
            |_, log| flip(log, fs::read(log).unwrap().len() - 100),
            0,
            "frames behind the log's last commit are damaged",
        ),
        ("the log is lost", |_, log| fs::remove_file(log).unwrap(), 0, "the log is missing"),
        (
            "an empty database",
            |database, _| fs::write(database, "").unwrap(),
            2,
            "the database is empty: 0 bytes",
        ),
        (
            "an empty database, without shared memory",
            |database, _| {
                fs::remove_file(beside(database, "-shm")).unwrap();
                fs::write(database, "").unwrap();
            },
            2,
            "the database is empty: 0 bytes",
        ),
        ("a folder", make_folder, 0, "the log is no file"),
        (
            "an empty log",
            |database, log| {
                fs::remove_file(beside(database, "-shm")).unwrap();
                fs::write(log, "").unwrap();
            },
            0,
            "the log is empty",
        ),
        (
            "a torn log",
            |database, log| {
                fs::remove_file(beside(database, "-shm")).unwrap();
                let bytes = fs::read(log).unwrap();
                fs::write(log, [bytes.as_slice(), &bytes[32..200]].concat()).unwrap();
            },
            2,
            "the log ends in the middle of a frame",
        ),
    ];
    for (what, harm, messages, says) in cases {
        let home = home();
        let database = home.global_database();
        let log = beside(&database, "-wal");
        harm(&database, &log);
        let before = fs::read(&log).ok();
        let (read, findings) = look(home.root());
        assert_eq!(read, messages, "{what}: {findings}");
        assert!(findings.contains(says), "{what}: {findings}");
        assert_eq!(findings.is_empty(), says.is_empty(), "{what}: {findings}");
        assert_eq!(fs::read(&log).ok(), before, "{what}: the log was changed");
    }
}

#[test]
fn a_log_that_is_cut_beside_its_shared_memory_is_reported() {
    let length = fs::metadata(beside(&home().global_database(), "-wal")).unwrap().len();
    let length = usize::try_from(length).unwrap();
    // The last but one is the header alone: SQLite would wait for ten seconds.
    for length in [length * 99 / 100, length * 90 / 100, length / 2, length / 10, 32, 0] {
        let home = home();
        let log = beside(&home.global_database(), "-wal");
        fs::write(&log, &fs::read(&log).unwrap()[..length]).unwrap();
        let (_, findings) = look(home.root());
        assert!(findings.contains("the log is cut off"), "{length} bytes: {findings}");
    }
    let damaged = home();
    let log = beside(&damaged.global_database(), "-wal");
    flip(&log, fs::read(&log).unwrap().len() - 4096 - 16);
    let (_, findings) = look(damaged.root());
    assert!(findings.contains("the log is cut off"), "the salt of the last frame: {findings}");
    // Nothing is missing of a log whose frames are all in the database.
    let home = home();
    let database = home.global_database();
    let memory = beside(&database, "-shm");
    let mut bytes = fs::read(&memory).unwrap();
    bytes.copy_within(16..20, 96);
    fs::write(&memory, bytes).unwrap();
    fs::write(beside(&database, "-wal"), "").unwrap();
    assert_eq!(look(home.root()).1, "");
}

fn make_folder(_: &Path, log: &Path) {
    fs::remove_file(log).unwrap();
    fs::create_dir(log).unwrap();
}

fn flip(file: &Path, at: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at] ^= 0x10;
    fs::write(file, bytes).unwrap();
}

#[test]
fn a_damaged_frame_in_the_middle_is_reported_and_hides_nothing_behind_it() {
    let home = home();
    let database = home.global_database();
    let log = beside(&database, "-wal");
    let frames = (fs::metadata(&log).unwrap().len() - 32) / (4096 + 24);
    assert!(frames > 2, "{frames} frames");
    // The last bytes of the first frame's page, in the middle of the header of the schema's page or behind its cells.
    flip(&log, 32 + 24 + 3000);
    let (messages, findings) = look(home.root());
    assert!(findings.contains("frames of the log are damaged"), "{findings}");
    assert_eq!(messages, 2, "{findings}");
}

#[test]
fn shared_memory_that_fits_nothing_does_not_hide_the_log() {
    for bytes in [vec![0; 32768], vec![0xaa; 32768], vec![1; 100], Vec::new()] {
        let home = home();
        fs::write(beside(&home.global_database(), "-shm"), &bytes).unwrap();
        assert_eq!(look(home.root()), (2, String::new()), "{} bytes", bytes.len());
    }
}

#[test]
fn a_log_without_its_database_is_reported() {
    let chat = CliChat::new("/w/project", "0c000000-0000-4000-8000-000000000001").user("run");
    let agent = SdkStore::new("/w/project").agent(SdkAgent::new("agent-1").user("go"));
    let editor = home();
    let home = CursorHome::at(editor.root()).cli(chat).sdk(agent).write().unwrap();
    let mut databases = vec![home.global_database()];
    databases.extend(files_below(home.root(), "store.db"));
    databases.extend(files_below(home.root(), "index.db"));
    assert!(databases.len() > 3, "{databases:?}");
    for database in databases {
        let bytes = fs::read(&database).unwrap();
        fs::remove_file(&database).unwrap();
        fs::write(beside(&database, "-journal"), "something").unwrap();
        let (_, findings) = look(home.root());
        let is_told = findings.contains("the database is missing, although");
        assert!(is_told, "{}: {findings}", database.display());
        fs::remove_file(beside(&database, "-journal")).unwrap();
        fs::write(&database, bytes).unwrap();
    }
}

pub(crate) fn files_below(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            found.extend(files_below(&entry.path(), name));
        } else if entry.file_name() == name {
            found.push(entry.path());
        }
    }
    found
}

#[test]
fn a_database_without_bytes_is_reported() {
    let home = home();
    let database = home.global_database();
    for ending in ["-wal", "-shm"] {
        fs::remove_file(beside(&database, ending)).unwrap();
    }
    fs::write(&database, "").unwrap();
    let (_, findings) = look(home.root());
    assert!(findings.contains("the database is empty"), "{findings}");
}
