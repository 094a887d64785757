//! Secrets in every place that a home has: no route of the server gives one out, and no search finds a piece of one.

use std::cell::Cell;
use std::path::PathBuf;

use backscroll_fixtures::{
    ChatTab, CliChat, Composer, CursorHome, HeaderTable, SearchIndex, Speaks as _, StateDatabase, Transcript,
    WorkspaceFolder, WrittenHome,
};
use serde_json::json;
use tempfile::TempDir;

use crate::running::Running;

/// Makes tokens of a known kind, each another one.
#[derive(Default)]
struct Tokens(Cell<u32>);

impl Tokens {
    /// The beginning of all of them that no other word has.
    const BEGIN: &str = "glpat-Tide7";

    fn next(&self) -> String {
        self.0.set(self.0.get() + 1);
        let mut state = u64::from(self.0.get()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let digits = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz0123456789";
        let mut token = Self::BEGIN.to_owned();
        while token.len() < 26 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            token.push(char::from(digits[usize::try_from(state >> 33).unwrap() % digits.len()]));
        }
        token
    }

    /// A sentence with a token in it.
    fn say(&self, words: &str) -> String {
        format!("{words} {} there", self.next())
    }

    /// A path with a token in it.
    fn path(&self, file: &str) -> String {
        format!("/home/mira/{}/{file}", self.next())
    }
}

const ID: &str = "11111111-aaaa-4bbb-8ccc-000000000001";
const CHILD: &str = "11111111-aaaa-4bbb-8ccc-000000000002";
const CHAT: &str = "22222222-aaaa-4bbb-8ccc-000000000003";
const TOLD: &str = "33333333-aaaa-4bbb-8ccc-000000000004";

fn composer(tokens: &Tokens, folder: &str) -> Composer {
    let nested = json!({ "inner": json!({ "deep": tokens.say("nested") }).to_string() }).to_string();
    let url = format!("https://example.org/{}?q=1", tokens.next());
    Composer::new(ID)
        .titled(&tokens.say("Harbour title"))
        .model(&format!("model-{}", tokens.next()))
        .in_workspace("9e1f", folder)
        .set("createdOnBranch", json!(format!("fix/{}", tokens.next())))
        .set("activeBranch", json!({ "branchName": format!("now/{}", tokens.next()) }))
        .set("text", json!(tokens.say("draft")))
        .set("todos", json!([{ "id": "1", "content": tokens.say("todo"), "status": "pending" }]))
        .set("prUrl", json!(url))
        .set("originalFileStates", json!({ format!("file://{}", tokens.path("state.rs")): {} }))
        .user(&tokens.say("harbour prompt"))
        .with_file(&tokens.path("attached.rs"))
        .with_image(&tokens.path("picture.png"))
        .with_context("cursorRules", json!({ "filename": tokens.path("rule.mdc") }))
        .with_context("externalLinks", json!({ "url": format!("https://example.org/{}", tokens.next()), "uuid": "u" }))
        .thinking(&tokens.say("thought"))
        .assistant(&format!("harbour answer\n\n```rust\nlet key = \"{}\";\n```\n[link](https://example.org/{})", tokens.next(), tokens.next()))
        .tool(
            "run_terminal_cmd",
            json!({ "command": tokens.say("echo"), "cwd": tokens.path("cwd") }),
            json!({ "output": tokens.say("printed"), "json": nested }),
        )
        .tool(&format!("mcp_odd_{}", tokens.next()), json!({ "argument": tokens.say("odd") }), json!({}))
        .with_tool("error", json!(tokens.say("failed")))
        .tool("edit_file", json!({ "target_file": tokens.path("edited.rs"), "code_edit": tokens.say("edit") }), json!({
            "diff": { "chunks": [{ "diffString": format!("-old\n+{}", tokens.say("new")), "oldStart": 1, "newStart": 1, "oldLines": 1, "newLines": 1, "linesRemoved": 1, "linesAdded": 1 }] }
        }))
        .edits(&tokens.path("written.rs"), "before", &tokens.say("after"))
        .tool("todo_write", json!({ "todos": [{ "id": "1", "content": tokens.say("list"), "status": "pending" }] }), json!({}))
        .assistant(&tokens.say("orphan"))
        .orphaned()
}

