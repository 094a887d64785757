//! Which tool stands under which number of a tool call, and how its fields are to be shown. Data only.

use backscroll_model::ToolStatus;
use backscroll_model::ToolStatus::{Cancelled, Error};

use super::tool_schema::Kind::{
    Any, BlobId, BlobText, Bytes, Flag, Map, Message, Number, SubagentType, Text, TodoStatus, Values,
};

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
    /// The id of a blob, kept as such.
    BlobId,
    /// The id of a blob whose text takes its place.
    BlobText,
    TodoStatus,
    SubagentType,
    /// Whatever it is: read by its looks.
    Any,
}

/// One field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spec {
    pub(super) number: u32,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// A list even if there is only one.
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
    /// What a result says beside its outcome.
    pub(super) beside: &'static [Spec],
}

const fn tool(name: &'static str, arguments: &'static [Spec], success: &'static [Spec]) -> Tool {
    Tool { name, arguments, success, others: &[], beside: &[] }
}

/// The highest number of a tool.
pub(super) const LAST: u32 = 94;

/// The tool in field `number` of a tool call, as far as its fields are known.
pub(super) fn by_number(number: u32) -> Option<Tool> {
    use super::tool_schema as of;
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
        17 => Tool {
            others: of::ERROR_ONLY,
            beside: of::PLAN_FILE,
            ..tool("createPlan", of::PLAN_ARGUMENTS, &[])
        },
        18 => tool("web_search", of::SEARCH_ARGUMENTS, of::SEARCH_SUCCESS),
        19 => tool("task", of::TASK_ARGUMENTS, of::TASK_SUCCESS),
        23 => tool("askQuestion", of::ASK_ARGUMENTS, &[]),
        24 => tool("fetch", of::URL, of::PAGE),
        37 => tool("web_fetch", of::URL, of::PAGE),
        69 => tool("search_conversations", of::CONVERSATION_SEARCH, &[]),
        70 => tool("create_goal", of::GOAL, &[]),
        73 => tool("get_agent_status", of::AGENTS, &[]),
        74 => tool("send_to_agent", of::AGENT_MESSAGE, of::AGENT_ANSWER),
        75 => tool("read_agent_transcript", of::AGENT, of::AGENT_TRANSCRIPT),
        76 => tool("create_agent", of::NEW_AGENT, of::AGENT_ANSWER),
        77 => tool("stop_agent", of::AGENT, of::AGENT_ANSWER),
        79 => Tool { others: of::CANVAS_OTHERS, ..tool("write_canvas", of::CANVAS_WRITTEN, of::CANVAS) },
        80 => Tool { others: of::CANVAS_OTHERS, ..tool("read_canvas", of::CANVAS_READ, of::CANVAS) },
        81 => tool("generate_video", of::VIDEO_ARGUMENTS, of::VIDEO),
        82 => tool("x_search", of::X_SEARCH, of::X_ANSWER),
        85 => tool("list_tracked_tasks", of::TASK_FILTER, of::TASKS_LISTED),
        86 => tool("create_tracked_tasks", of::TASKS_NEW, of::TASKS_CREATED),
        87 => tool("update_tracked_tasks", of::TASKS_CHANGED, of::TASKS_UPDATED),
        88 => tool("delete_tracked_tasks", of::TASK_KEYS, of::TASKS_DELETED),
        89 => tool("update_tracked_task_statuses", of::TASK_STATUSES, &[]),
        90 => tool("create_project", of::NEW_AGENT, of::AGENT_ANSWER),
        91 => tool("update_tracked_task_tags", of::TASK_TAGS, &[]),
        93 => tool("stop_project_updates", of::AGENT, of::AGENT_ANSWER),
        94 => tool("start_project_updates", of::AGENT, of::AGENT_ANSWER),
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
        50 => "update_pr_code_tour",
        51 => "replace_env",
        52 => "edit_pr_labels",
        53 => "record_ci_investigation_findings",
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
        71 => "update_goal",
        72 => "adopt",
        78 => "get_pr_code_tour",
        83 => "get_origin_pr_code_tour",
        84 => "update_origin_pr_code_tour",
        _ => return None,
    })
}

