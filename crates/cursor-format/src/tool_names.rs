//! One vocabulary for tools over all surfaces and eras.
//!
//! The same tool has up to six names: what the model called (`search_replace`), the client's handler
//! (`edit_file_v2`, a number), the display name (`StrReplace`), the SDK's (`edit`). The name wins over the
//! number, because one handler serves several tools; the number helps where the name says nothing.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use backscroll_model::Payload;

use crate::agent::stored_tools;
use crate::wire_json::{List, Text, wire};

/// The canonical name of a tool, from its raw name and, where known, the number of its handler.
pub fn canonical(raw_name: &str, handler: Option<u64>) -> String {
    if let Some(name) = by_name(raw_name) {
        return name.to_owned();
    }
    if let Some(mcp) = mcp(raw_name) {
        return mcp;
    }
    if let Some(name) = handler.and_then(handler_name).and_then(by_name) {
        return name.to_owned();
    }
    raw_name.to_owned()
}

/// The canonical name of a tool of an MCP server.
pub fn mcp_name(server: &str, tool: &str) -> String {
    format!("mcp:{server}:{tool}")
}

fn by_name(raw: &str) -> Option<&'static str> {
    Some(match raw {
        "read_file" | "read_file_v2" | "Read" | "ReadFile" | "read" | "pi_read" => "read",
        "write" | "Write" | "WriteFile" | "write_file" | "pi_write" => "write",
        "edit_file" | "edit_file_v2" | "search_replace" | "StrReplace" | "Edit" | "edit" | "ApplyPatch"
        | "apply_patch" | "reapply" | "apply_agent_diff" | "pi_edit" => "edit",
        "MultiStrReplace" | "MultiEdit" | "multi_edit" => "multi_edit",
        "delete_file" | "Delete" | "delete" => "delete",
        "list_dir" | "list_dir_v2" | "LS" | "ls" | "pi_ls" => "list_dir",
        "glob_file_search" | "file_search" | "Glob" | "glob" | "pi_find" => "glob",
        "grep" | "Grep" | "rg" | "grep_search" | "ripgrep_search" | "ripgrep_raw_search" | "pi_grep" => {
            "grep"
        }
        "codebase_search"
        | "read_semsearch_files"
        | "semantic_search_full"
        | "semantic_search"
        | "SemanticSearch"
        | "sem_search"
        | "semSearch"
        | "deep_search" => "semantic_search",
        "run_terminal_cmd"
        | "run_terminal_command"
        | "run_terminal_command_v2"
        | "Shell"
        | "shell"
        | "shell.execute"
        | "Bash"
        | "bash"
        | "pi_bash" => "shell",
        "web_search" | "WebSearch" | "webSearch" | "x_search" | "XSearch" | "xSearch" => "web_search",
        "web_fetch" | "WebFetch" | "webFetch" | "fetch" => "web_fetch",
        "todo_write" | "todo_read" | "TodoWrite" | "TodoRead" | "update_todos" | "read_todos"
        | "updateTodos" | "readTodos" | "todo" => "todo",
        "task" | "task_v2" | "Task" | "Subagent" | "Agent" => "task",
        "create_plan" | "CreatePlan" | "createPlan" | "plan" => "plan",
        "ask_question" | "AskQuestion" | "askQuestion" | "ask" => "ask",
        "read_lints" | "ReadLints" | "readLints" | "fix_lints" | "lints" => "lints",
        "edit_notebook" | "EditNotebook" | "NotebookEdit" | "notebook_edit" => "notebook_edit",
        "generate_image" | "GenerateImage" | "generateImage" | "image" => "image",
        _ => return None,
    })
}

/// Tools of Cursor's own that have neither a canonical name, nor the number of a handler or of a stored call.
const OTHERS: &str = "CallMcpTool diff_history FetchMcpResource multi_tool_use.parallel update_memory";

/// Whether a stored name is one of Cursor's tools, however it is spelled (`switch_mode`, `SwitchMode`, `switchMode`), or one of
/// an MCP server, which may be any.
pub(crate) fn is_known(raw_name: &str, handler: Option<u64>) -> bool {
    static NAMES: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let handlers = HANDLER_NAMES.values().copied();
        handlers.chain(stored_tools()).chain(OTHERS.split_whitespace()).map(spelling).collect()
    });
    by_name(raw_name).is_some()
        || may_be_relay(raw_name, handler)
        || mcp(raw_name).is_some()
        || NAMES.contains(&spelling(raw_name))
}

