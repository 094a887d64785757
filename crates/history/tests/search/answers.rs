//! What a search tells besides the order: snippets, neighbours, counts, facets, exact search, relatives and files.

use backscroll_fixtures::{Composer, Speaks as _};
use backscroll_history::{Ask, Exact, History, Note, Order, Request, Showing};

use super::world::{World, id_of, name_of, names};

#[test]
fn hits_show_why_they_were_found() {
    let world = World::new();
    let found = world.search("vector clock");
    let hits = found.conversations.iter().flat_map(|one| &one.hits);
    let snippets: Vec<_> = hits.filter_map(|hit| hit.snippet.as_ref()).collect();
    assert!(!snippets.is_empty());
    assert!(snippets.iter().all(|snippet| !snippet.marks.is_empty()), "{snippets:?}");
    let marked: Vec<&str> =
        snippets.iter().flat_map(|one| one.marks.iter().map(|mark| &one.text[mark.clone()])).collect();
    assert!(
        marked.contains(&"vector") && marked.contains(&"clock") && marked.contains(&"clocks"),
        "{marked:?}"
    );
}

#[test]
fn of_very_many_matches_the_newest_are_ranked() {
    let said = |id: &str, started: i64, times: usize| {
        let composer = Composer::new(id).titled(id).started(started);
        (0..times).fold(composer, |composer, _| composer.user("the tern flies"))
    };
    let first = 1_700_000_000_000;
    let world = World::of(&[said("older", first, 1_100), said("newer", first + 10 * 86_400_000, 3)]);
    for order in [Order::Relevance, Order::Newest] {
        let request = World::asking(Ask { order, ..World::request("tern").ask });
        let found = world.history.search(&world.index, &request, Showing::default()).unwrap();
        let is_ranked = order == Order::Relevance;
        assert_eq!(found.notes, if is_ranked { vec![Note::NewestOnly(1_000)] } else { Vec::new() });
        assert_eq!(found.total.at_least, is_ranked, "in the order of time all are looked at");
        let ids: Vec<&str> = found.conversations.iter().map(|one| one.summary.id.as_str()).collect();
        assert!(ids.contains(&"newer"), "{order:?}: {ids:?}");
        assert!(order == Order::Relevance || ids == ["newer", "older"], "{ids:?}");
    }
}

#[test]
fn words_spread_over_a_conversation_are_found_and_it_is_said() {
    let world = World::new();
    let found = world.search("sourdough percentages");
    assert_eq!(names(&found), ["recipe"]);
    assert_eq!(found.notes, [Note::ConversationWide]);
}

#[test]
fn counts_facets_pages_and_orders_agree() {
    let world = World::new();
    let ask = Ask { limit: Some(100), ..World::request("the").ask };
    let all = Request { facets: true, ..World::asking(ask.clone()) };
    let found = world.history.search(&world.index, &all, Showing::default()).unwrap();
    let total = world.index.count(&all).unwrap();
    assert_eq!((total.conversations, total.hits), (found.total.conversations, found.total.hits));
    assert!(total.conversations > 20);
    let facets = found.facets.as_ref().unwrap();
    let in_workspaces: usize = facets.workspaces.iter().map(|facet| facet.count).sum();
    assert_eq!(in_workspaces, found.total.conversations);
    let narrowed = |words: String| world.index.count(&World::request(&words)).unwrap().conversations;
    for role in &facets.roles {
        assert_eq!(narrowed(format!("the role:{}", role.value)), role.count, "{role:?}");
    }
    assert!(facets.months.len() > 3);
    for month in &facets.months {
        let first: jiff::civil::Date = format!("{}-01", month.value).parse().unwrap();
        let words = format!("the after:{first} before:{}", first.last_of_month().tomorrow().unwrap());
        assert_eq!(narrowed(words), month.count, "{month:?}");
    }
    let page = World::asking(Ask { limit: Some(5), offset: 5, ..ask.clone() });
    let page = world.history.search(&world.index, &page, Showing::default()).unwrap();
    assert_eq!(names(&page), names(&found)[5..10]);
    let newest = World::asking(Ask { order: Order::Newest, ..ask.clone() });
    let newest = world.history.search(&world.index, &newest, Showing::default()).unwrap();
    let mut times: Vec<_> = newest.conversations.iter().map(|one| one.hits[0].hit.at.at).collect();
    assert!(times.windows(2).all(|pair| pair[0] >= pair[1]));
    let oldest = World::asking(Ask { order: Order::Oldest, ..ask.clone() });
    let oldest = world.history.search(&world.index, &oldest, Showing::default()).unwrap();
    times = oldest.conversations.iter().map(|one| one.hits[0].hit.at.at).collect();
    assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
    let titled = World::asking(Ask { order: Order::Title, ..ask });
    let titled = world.history.search(&world.index, &titled, Showing::default()).unwrap();
    let found: Vec<_> = titled
        .conversations
        .iter()
        .map(|one| one.summary.title.clone().map(|title| title.to_lowercase()))
        .collect();
    assert!(found.len() > 20 && found.is_sorted(), "{found:?}");
}

#[test]
fn months_begin_where_the_reader_lives() {
    let world = World::new();
    // Begun sixteen days before the sixteenth of November at noon, in UTC.
    let words = "title:\"Goroutine leak in the hub\"";
    let months = |zone: &str| {
        let zone = jiff::tz::TimeZone::get(zone).unwrap();
        let request = Request { facets: true, zone, ..World::request(words) };
        let found = world.history.search(&world.index, &request, Showing::default()).unwrap();
        assert_eq!(found.total.conversations, 1);
        found.facets.unwrap().months.into_iter().map(|month| (month.value, month.count)).collect::<Vec<_>>()
    };
    assert_eq!(months("UTC"), [("2026-10".to_owned(), 1)]);
    assert_eq!(months("Pacific/Kiritimati"), [("2026-11".to_owned(), 1)]);
}

