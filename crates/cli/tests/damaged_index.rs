//! Our own index, damaged at random: no answer is wrong, nothing ends with an error, and the index is made anew.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use backscroll_fixtures::{Composer, Speaks as _, create_database, demo_home};
use tempfile::TempDir;

const CASES: u64 = 60;
const PAGE: usize = 8192;

/// Numbers that look random and are the same in every run (`SplitMix64`).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).expect("a number")).expect("a number")
    }
}

/// The files of a folder: their bytes and times.
type Files = BTreeMap<PathBuf, (Vec<u8>, SystemTime)>;

/// A home with an index that was made once and followed once, so that it has a log.
struct Place {
    home: TempDir,
    index: TempDir,
    files: Files,
}

impl Place {
    fn new() -> Self {
        let place =
            Self { home: TempDir::new().unwrap(), index: TempDir::new().unwrap(), files: Files::new() };
        demo_home(place.home.path()).unwrap();
        place.ask(place.index.path(), &["index", "refresh"]);
        let late =
            Composer::new("99999999-0000-4000-8000-000000000000").titled("A late one").user("ebb tide");
        let database = place.home.path().join(".config/Cursor/User/globalStorage/state.vscdb");
        let connection = create_database(&database).unwrap();
        for (key, value) in late.rows() {
            let sql = "INSERT OR REPLACE INTO cursorDiskKV (key, value) VALUES (?1, ?2)";
            connection.execute(sql, rusqlite::params![key, value]).unwrap();
        }
        drop(connection);
        place.ask(place.index.path(), &["index", "refresh"]);
        let files = read_files(&place.folder());
        assert!(files.keys().any(|file| file.to_string_lossy().ends_with("-wal")), "{:?}", files.keys());
        Self { files, ..place }
    }

    /// The one folder beneath the folder of indexes.
    fn folder(&self) -> PathBuf {
        fs::read_dir(self.index.path()).unwrap().next().unwrap().unwrap().path()
    }

    fn ask(&self, index: &Path, words: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
        command.env_clear().env("HOME", self.home.path()).stdin(Stdio::null());
        let output = command.args(words).arg("--index").arg(index).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!errors.contains("panicked"), "{words:?}: {errors}");
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    }

    /// Puts the index back as it was, with the times that its files had.
    fn restore(&self) {
        fs::remove_dir_all(self.folder()).unwrap();
        for (path, (bytes, modified)) in &self.files {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
            set_modified(path, *modified);
        }
    }

    fn current(&self) -> PathBuf {
        crate::index_dump::current(&self.folder())
    }
}

fn set_modified(path: &Path, at: SystemTime) {
    File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
}

fn read_files(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            let modified = fs::metadata(&path).unwrap().modified().unwrap();
            (path.clone(), (fs::read(&path).unwrap(), modified))
        })
        .collect()
}

/// Damages one file of the folder, or swaps two; says how.
fn damage(files: &Files, chance: &mut Chance) -> String {
    let (names, data): (Vec<&PathBuf>, Vec<&Vec<u8>>) = files
        .iter()
        .filter(|(_, (bytes, _))| !bytes.is_empty())
        .map(|(name, (bytes, _))| (name, bytes))
        .unzip();
    let at = chance.below(names.len());
    let mut bytes = data[at].clone();
    let done = match chance.below(6) {
        0 => {
            let (flips, length) = (1 + chance.below(200), bytes.len());
            for _ in 0..flips {
                bytes[chance.below(length)] ^= 1 << chance.below(8);
            }
            format!("{flips} bits flipped")
        }
        1 => {
            let page = chance.below(bytes.len().div_ceil(PAGE));
            let end = bytes.len().min((page + 1) * PAGE);
            bytes[page * PAGE..end].fill(0);
            format!("page {page} zeroed")
        }
        2 => {
            bytes.truncate(chance.below(bytes.len()));
            format!("cut to {}", bytes.len())
        }
        3 => {
            let other = (at + 1 + chance.below(names.len() - 1)) % names.len();
            fs::write(names[other], &bytes).unwrap();
            bytes.clone_from(data[other]);
            format!("swapped with {}", names[other].display())
        }
        4 => {
            bytes.clear();
            "emptied".to_owned()
        }
        _ => {
            let end = bytes.len().min(100);
            bytes[..end].fill_with(|| chance.next().to_le_bytes()[0]);
            "garbage at the front".to_owned()
        }
    };
    fs::write(names[at], bytes).unwrap();
    format!("{}: {done}", names[at].display())
}

const QUESTIONS: [&[&str]; 6] = [
    &["list", "--all", "--json"],
    &["show", "99999999", "--json"],
    &["search", "tide", "--json"],
    &["search", "tool:read", "--json", "-n", "0"],
    &["export", "--format", "jsonl"],
    &["search", "tdie", "--json"],
];

#[test]
fn a_damaged_index_gives_no_wrong_answer_and_is_made_anew() {
    let place = Place::new();
    let fresh = TempDir::new().unwrap();
    let expected = QUESTIONS.map(|question| place.ask(fresh.path(), question));
    let made = place.current();
    place.restore();
    let undamaged = QUESTIONS.map(|question| place.ask(place.index.path(), question));
    assert_eq!(undamaged, expected, "not damaged");
    assert_eq!(place.current(), made, "one that is not damaged is used");
    for seed in 0..CASES {
        place.restore();
        let mut chance = Chance(seed);
        let done = damage(&place.files, &mut chance);
        // Each command comes first in some cases.
        let first = chance.below(QUESTIONS.len());
        for nth in 0..3 {
            let at = (first + nth) % QUESTIONS.len();
            let answer = place.ask(place.index.path(), QUESTIONS[at]);
            assert_eq!(answer, expected[at], "seed {seed}: {done}: {:?}", QUESTIONS[at]);
        }
        let status = place.ask(place.index.path(), &["index", "refresh"]);
        assert_eq!(status.0, Some(0), "seed {seed}: {done}");
    }
}

/// As on a failing disk. Words may be wrong then: only a reading of the whole index could tell. What is broken is made anew.
#[test]
fn bytes_that_changed_by_themselves_end_no_command() {
    let place = Place::new();
    for seed in 100..130 {
        place.restore();
        let mut chance = Chance(seed);
        let done = damage(&place.files, &mut chance);
        for (path, (_, modified)) in &place.files {
            set_modified(path, *modified);
        }
        let first = chance.below(QUESTIONS.len());
        for nth in 0..3 {
            let question = QUESTIONS[(first + nth) % QUESTIONS.len()];
            let (code, _) = place.ask(place.index.path(), question);
            assert!(matches!(code, Some(0 | 1)), "seed {seed}: {done}: {question:?} ends with {code:?}");
        }
    }
}
