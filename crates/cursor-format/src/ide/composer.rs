//! A composer record, `composerData:<id>`: the fields that it shares with heads, facts about the whole conversation, and
//! the list of its messages, in three layouts.
//!
//! `conversation[]` holds whole bubbles, `conversationMap{}` too, `fullConversationHeadersOnly[]` names rows. They may
//! stand side by side. `_v` is never read: what is there decides.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use backscroll_model::{
    Attribution, ContextUsage, ConversationId, Decoded, Facts, Finding, FindingKind, Flag, Fragment, Lines,
    Origin, Part, Role, Summary, Surface, Tokens, push_new,
};
use serde_json::value::RawValue;

use super::bubble::{BubbleId, FirstLine, PendingRows, speaker, todos};
use super::diffs::CodeBlocks;
use super::heads::identifier;
use crate::known::{self, ObjectKind};
use crate::limits::MOST_MESSAGES;
use crate::placeholders::{is_placeholder_title, known_model};
use crate::rich_text;
use crate::uri::{FolderUri, is_absolute, place, place_of};
use crate::user_text::title_line;
use crate::wire_json::{
    Entries, Int, List, Number, Text, Truth, When, elements, parse, parse_at_once, string, wire,
};

wire! {
    struct WireHeader<'a> {
        id: Text<'a> = "bubbleId" | "id",
        kind: Option<&'a RawValue> = "type",
        created_at: When = "createdAt",
        started_at: When = "startedAtMs",
        grouping: WireGrouping = "grouping",
    }
}
wire! { struct WireGrouping { is_simulated: Truth = "isSimulatedMsg", } }

/// One entry of a conversation's own list of messages.
#[derive(Debug, Clone)]
pub(crate) struct Entry<'a> {
    pub(crate) id: Cow<'a, str>,
    /// 1 for the user, 2 for the assistant.
    pub(crate) kind: Option<i64>,
    pub(crate) at: Option<jiff::Timestamp>,
    /// The whole bubble, where the list holds it.
    pub(crate) inline: Option<&'a RawValue>,
    /// The list says that no person wrote it.
    pub(crate) is_simulated: bool,
}

/// A conversation's own list of messages: at most [`MOST_MESSAGES`] of them.
#[derive(Debug, Default)]
pub(crate) struct MessageList<'a> {
    pub(crate) entries: Vec<Entry<'a>>,
    /// How many more it names.
    pub(crate) left_out: usize,
}

/// A composer record, as far as listing needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// What the record says.
    pub evidence: Evidence,
    /// Messages in the user's name: the words of the first that a person wrote are the title if there is no other.
    pub user_bubbles: Vec<BubbleId>,
}

/// Parses what is asked for of a composer record.
pub(crate) fn record<'a, T: serde::de::Deserialize<'a>>(
    bytes: &'a [u8],
    repaired: &'a OnceCell<Vec<u8>>,
) -> Result<T, String> {
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err("the conversation's record is not a JSON object".to_owned());
    }
    parse(bytes, repaired).map_err(|error| format!("the conversation's record is not JSON: {error}"))
}