#[test]
fn neighbours_stand_around_a_hit() {
    let world = World::new();
    let showing = Showing { context: 1, ..Showing::default() };
    let found = world.history.search(&world.index, &World::request("role:user goroutines"), showing).unwrap();
    let hit = &found.conversations[0].hits[0];
    assert_eq!(hit.nearby.iter().map(|near| near.0).collect::<Vec<_>>(), [hit.hit.number + 1]);
}

#[test]
fn characters_and_patterns_are_found_to_the_letter() {
    let world = World::new();
    let exact = |text: &str, ignore| {
        let exact = Exact::text(text, ignore).unwrap();
        let request = World::asking(Ask { limit: Some(50), ..Ask::default() });
        names(
            &world
                .history
                .search_exact(&world.index, &exact, &request, Showing::default(), &mut |_| {})
                .unwrap(),
        )
    };
    assert_eq!(exact("WHERE (created_at, id) < (?, ?)", false), ["pagination"]);
    assert_eq!(exact("where (CREATED_AT", true), ["pagination"]);
    assert!(exact("where (CREATED_AT", false).is_empty());
    assert_eq!(exact("mergeRem", false), ["syncengine"], "inside of a word");
    assert_eq!(exact("存功", false), ["autosave"]);
    let pattern = Exact::pattern(r"error\[E0\d{3}\]: cannot borrow", false).unwrap();
    let found = world.history.search_exact(
        &world.index,
        &pattern,
        &World::request(""),
        Showing::default(),
        &mut |_| {},
    );
    assert_eq!(names(&found.unwrap()), ["borrow"]);
    assert!(Exact::pattern("(", false).is_err());
}

#[test]
fn relatives_share_words_or_files_and_files_know_who_touched_them() {
    let world = World::new();
    let related = world
        .history
        .related(&world.index, &world.load("vector"), &Ask { limit: Some(5), ..Ask::default() })
        .unwrap();
    assert_eq!(name_of(&related[0].summary.id), "syncengine", "{related:?}");
    assert!(related[0].reason.words.iter().any(|word| word.starts_with("vector")), "{related:?}");
    assert!(related[0].reason.same_workspace);
    let files = |asked: &str| world.history.files(&world.index, asked, &Ask::default()).unwrap();
    for asked in [
        "keepalive.go",
        "internal/hub/keepalive.go",
        "/home/dev/chatserver/internal/hub/keepalive.go",
        "HUB\\keepalive.go",
    ] {
        let by = files(asked);
        assert_eq!(by.iter().map(|by| name_of(&by.summary.id)).collect::<Vec<_>>(), ["websocket"], "{asked}");
    }
    assert_eq!(files("hub/").len(), 2, "a folder");
    assert!(files("/elsewhere/keepalive.go").is_empty());
    assert_eq!(
        world.index.touched(&id_of("goroutine")).unwrap(),
        ["/home/dev/chatserver/internal/hub/hub.go"]
    );
}

#[test]
fn messages_that_cannot_be_read_back_are_counted() {
    let world = World::new();
    let nowhere = History::over(Vec::new(), Vec::new());
    let exact = Exact::text("WHERE (created_at, id) < (?, ?)", false).unwrap();
    let request = World::request("");
    let found =
        nowhere.search_exact(&world.index, &exact, &request, Showing::default(), &mut |_| {}).unwrap();
    assert_eq!(names(&found), [""; 0]);
    assert!(matches!(found.notes[..], [Note::Unread(messages)] if messages > 0), "{:?}", found.notes);
}

#[test]
fn a_search_may_ask_who_said_it() {
    let composer = Composer::new("c")
        .titled("T")
        .user("lantern by hand")
        .user("lantern by machine")
        .with("isSimulatedMsg", serde_json::json!(true))
        .assistant("lantern lit");
    let world = World::of(&[composer]);
    let found = |query: &str| -> Vec<String> {
        let found = world.search(query);
        let hits = found.conversations.iter().flat_map(|one| &one.hits);
        hits.filter_map(|hit| Some(hit.snippet.as_ref()?.text.clone())).collect()
    };
    assert_eq!(found("lantern from:person"), ["lantern by hand"]);
    assert_eq!(found("lantern from:simulated"), ["lantern by machine"]);
    assert!(found("lantern from:agent").is_empty());
    assert_eq!(found("lantern").len(), 3);
    let scope = backscroll_index::StatisticsScope::default();
    let statistics = world.index.statistics(&scope, &jiff::tz::TimeZone::UTC).unwrap();
    assert_eq!((statistics.messages, statistics.prompts), (3, 1), "what no person wrote is no prompt");
}

#[test]
fn a_time_without_words_asks_for_what_was_said_then() {
    let world = World::new();
    assert_eq!(world.names("last saturday"), ["syncengine"]);
    assert_eq!(world.names("what did we do on saturday 2026-11-14?"), ["syncengine"]);
    assert_eq!(world.names("in march"), ["holiday"]);
    let october = world.names("in october");
    assert!(october.contains(&"docker") && !october.contains(&"holiday"), "{october:?}");
    assert_eq!(World::request("in october").ask.times.len(), 1);
    assert!(world.names("tern in 1999-01").is_empty(), "neither was said then, nor is there the word");
}

#[test]
fn only_words_that_nothing_has_find_nothing() {
    let world = World::new();
    assert!(!world.names("xyzzyplugh the").is_empty(), "a word that tells nothing is better than no answer");
    assert!(!world.names("xyzzyplugh invoices role:user").is_empty());
    assert!(world.names("xyzzyplugh quuxfrob").is_empty());
}
