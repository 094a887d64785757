//! What may be typed, what it means, and what is said when it cannot be understood.

use backscroll_index::query::{Filter, Node, QueryError, Trouble, parse};
use jiff::Zoned;
use proptest::prelude::*;

fn now() -> Zoned {
    "2026-03-24T15:30:00Z[UTC]".parse().unwrap()
}

/// The tree in few characters.
fn shape(node: &Node) -> String {
    let many = |nodes: &[Node], with: &str| nodes.iter().map(shape).collect::<Vec<_>>().join(with);
    match node {
        Node::Text(text) => format!("{:?}{}", text.typed, if text.is_prefix { "*" } else { "" }),
        Node::Filter { filter: Filter::After(at), .. } => format!("from {at}"),
        Node::Filter { filter: Filter::Before(at), .. } => format!("before {at}"),
        Node::Filter { filter, .. } => format!("{filter:?}"),
        Node::All(nodes) => format!("({})", many(nodes, " & ")),
        Node::Any(nodes) => format!("({})", many(nodes, " | ")),
        Node::Not(node) => format!("!{}", shape(node)),
    }
}

fn means(query: &str) -> String {
    match parse(query, &now()) {
        Ok(ask) => ask.root.as_ref().map_or_else(|| "everything".to_owned(), shape),
        Err(error) => pointed(query, &error),
    }
}

fn pointed(query: &str, error: &QueryError) -> String {
    format!("[{}] {error}; {}", &query[error.at.clone()], error.trouble.hint())
}