pub(super) const ERROR: &[Spec] = &[one(1, "error", Text), one(2, "error", Text)];
const REASON: &[Spec] = &[one(1, "reason", Text), one(2, "reason", Text), one(3, "reason", Text)];
/// How tools end that say nothing else.
pub(super) const USUAL: &[Outcome] = &[
    outcome(2, "error", Error, ERROR),
    outcome(3, "rejected", Cancelled, REASON),
    outcome(4, "permissionDenied", Error, ERROR),
];

const ERROR_ONLY: &[Outcome] = &[outcome(2, "error", Error, ERROR)];
/// Field 3 in the descriptors of the SDK; other builds are said to have it in field 4.
const PLAN_FILE: &[Spec] = &[one(3, "planUri", Text), one(4, "planUri", Text)];

const CONVERSATION_SEARCH: &[Spec] =
    &[one(1, "query", Text), one(2, "toolCallId", Text), one(3, "limit", Number)];
const GOAL: &[Spec] = &[one(1, "objective", Text)];
const AGENTS: &[Spec] = &[one(1, "toolCallId", Text), list(2, "agentIds", Text)];
const AGENT: &[Spec] =
    &[one(1, "toolCallId", Text), one(2, "agentId", Text), one(3, "mode", Text), one(4, "maxTurns", Number)];
const AGENT_TRANSCRIPT: &[Spec] = &[one(1, "transcript", Text), one(2, "truncated", Flag)];
const AGENT_MESSAGE: &[Spec] = &[
    one(1, "toolCallId", Text),
    one(2, "agentId", Text),
    one(3, "message", Text),
    one(4, "delivery", Text),
    one(5, "title", Text),
    one(6, "model", Text),
];
const NEW_AGENT: &[Spec] = &[
    one(1, "toolCallId", Text),
    one(2, "prompt", Text),
    one(3, "name", Text),
    one(4, "model", Text),
    one(5, "baseBranch", Text),
];
const AGENT_ANSWER: &[Spec] = &[one(1, "agentId", Text)];
const CANVAS_WRITTEN: &[Spec] = &[one(1, "contents", Text), one(2, "canvasId", Text), one(3, "title", Text)];
const CANVAS_READ: &[Spec] = &[one(1, "canvasId", Text), one(2, "url", Text)];
const CANVAS: &[Spec] =
    &[one(1, "canvasId", Text), one(2, "title", Text), one(3, "url", Text), one(4, "source", Text)];
