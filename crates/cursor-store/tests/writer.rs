//! A writer in another process, as the editor is one. It is this test binary once more, with orders on its input.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;

use backscroll_fixtures::create_database;

/// What the child's answers begin with, to distinguish them from what the test harness prints.
const MARK: &str = "writer: ";

/// A process that has a database open.
pub(crate) struct Writer {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Writer {
    /// Opens `database` in another process.
    pub(crate) fn on(database: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writer::other_process", "--ignored", "--nocapture"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let orders = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut writer = Self { child, orders, answers };
        writer.order(database.to_str().unwrap());
        writer
    }

    /// Runs statements and waits until they are done.
    pub(crate) fn run(&mut self, statements: &str) {
        self.order(statements);
    }

    /// Runs statements again and again, until the next order.
    pub(crate) fn keep_running(&mut self, statements: &str) {
        self.order(&format!("again {statements}"));
    }

    /// Ends the process as a crash does.
    pub(crate) fn crash(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes the database and ends the process.
    pub(crate) fn close(mut self) {
        drop(self.orders);
        assert!(self.child.wait().unwrap().success());
    }

    fn order(&mut self, order: &str) {
        writeln!(self.orders, "{}", order.replace('\n', " ")).unwrap();
        let answer = loop {
            let mut line = String::new();
            assert_ne!(self.answers.read_line(&mut line).unwrap(), 0, "the writer went away");
            // The harness prints the test's name without a line's end before the first answer.
            if let Some(at) = line.find(MARK) {
                break line[at + MARK.len()..].trim_end().to_owned();
            }
        };
        assert_eq!(answer, "done", "{order}");
    }
}

#[test]
#[ignore = "it is the other process of the tests that need one"]
fn other_process() {
    let (send, orders) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            send.send(line).unwrap();
        }
    });
    let Ok(path) = orders.recv() else { return };
    let database = create_database(Path::new(&path)).unwrap();
    database.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
    println!("{MARK}done");
    let mut next = orders.recv();
    while let Ok(order) = next {
        let again = order.strip_prefix("again ");
        match database.execute_batch(again.unwrap_or(&order)) {
            Ok(()) => println!("{MARK}done"),
            Err(error) => println!("{MARK}{error}"),
        }
        next = match again {
            None => orders.recv(),
            Some(statements) => loop {
                match orders.try_recv() {
                    Ok(order) => break Ok(order),
                    Err(mpsc::TryRecvError::Disconnected) => break Err(mpsc::RecvError),
                    Err(mpsc::TryRecvError::Empty) => database.execute_batch(statements).unwrap(),
                }
            },
        };
    }
    database.close().unwrap();
}