/// What `list` needs of a record, and no more: its messages are counted, not read.
pub fn index_entry(id: &ConversationId, bytes: &[u8], at: &Origin) -> Decoded<Option<Listed>> {
    let repaired = OnceCell::new();
    // A number or a list would pass for a record without any field.
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    let wire = is_object.then(|| parse_at_once::<WireHead<'_>>(bytes, &repaired).ok()).flatten();
    let Some(wire) = wire else {
        let says = record::<WireHead<'_>>(bytes, &repaired).err().unwrap_or_default();
        let finding = Finding::new(FindingKind::Undecodable, at.clone(), says);
        return Decoded { value: None, findings: vec![finding] };
    };
    let (count, asked) = counted(&wire);
    let mut evidence = wire.evidence(id.clone(), at.clone(), Attribution::Record);
    evidence.summary.messages = Some(count);
    if count == 0 {
        evidence.summary.flags.insert(Flag::Empty);
    }
    let mut user_bubbles = Vec::new();
    if evidence.summary.title.is_none() {
        evidence.summary.title.clone_from(&evidence.subtitle);
    }
    if evidence.summary.title.is_none() {
        for entry in asked {
            match entry.inline.map(|bubble| FirstLine::from_bytes(bubble.get().as_bytes())) {
                None => user_bubbles.push(entry.id.into_owned()),
                Some(FirstLine::ByPerson(line)) if user_bubbles.is_empty() => {
                    evidence.summary.title = line;
                    break;
                }
                Some(FirstLine::ByPerson(_)) => break,
                Some(FirstLine::BySomebodyElse) => {}
            }
        }
    }
    Decoded::clean(Some(Listed { evidence, user_bubbles }))
}

/// How many messages a record lists, and those in the user's name that a person may have written: what a subagent was first
/// asked, its parent asked. Nearly all records hold headers and nothing else,
/// and only their ids and types are looked at.
fn counted<'a>(wire: &WireHead<'a>) -> (u64, Vec<Entry<'a>>) {
    let first = usize::from(wire.subagent.parent.filled().is_some());
    let holds =
        |list: Option<&RawValue>| list.is_some_and(|list| !matches!(list.get(), "[]" | "{}" | "null"));
    let holds_tabs = wire.tabs.is_some_and(|tabs| tabs.get().contains("\"bubbles\""));
    if holds(wire.inline) || holds(wire.map) || holds_tabs {
        let MessageList { mut entries, left_out } = entries(wire);
        let count = entries.len() + left_out;
        entries.retain(|entry| entry.kind == Some(1));
        let asked = entries.into_iter().skip(first).filter(|entry| !entry.is_simulated);
        return (count as u64, asked.collect());
    }
    wire! {
        struct WireListed<'a> {
            id: Text<'a> = "bubbleId",
            kind: Int = "type",
            grouping: WireGrouping = "grouping",
        }
    }
    let headers: List<WireListed<'_>> = wire.headers.map(read).unwrap_or_default();
    let asked = headers.0.iter().filter(|header| header.kind.0 == Some(1)).skip(first);
    let asked = asked.filter(|header| !header.grouping.is_simulated.0).filter_map(|header| header.id.owned());
    let asked: Vec<Entry<'_>> = asked
        .map(|id| Entry { id: id.into(), kind: Some(1), at: None, inline: None, is_simulated: false })
        .collect();
    let mut ids: Vec<&str> = headers.0.iter().filter_map(|header| header.id.filled()).collect();
    ids.sort_unstable();
    ids.dedup();
    (ids.len() as u64, asked)
}

/// The conversation's own list: headers first, then inline messages that no header names. An id counts once, at
/// its first place.
pub(crate) fn entries<'a>(wire: &WireHead<'a>) -> MessageList<'a> {
    let mut list = MessageListBuilder::default();
    for header in wire.headers.map(elements).unwrap_or_default() {
        let header: WireHeader<'_> = read(header);
        let Some(id) = header.id.into_text() else { continue };
        let at = header.created_at.0.or(header.started_at.0);
        let is_simulated = header.grouping.is_simulated.0;
        list.add(Entry { id, kind: header.kind.and_then(speaker), at, inline: None, is_simulated });
    }
    let inline = wire.inline.map(elements).unwrap_or_default().into_iter().map(|bubble| (None, bubble));
    let map: Entries<&RawValue> = wire.map.map(read).unwrap_or_default();
    let keyed = map.0.into_iter().map(|(key, bubble)| (Some(key), bubble));
    let tabs: List<WireTab<'_>> = wire.tabs.map(read).unwrap_or_default();
    let tabbed = tabs.0.into_iter().flat_map(|tab| tab.bubbles.0).map(|bubble| (None, bubble));
    for (key, bubble) in inline.chain(keyed).chain(tabbed) {
        let header: WireHeader<'_> = read(bubble);
        let id = header.id.into_text().or(key.map(Cow::Owned));
        let id = id.unwrap_or_else(|| format!("#{}", list.entries.len()).into());
        let kind = header.kind.and_then(speaker);
        list.add(Entry { id, kind, at: None, inline: Some(bubble), is_simulated: false });
    }
    MessageList { entries: list.entries, left_out: list.left_out }
}

/// A list of messages in the making.
#[derive(Default)]
struct MessageListBuilder<'a> {
    entries: Vec<Entry<'a>>,
    places: HashMap<Cow<'a, str>, usize>,
    /// How many entries came beyond [`MOST_MESSAGES`]. Their ids are not compared with each other: that would take too much memory.
    left_out: usize,
}