/// Reading and writing fail with their detail in other fields.
const CANVAS_FAILURE: &[Spec] = &[one(1, "code", Number), one(2, "detail", Any), one(3, "detail", Text)];
const CANVAS_OTHERS: &[Outcome] = &[outcome(2, "failure", Error, CANVAS_FAILURE)];
const VIDEO_ARGUMENTS: &[Spec] = &[
    one(1, "prompt", Text),
    one(2, "filePath", Text),
    one(3, "imagePath", Text),
    list(4, "referenceImagePaths", Text),
    one(5, "durationSeconds", Number),
    one(6, "aspectRatio", Text),
    one(7, "resolution", Text),
    one(8, "lastFramePath", Text),
];
const VIDEO: &[Spec] = &[one(1, "filePath", Text), one(2, "durationSeconds", Number)];
const X_SEARCH: &[Spec] = &[
    one(1, "query", Text),
    one(2, "fromDate", Text),
    one(3, "toDate", Text),
    list(4, "allowedHandles", Text),
    list(5, "excludedHandles", Text),
];
const X_CITATION: &[Spec] = &[one(1, "url", Text), one(2, "title", Text)];
const X_ANSWER: &[Spec] = &[one(1, "answer", Text), list(2, "citations", Message(X_CITATION))];
const TASK_FILTER: &[Spec] = &[
    one(1, "toolCallId", Text),
    list(2, "keys", Text),
    list(3, "statusCategories", Text),
    one(4, "owner", Text),
    one(5, "linkedAgentId", Text),
];
const TASK_VIEW: &[Spec] = &[
    one(1, "key", Text),
    one(2, "title", Text),
    one(3, "statusId", Text),
    one(4, "statusLabel", Text),
    one(5, "owner", Text),
    one(6, "parentKey", Text),
];
const TASKS_LISTED: &[Spec] = &[list(1, "tasks", Message(TASK_VIEW)), one(7, "message", Text)];
const TASK_NEW: &[Spec] = &[
    one(1, "clientRef", Text),
    one(2, "title", Text),
    one(3, "status", Text),
    one(4, "owner", Text),
    one(5, "parent", Text),
];
const TASKS_NEW: &[Spec] = &[one(1, "toolCallId", Text), list(2, "tasks", Message(TASK_NEW))];
const TASK_CREATED: &[Spec] = &[one(1, "clientRef", Text), one(2, "key", Text), one(3, "version", Number)];
const TASKS_CREATED: &[Spec] = &[list(1, "created", Message(TASK_CREATED)), one(2, "message", Text)];
const TASK_CHANGE: &[Spec] = &[
    one(1, "key", Text),
    one(2, "title", Text),
    one(3, "status", Text),
    one(4, "owner", Text),
    one(5, "parent", Text),
];
const TASKS_CHANGED: &[Spec] = &[one(1, "toolCallId", Text), list(2, "updates", Message(TASK_CHANGE))];
const TASK_UPDATED: &[Spec] =
    &[one(1, "key", Text), one(2, "version", Number), one(3, "title", Text), one(4, "statusLabel", Text)];
const TASKS_UPDATED: &[Spec] = &[list(1, "updated", Message(TASK_UPDATED)), one(3, "message", Text)];
const TASK_KEYS: &[Spec] = &[one(1, "toolCallId", Text), list(2, "keys", Text)];
const TASKS_DELETED: &[Spec] = &[list(1, "deletedKeys", Text), one(3, "message", Text)];
const TASK_STATUS: &[Spec] = &[one(1, "id", Text), one(2, "label", Text), one(4, "category", Text)];
const TASK_STATUSES: &[Spec] = &[one(1, "toolCallId", Text), list(2, "statuses", Message(TASK_STATUS))];
const TASK_TAG: &[Spec] = &[one(1, "id", Text), one(2, "label", Text), one(3, "color", Text)];
const TASK_TAGS: &[Spec] = &[one(1, "toolCallId", Text), list(2, "tags", Message(TASK_TAG))];

const SHELL_ARGUMENTS: &[Spec] = &[
    one(1, "command", Text),
    one(2, "workingDirectory", Text),
    one(3, "timeout", Number),
    one(4, "toolCallId", Text),
    list(5, "simpleCommands", Text),
    one(8, "parsingResult", Any),
    one(9, "requestedSandboxPolicy", Any),
    one(11, "isBackground", Flag),
    one(15, "description", Text),
];
const OUTPUT_LOCATION: &[Spec] =
    &[one(1, "filePath", Text), one(2, "sizeBytes", Number), one(3, "lineCount", Number)];
