//! What may be typed, what it means, and what is said when it cannot be understood.

use backscroll_index::query::{Filter, Node, QueryError, parse};
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
        ("-\"cannot borrow\"", r#"!"cannot borrow""#),
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
        ("a \"b c", "[\"] this quotation mark is never closed"),
        ("a (b c", "[(] this parenthesis is never closed"),
        ("a b)", "[] "),
        (") a", "[)] this parenthesis closes nothing"),
        ("a ()", "[()] there is nothing between these parentheses"),
        ("a OR", "[OR] `OR` needs something on this side"),
        ("OR a", "[OR] `OR` needs something on this side"),
        ("a AND OR b", "[AND] `AND` needs something on this side"),
        ("AND a", "[AND] `AND` needs something on this side"),
        ("a NOT", "[NOT] `NOT` needs something on this side"),
        ("x rol:user", "[rol:] there is no field `rol:`; did you mean `role:`?"),
        ("wrokspace:app", "[wrokspace:] there is no field `wrokspace:`; did you mean `workspace:`?"),
        ("colour:red", "[colour:] there is no field `colour:`; there are role: from: tool:"),
        ("role:usr", "[usr] `role:` does not know `usr`; did you mean `user`?"),
        ("role:user,wizard", "[wizard] `role:` does not know `wizard`; it knows user, assistant"),
        ("role: x", "[role:] `role:` needs a value; for example `role:user`"),
        ("after:soonish", "[soonish] `soonish` is not a time; try 2026-01-19"),
        ("since:foo", "[foo] `foo` is not a time; try 2026-01-19"),
        ("after:2026-01,2026-02", "[2026-02] only one time can be meant here; keep one"),
        ("*", "[*] `*` needs the beginning of a word before it"),
        ("=> !=", "[=> !=] nothing here is a word; --exact finds any characters"),
    ];
    for (query, expected) in table {
        if expected == "[] " {
            assert_eq!(means(query), r#"("a" & "b)")"#, "outside of parentheses one belongs to its word");
            continue;
        }
        let told = means(query);
        assert!(told.starts_with(expected), "{query}\n  told {told}\n  not  {expected}");
    }
    let deep = "(".repeat(40) + "a" + &")".repeat(40);
    assert!(means(&deep).starts_with("[(] this nests too deeply"));
    assert!(means(&"a ".repeat(300)).starts_with("[a] this query is too long"));
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