/// A name without what its spellings differ in.
fn spelling(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

/// `mcp-<server>-<tool>`, `mcp_<server>_<tool>`, `user-<Server>-<tool>` and the flat `<server>-<tool>`.
///
/// No tool of Cursor's own has a dash in its name, and tools of MCP servers rarely do, so the last dash
/// separates. Some builds write the server twice.
fn mcp(raw: &str) -> Option<String> {
    if let Some(rest) = raw.strip_prefix("mcp_") {
        let (server, tool) = rest.split_once('_')?;
        return nonempty(server, tool);
    }
    let rest = raw.strip_prefix("mcp-").or_else(|| raw.strip_prefix("user-")).unwrap_or(raw);
    let (server, tool) = rest.rsplit_once('-')?;
    let half = server.len().saturating_sub(1) / 2;
    let halves = server.get(..half).zip(server.get(half..).and_then(|rest| rest.strip_prefix('-')));
    let once = match halves {
        Some((first, second)) if first == second => first,
        _ => server,
    };
    nonempty(once, tool)
}

fn nonempty(server: &str, tool: &str) -> Option<String> {
    (!server.is_empty() && !tool.is_empty()).then(|| mcp_name(server, tool))
}

/// What the client calls its handlers, by their numbers.
const HANDLERS: &str = "1 read_semsearch_files 3 ripgrep_search 5 read_file 6 list_dir 7 edit_file 8 file_search \
    9 semantic_search_full 11 delete_file 12 reapply 15 run_terminal_command_v2 16 fetch_rules 18 web_search \
    19 mcp 23 search_symbols 24 background_composer_followup 25 knowledge_base 26 fetch_pull_request \
    27 deep_search 28 create_diagram 29 fix_lints 30 read_lints 31 go_to_definition 32 task 33 await_task \
    34 todo_read 35 todo_write 38 edit_file_v2 39 list_dir_v2 40 read_file_v2 41 ripgrep_raw_search \
    42 glob_file_search 43 create_plan 44 list_mcp_resources 45 read_mcp_resource 46 read_project \
    47 update_project 48 task_v2 49 call_mcp_tool 50 apply_agent_diff 51 ask_question 52 switch_mode \
    53 generate_image 54 computer_use 55 write_shell_stdin 56 record_screen 57 web_fetch \
    58 report_bugfix_results 59 ai_attribution 60 mcp_auth 61 reflect 62 await 63 get_mcp_tools";

static HANDLER_NAMES: LazyLock<BTreeMap<u64, &str>> = LazyLock::new(|| {
    let words: Vec<&str> = HANDLERS.split_whitespace().collect();
    words.chunks(2).map(|pair| (pair[0].parse().unwrap_or_default(), pair[1])).collect()
});

/// What the client calls the handler with this number.
pub fn handler_name(number: u64) -> Option<&'static str> {
    HANDLER_NAMES.get(&number).copied()
}

wire! {
    /// What names an MCP server and its tool, in both of its shapes.
    struct WireMcp<'a> {
        server: Text<'a> = "server" | "serverName" | "serverIdentifier",
        provider: Text<'a> = "providerIdentifier",
        tool: Text<'a> = "toolName" | "tool_name",
        name: Text<'a> = "name",
        tools: List<WireMcpTool<'a>> = "tools",
    }
}
wire! {
    struct WireMcpTool<'a> { server: Text<'a> = "serverName" | "server", tool: Text<'a> = "name", }
}

/// The handlers that relay calls to MCP servers.
const RELAYS: [u64; 2] = [19, 49];

/// The canonical name of a call of `raw_name`, served by the handler with this number, with these arguments.
pub(crate) fn call_name(raw_name: &str, handler: Option<u64>, arguments: Option<&Payload>) -> String {
    let named =
        arguments.filter(|_| may_be_relay(raw_name, handler)).and_then(|given| named_inside(given.as_str()));
    named.unwrap_or_else(|| canonical(raw_name, handler))
}

/// Whether a call may be one that relays to an MCP server.
pub(crate) fn may_be_relay(raw_name: &str, handler: Option<u64>) -> bool {
    handler.is_some_and(|number| RELAYS.contains(&number))
        || matches!(raw_name, "CallMcpTool" | "call_mcp_tool" | "callMcpTool")
        || raw_name.starts_with("mcp")
}

/// Every name under which the arguments of a relayed call know the tool that is called.
pub(crate) fn relayed_names(arguments: &str) -> Vec<String> {
    let given: WireMcp<'_> = serde_json::from_str(arguments).unwrap_or_default();
    let listed = given.tools.0.iter().filter_map(|one| one.tool.owned());
    listed.chain(given.tool.owned()).chain(given.name.owned()).collect()
}

