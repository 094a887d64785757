//! What composer records and heads tell in common: the same fields, under the same names, in every index.

use backscroll_model::{Attribution, ConversationId, Flag, Origin, Summary, Surface};
use serde_json::value::RawValue;

use super::identifier::identifier;
use crate::placeholders::{is_placeholder_title, known_model};
use crate::uri::{Place, is_absolute, place};
use crate::wire_json::{Entries, Int, List, Number, Text, Truth, When, string, wire};

wire! {
    /// What listing needs: a head, or the part of a composer record (`composerData:<id>`) that a head repeats, and the
    /// record's own list of messages.
    struct WireHead<'a> {
        id: Text<'a> = "composerId",
        name: Text<'a> = "name",
        subtitle: Text<'a> = "subtitle",
        created_at: When = "createdAt",
        updated_at: When = "lastUpdatedAt",
        checkpoint_at: When = "conversationCheckpointLastUpdatedAt",
        unified_mode: Option<&'a RawValue> = "unifiedMode",
        force_mode: Text<'a> = "forceMode",
        model_config: WireModelConfig<'a> = "modelConfig",
        usage: Entries<WireUsage> = "usageData",
        headers: Option<&'a RawValue> = "fullConversationHeadersOnly",
        inline: Option<&'a RawValue> = "conversation",
        map: Option<&'a RawValue> = "conversationMap",
        is_draft: Truth = "isDraft",
        is_archived: Truth = "isArchived",
        is_worktree: Truth = "isWorktree",
        git_worktree: Option<&'a RawValue> = "gitWorktree",
        is_best_of_n: Truth = "isBestOfNSubcomposer",
        is_subagent: Truth = "isSubagent",
        subagent: WireSubagent<'a> = "subagentInfo",
        sub_composers: List<Text<'a>> = "subComposerIds",
        subagents: List<Text<'a>> = "subagentComposerIds",
        workspace: Option<&'a RawValue> = "workspaceIdentifier",
        location: WireLocation<'a> = "agentLocation",
        tracked_repos: List<WireRepo<'a>> = "trackedGitRepos",
    }
}

wire! {
    /// What only the whole conversation needs of its record. Apart, because listing must not pay for it.
    struct WireComposer<'a> {
        model_config: WireModelConfig<'a> = "modelConfig",
        usage: Entries<WireUsage> = "usageData",
        tracked_repos: List<WireRepo<'a>> = "trackedGitRepos",
        /// Words in the input box that were never sent: not history.
        draft_text: Text<'a> = "text",
        draft_rich: Text<'a> = "richText",
        queue: List<&'a RawValue> = "queueItems",
        lines_added: Int = "totalLinesAdded",
        lines_removed: Int = "totalLinesRemoved",
        context_percent: Number = "contextUsagePercent",
        context_used: Int = "contextTokensUsed",
        context_limit: Int = "contextTokenLimit",
        created_on: Text<'a> = "createdOnBranch",
        committed_to: Text<'a> = "committedToBranch",
        active_branch: Option<&'a RawValue> = "activeBranch",
        pr_branch: Text<'a> = "prBranchName",
        branches: List<WireBranch<'a>> = "branches",
        pull_requests: List<WirePullRequest<'a>> = "pullRequests",
        todos: List<&'a RawValue> = "todos",
        new_files: List<&'a RawValue> = "newlyCreatedFiles",
        plans: List<&'a RawValue> = "referencedPlans",
        code_blocks: Option<&'a RawValue> = "codeBlockData",
        original_lines: Option<&'a RawValue> = "originalModelLines",
        original_states: Option<&'a RawValue> = "originalFileStates",
        summary: Option<&'a RawValue> = "latestConversationSummary",
        capabilities: List<WireCapability<'a>> = "capabilities",
        state: Text<'a> = "conversationState",
    }
}

wire! { struct WireModelConfig<'a> { name: Text<'a> = "modelName", selected: List<WireModel<'a>> = "selectedModels", } }
wire! { struct WireModel<'a> { id: Text<'a> = "modelId", } }
wire! { struct WireUsage { cents: Int = "costInCents", } }
wire! { struct WireSubagent<'a> { parent: Text<'a> = "parentComposerId", } }
wire! { struct WireLocation<'a> { kind: Text<'a> = "type", environment: Option<&'a RawValue> = "environment", } }
wire! { struct WireRepo<'a> { path: Text<'a> = "repoPath", branches: List<WireBranch<'a>> = "branches", } }
wire! { struct WireBranch<'a> { name: Text<'a> = "branchName", at: When = "lastInteractionAt", } }
wire! { struct WirePullRequest<'a> { number: Int = "number" | "prNumber", url: Text<'a> = "url" | "prUrl", } }
wire! { struct WireCapability<'a> { data: WireCapabilityData<'a> = "data", } }
wire! { struct WireCapabilityData<'a> { bubbles: Option<&'a RawValue> = "bubbleDataMap", } }
wire! { struct WireWorktree<'a> { path: Text<'a> = "worktreePath", } }

