//! Every page, over a home with something of every era and over one that is out to break things.

use backscroll_fixtures::{
    Composer, CursorHome, Speaks, StateDatabase, WorkspaceFolder, WrittenHome, demo_home,
};
use tempfile::TempDir;

use crate::running::Running;

/// Texts that have broken pages before.
const HOSTILE: &str = "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'><b>&lt;";

fn hostile_home() -> WrittenHome {
    let id = "a\"><script>alert(1)</script>";
    let composer = Composer::new(id).titled(HOSTILE).user(HOSTILE).assistant(HOSTILE).model(HOSTILE);
    let folder = format!("file:///home/{}", "%3Cscript%3Ealert(1)%3C%2Fscript%3E");
    CursorHome::new()
        .unwrap()
        .workspace(WorkspaceFolder::new("0123abcd").folder(&folder).head(&composer))
        .global(StateDatabase::new().composer(&composer))
        .write()
        .unwrap()
}

/// The addresses of every conversation's pages.
fn conversation_pages(server: &Running) -> Vec<String> {
    let listed: serde_json::Value =
        serde_json::from_slice(&server.get("/api/v1/conversations?all=1").body).unwrap();
    let ids = listed.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned());
    let encoded = |id: String| id.bytes().fold(String::new(), |text, byte| text + &format!("%{byte:02X}"));
    let below = ["", "/messages", "/find?q=the", "/about", "/files", "/related", "/replay"];
    let formats = ["md", "html", "txt", "json", "jsonl", "csv"].map(|format| format!("/export/{format}"));
    ids.map(encoded)
        .flat_map(|id| {
            let each = below.iter().map(|below| (*below).to_owned()).chain(formats.clone());
            each.map(move |below| format!("/c/{id}{below}")).collect::<Vec<_>>()
        })
        .collect()
}

const PAGES: &[&str] = &[
    "/",
    "/search",
    "/search?q=the&sort=newest",
    "/search?q=%22open",
    "/search?tool=read",
    "/workspaces",
    "/stats",
    "/stores",
    "/help",
];

#[test]
fn every_page_of_the_demo_can_be_read() {
    let folder = TempDir::new().unwrap();
    demo_home(folder.path()).unwrap();
    let server = Running::over_home(folder.path());
    let pages = conversation_pages(&server);
    assert!(pages.len() > 100, "{}", pages.len());
    for page in PAGES.iter().map(|page| (*page).to_owned()).chain(pages) {
        let answer = server.get(&page);
        assert_eq!(answer.status, 200, "{page}");
        assert!(!answer.body.is_empty() || page.ends_with("messages"), "{page}");
    }
    let home = server.get("/").text();
    assert!(home.contains("High water is an hour late in summer"));
    server.wait_for_index();
    let found = server.get("/search?q=%22high+water%22").text();
    assert!(found.contains("<mark>"), "finds are marked");
    assert!(
        server.get("/search?q=%22open").text().contains("quotation mark"),
        "what is wrong with a query is said"
    );
    for question in ["", "&q=tide"] {
        let months = server.get(&format!("/search?all=1{question}")).text();
        let (_, after) = months.split_once("<h2>Month</h2>").expect("months are among the facets");
        let month = after.split("title=\"").nth(1).and_then(|rest| rest.get(..7)).unwrap().to_owned();
        let narrowed = server.get(&format!("/search?all=1&on={month}{question}")).text();
        assert!(narrowed.contains("class=\"conversation\""), "{month}{question} finds something");
        assert!(narrowed.contains(&format!("<bdi>{month}</bdi>")), "{month} can be taken back");
    }
    let listed: serde_json::Value =
        serde_json::from_slice(&server.get("/api/v1/conversations").body).unwrap();
    let about = server.get(&format!("/c/{}/about", listed[0]["id"].as_str().unwrap())).text();
    assert!(about.contains("Where each message was read") && about.contains("bubbleId:"), "down to the row");
    assert_eq!(server.get("/workspace?path=%2Fhome%2Fmira%2Ftides").status, 200);
    assert_eq!(server.get("/workspace?path=%2Fnowhere").status, 404);
    assert_eq!(server.get("/c/nobody").status, 404);
}

#[test]
fn stored_text_stays_text_on_every_page() {
    let home = hostile_home();
    let server = Running::over_home(home.root());
    let pages = conversation_pages(&server);
    assert!(!pages.is_empty());
    for page in
        PAGES.iter().map(|page| (*page).to_owned()).chain(pages).filter(|page| !page.contains("/export/"))
    {
        let answer = server.get(&page);
        assert!(answer.status == 200, "{page}: {}", answer.status);
        let text = answer.text().to_lowercase();
        for forbidden in ["<script>alert", "<img src=x", "onerror=alert(1)>\""] {
            assert!(!text.contains(forbidden), "{page} holds {forbidden}");
        }
    }
}