fn named_inside(arguments: &str) -> Option<String> {
    let given: WireMcp<'_> = serde_json::from_str(arguments).ok()?;
    let (server, tool) = match given.tools.0.first() {
        Some(first) => (first.server.filled()?, first.tool.filled()?),
        None => {
            (given.server.filled().or(given.provider.filled())?, given.tool.filled().or(given.name.filled())?)
        }
    };
    Some(mcp_name(server, tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_name_has_its_place() {
        let table = [
            ("run_terminal_cmd", "shell"),
            ("run_terminal_command_v2", "shell"),
            ("Shell", "shell"),
            ("shell", "shell"),
            ("read_file", "read"),
            ("read_file_v2", "read"),
            ("ReadFile", "read"),
            ("search_replace", "edit"),
            ("edit_file", "edit"),
            ("edit_file_v2", "edit"),
            ("StrReplace", "edit"),
            ("ApplyPatch", "edit"),
            ("write", "write"),
            ("delete_file", "delete"),
            ("Task", "task"),
            ("task_v2", "task"),
            ("Subagent", "task"),
            ("create_plan", "plan"),
            ("list_dir", "list_dir"),
            ("glob_file_search", "glob"),
            ("file_search", "glob"),
            ("rg", "grep"),
            ("grep_search", "grep"),
            ("ripgrep_raw_search", "grep"),
            ("codebase_search", "semantic_search"),
            ("web_search", "web_search"),
            ("webSearch", "web_search"),
            ("webFetch", "web_fetch"),
            ("todo_write", "todo"),
            (
                "mcp-cursor-ide-browser-cursor-ide-browser-browser_navigate",
                "mcp:cursor-ide-browser:browser_navigate",
            ),
            ("chrome-devtools-new_page", "mcp:chrome-devtools:new_page"),
            ("mcp_github_create_issue", "mcp:github:create_issue"),
            ("user-Filesystem-create_directory", "mcp:Filesystem:create_directory"),
            ("A\u{10000}-x", "mcp:A\u{10000}:x"),
            ("somethingNew", "somethingNew"),
            ("", ""),
        ];
        for (raw, expected) in table {
            assert_eq!(canonical(raw, None), expected, "{raw}");
        }
    }

    #[test]
    fn the_name_wins_over_the_handler_and_the_handler_over_nothing() {
        assert_eq!(canonical("write", Some(38)), "write");
        assert_eq!(canonical("whatever", Some(38)), "edit");
        assert_eq!(canonical("", Some(15)), "shell");
    }

    #[test]
    fn names_are_known_in_every_spelling_and_those_of_servers_always() {
        let known =
            ["Read", "switch_mode", "SwitchMode", "switchMode", "tracked-tasks-list", "mcp_a_b", "mcp"];
        for name in known.into_iter().chain(["CallMcpTool", "getMcpTools", "XSearch", "update_tracked_tasks"])
        {
            assert!(is_known(name, None), "{name}");
        }
        assert!(is_known("whatever_a_server_calls_it", Some(19)));
        for name in ["whatever", "read_file_v9", ""] {
            assert!(!is_known(name, None) && !is_known(name, Some(38)), "{name}");
        }
        assert_eq!(
            (HANDLER_NAMES.len(), handler_name(63), handler_name(64)),
            (52, Some("get_mcp_tools"), None)
        );
    }

    #[test]
    fn the_relay_is_named_by_what_it_calls() {
        let given = |json: &str| Some(Payload::from_text(json.to_owned()));
        let flat = given(r#"{"server":"github","toolName":"create_issue","arguments":{}}"#);
        let listed = given(r#"{"tools":[{"name":"make","serverName":"gh","parameters":"{}"}]}"#);
        let provided = given(r#"{"providerIdentifier":"gh","name":"gh-make","toolName":"make"}"#);
        let table = [
            ("CallMcpTool", None, &flat, "mcp:github:create_issue"),
            ("CallMcpTool", None, &None, "CallMcpTool"),
            ("call_mcp_tool", Some(49), &flat, "mcp:github:create_issue"),
            ("mcp-gh-x", Some(19), &listed, "mcp:gh:make"),
            ("mcp-gh-x", Some(19), &None, "mcp:gh:x"),
            ("mcp", None, &provided, "mcp:gh:make"),
            ("Read", None, &flat, "read"),
            ("whatever", Some(38), &flat, "edit"),
        ];
        for (raw_name, handler, arguments, expected) in table {
            assert_eq!(call_name(raw_name, handler, arguments.as_ref()), expected, "{raw_name}");
        }
    }
}
