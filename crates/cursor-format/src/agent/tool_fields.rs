//! What the numbered fields of tool calls are called. Data only; the names are those of Cursor's own JSON.

use backscroll_model::ToolStatus::{Cancelled, Error};

use super::tool_schema::Kind::{
    Any, BlobId, BlobText, Bytes, Flag, Map, Message, Number, SubagentType, Text, TodoStatus, Values,
};
use super::tool_schema::{Outcome, Spec, list, one, outcome};

pub(super) const ERROR: &[Spec] = &[one(1, "error", Text), one(2, "error", Text)];
pub(super) const REASON: &[Spec] = &[one(1, "reason", Text), one(2, "reason", Text), one(3, "reason", Text)];
/// How tools end that say nothing else.
pub(super) const USUAL: &[Outcome] = &[
    outcome(2, "error", Error, ERROR),
    outcome(3, "rejected", Cancelled, REASON),
    outcome(4, "permissionDenied", Error, ERROR),
];

pub(super) const SHELL_ARGUMENTS: &[Spec] = &[
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
pub(super) const SHELL_SUCCESS: &[Spec] = &[
    one(1, "command", Text),
    one(2, "workingDirectory", Text),
    one(3, "exitCode", Number),
    one(4, "signal", Text),
    one(5, "stdout", Text),
    one(6, "stderr", Text),
    one(7, "executionTime", Number),
    one(10, "interleavedOutput", Text),
    one(15, "outputHead", Text),
    one(16, "outputTail", Text),
    one(17, "elided", Any),
];
pub(super) const SHELL_FAILURE: &[Spec] = &[
    one(1, "command", Text),
    one(2, "workingDirectory", Text),
    one(3, "exitCode", Number),
    one(4, "signal", Text),
    one(5, "stdout", Text),
    one(6, "stderr", Text),
    one(7, "executionTime", Number),
    one(9, "interleavedOutput", Text),
    one(10, "abortReason", Any),
    one(11, "aborted", Flag),
];
pub(super) const SHELL_REJECTED: &[Spec] =
    &[one(1, "command", Text), one(2, "workingDirectory", Text), one(3, "reason", Text)];
pub(super) const SHELL_ERROR: &[Spec] =
    &[one(1, "command", Text), one(2, "workingDirectory", Text), one(3, "error", Any)];
pub(super) const SHELL_OTHERS: &[Outcome] = &[
    outcome(2, "failure", Error, SHELL_FAILURE),
    outcome(3, "timeout", Error, SHELL_ERROR),
    outcome(4, "rejected", Cancelled, SHELL_REJECTED),
    outcome(5, "spawnError", Error, SHELL_ERROR),
    outcome(7, "permissionDenied", Error, SHELL_ERROR),
];

pub(super) const READ_SUCCESS: &[Spec] = &[
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
pub(super) const EDIT_ARGUMENTS: &[Spec] = &[
    one(1, "path", Text),
    one(4, "patch", Message(&[one(1, "patchContent", Text)])),
    one(6, "streamContent", Text),
];
pub(super) const EDIT_SUCCESS: &[Spec] = &[
    one(1, "path", Text),
    one(2, "resultForModel", Text),
    one(3, "linesAdded", Number),
    one(4, "linesRemoved", Number),
    one(5, "diffString", Text),
    one(6, "beforeFullFileContent", Text),
    one(7, "afterFullFileContent", Text),
    one(8, "message", Text),
];
pub(super) const PATH_ERROR: &[Spec] = &[one(1, "path", Text), one(2, "error", Text)];
pub(super) const PATH_REJECTED: &[Spec] = &[one(1, "path", Text), one(2, "reason", Text)];
pub(super) const EDIT_OTHERS: &[Outcome] = &[
    outcome(2, "fileNotFound", Error, PATH_ERROR),
    outcome(3, "readPermissionDenied", Error, PATH_ERROR),
    outcome(4, "writePermissionDenied", Error, PATH_ERROR),
    outcome(6, "rejected", Cancelled, PATH_REJECTED),
    outcome(7, "error", Error, PATH_ERROR),
];
pub(super) const GREP_ARGUMENTS: &[Spec] = &[
    one(1, "pattern", Text),
    one(2, "path", Text),
    one(3, "glob", Text),
    one(4, "outputMode", Text),
    one(8, "caseInsensitive", Flag),
    one(10, "headLimit", Number),
    one(11, "multiline", Flag),
    one(14, "toolCallId", Text),
];
pub(super) const GREP_LINE: &[Spec] =
    &[one(1, "lineNumber", Number), one(2, "content", Text), one(4, "isContextLine", Flag)];
pub(super) const GREP_FILE: &[Spec] = &[one(1, "file", Text), list(2, "matches", Message(GREP_LINE))];
pub(super) const GREP_WORKSPACE: &[Spec] = &[
    one(1, "count", Any),
    one(2, "files", Any),
    one(3, "content", Message(&[list(1, "matches", Message(GREP_FILE))])),
];
pub(super) const GREP_SUCCESS: &[Spec] = &[
    one(1, "pattern", Text),
    one(2, "path", Text),
    one(3, "outputMode", Text),
    one(4, "workspaceResults", Map(GREP_WORKSPACE)),
];
pub(super) const GLOB_SUCCESS: &[Spec] =
    &[one(1, "pattern", Text), one(2, "path", Text), list(3, "files", Text), one(4, "totalFiles", Number)];
pub(super) const MCP_ARGUMENTS: &[Spec] = &[
    one(1, "name", Text),
    one(2, "args", Values),
    one(3, "toolCallId", Text),
    one(4, "providerIdentifier", Text),
    one(5, "toolName", Text),
    one(9, "serverIdentifier", Text),
];
pub(super) const MCP_SUCCESS: &[Spec] =
    &[list(1, "content", Any), one(2, "isError", Flag), one(3, "structuredContent", Any)];
pub(super) const TASK_ARGUMENTS: &[Spec] = &[
    one(1, "description", Text),
    one(2, "prompt", Text),
    one(3, "subagentType", SubagentType),
    one(4, "model", Text),
    one(5, "resume", Text),
    one(6, "agentId", Text),
];
pub(super) const TASK_SUCCESS: &[Spec] = &[
    list(1, "conversationSteps", Any),
    one(2, "agentId", Text),
    one(3, "isBackground", Flag),
    one(4, "durationMs", Number),
    one(7, "transcriptPath", Text),
];
pub(super) const TODO: &[Spec] = &[
    one(1, "id", Text),
    one(2, "content", Text),
    one(3, "status", TodoStatus),
    list(6, "dependencies", Text),
];
pub(super) const TODO_ARGUMENTS: &[Spec] = &[list(1, "todos", Message(TODO)), one(2, "merge", Flag)];
pub(super) const OPTION: &[Spec] = &[one(1, "id", Text), one(2, "label", Text)];
pub(super) const QUESTION: &[Spec] = &[
    one(1, "id", Text),
    one(2, "prompt", Text),
    list(3, "options", Message(OPTION)),
    one(4, "allowMultiple", Flag),
];
pub(super) const ASK_ARGUMENTS: &[Spec] = &[one(1, "title", Text), list(2, "questions", Message(QUESTION))];
pub(super) const PLAN_ARGUMENTS: &[Spec] = &[
    one(1, "plan", Text),
    list(2, "todos", Message(TODO)),
    one(3, "overview", Text),
    one(4, "name", Text),
    one(5, "isProject", Flag),
];
pub(super) const WEB_REFERENCE: &[Spec] =
    &[one(1, "title", Text), one(2, "url", Text), one(3, "chunk", Text)];
pub(super) const URL: &[Spec] = &[one(1, "url", Text), one(2, "toolCallId", Text)];
pub(super) const PAGE: &[Spec] = &[one(1, "url", Text), one(2, "markdown", Text)];
pub(super) const WRITE_ARGUMENTS: &[Spec] =
    &[one(1, "path", Text), one(2, "contents", Text), one(3, "toolCallId", Text)];
pub(super) const WRITE_SUCCESS: &[Spec] =
    &[one(1, "path", Text), one(2, "linesCreated", Number), one(3, "fileSize", Number)];

pub(super) const DELETE_ARGUMENTS: &[Spec] = &[one(1, "path", Text), one(2, "toolCallId", Text)];
pub(super) const GLOB_ARGUMENTS: &[Spec] = &[one(1, "targetDirectory", Text), one(2, "globPattern", Text)];
pub(super) const READ_ARGUMENTS: &[Spec] =
    &[one(1, "path", Text), one(2, "offset", Number), one(3, "limit", Number)];
pub(super) const LS_ARGUMENTS: &[Spec] =
    &[one(1, "path", Text), list(2, "ignore", Text), one(3, "toolCallId", Text)];
pub(super) const LINT_ARGUMENTS: &[Spec] = &[list(1, "paths", Text)];
pub(super) const SEARCH_ARGUMENTS: &[Spec] = &[one(1, "searchTerm", Text), one(2, "toolCallId", Text)];
pub(super) const SEARCH_SUCCESS: &[Spec] = &[list(1, "references", Message(WEB_REFERENCE))];
