//! `backscroll.conversation/1`.
//!
//! Fields of the contract are always there, `null` or empty where nothing is known. Fields besides the contract stand
//! among them without changing their order.

use backscroll_model::{
    Conversation, ConversationId, Coverage, FactOrigin, Finding, Lines, Message, Origin, Todo, Tokens,
};
use serde::Serialize;

use super::each::{Each, Wired};
use super::place::WireWorkspace;
use super::scalar::{Flags, Time};

/// The fields in the order of the contract.
#[derive(Serialize)]
pub(super) struct WireConversation<'a> {
    schema: &'static str,
    id: &'a str,
    surface: &'static str,
    title: Option<&'a str>,
    workspace: Option<WireWorkspace<'a>>,
    created_at: Option<Time>,
    updated_at: Option<Time>,
    mode: Option<&'a str>,
    models: &'a [String],
    flags: Flags<'a>,
    parent: Option<&'a str>,
    children: Each<'a, ConversationId>,
    tokens: Option<WireTokens>,
    lines: Option<WireLines>,
    context: Option<WireContext>,
    branch: Option<&'a str>,
    branches: &'a [String],
    pull_requests: &'a [String],
    todos: Each<'a, Todo>,
    files: &'a [String],
    plans: &'a [String],
    draft: Option<&'a str>,
    cost_cents: Option<u64>,
    messages: Each<'a, Message>,
    orphans: Each<'a, Message>,
    origins: Each<'a, Origin>,
    #[serde(skip_serializing_if = "Each::is_empty")]
    fact_origins: Each<'a, FactOrigin>,
    coverage: WireCoverage,
    findings: Each<'a, Finding>,
}

impl<'a> WireConversation<'a> {
    pub(super) fn of(conversation: &'a Conversation) -> Self {
        let (summary, facts) = (&conversation.summary, &conversation.facts);
        Self {
            schema: "backscroll.conversation/1",
            id: summary.id.as_str(),
            surface: summary.surface.name(),
            title: summary.title.as_deref(),
            workspace: summary.workspace.as_ref().map(Wired::wire),
            created_at: summary.created_at.map(Time),
            updated_at: summary.updated_at.map(Time),
            mode: summary.mode.as_deref(),
            models: &summary.models,
            flags: Flags(&summary.flags),
            parent: summary.parent.as_ref().map(ConversationId::as_str),
            children: Each(&conversation.children),
            tokens: facts.tokens.map(WireTokens::of),
            lines: facts.lines.map(WireLines::of),
            context: facts.context.map(|context| WireContext {
                used: context.used,
                limit: context.limit,
                percent: context.percent,
            }),
            branch: facts.branch.as_deref(),
            branches: &facts.branches,
            pull_requests: &facts.pull_requests,
            todos: Each(&facts.todos),
            files: &facts.files,
            plans: &facts.plans,
            draft: facts.draft.as_deref(),
            cost_cents: facts.cost_cents,
            messages: Each(&conversation.messages),
            orphans: Each(&conversation.orphans),
            origins: Each(&summary.origins),
            fact_origins: Each(&conversation.fact_origins),
            coverage: WireCoverage::of(conversation.coverage),
            findings: Each(&conversation.findings),
        }
    }
}

#[derive(Serialize)]
pub(super) struct WireTokens {
    input: u64,
    output: u64,
}

impl WireTokens {
    pub(super) fn of(tokens: Tokens) -> Self {
        Self { input: tokens.input, output: tokens.output }
    }
}

#[derive(Serialize)]
pub(super) struct WireLines {
    added: u64,
    removed: u64,
}

impl WireLines {
    pub(super) fn of(lines: Lines) -> Self {
        Self { added: lines.added, removed: lines.removed }
    }
}

#[derive(Serialize)]
struct WireContext {
    used: Option<u64>,
    limit: Option<u64>,
    percent: Option<f64>,
}

#[derive(Serialize)]
struct WireCoverage {
    listed: u64,
    read: u64,
    missing: u64,
    orphaned: u64,
    empty: u64,
    undecodable: u64,
}

impl WireCoverage {
    fn of(coverage: Coverage) -> Self {
        Self {
            listed: coverage.listed,
            read: coverage.read,
            missing: coverage.missing,
            orphaned: coverage.orphaned,
            empty: coverage.empty,
            undecodable: coverage.undecodable,
        }
    }
}