const SHELL_SUCCESS: &[Spec] = &[
    one(1, "command", Text),
    one(2, "workingDirectory", Text),
    one(3, "exitCode", Number),
    one(4, "signal", Text),
    one(5, "stdout", Text),
    one(6, "stderr", Text),
    one(7, "executionTime", Number),
    one(8, "outputLocation", Message(OUTPUT_LOCATION)),
    one(10, "interleavedOutput", Text),
    one(15, "outputHead", Text),
    one(16, "outputTail", Text),
    one(17, "elided", Any),
];
const SHELL_FAILURE: &[Spec] = &[
    one(1, "command", Text),
    one(2, "workingDirectory", Text),
    one(3, "exitCode", Number),
    one(4, "signal", Text),
    one(5, "stdout", Text),
    one(6, "stderr", Text),
    one(7, "executionTime", Number),
    one(8, "outputLocation", Message(OUTPUT_LOCATION)),
    one(9, "interleavedOutput", Text),
    one(10, "abortReason", Any),
    one(11, "aborted", Flag),
    one(16, "oomKill", Message(&[one(1, "kind", Number), one(2, "memoryLimitBytes", Number)])),
];
const SHELL_REJECTED: &[Spec] =
    &[one(1, "command", Text), one(2, "workingDirectory", Text), one(3, "reason", Text)];
const SHELL_ERROR: &[Spec] =
    &[one(1, "command", Text), one(2, "workingDirectory", Text), one(3, "error", Any)];
const SHELL_OTHERS: &[Outcome] = &[
    outcome(2, "failure", Error, SHELL_FAILURE),
    outcome(3, "timeout", Error, SHELL_ERROR),
    outcome(4, "rejected", Cancelled, SHELL_REJECTED),
    outcome(5, "spawnError", Error, SHELL_ERROR),
    outcome(7, "permissionDenied", Error, SHELL_ERROR),
];

const READ_SUCCESS: &[Spec] = &[
    one(1, "content", Text),
    one(2, "isEmpty", Flag),
    one(4, "totalLines", Number),
    one(5, "fileSize", Number),
    one(6, "data", Bytes),
    one(7, "path", Text),
    one(8, "readRange", Message(&[one(1, "startLine", Number), one(2, "endLine", Number)])),
    one(9, "dataBlobId", BlobId),
    one(10, "content", BlobText),
];
const EDIT_ARGUMENTS: &[Spec] = &[
    one(1, "path", Text),
    one(4, "patch", Message(&[one(1, "patchContent", Text)])),
    one(6, "streamContent", Text),
];
const EDIT_SUCCESS: &[Spec] = &[
    one(1, "path", Text),
    one(2, "resultForModel", Text),
    one(3, "linesAdded", Number),
    one(4, "linesRemoved", Number),
    one(5, "diffString", Text),
    one(6, "beforeFullFileContent", Text),
    one(7, "afterFullFileContent", Text),
    one(8, "message", Text),
];
const PATH_ERROR: &[Spec] = &[one(1, "path", Text), one(2, "error", Text)];
const PATH_REJECTED: &[Spec] = &[one(1, "path", Text), one(2, "reason", Text)];
const EDIT_OTHERS: &[Outcome] = &[
    outcome(2, "fileNotFound", Error, PATH_ERROR),
    outcome(3, "readPermissionDenied", Error, PATH_ERROR),
    outcome(4, "writePermissionDenied", Error, PATH_ERROR),
    outcome(6, "rejected", Cancelled, PATH_REJECTED),
    outcome(7, "error", Error, PATH_ERROR),
];
const GREP_ARGUMENTS: &[Spec] = &[
    one(1, "pattern", Text),
    one(2, "path", Text),
    one(3, "glob", Text),
    one(4, "outputMode", Text),
    one(8, "caseInsensitive", Flag),
    one(10, "headLimit", Number),
    one(11, "multiline", Flag),
    one(14, "toolCallId", Text),
];
const GREP_LINE: &[Spec] =
    &[one(1, "lineNumber", Number), one(2, "content", Text), one(4, "isContextLine", Flag)];
const GREP_FILE: &[Spec] = &[one(1, "file", Text), list(2, "matches", Message(GREP_LINE))];
const GREP_WORKSPACE: &[Spec] = &[
    one(1, "count", Any),
    one(2, "files", Any),
    one(3, "content", Message(&[list(1, "matches", Message(GREP_FILE))])),
];
const GREP_SUCCESS: &[Spec] = &[
    one(1, "pattern", Text),
    one(2, "path", Text),
    one(3, "outputMode", Text),
    one(4, "workspaceResults", Map(GREP_WORKSPACE)),
];
const GLOB_SUCCESS: &[Spec] =
    &[one(1, "pattern", Text), one(2, "path", Text), list(3, "files", Text), one(4, "totalFiles", Number)];