/// A home with a token in each place that holds texts of a conversation, also in the names of folders.
fn home(tokens: &Tokens) -> (TempDir, WrittenHome) {
    let temp = TempDir::new().unwrap();
    let root: PathBuf = temp.path().join(tokens.next());
    let folder = tokens.path("project");
    let whole = composer(tokens, &folder);
    let child = Composer::new(CHILD)
        .titled(&tokens.say("child"))
        .subagent_of(ID, "call", "explore")
        .user("look around");
    let workspace = WorkspaceFolder::new("9e1f")
        .folder(&format!("file://{folder}"))
        .head(&whole)
        .prompt(&tokens.say("stored prompt"))
        .chat_tab(ChatTab::new("tab-1").user(&tokens.say("old tab")).assistant(&tokens.say("old answer")));
    let headers = HeaderTable::new().composer(&whole).composer(&child);
    let database = StateDatabase::new().composer(&whole).composer(&child).header_table(headers);
    let cwd = tokens.path("cli");
    let chat = CliChat::new(&cwd, CHAT)
        .named(&tokens.say("cli title"))
        .user(&tokens.say("cli prompt"))
        .assistant(&tokens.say("cli answer"));
    let told = Transcript::new(&tokens.path("transcript"), TOLD)
        .user(&tokens.say("transcript prompt"))
        .assistant(&tokens.say("transcript answer"));
    let search = SearchIndex::new().local(ID, &tokens.say("search title"), &tokens.say("search body"), 1);
    let written = CursorHome::at(root)
        .global(database)
        .workspace(workspace)
        .cli(chat)
        .transcript(told)
        .search_index(search)
        .file(
            format!(".cursor/plans/{}.plan.md", tokens.next()),
            format!("# Plan\n\n{}\n", tokens.say("plan")),
        )
        .write()
        .unwrap();
    (temp, written)
}

/// Addresses to ask for a route with `{…}` in it.
fn addresses(route: &str) -> Vec<String> {
    let with_ids: Vec<String> = if route.contains("{id}") {
        [ID, CHILD, CHAT, TOLD, "tab-1"].map(|id| route.replace("{id}", id)).to_vec()
    } else {
        vec![route.to_owned()]
    };
    let formats = ["jsonl", "json", "md", "html", "txt", "csv"];
    let picture = |route: &str| route.replace("{message}", "m1").replace("{part}", "1");
    let asked = with_ids.iter().flat_map(|route| {
        if route.contains("{format}") {
            formats.map(|format| route.replace("{format}", format)).to_vec()
        } else {
            vec![picture(route).replace("{version}/{name}", "0/page.css")]
        }
    });
    let queries = [
        "",
        "?q=harbour",
        "?q=glpat-Tide7*",
        "?q=glpat&how=exact",
        "?q=tide7&workspace=mira",
        "?path=%2Fhome&file=x",
    ];
    asked.flat_map(|path| queries.map(|query| format!("{path}{query}"))).collect()
}

#[test]
fn no_route_gives_out_a_secret() {
    let tokens = Tokens::default();
    let (_temp, home) = home(&tokens);
    assert!(tokens.0.get() >= 37, "{} places", tokens.0.get());
    let server = Running::over_home(home.root());
    server.wait_for_index();
    let routes = include_str!("../src/routes.rs");
    let routes = routes.split(".route(\"").skip(1).map(|rest| &rest[..rest.find('"').unwrap()]);
    let mut asked: Vec<String> = routes.filter(|route| *route != "/events").flat_map(addresses).collect();
    assert!(asked.len() > 200, "{}", asked.len());
    // Whatever is linked is asked, too: pages of workspaces and stores have names of folders in their addresses.
    for page in ["/", "/workspaces", "/stores", "/stats", "/search?q=harbour"] {
        let text = server.get(page).text();
        let links = text.split("href=\"/").skip(1).filter_map(|rest| rest.split_once('"'));
        asked.extend(links.map(|(link, _)| format!("/{}", link.replace("&amp;", "&"))));
    }
    let mut seen = 0;
    for path in asked {
        let answer = server.get(&path);
        let text = answer.text();
        // What the address itself says may come back.
        let echoed = usize::from(path.contains(Tokens::BEGIN)) * 8;
        let leaks: Vec<&str> =
            text.match_indices("Tide7").map(|(at, _)| &text[at..(at + 20).min(text.len())]).collect();
        let leaks: Vec<&&str> = leaks
            .iter()
            .filter(|leak| !leak.starts_with("Tide7*") && !leak.starts_with("Tide7%2A"))
            .collect();
        assert!(leaks.len() <= echoed, "{path}: {leaks:?}");
        seen += usize::from(text.contains('‹'));
    }
    assert!(seen > 40, "{seen} answers with placeholders");
}

#[test]
fn no_search_finds_a_piece_of_a_secret() {
    let tokens = Tokens::default();
    let (_temp, home) = home(&tokens);
    let server = Running::over_home(home.root());
    server.wait_for_index();
    let answer = |query: &str| {
        let answer = server.get(&format!("/api/v1/search?{query}"));
        (answer.status, answer.header("x-total").map(str::to_owned), answer.text().replace(query, ""))
    };
    assert_eq!(answer("q=harbour").1.as_deref(), Some("1"));
    let nothing = answer("q=zzzz*");
    for query in [
        "q=tide7*",
        "q=glpat-tide7*",
        "q=title:tide7*",
        "q=path:Tide7",
        "q=tide7&how=exact",
        "q=workspace:glpat-Tide7",
    ] {
        let told = answer(query);
        assert_eq!((told.0, told.1.as_deref(), told.2.as_str()), (nothing.0, Some("0"), "[]\n"), "{query}");
    }
    let listed = |query: &str| {
        server.get(&format!("/api/v1/conversations?{query}")).header("x-total").map(str::to_owned)
    };
    assert_eq!(listed("workspace=glpat-Tide7").as_deref(), Some("0"), "names of folders are no oracle");
    assert_eq!(listed("title=Tide7").as_deref(), Some("0"), "nor are titles");
}