impl<'a> MessageListBuilder<'a> {
    fn add(&mut self, entry: Entry<'a>) {
        if let Some(&place) = self.places.get(&entry.id) {
            self.entries[place].inline = self.entries[place].inline.or(entry.inline);
        } else if self.entries.len() == MOST_MESSAGES {
            self.left_out += 1;
        } else {
            self.places.insert(entry.id.clone(), self.entries.len());
            self.entries.push(entry);
        }
    }
}

fn read<'a, T: serde::de::Deserialize<'a> + Default>(value: &'a RawValue) -> T {
    serde_json::from_str(value.get()).unwrap_or_default()
}

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
        /// Whole bubbles, in an older shape of the record; later the tabs of the pane, which hold none.
        tabs: Option<&'a RawValue> = "tabs",
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
wire! { struct WireTab<'a> { bubbles: List<&'a RawValue> = "bubbles", } }
wire! { struct WireUsage { cents: Int = "costInCents", } }
wire! { struct WireSubagent<'a> { parent: Text<'a> = "parentComposerId", } }
wire! {
    struct WireLocation<'a> {
        kind: Text<'a> = "type",
        environment: Option<&'a RawValue> = "environment",
        worktree_id: Text<'a> = "worktreeId",
        worktree: Text<'a> = "worktreePath",
        repository: Text<'a> = "sourceRepoRootPath",
    }
}
wire! { struct WireRepo<'a> { path: Text<'a> = "repoPath", branches: List<WireBranch<'a>> = "branches", } }
wire! { struct WireBranch<'a> { name: Text<'a> = "branchName", at: When = "lastInteractionAt", } }
wire! { struct WirePullRequest<'a> { number: Int = "number" | "prNumber", url: Text<'a> = "url" | "prUrl", } }
wire! { struct WireCapability<'a> { data: WireCapabilityData<'a> = "data", } }
wire! { struct WireCapabilityData<'a> { bubbles: Option<&'a RawValue> = "bubbleDataMap", } }
wire! { struct WireWorktree<'a> { path: Text<'a> = "worktreePath", } }

/// What one record or head says about a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// What it says, with the best workspace that it spells out.
    pub summary: Summary,
    /// The id of the workspace that it names; `workspace.json` says where that is.
    pub workspace_id: Option<String>,
    /// Conversations that it names as started by this one.
    pub children: Vec<ConversationId>,
    /// The first line of the subtitle, a weaker title than a name.
    pub subtitle: Option<String>,
}

impl Evidence {
    /// Nothing but this.
    pub fn only(summary: Summary) -> Self {
        Self { summary, workspace_id: None, children: Vec::new(), subtitle: None }
    }
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
    /// What the record says, as read at `origin` for the conversation `id`.
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
        let is_in_cloud = self.location.kind.filled().is_some_and(|kind| {
            let kind = kind.to_lowercase();
            kind.contains("cloud") || kind.contains("background")
        });
        let is_background =
            id.starts_with("bc-") || is_in_cloud || summary.mode.as_deref() == Some("background");
        let has_parent =
            self.is_subagent.0 || self.subagent.parent.filled().is_some() || id.starts_with("task-");
        let flags = [
            (Flag::Draft, is_draft),
            (Flag::Archived, self.is_archived.0),
            (Flag::BestOfN, self.is_best_of_n.0),
            (Flag::Subagent, has_parent && !self.is_best_of_n.0),
            (
                Flag::Worktree,
                self.is_worktree.0
                    || self.location.worktree.filled().or(self.location.worktree_id.filled()).is_some()
                    || self.git_worktree.is_some_and(|tree| tree.get() != "null"),
            ),
            (Flag::Background, is_background),
        ];
        summary.flags.extend(flags.into_iter().filter(|(_, holds)| *holds).map(|(flag, _)| flag));
    }

    /// Where the agent ran, which is where the conversation belongs unless something says otherwise.
    fn agent_place(&self) -> Option<FolderUri> {
        let ran_in = self.location.environment.and_then(|environment| identifier(environment).1);
        let worktree = || {
            let tree: WireWorktree<'_> = serde_json::from_str(self.git_worktree?.get()).ok()?;
            place(tree.path.filled()?)
        };
        let located = || {
            let location = &self.location;
            [&location.repository, &location.worktree].into_iter().find_map(|path| place(path.filled()?))
        };
        let repo = || self.tracked_repos.0.iter().find_map(|repo| place(repo.path.filled()?));
        ran_in
            .or_else(located)
            .or_else(repo)
            .or_else(worktree)
            .filter(|place| place.remote.is_some() || is_absolute(&place.path))
    }
}