const MCP_ARGUMENTS: &[Spec] = &[
    one(1, "name", Text),
    one(2, "args", Values),
    one(3, "toolCallId", Text),
    one(4, "providerIdentifier", Text),
    one(5, "toolName", Text),
    one(9, "serverIdentifier", Text),
    one(11, "argumentsRepaired", Flag),
];
const MCP_SUCCESS: &[Spec] =
    &[list(1, "content", Any), one(2, "isError", Flag), one(3, "structuredContent", Any)];
const TASK_ARGUMENTS: &[Spec] = &[
    one(1, "description", Text),
    one(2, "prompt", Text),
    one(3, "subagentType", SubagentType),
    one(4, "model", Text),
    one(5, "resume", Text),
    one(6, "agentId", Text),
];
const TASK_SUCCESS: &[Spec] = &[
    list(1, "conversationSteps", Any),
    one(2, "agentId", Text),
    one(3, "isBackground", Flag),
    one(4, "durationMs", Number),
    one(7, "transcriptPath", Text),
];
const TODO: &[Spec] = &[
    one(1, "id", Text),
    one(2, "content", Text),
    one(3, "status", TodoStatus),
    list(6, "dependencies", Text),
];
const TODO_ARGUMENTS: &[Spec] = &[list(1, "todos", Message(TODO)), one(2, "merge", Flag)];
const OPTION: &[Spec] = &[one(1, "id", Text), one(2, "label", Text)];
const QUESTION: &[Spec] = &[
    one(1, "id", Text),
    one(2, "prompt", Text),
    list(3, "options", Message(OPTION)),
    one(4, "allowMultiple", Flag),
];
const ASK_ARGUMENTS: &[Spec] = &[one(1, "title", Text), list(2, "questions", Message(QUESTION))];
const PLAN_ARGUMENTS: &[Spec] = &[
    one(1, "plan", Text),
    list(2, "todos", Message(TODO)),
    one(3, "overview", Text),
    one(4, "name", Text),
    one(5, "isProject", Flag),
];
const WEB_REFERENCE: &[Spec] = &[one(1, "title", Text), one(2, "url", Text), one(3, "chunk", Text)];
const URL: &[Spec] = &[one(1, "url", Text), one(2, "toolCallId", Text)];
const PAGE: &[Spec] = &[one(1, "url", Text), one(2, "markdown", Text)];
const WRITE_ARGUMENTS: &[Spec] =
    &[one(1, "path", Text), one(2, "contents", Text), one(3, "toolCallId", Text)];
const WRITE_SUCCESS: &[Spec] =
    &[one(1, "path", Text), one(2, "linesCreated", Number), one(3, "fileSize", Number)];

const DELETE_ARGUMENTS: &[Spec] = &[one(1, "path", Text), one(2, "toolCallId", Text)];
const GLOB_ARGUMENTS: &[Spec] = &[one(1, "targetDirectory", Text), one(2, "globPattern", Text)];
const READ_ARGUMENTS: &[Spec] = &[one(1, "path", Text), one(2, "offset", Number), one(3, "limit", Number)];
const LS_ARGUMENTS: &[Spec] = &[one(1, "path", Text), list(2, "ignore", Text), one(3, "toolCallId", Text)];
const LINT_ARGUMENTS: &[Spec] = &[list(1, "paths", Text)];
const SEARCH_ARGUMENTS: &[Spec] = &[one(1, "searchTerm", Text), one(2, "toolCallId", Text)];
const SEARCH_SUCCESS: &[Spec] = &[list(1, "references", Message(WEB_REFERENCE))];
