//! Which tool stands under which number of a tool call, and how its fields are to be shown. Data only.

use backscroll_model::ToolStatus;

/// How a field is to be shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Text,
    Number,
    Flag,
    Bytes,
    /// A nested message with these fields.
    Message(&'static [Spec]),
    /// A map from text to messages with these fields.
    Map(&'static [Spec]),
    /// A map from text to `google.protobuf.Value`.
    Values,
    /// The id of a blob, told as such.
    BlobId,
    /// The id of a blob whose text takes its place.
    BlobText,
    TodoStatus,
    SubagentType,
    /// Whatever it is: told by its looks.
    Any,
}

/// One field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spec {
    pub(super) number: u32,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Told as a list even if there is only one.
    pub(super) is_list: bool,
}

/// A field that comes once.
pub(super) const fn one(number: u32, name: &'static str, kind: Kind) -> Spec {
    let is_list = false;
    Spec { number, name, kind, is_list }
}

/// A field that may come several times.
pub(super) const fn list(number: u32, name: &'static str, kind: Kind) -> Spec {
    let is_list = true;
    Spec { number, name, kind, is_list }
}

/// One way in which a tool may have ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    pub(super) number: u32,
    pub(super) name: &'static str,
    pub(super) status: ToolStatus,
    pub(super) fields: &'static [Spec],
}

/// An outcome.
pub(super) const fn outcome(
    number: u32,
    name: &'static str,
    status: ToolStatus,
    fields: &'static [Spec],
) -> Outcome {
    Outcome { number, name, status, fields }
}

/// A tool: its name, its arguments, how it may end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) arguments: &'static [Spec],
    /// The known successful result, first of the outcomes.
    pub(super) success: &'static [Spec],
    /// The other outcomes; the usual ones if empty.
    pub(super) others: &'static [Outcome],
}

const fn tool(name: &'static str, arguments: &'static [Spec], success: &'static [Spec]) -> Tool {
    Tool { name, arguments, success, others: &[] }
}

/// The tool in field `number` of a tool call, as far as its fields are known.
pub(super) fn by_number(number: u32) -> Option<Tool> {
    use super::tool_fields as of;
    Some(match number {
        1 => Tool { others: of::SHELL_OTHERS, ..tool("shell", of::SHELL_ARGUMENTS, of::SHELL_SUCCESS) },
        2 => tool("write", of::WRITE_ARGUMENTS, of::WRITE_SUCCESS),
        3 => tool("delete", of::DELETE_ARGUMENTS, &[]),
        4 => tool("glob", of::GLOB_ARGUMENTS, of::GLOB_SUCCESS),
        5 => tool("grep", of::GREP_ARGUMENTS, of::GREP_SUCCESS),
        8 => tool("read", of::READ_ARGUMENTS, of::READ_SUCCESS),
        9 => tool("updateTodos", of::TODO_ARGUMENTS, of::TODO_ARGUMENTS),
        10 => tool("readTodos", &[], of::TODO_ARGUMENTS),
        12 => Tool { others: of::EDIT_OTHERS, ..tool("edit", of::EDIT_ARGUMENTS, of::EDIT_SUCCESS) },
        13 => tool("ls", of::LS_ARGUMENTS, &[]),
        14 => tool("readLints", of::LINT_ARGUMENTS, &[]),
        15 => tool("mcp", of::MCP_ARGUMENTS, of::MCP_SUCCESS),
        17 => tool("createPlan", of::PLAN_ARGUMENTS, &[]),
        18 => tool("web_search", of::SEARCH_ARGUMENTS, of::SEARCH_SUCCESS),
        19 => tool("task", of::TASK_ARGUMENTS, of::TASK_SUCCESS),
        23 => tool("askQuestion", of::ASK_ARGUMENTS, &[]),
        24 => tool("fetch", of::URL, of::PAGE),
        37 => tool("web_fetch", of::URL, of::PAGE),
        other => tool(rare(other)?, &[], &[]),
    })
}

/// Tools of which only the name is known.
fn rare(number: u32) -> Option<&'static str> {
    Some(match number {
        16 => "semSearch",
        20 => "list_mcp_resources",
        21 => "read_mcp_resource",
        22 => "apply_agent_diff",
        25 => "switch_mode",
        28 => "generateImage",
        29 => "record_screen",
        30 => "computer_use",
        31 => "write_shell_stdin",
        32 => "reflect",
        33 => "setup_vm",
        35 | 36 => "grind",
        38 => "report_bugfix_results",
        39 => "ai_attribution",
        40 => "pr_management",
        41 => "mcp_auth",
        42 => "await",
        43 => "blame",
        44 => "get_mcp_tools",
        45 => "report_bug",
        46 => "set_active_branch",
        48 => "communicate_update",
        49 => "send_final_summary",
        55 => "send_message",
        56 => "fetch_cloud_agent_data",
        58 => "send_to_user",
        61 => "pi_read",
        62 => "pi_bash",
        63 => "pi_edit",
        64 => "pi_write",
        65 => "pi_grep",
        66 => "pi_find",
        67 => "pi_ls",
        68 => "connect_scm",
        69 => "search_conversations",
        72 => "adopt",
        78 => "get_pr_code_tour",
        _ => return None,
    })
}