wire! { struct WireNewFile<'a> { uri: Option<&'a serde_json::value::RawValue> = "uri", } }
wire! { struct WireActiveBranch<'a> { name: Text<'a> = "branchName", } }

/// Fills in everything that concerns the conversation as a whole.
pub(crate) fn add_facts(
    wire: Option<&WireComposer<'_>>,
    pending: &[(usize, PendingRows)],
    code_blocks: &CodeBlocks,
    fragment: &mut Fragment,
    subtitle: Option<&str>,
) {
    if let Some(wire) = wire {
        fragment.facts = from_record(wire, code_blocks);
    }
    for file in pending.iter().flat_map(|(_, rows)| &rows.relevant_files) {
        push_new(&mut fragment.facts.files, file.clone());
    }
    fragment.facts.tokens = tokens(fragment);
    let summary = &mut fragment.summary;
    summary.messages = Some(fragment.coverage.listed);
    if fragment.coverage.listed == 0 && fragment.orphans.is_empty() {
        summary.flags.insert(Flag::Empty);
    }
    if summary.title.is_none() {
        let asked = fragment.messages.iter().filter(|message| message.role == Role::User);
        // What a subagent was first asked, its parent asked.
        let asked = asked.skip(usize::from(summary.parent.is_some()));
        let spoken = asked.filter(|message| message.is_by_person());
        summary.title = subtitle.map(str::to_owned).or_else(|| first_title(spoken));
    }
    if summary.workspace.is_none() {
        let named = pending.iter().flat_map(|(_, rows)| &rows.workspaces).find_map(|uri| place(uri));
        let named = named.filter(|place| place.remote.is_some() || is_absolute(&place.path));
        fragment.facts.held_in = named.map(|place| place.into_workspace(Attribution::Message));
    }
    name_models(wire, fragment);
}

fn first_title<'a>(mut messages: impl Iterator<Item = &'a backscroll_model::Message>) -> Option<String> {
    let texts = messages.next()?.parts.iter().filter_map(|part| match part {
        Part::Text(text) => title_line(text),
        _ => None,
    });
    texts.into_iter().next()
}

fn from_record(wire: &WireComposer<'_>, code_blocks: &CodeBlocks) -> Facts {
    let mut facts = Facts::default();
    if wire.lines_added.0.is_some() || wire.lines_removed.0.is_some() {
        let count = |lines: crate::wire_json::Int| lines.count().unwrap_or(0);
        facts.lines = Some(Lines { added: count(wire.lines_added), removed: count(wire.lines_removed) });
    }
    let context = ContextUsage {
        used: wire.context_used.count(),
        limit: wire.context_limit.count(),
        percent: wire.context_percent.0,
    };
    facts.context = (context != ContextUsage::default()).then_some(context);
    add_branches(wire, &mut facts);
    for request in &wire.pull_requests.0 {
        let number = request.number.0.map(|n| format!("#{n}"));
        if let Some(named) = request.url.owned().or(number) {
            push_new(&mut facts.pull_requests, named);
        }
    }
    facts.todos = todos(&wire.todos.0);
    for file in &wire.new_files.0 {
        let object: WireNewFile<'_> = serde_json::from_str(file.get()).unwrap_or_default();
        if let Some(place) = object.uri.and_then(place_of).or_else(|| place(&string(file)?)) {
            push_new(&mut facts.files, place.path);
        }
    }
    let mut edited: Vec<String> = code_blocks.files().filter_map(place).map(|place| place.path).collect();
    edited.sort();
    for path in edited {
        push_new(&mut facts.files, path);
    }
    facts.files.retain(|path| !path.is_empty());
    facts.draft = draft(wire);
    let cents: u64 = wire.usage.0.iter().filter_map(|(_, usage)| usage.cents.count()).sum();
    facts.cost_cents = (cents > 0).then_some(cents);
    facts.plans =
        wire.plans.0.iter().map(|plan| string(plan).unwrap_or_else(|| plan.get().to_owned())).collect();
    facts
}

