//! Long conversations, served in slices: whichever way a slice was made, its messages are the same.

use backscroll_fixtures::{Composer, CursorHome, Era, Speaks, StateDatabase, WrittenHome};
use serde_json::json;

use crate::running::Running;

/// 440 messages; `lost` has no row any more, but the agent's own account still tells it.
fn home(lost: usize) -> WrittenHome {
    let mut composer = Composer::new("long").titled("Long").era(Era::V16).started(1_750_000_000_000);
    for turn in 0..110 {
        composer = composer.user(&format!("question {turn}")).thinking("hm").tool(
            "read_file",
            json!({"target_file": format!("{turn}.rs")}),
            json!({"contents": "fn main() {}"}),
        );
        composer = composer.assistant("done");
        if turn == lost {
            composer = composer.lost();
        }
    }
    let global = StateDatabase::new().composer(&composer.with_agent_blobs());
    CursorHome::new().unwrap().global(global).write().unwrap()
}

/// A server whose index knows everything.
fn ready(home: &WrittenHome) -> Running {
    let server = Running::over_home(home.root());
    server.wait_for_index();
    server
}

/// The messages on a page.
fn articles(page: &str) -> Vec<&str> {
    let pieces = page.split("<article ").skip(1);
    pieces.map(|piece| piece.split_once("</article>").map_or(piece, |(article, _)| article)).collect()
}

fn numbers(articles: &[&str]) -> Vec<usize> {
    let number =
        |article: &&str| article.split("id=\"m").nth(1).and_then(|rest| rest.split('"').next()?.parse().ok());
    articles.iter().map(|article| number(article).unwrap()).collect()
}

#[test]
fn the_first_look_shows_what_the_second_shows() {
    let home = home(20);
    for (at, first_number) in [(0, 1), (250, 201), (439, 401)] {
        let server = ready(&home);
        let first = server.get(&format!("/c/long?at={at}")).text();
        let again = server.get(&format!("/c/long?at={at}")).text();
        let shown = articles(&first);
        assert_eq!(shown, articles(&again), "{at}");
        assert_eq!(numbers(&shown)[0], first_number);
        assert_eq!(shown.len(), if at == 439 { 40 } else { 100 });
        for page in [&first, &again] {
            assert_eq!(page.matches("<nav class=\"contents\"").count(), 1, "{at}");
            assert_eq!(page.matches("data-total=\"440\"").count(), 1, "{at}");
            assert!(page.trim_end().ends_with("</html>"), "{at}");
        }
    }
}

#[test]
fn stretches_make_up_the_slice() {
    let home = home(500);
    let server = ready(&home);
    let slice = server.get("/c/long/messages?from=100");
    assert_eq!(slice.header("x-messages"), Some("440"));
    let slice = slice.text();
    let stretches: Vec<String> = (100..200)
        .step_by(25)
        .map(|from| server.get(&format!("/c/long/messages?from={from}&count=25")).text())
        .collect();
    let in_pieces: Vec<&str> = stretches.iter().flat_map(|stretch| articles(stretch)).collect();
    assert_eq!(in_pieces, articles(&slice));
    assert_eq!(numbers(&in_pieces), (101..=200).collect::<Vec<_>>());
    let many = server.get("/c/long/messages?from=0&count=100000").text();
    assert_eq!(articles(&many).len(), 100, "nobody is given everything at once");
    assert_eq!(articles(&server.get("/c/long/messages?from=440").text()), Vec::<&str>::new());
}

#[test]
fn a_question_asked_again_has_the_same_answer() {
    let home = home(500);
    let server = ready(&home);
    for address in ["/search?q=question", "/search?q=question&from=1", "/search", "/search?q=%22"] {
        let (first, again) = (server.get(address), server.get(address));
        assert_eq!((first.status, first.text()), (200, again.text()), "{address}");
    }
}