#[test]
fn nothing_to_show_says_what_to_do() {
    let empty = TempDir::new().unwrap();
    let server = Running::over_home(empty.path());
    for page in ["/", "/search", "/search?q=x", "/workspaces", "/stats"] {
        let answer = server.get(page);
        assert_eq!(answer.status, 200, "{page}");
        assert!(answer.text().contains("--home DIR"), "{page}");
    }
}

#[test]
fn a_long_conversation_comes_in_slices() {
    let mut composer = Composer::new("long").titled("Long");
    for number in 0..130 {
        composer = composer.user(&format!("prompt {number}")).assistant(&format!("answer {number}"));
    }
    let home = CursorHome::new().unwrap().global(StateDatabase::new().composer(&composer)).write().unwrap();
    let server = Running::over_home(home.root());
    let articles = |path: &str| server.get(path).text().matches("<article").count();
    assert_eq!(
        (articles("/c/long"), articles("/c/long?at=250"), articles("/c/long?at=99999")),
        (100, 60, 60)
    );
    let last = server.get("/c/long?at=250").text();
    assert!(
        last.contains("id=\"m260\"") && last.contains("Earlier messages") && !last.contains("Later messages")
    );
    let slice = server.get("/c/long/messages?from=100");
    assert_eq!((slice.header("x-messages"), slice.text().matches("<article").count()), (Some("260"), 100));
    assert!(
        server.get("/c/long/find?q=ANSWER+129").text().contains("#m260"),
        "finds what is not on the page"
    );
}

#[test]
fn a_store_tells_what_it_is_made_of_when_asked() {
    let folder = TempDir::new().unwrap();
    demo_home(folder.path()).unwrap();
    let server = Running::over_home(folder.path());
    let told: serde_json::Value =
        serde_json::from_slice(&server.get("/api/v1/sources?kinds=true").body).unwrap();
    let state =
        told.as_array().unwrap().iter().find(|one| one["file"].as_str().unwrap().ends_with("state.vscdb"));
    let state = state.expect("the editor's database is told of");
    let bubbles = state["kinds"].as_array().unwrap().iter().find(|kind| kind["kind"] == "bubbleId").unwrap();
    assert!(
        bubbles["rows"].as_u64().unwrap() > 10 && bubbles["bytes"].as_u64().unwrap() > 1_000,
        "{bubbles}"
    );
    assert_eq!(bubbles["table"], "cursorDiskKV");
    let plain: serde_json::Value = serde_json::from_slice(&server.get("/api/v1/sources").body).unwrap();
    assert!(
        plain.as_array().unwrap().iter().all(|one| one.get("kinds").is_none()),
        "nobody waits without asking"
    );
    let address = format!("/stores/contents?file={}", state["file"].as_str().unwrap().replace('/', "%2F"));
    assert!(server.get("/stores").text().contains("/stores/contents?file="));
    let page = server.get(&address).text();
    assert!(
        page.contains("bubbleId") && page.contains("composerData") && page.contains("of keys and values")
    );
    for elsewhere in ["%2Fetc%2Fpasswd", "..%2Fstate.vscdb", ""] {
        for path in ["/stores/contents?file=", "/api/v1/sources?kinds=true&file="] {
            assert_eq!(server.get(&format!("{path}{elsewhere}")).status, 404, "{path}{elsewhere}");
        }
    }
}

#[test]
fn statistics_by_month_have_tables() {
    let folder = TempDir::new().unwrap();
    demo_home(folder.path()).unwrap();
    let server = Running::over_home(folder.path());
    server.wait_for_index();
    let page = server.get("/stats").text();
    for title in ["Messages by hour of the day", "Answers by month and model", "Lines changed by month"] {
        let (_, figure) = page.split_once(&format!("<figcaption>{title}")).expect(title);
        let figure = figure.split("</figure>").next().unwrap();
        assert!(
            figure.contains("<svg") && figure.contains("<table>") && figure.contains("scope=\"row\""),
            "{title}"
        );
    }
    for kind in ["Tokens, measured", "Tokens, estimated", "Tokens, unknown"] {
        assert!(page.contains(kind), "{kind}");
    }
    let told: serde_json::Value = serde_json::from_slice(&server.get("/api/v1/statistics").body).unwrap();
    let months = told["lines"]["months"].as_array().unwrap();
    assert_eq!(
        months.iter().map(|month| month["added"].as_u64().unwrap()).sum::<u64>(),
        told["lines"]["added"]
    );
    assert!(months.iter().all(|month| month["month"].as_str().unwrap().starts_with("202")), "{months:?}");
}