/// Every branch that is named, first mention first; the active one is where it last worked.
fn add_branches(wire: &WireComposer<'_>, facts: &mut Facts) {
    let active = wire.active_branch.and_then(|value| {
        let object: WireActiveBranch<'_> = serde_json::from_str(value.get()).unwrap_or_default();
        object.name.owned().or_else(|| string(value))
    });
    let repos = wire.tracked_repos.0.iter().flat_map(|repo| &repo.branches.0);
    let worked_on: Vec<_> = wire.branches.0.iter().chain(repos).collect();
    let latest =
        worked_on.iter().filter(|b| b.at.0.is_some()).max_by_key(|b| b.at.0).and_then(|b| b.name.owned());
    let created = wire.created_on.owned();
    let named = [created.clone()]
        .into_iter()
        .chain(worked_on.iter().map(|branch| branch.name.owned()))
        .chain([wire.committed_to.owned(), wire.pr_branch.owned(), active.clone()]);
    named.flatten().for_each(|branch| push_new(&mut facts.branches, branch));
    facts.branch = active.or(latest).or_else(|| wire.committed_to.owned()).or(created);
}

/// Lists of a record that we do not know and that hold what looks like messages: nothing of them is shown.
pub(crate) fn unknown_lists(record: &[u8], at: &Origin) -> Vec<Finding> {
    wire! {
        struct WireLike<'a> {
            text: Text<'a> = "text" | "content" | "rawText",
            speaker: Option<&'a RawValue> = "type" | "role",
            id: Text<'a> = "bubbleId" | "messageId",
        }
    }
    let fields: Entries<&RawValue> = serde_json::from_slice(record).unwrap_or_default();
    let unknown = fields.0.into_iter().filter(|(name, value)| {
        !matches!(value.get(), "[]" | "{}")
            && value.get().starts_with('[')
            && !known::is_known(ObjectKind::Record, name)
    });
    let messages = unknown.filter_map(|(name, value)| {
        let like: List<WireLike<'_>> = read(value);
        let is_message = |like: &&WireLike<'_>| {
            like.text.filled().is_some() && (like.speaker.is_some() || like.id.filled().is_some())
        };
        let count = like.0.iter().filter(is_message).count();
        let says = format!("{count} messages in the unknown list `{name}` of the record are not shown");
        (count > 0).then(|| Finding::new(FindingKind::Unknown, at.clone(), says))
    });
    messages.collect()
}

/// Words that were never sent: those in the input box, and those waiting in the queue.
fn draft(wire: &WireComposer<'_>) -> Option<String> {
    let typed =
        wire.draft_text.owned().or_else(|| wire.draft_rich.filled().map(|rich| rich_text::read(rich).text));
    let queued = wire.queue.0.iter().filter_map(|item| {
        wire! { struct WireQueued<'a> { text: Text<'a> = "text", rich: Text<'a> = "richText", } }
        let queued: WireQueued<'_> = serde_json::from_str(item.get()).ok()?;
        queued.text.owned().or_else(|| queued.rich.filled().map(|rich| rich_text::read(rich).text))
    });
    let words: Vec<String> = typed.into_iter().chain(queued).filter(|text| !text.trim().is_empty()).collect();
    (!words.is_empty()).then(|| words.join("\n\n"))
}

/// Tokens of all requests, added up: each counts what the model read and wrote for that one request.
fn tokens(fragment: &Fragment) -> Option<Tokens> {
    fragment.messages.iter().filter_map(|message| message.tokens).reduce(Tokens::plus)
}

/// A model named on the user's message answers the whole turn; the record's own model is the last resort.
fn name_models(wire: Option<&WireComposer<'_>>, fragment: &mut Fragment) {
    let configured = wire.and_then(|wire| wire.model_config.name.filled().and_then(model_name));
    let mut asked: Option<String> = None;
    let mut models = Vec::new();
    for message in &mut fragment.messages {
        match (message.role, &message.model) {
            (Role::User, model) => asked.clone_from(model),
            (_, Some(_)) => {}
            (_, None) => message.model = asked.clone().or_else(|| configured.clone()),
        }
        if let Some(model) = &message.model {
            push_new(&mut models, model.clone());
        }
    }
    for model in std::mem::take(&mut fragment.summary.models) {
        push_new(&mut models, model);
    }
    fragment.summary.models = models;
}
