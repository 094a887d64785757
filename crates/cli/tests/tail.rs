//! `backscroll tail` beside another process that writes as the editor does: through a log, with checkpoints, and text that grows.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use backscroll_fixtures::{
    Composer, CursorHome, Speaks, StateDatabase, create_database, demo_home, snapshot_of,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A run of `tail` that ends with the test.
pub(crate) struct Tail(pub(crate) Child);

impl Drop for Tail {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn command(home: &Path, index: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backscroll"));
    command.args(["tail", "--home"]).arg(home).arg("--index").arg(index).args(arguments);
    command.env("COLUMNS", "80").stdin(Stdio::null());
    command
}

/// Starts to follow, and waits until everything that is written from now on is reported.
pub(crate) fn start(home: &Path, index: &Path, arguments: &[&str]) -> Tail {
    let mut child =
        command(home, index, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("following")));
    // A process that writes to a closed pipe is stopped.
    std::thread::spawn(move || said.count());
    Tail(child)
}

pub(crate) fn events(tail: &mut Tail) -> impl Iterator<Item = Value> {
    let lines = BufReader::new(tail.0.stdout.take().unwrap()).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

pub(crate) fn words(event: &Value) -> String {
    let parts = event["message"]["parts"].as_array().unwrap();
    parts.iter().filter_map(|part| part["text"].as_str()).collect()
}

/// The words of message `number` when it is complete.
fn final_words(number: usize) -> String {
    format!("message {number}: {}.", "and so on, ".repeat(number % 7 + 1))
}

/// A conversation of the demo, and the first turn of it.
const TIDES: &str = "d4c8d382-8adc-4b4a-aa7b-70115d71cf3d";
const TURN: &str = "cb548a23-ecd0-4a74-b325-98fa6c4bfa38";

const MESSAGES: usize = 300;

/// The ledger of hooks changes nothing in Cursor's own stores.
#[test]
fn measured_tokens_are_reported_when_a_hook_writes_them_down() {
    let home = TempDir::new().unwrap();
    demo_home(home.path()).unwrap();
    let (index, data) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let hook = |input: u64| {
        let payload = json!({ "hook_event_name": "stop", "conversation_id": TIDES, "generation_id": TURN,
            "input_tokens": input, "output_tokens": 5, "loop_count": 0 });
        let mut hook = Command::new(env!("CARGO_BIN_EXE_backscroll"))
            .args(["hook", "--data"])
            .arg(data.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        hook.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        assert!(hook.wait().unwrap().success());
    };
    // The ledger is there already, so that only its file changes.
    hook(1);
    let data_dir = data.path().to_str().unwrap();
    let mut tail = start(home.path(), index.path(), &["--json", "--all", "--data", data_dir]);
    hook(7_700);
    let event = events(&mut tail).find(|event| event["event"] == "usage").unwrap();
    assert_eq!(event["conversation"], TIDES);
    assert_eq!(event["tokens"]["input"], 7_700, "{event}");
}

#[test]
fn beside_a_writer_nothing_is_missed_or_reported_twice_and_the_last_words_are_exact() {
    let (home, index) =
        (CursorHome::new().unwrap().global(StateDatabase::new()).write().unwrap(), TempDir::new().unwrap());
    let mut tail = start(home.root(), index.path(), &["--json", "--all"]);
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tail::other_process", "--ignored", "--nocapture"])
        .env("BACKSCROLL_TEST_DATABASE", home.global_database())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut order: Vec<String> = Vec::new();
    let mut known: HashMap<String, (u64, String)> = HashMap::new();
    let last = format!("m{}", MESSAGES - 1);
    for (number, event) in (1_u64..).zip(events(&mut tail)) {
        assert_eq!(
            (event["schema"].as_str(), event["seq"].as_u64()),
            (Some("backscroll.event/1"), Some(number))
        );
        let id = event["message"]["id"].as_str().unwrap_or_default().to_owned();
        match event["event"].as_str().unwrap() {
            "message" => {
                assert_eq!(event["revision"], 1);
                assert!(known.insert(id.clone(), (1, words(&event))).is_none(), "{id} is reported once");
                order.push(id);
            }
            "message-changed" => {
                let known = known.get_mut(&id).unwrap();
                assert_eq!(event["revision"].as_u64(), Some(known.0 + 1));
                *known = (known.0 + 1, words(&event));
            }
            "deleted" => panic!("nothing was deleted: {event}"),
            _ => assert!(event.get("message").is_none()),
        }
        if known.get(&last).is_some_and(|last| last.1 == final_words(MESSAGES - 1)) {
            break;
        }
    }
    assert!(writer.wait().unwrap().success());
    let expected: Vec<String> = (0..MESSAGES).map(|number| format!("m{number}")).collect();
    assert_eq!(order, expected);
    for number in 0..MESSAGES {
        assert_eq!(known[&format!("m{number}")].1, final_words(number));
    }
    drop(tail);
    // If `tail` was just reading when the writer ended, the log is left to the next process that closes the database.
    let next = create_database(&home.global_database()).unwrap();
    next.query_row("SELECT count(*) FROM cursorDiskKV", [], |row| row.get::<_, i64>(0)).unwrap();
    next.close().unwrap();
    let names: Vec<_> = snapshot_of(home.root())
        .unwrap()
        .into_keys()
        .filter(|path| home.root().join(path).is_file())
        .collect();
    assert_eq!(names.len(), 1, "nothing else is there: {names:?}");
}

/// Numbers that look as if they were drawn, the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

#[test]
#[ignore = "it is the other process of the test above"]
#[expect(clippy::disallowed_methods, reason = "what a test gives to its other process")]
fn other_process() {
    let Some(path) = std::env::var_os("BACKSCROLL_TEST_DATABASE") else { return };
    let path = Path::new(&path);
    let open = || {
        let database = create_database(path).unwrap();
        database.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 50").unwrap();
        database
    };
    let (mut database, mut dice) = (open(), Dice(7));
    let mut listed = Vec::new();
    for number in 0..MESSAGES {
        let (id, kind, text) =
            (format!("m{number}"), if number % 4 == 0 { 1 } else { 2 }, final_words(number));
        let steps = 1 + usize::try_from(dice.below(3)).unwrap();
        for step in 1..=steps {
            let part: String = text.chars().take(text.len() * step / steps).collect();
            let bubble = json!({"_v": 3, "type": kind, "bubbleId": id, "text": part});
            let transaction = database.transaction().unwrap();
            let put = |key: String, value: Value| {
                let insert = "INSERT OR REPLACE INTO cursorDiskKV VALUES (?1, ?2)";
                transaction.execute(insert, (key, value.to_string())).unwrap();
            };
            put(format!("bubbleId:c1:{id}"), bubble);
            if step == 1 {
                listed.push(json!({"bubbleId": id, "type": kind}));
                put(
                    "composerData:c1".to_owned(),
                    json!({"_v": 10, "composerId": "c1", "name": "Soak",
                    "createdAt": 1_760_000_000_000_i64, "fullConversationHeadersOnly": listed}),
                );
            }
            transaction.commit().unwrap();
            match dice.below(60) {
                0 => database.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap(),
                1 => database.execute_batch("PRAGMA wal_checkpoint(RESTART)").unwrap(),
                2 => database.execute_batch("VACUUM").unwrap(),
                3 => {
                    database.close().unwrap();
                    database = open();
                }
                _ => {}
            }
            std::thread::sleep(std::time::Duration::from_millis(dice.below(10)));
        }
    }
    database.close().unwrap();
}

fn ended(home: &Path, arguments: &[&str]) -> Output {
    let index = TempDir::new().unwrap();
    command(home, index.path(), arguments).output().unwrap()
}

fn greeting() -> backscroll_fixtures::WrittenHome {
    let greeting = Composer::new("c1").titled("Greeting").user("hello").assistant("Hi there.");
    CursorHome::new().unwrap().global(StateDatabase::new().composer(&greeting)).write().unwrap()
}

#[test]
fn from_the_start_it_prints_what_is_there() {
    let home = greeting();
    let output = ended(home.root(), &["--from", "start", "--for", "0s"]);
    let expected = "\
── Greeting · c1 ──

❯ You
  hello

● Assistant
  Hi there.
";
    let shown = String::from_utf8(output.stdout).unwrap();
    // Times are those of the zone in which the test runs, models those of the fixture.
    let plain = |line: &str| match line.split_once(" · ") {
        Some((speaker, _)) if !line.starts_with('─') => speaker.to_owned(),
        _ => line.to_owned(),
    };
    assert_eq!(shown.lines().map(plain).collect::<Vec<_>>(), expected.lines().collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn events_have_the_fields_of_the_contract() {
    let home = greeting();
    let output = ended(home.root(), &["--from", "start", "--for", "0s", "--json"]);
    let events: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        events.iter().map(|event| event["event"].as_str().unwrap()).collect::<Vec<_>>(),
        ["conversation", "message", "message"]
    );
    let fields: Vec<&str> = events[1].as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = [
        "schema",
        "seq",
        "seen_at",
        "event",
        "conversation",
        "surface",
        "title",
        "workspace",
        "revision",
        "message",
    ];
    let mut fields = fields;
    fields.sort_unstable();
    expected.sort_unstable();
    assert_eq!(fields, expected);
    let shown = Command::new(env!("CARGO_BIN_EXE_backscroll"))
        .args(["show", "c1", "--json", "--home"])
        .arg(home.root())
        .output()
        .unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(
        shown["messages"],
        json!([events[1]["message"], events[2]["message"]]),
        "the message as in conversation/1"
    );
}

#[test]
fn each_event_is_given_to_the_command() {
    let (home, out) = (greeting(), TempDir::new().unwrap());
    let file = out.path().join("events");
    let command = format!("cat >> {}", file.display());
    let output = ended(home.root(), &["--from", "start", "--for", "0s", "--exec", &command]);
    assert_eq!(output.status.code(), Some(0));
    let lines = fs::read_to_string(file).unwrap();
    let numbers: Vec<u64> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [1, 2, 3]);
    let output = ended(home.root(), &["--from", "start", "--for", "0s", "--json", "--exec", "echo said"]);
    let [events, said] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(events.lines().filter(|line| line.starts_with('{')).count(), events.lines().count());
    assert_eq!(said.matches("said").count(), 3, "{said}");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let home = TempDir::new().unwrap();
    demo_home(home.path()).unwrap();
    for (arguments, code) in [
        (&["no such conversation"][..], 1),
        (&["--for", "soon"], 2),
        (&["--for", "-3s"], 2),
        (&["--from", "yesterday"], 2),
        (&["--from", "start", "--for", "0s", "--exec", "exit 3"], 0),
    ] {
        assert_eq!(ended(home.path(), arguments).status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn text_that_grows_is_written_once() {
    let (home, index) = (greeting(), TempDir::new().unwrap());
    let mut tail = start(home.root(), index.path(), &["c1"]);
    let write = |words: &str| {
        create_database(&home.global_database()).unwrap().execute_batch(&format!(
            "INSERT OR REPLACE INTO cursorDiskKV VALUES ('bubbleId:c1:new', json_object('_v', 3, 'type', 2, 'bubbleId', 'new', 'text', '{words}'));
             INSERT OR REPLACE INTO cursorDiskKV SELECT key, json_insert(value, '$.fullConversationHeadersOnly[#]',
                 json_object('bubbleId', 'new', 'type', 2)) FROM cursorDiskKV
                 WHERE key = 'composerData:c1' AND instr(value, '\"new\"') = 0",
        )).unwrap();
    };
    let mut out = BufReader::new(tail.0.stdout.take().unwrap());
    let mut line = || {
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        line
    };
    write("first line\n\nsecond");
    assert_eq!([line(), line()], ["── Greeting · c1 ──\n", "\n"]);
    assert!(line().starts_with("● Assistant"));
    assert_eq!([line(), line()], ["  first line\n", "\n"]);
    write("first line\n\nsecond line\n\nthird");
    assert_eq!([line(), line()], ["  second line\n", "\n"]);
    assert_eq!(line(), "  third\n", "what rests is complete");
    tail.0.kill().unwrap();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}
