//! Times as they are typed.

use backscroll_cli::{When, WhenError};
use jiff::Zoned;

#[test]
fn times_begin_and_end_where_people_think() {
    // A Tuesday, shortly before summer time begins on the 29th.
    let now: Zoned = "2026-03-24T15:30:00+01:00[Europe/Berlin]".parse().expect("a time");
    let table = [
        ("2026-01-19", "2026-01-18T23:00:00Z", "2026-01-19T23:00:00Z"),
        ("2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
        ("2026-01", "2025-12-31T23:00:00Z", "2026-01-31T23:00:00Z"),
        ("2025-12", "2025-11-30T23:00:00Z", "2025-12-31T23:00:00Z"),
        ("2026-01-19T22:45:46Z", "2026-01-19T22:45:46Z", "2026-01-19T22:45:46Z"),
        ("2026-01-19T22:45:46+01:00", "2026-01-19T21:45:46Z", "2026-01-19T21:45:46Z"),
        ("2026-01-19t22:45", "2026-01-19T21:45:00Z", "2026-01-19T21:45:00Z"),
        ("2026-01-19 22:45", "2026-01-19T21:45:00Z", "2026-01-19T21:45:00Z"),
        ("12h", "2026-03-24T02:30:00Z", "2026-03-24T02:30:00Z"),
        ("30min", "2026-03-24T14:00:00Z", "2026-03-24T14:00:00Z"),
        ("7d", "2026-03-17T14:30:00Z", "2026-03-17T14:30:00Z"),
        ("2w", "2026-03-10T14:30:00Z", "2026-03-10T14:30:00Z"),
        ("3mo", "2025-12-24T14:30:00Z", "2025-12-24T14:30:00Z"),
        ("1y", "2025-03-24T14:30:00Z", "2025-03-24T14:30:00Z"),
        ("today", "2026-03-23T23:00:00Z", "2026-03-24T23:00:00Z"),
        ("Yesterday", "2026-03-22T23:00:00Z", "2026-03-23T23:00:00Z"),
        ("monday", "2026-03-22T23:00:00Z", "2026-03-23T23:00:00Z"),
        ("tue", "2026-03-23T23:00:00Z", "2026-03-24T23:00:00Z"),
        ("wednesday", "2026-03-17T23:00:00Z", "2026-03-18T23:00:00Z"),
        ("9000y", "-009999-01-02T01:59:59Z", "-009999-01-02T01:59:59Z"),
    ];
    for (typed, begins, ends) in table {
        let when: When = typed.parse().unwrap_or_else(|error| panic!("{typed}: {error}"));
        if typed == "9000y" {
            assert!(when.begins(&now) < "-006000-01-01T00:00:00Z".parse().expect("a time"));
            continue;
        }
        assert_eq!(when.begins(&now).to_string(), begins, "beginning of {typed}");
        assert_eq!(when.ends(&now).to_string(), ends, "end of {typed}");
    }
}

#[test]
fn what_is_no_time_is_refused() {
    for typed in [
        "",
        "whenever",
        "7",
        "7x",
        "3m",
        "d",
        "-7d",
        "2026",
        "2026-13",
        "2026-02-30",
        "99999999999y",
        "2026-01-19T",
        "日本",
    ] {
        assert_eq!(typed.parse::<When>().err(), Some(WhenError), "{typed}");
    }
}