#[test]
fn queries_mean_what_people_expect() {
    let table = [
        ("", "everything"),
        ("parser", r#""parser""#),
        ("parser error", r#"("parser" & "error")"#),
        ("a AND b OR c d", r#"(("a" & "b") | ("c" & "d"))"#),
        ("a (b OR c) -d", r#"("a" & ("b" | "c") & !"d")"#),
        ("NOT a", r#"!"a""#),
        ("NOT NOT a", r#""a""#),
        ("a -\"cannot borrow\"", r#"("a" & !"cannot borrow")"#),
        ("deserial*", r#""deserial"*"#),
        ("\"foo ba\"*", r#""foo ba"*"#),
        ("\"say \\\"hi\\\"\"", r#""say \"hi\"""#),
        ("useState(0)", r#""useState(0)""#),
        ("(useState(0) b)", r#"("useState(0)" & "b")"#),
        ("std::fs::read", r#""std::fs::read""#),
        ("http://x.y/z", r#""http://x.y/z""#),
        ("localhost:8080", r#""localhost:8080""#),
        ("error: no", r#"("error:" & "no")"#),
        ("TypeError:x", r#""TypeError:x""#),
        ("git rebase -i", r#"("git" & "rebase" & "-i")"#),
        ("gcc -Wall warning", r#"("gcc" & "-Wall" & "warning")"#),
        ("col -b", r#"("col" & "-b")"#),
        ("git rebase -python", r#"("git" & "rebase" & !"python")"#),
        ("-word", r#""-word""#),
        ("find . -name x", r#"("find" & "-name" & "x")"#),
        ("a => b", r#"("a" & "b")"#),
        ("a --flag", r#"("a" & "--flag")"#),
        ("a - b", r#"("a" & "b")"#),
        ("自动 保存", r#"("自动" & "保存")"#),
        ("role:user,assistant x", r#"(Role([User, Assistant]) & "x")"#),
        ("tool:\"mcp:github\",shell", r#"Tool(["mcp:github", "shell"])"#),
        ("title:\"log in\"", r#"Title(["log in"])"#),
        ("path:src/auth.py", r#"Path(["src/auth.py"])"#),
        ("workspace:c:\\work", r#"Workspace(["c:\\work"])"#),
        ("in:thinking", "Part([Thinking])"),
        ("part:tool-call", "Part([ToolCall])"),
        ("(surface:cli OR surface:sdk) x", r#"((Surface([Cli]) | Surface([Sdk])) & "x")"#),
        ("after:2026-01", "from 2026-01-01T00:00:00Z"),
        ("since:7d", "from 2026-03-17T15:30:00Z"),
        ("before:2026-01", "before 2026-01-01T00:00:00Z"),
        ("until:2026-01", "before 2026-02-01T00:00:00Z"),
        ("-flag:archived id:98251e54", r#"(!Flag([Archived]) & Id(["98251e54"]))"#),
        ("has:diff", "Has([Diff])"),
    ];
    for (query, expected) in table {
        assert_eq!(means(query), expected, "{query}");
    }
}

#[test]
fn errors_point_at_the_place_and_say_what_would_be_right() {
    let table = [
        ("role:usr", "[usr] `role:` does not know `usr`; did you mean `user`?"),
        ("after:soonish", "[soonish] `soonish` is not a time; try 2026-01-19"),
        ("since:foo", "[foo] `foo` is not a time; try 2026-01-19"),
        ("after:2026-01,2026-02", "[2026-02] only one time can be meant here; keep one"),
        ("=> !=", "[=> !=] nothing here is a word; --exact finds any characters"),
    ];
    for (query, expected) in table {
        let told = means(query);
        assert!(told.starts_with(expected), "{query}\n  told {told}\n  not  {expected}");
    }
}

/// What is pasted is never refused: what is not whole is text, and that is told.
#[test]
fn what_does_not_parse_is_text() {
    let table = [
        ("a \"b c", r#"("a" & "b" & "c")"#, "[\"] this quotation mark is never closed"),
        ("a (b c", r#"("a" & "b" & "c")"#, "[(] this parenthesis is never closed"),
        ("a b)", r#"("a" & "b)")"#, ""),
        (") a", r#""a""#, "[)] this parenthesis closes nothing"),
        ("a ()", r#""a""#, "[()] there is nothing between these parentheses"),
        ("a OR", r#"("a" & "OR")"#, "[OR] `OR` needs something on this side"),
        ("OR a", r#"("OR" & "a")"#, "[OR] `OR` needs something on this side"),
        ("a NOT", r#"("a" & "NOT")"#, "[NOT] `NOT` needs something on this side"),
        ("x rol:user", r#"("x" & "rol:user")"#, "[rol:] there is no field `rol:`; did you mean `role:`?"),
        ("cargo:rustc-link-lib", r#""cargo:rustc-link-lib""#, "[cargo:] there is no field `cargo:`"),
        ("error:cannot open", r#"("error:cannot" & "open")"#, "[error:] there is no field"),
        ("hover:bg-blue", r#""hover:bg-blue""#, "[hover:] there is no field"),
        ("role:wizard", r#""role:wizard""#, "[wizard] `role:` does not know `wizard`"),
        ("role: x", r#"("role:" & "x")"#, "[role:] `role:` needs a value; for example `role:user`"),
        ("* x", r#""x""#, "[*] `*` needs the beginning of a word before it"),
        ("println!(\"{}\")", r#""println!(""#, "[)] this parenthesis closes nothing"),
        ("git rebase -i", r#"("git" & "rebase" & "-i")"#, "[-i] this is an option of a command"),
        ("-word", r#""-word""#, "[-word] there is nothing to exclude this from"),
    ];
    for (query, expected, told) in table {
        assert_eq!(means(query), expected, "{query}");
        let ask = parse(query, &now()).unwrap();
        let taken =
            ask.taken_as_text.into_iter().map(|(at, trouble)| pointed(query, &QueryError { trouble, at }));
        let taken = taken.collect::<Vec<_>>().join(" ");
        assert!(taken.starts_with(told) && (!told.is_empty() || taken.is_empty()), "{query}: {taken}");
    }
    let deep = "(".repeat(40) + "a" + &")".repeat(40);
    assert!(parse(&deep, &now()).is_ok());
    assert!(parse(&"a ".repeat(300), &now()).is_ok());
}

#[test]
fn times_in_words_are_understood() {
    let times = |query: &str| {
        let day = |at: i64| jiff::Timestamp::from_millisecond(at).unwrap().to_string()[..10].to_owned();
        let ask = parse(query, &now()).unwrap();
        ask.times
            .into_iter()
            .map(|(from, to)| format!("{}..{}", day(from), day(to)))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let table = [
        ("tides in march", "2026-03-01..2026-04-01"),
        ("tides december 2025", "2025-12-01..2026-01-01"),
        ("tides 14 march 2025", "2025-03-14..2025-03-15"),
        ("tides march 14th", "2026-03-14..2026-03-15"),
        ("tides 2026-03-14", "2026-03-14..2026-03-15"),
        ("tides 2026-03", "2026-03-01..2026-04-01"),
        ("yesterday tides", "2026-03-23..2026-03-24"),
        ("tides last week", "2026-03-16..2026-03-23"),
        ("tides last friday", "2026-03-20..2026-03-21"),
        ("it may march on", ""),
        ("\"2026-03-14\" tides", ""),
    ];
    for (query, expected) in table {
        assert_eq!(times(query), expected, "{query}");
    }
}

proptest! {
    #[test]
    fn whatever_is_typed_is_understood_or_pointed_at(query in "[a-c:()\"*, \\-\\\\]{0,30}|(?s).{0,40}|((AND|OR|NOT|role:|tool:|after:|user|\\(|\\)|\"|-|x|自) ?){0,20}") {
        match parse(&query, &now()) {
            Ok(ask) => for text in ask.wanted_texts() {
                prop_assert!(query.get(text.at.clone()).is_some());
            },
            Err(error) => {
                prop_assert!(query.get(error.at.clone()).is_some(), "{:?}", error);
                prop_assert!(!error.trouble.hint().is_empty());
            }
        }
    }
}

#[test]
fn a_query_has_an_end() {
    let words = |text: &str| -> usize {
        let ask = parse(text, &now()).unwrap();
        assert!(ask.taken_as_text.iter().any(|(_, trouble)| *trouble == Trouble::TooLong), "it is said");
        ask.wanted_texts().iter().map(|text| text.typed.split_whitespace().count()).sum()
    };
    let many = vec!["word"; 5_000].join(" ");
    for text in [many.clone(), format!("\"{many}\""), vec!["\"a b\""; 5_000].join(" "), format!("x \"{many}")]
    {
        assert!((1..=200).contains(&words(&text)), "{} of {}", words(&text), text.len());
    }
    assert!(words(&vec!["a:b"; 5_000].join(" ")) <= 200);
    assert!(words(&format!("x {}", vec!["path"; 5_000].join("/"))) <= 200);
}