/// What one record or head tells of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// What it tells, with the best workspace that it spells out.
    pub summary: Summary,
    /// The id of the workspace that it names; `workspace.json` says where that is.
    pub workspace_id: Option<String>,
    /// Conversations that it names as started by this one.
    pub children: Vec<ConversationId>,
    /// The first line of the subtitle, a weaker title than a name.
    pub subtitle: Option<String>,
}

/// The model that a stored name means, if it means one.
pub(crate) fn model_name(stored: &str) -> Option<String> {
    known_model(stored).map(str::to_owned)
}

/// The mode that a record names: a word, or the number that bubbles use.
pub(crate) fn mode(unified: Option<&RawValue>, force: Option<&str>) -> Option<String> {
    let word = match unified.map(RawValue::get).unwrap_or_default() {
        "1" => Some("chat".to_owned()),
        "2" => Some("agent".to_owned()),
        "3" => Some("edit".to_owned()),
        "4" => Some("custom".to_owned()),
        "5" => Some("plan".to_owned()),
        "6" => Some("debug".to_owned()),
        _ => unified.and_then(string),
    };
    word.or_else(|| force.map(str::to_owned))
}

impl WireHead<'_> {
    /// What the record tells, as read at `origin` for the conversation `id`.
    pub(crate) fn evidence(&self, id: ConversationId, origin: Origin, by: Attribution) -> Evidence {
        let mut summary = Summary::new(id, Surface::Ide, origin);
        summary.title =
            self.name.filled().map(str::trim).filter(|name| !is_placeholder_title(name)).map(str::to_owned);
        summary.created_at = self.created_at.0;
        summary.updated_at = self.updated_at.0.max(self.checkpoint_at.0).or(self.created_at.0);
        summary.mode = mode(self.unified_mode, self.force_mode.filled());
        summary.models = self.models();
        self.flag(&mut summary);
        summary.parent = self.subagent.parent.owned().map(ConversationId::new);
        let (workspace_id, spelled_out) = self.workspace.map(identifier).unwrap_or_default();
        summary.workspace = spelled_out
            .map(|place| place.into_workspace(by))
            .or_else(|| self.agent_place().map(|place| place.into_workspace(Attribution::AgentLocation)));
        let children = self.sub_composers.0.iter().chain(&self.subagents.0);
        Evidence {
            summary,
            workspace_id,
            children: children.filter_map(Text::owned).map(ConversationId::new).collect(),
            subtitle: self.subtitle.owned(),
        }
    }

    fn models(&self) -> Vec<String> {
        let configured = self.model_config.name.filled().and_then(model_name);
        let selected =
            || self.model_config.selected.0.iter().filter_map(|m| m.id.filled().and_then(model_name));
        let used = || self.usage.0.iter().filter_map(|(name, _)| model_name(name));
        let mut models: Vec<String> = configured.into_iter().chain(selected()).collect();
        if models.is_empty() {
            models.extend(used());
        }
        let mut seen = std::collections::HashSet::new();
        models.retain(|model| seen.insert(model.clone()));
        models
    }

    fn flag(&self, summary: &mut Summary) {
        let id = summary.id.as_str();
        let is_draft = self.is_draft.0 || id.starts_with("draft-") || id == "empty-state-draft";
        let is_elsewhere = self.location.kind.filled().is_some_and(|kind| kind != "local");
        let is_background =
            id.starts_with("bc-") || is_elsewhere || summary.mode.as_deref() == Some("background");
        let has_parent =
            self.is_subagent.0 || self.subagent.parent.filled().is_some() || id.starts_with("task-");
        let flags = [
            (Flag::Draft, is_draft),
            (Flag::Archived, self.is_archived.0),
            (Flag::BestOfN, self.is_best_of_n.0),
            (Flag::Subagent, has_parent && !self.is_best_of_n.0),
            (
                Flag::Worktree,
                self.is_worktree.0 || self.git_worktree.is_some_and(|tree| tree.get() != "null"),
            ),
            (Flag::Background, is_background),
        ];
        summary.flags.extend(flags.into_iter().filter(|(_, holds)| *holds).map(|(flag, _)| flag));
    }

    /// Where the agent ran, which is where the conversation belongs unless something says otherwise.
    fn agent_place(&self) -> Option<Place> {
        let ran_in = self.location.environment.and_then(|environment| identifier(environment).1);
        let worktree = || {
            let tree: WireWorktree<'_> = serde_json::from_str(self.git_worktree?.get()).ok()?;
            place(tree.path.filled()?)
        };
        let repo = || self.tracked_repos.0.iter().find_map(|repo| place(repo.path.filled()?));
        ran_in
            .or_else(repo)
            .or_else(worktree)
            .filter(|place| place.remote.is_some() || is_absolute(&place.path))
    }
}
