//! `backscroll sources`.

use backscroll_cli::Exit;

use crate::memory::{broken, finding, holding, run, three};

#[test]
fn every_place_with_its_health() {
    let mut odd = three();
    odd.id.place = "/home/a/odd.vscdb".into();
    odd.findings.push(finding());
    let broken = broken("/home/a/broken.vscdb");
    let ran = run(&[three(), odd, broken.clone()], &["sources"]);
    assert_eq!(ran.exit, Exit::Unreadable, "an editor's own database is lost");
    insta::assert_snapshot!(ran.out.replace("\t\n", "\n").replace('\t', " | "), @r"
    ide-global | /home/a/state.vscdb |  | 3 | 6 | 2026-01-17T10:00:00Z | 2026-01-19T10:00:00Z | ok
    ide-global | /home/a/odd.vscdb |  | 3 | 6 | 2026-01-17T10:00:00Z | 2026-01-19T10:00:00Z | a row without a value
    ide-global | /home/a/broken.vscdb |  | 0 |  |  |  | unreadable: cannot read /home/a/broken.vscdb: file is not a database
    ");
    assert_eq!(run(&[broken], &["sources"]).exit, Exit::Unreadable);
    assert_eq!(run(&[], &["sources"]).exit, Exit::NothingMatched);
    assert_eq!(run(&[three()], &["sources", "--strict"]).exit, Exit::Done);
}

#[test]
fn one_file_with_two_readers_is_one_line() {
    let echo = holding(Vec::new());
    assert_eq!(run(&[three(), echo.clone()], &["sources"]).out.lines().count(), 1);
    assert_eq!(
        run(std::slice::from_ref(&echo), &["sources"]).out.lines().count(),
        1,
        "a store without conversations is one"
    );
    let broken = broken("/home/a/state.vscdb");
    assert_eq!(run(&[broken, echo], &["sources"]).out.lines().count(), 1);
}
