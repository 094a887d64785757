//! The one table of everything that we know Cursor to store: keys, tables and columns, fields of JSON objects and of protobuf
//! messages, tools and events. What a store has beyond it is drift. Names come from stores of 0.27 to 3.7, from public
//! descriptions of later ones, and from the messages of the SDK up to 1.1; see `docs/formats`.

use std::collections::HashSet;
use std::sync::LazyLock;

use backscroll_model::{Named as _, named};

use crate::agent::{ProtoKind, is_known_tool};

named! {
    /// A JSON object whose fields we know.
    pub enum Place {
        /// A composer record.
        Record = "composerData",
        /// A head of a conversation.
        Head = "composerHeaders",
        /// A bubble.
        Bubble = "bubbleId",
        /// An entry of a record's list of messages.
        ListEntry = "fullConversationHeadersOnly",
        /// How such an entry is grouped.
        Grouping = "fullConversationHeadersOnly.grouping",
        /// A tool call of a bubble.
        ToolData = "toolFormerData",
        /// A tab of the old chat pane.
        ChatTab = "chatdata.tabs",
        /// A message of such a tab.
        ChatMessage = "chatdata.tabs.bubbles",
        /// A message in a blob.
        MessageBlob = "message blob",
    }
}

/// The fields of a composer record, and of a head, which repeats some of them.
const RECORD: &str = "_v activeBranch activeCustomMode activeTabsShouldBeReactive addedFiles agentBackend agentLocation \
    agentLocationHistory allAttachedFileCodeChunksUris applied applyAgentBackendTypeRestrictions \
    bestOfNJudgeWinner blobEncryptionKey branches browserChipManuallyDisabled browserChipManuallyEnabled \
    canvasPillCollapsed capabilities capabilityContexts codebaseSearchSettings codeBlockData committedCustomMode \
    committedToBranch composerDataVersion composerId context contextTokenLimit contextTokensUsed \
    contextUsagePercent conversation conversationCheckpointLastUpdatedAt conversationMap conversationState \
    createdAt createdOnBranch debugModeSuggestionUsed deleteFileSuggestions draftTarget editingBubbleId \
    filesChangedCount forceMode fullConversationHeadersOnly generatingBubbleIds gitGraphFileSuggestions \
    gitHubPromptDismissed gitWorktree glassMetaParentAgent hasBeenInSidebar hasBlockingPendingActions \
    hasChangedContext hasLoaded hasMigratedChatData hasPendingPlan hasUnreadMessages inlineDiffIdMap isAgentic \
    isApplyingWorktree isArchived isBestOfNParent isBestOfNSubcomposer isContinuationInProgress \
    isCreatingWorktree isDraft isFileListExpanded isNAL isProject isQueueExpanded isReadingLongFile isSpec \
    isSpecSubagentDone isSubagent isTodoListExpanded isUndoingWorktree isWorktree lastUpdatedAt \
    latestChatGenerationUUID latestConversationSummary modelConfig name newlyCreatedFiles newlyCreatedFolders \
    numSubComposers originalFileStates originalModelLines pendingCreateWorktree pendingExitedCustomMode \
    planModeSuggestionUsed prBranchName promptContextUsageTree promptTokenBreakdown pullRequests \
    queuedAddedFiles queueItems referencedPlans removedFiles restrictAgentModeSwitching reviewModeDisabled \
    richText selectedTabIndex speculativeSummarizationEncryptionKey status stopHookLoopCount subagentComposerIds \
    subagentInfo subagentTypeName subComposerIds subtitle tabs text todos tokenCount totalLinesAdded \
    totalLinesRemoved trackedGitRepos type unifiedMode usageData userResponsesToSuggestedCodeBlocks \
    workspaceIdentifier worktreeStartedReadOnly";

/// The fields of a bubble.
const BUBBLE: &str = "_v afterCheckpointId agentMode aiWebSearchResults allThinkingBlocks approximateLintErrors \
    assistantSuggestedDiffs attachedCodeChunks attachedFileCodeChunksMetadataOnly attachedFileCodeChunksUris \
    attachedFolders attachedFoldersListDirResults attachedFoldersNew attachedHumanChanges bubbleId \
    cachedConversationSummary capabilities capabilitiesRan capabilityContexts capabilityStatuses capabilityType \
    capabilityTypes checkpointId codebaseContextChunks codeBlock codeBlocks commits completedAtMs consoleLogs \
    content context contextPieces contextWindowStatusAtCreation conversationState conversationSummary \
    conversationTurnIndex createdAt currentFileLocationData cursorCommands cursorCommandsExplicitlySet \
    cursorRules deletedFiles diffHistories diffsForCompressingFiles diffsSinceLastApply docsReferences \
    documentationSelections editToolSupportsSearchAndReplace editTrailContexts errorDetails executePlanInfo \
    existedPreviousTerminalCommand existedSubsequentTerminalCommand externalLinks fileDiffTrajectories fileLinks \
    gitDiffs humanChanges images intermediateChunks intermediateSectionType interpreterResults isAgentic \
    isCapabilityIteration isChat isDisplayOnly isNudge isPlanExecution isQuickSearchQuery isRefunded \
    isSimulatedMsg isThought knowledgeItems lastTerminalCwd lints mcpDescriptors modelInfo modelType \
    multiFileLinterErrors notepads pastChats pastChatsExplicitlySet planId planTitle projectLayouts \
    promptDryRunInfo pullRequests rawText recentLocationsHistory recentlyViewedFiles relevantFiles requestId \
    richText serverBubbleId simulatedMessageMetadata simulatedMsgReason skipRendering startedAtMs statusUpdates \
    subagentSpawnTaskToolCallId suggestedCodeBlocks summarizedComposers supportedTools symbolLinks text thinking \
    thinkingDurationMs thinkingStyle timingInfo todos tokenCount toolFormerData toolResults turnDurationMs type \
    uiElementPicked unifiedMode usageUuid userResponsesToSuggestedCodeBlocks useWeb webReferences \
    workspaceProjectDir workspaceUris";

/// The fields of an entry of a record's list of messages.
const LIST_ENTRY: &str = "bubbleId completedAtMs contentHeightHint createdAt grouping isDisplayOnly serverBubbleId startedAtMs type";

/// The fields of `grouping` in such an entry.
const GROUPING: &str = "capabilityType hasText hasThinking isKeptFinalAiVisibleOutsideWorkedForGroup isRenderable isShortPlainText \
    isSimulatedMsg isToolGroupable routedModelLabel textPreview thinkingDurationMs toolCallId \
    toolDisplayComputed toolFormerStatus toolFormerTool turnDurationMs";

/// The fields of `toolFormerData`.
const TOOL_DATA: &str = "additionalData attachments error modelCallId name params rawArgs result status tool toolCallBinary \
    toolCallId toolIndex toolName userDecision";

/// The fields of a tab of the old chat pane.
const CHAT_TAB: &str = "bubbles chatTitle hasNamedTab lastFocusedBubble lastFocusedBubbleId lastSendTime longContextModeEnabled \
    messages noReactiveContext selectedBubbleId sessionId summary symbolToURI tabId tabState timestamp title";

/// The fields of a message of such a tab.
const CHAT_MESSAGE: &str = "aiType bubbleId codeBlocks content contextCacheTimestamp delegate doesNotFit \
    dropdownAdvancedCodebaseSearchBehavior externalLinks fileSelections folderSelections followup hasCodeBlock \
    id initText isFocused longFilesFitTimestamp mentions messageType modelType notepads quotes rawText \
    referencedCodeBlockURIs repoStep requestId richText role searchTypeIfCodebaseQuery selectedCommits \
    selectedDocs selectedImages selectedPullRequests selectedTextSearches selections suggestedDiffs \
    terminalFiles terminalSelections text timestamp type useWeb waitingForContext waitingForLongFilesFit";

/// The fields of a JSON message in a blob.
const MESSAGE_BLOB: &str = "content id name providerOptions role tool_call_id tool_calls";

/// What keys of `cursorDiskKV` begin with, besides those of `RowKind`.
const KEYS: &str = "agentKv:artifact ai_hashes cloudAgent cloudAgentDraft composer.autoAccept \
    composer.composerHeaders composerVirtualRowHeights inlineDiff inlineDiffs inlineDiffsData inlineDiffUndoRedo \
    model-nudge patch-graph";

/// What keys of `ItemTable` begin with that are Cursor's own and about conversations. Some have `cursor/` before it. Other keys
/// are of VS Code and its extensions.
const ITEM_FAMILIES: &str = "aiService. backgroundComposer. cloudAgent composer. glass. workbench.backgroundComposer. \
    workbench.panel.aichat. workbench.panel.composer";

/// Those of them that we know.
const ITEMS: &str = "aiService.generations aiService.prompts backgroundComposer.windowBcMapping \
    cloudAgentRepository.agents composer.autoAccept composer.composerData composer.composerHeaders \
    composer.hasReopenedOnce composer.planMigrationToHomeDirCompleted composer.planRedirects \
    composer.planRegistry glass.additionalProjects glass.cloudAgentProjectMembership glass.cloudAgentProjects \
    glass.localAgentProjectMembership glass.localAgentProjects glass.removedProjects glass.selectedAgent \
    glass.tabs glass.workspaceLspEnabled workbench.backgroundComposer.persistentData \
    workbench.backgroundComposer.workspacePersistentData workbench.panel.aichat.view.aichat.chatdata \
    workbench.panel.composerChatViewPane";

/// How keys end under which VS Code keeps which panes are open, for whatever pane.
const PANE_STATES: [&str; 3] = [".hidden", ".numberOfVisibleViews", ".state"];

/// The types of events, and of the messages in them.
const EVENTS: &str =
    "assistant done request result sdk_message status system task thinking tool_call usage user";

/// The tables of all databases, with their columns.
const TABLES: &[(&str, &str)] = &[
    ("ItemTable", "key value"),
    ("cursorDiskKV", "key value"),
    (
        "composerHeaders",
        "composerId workspaceId createdAt lastUpdatedAt isArchived isSubagent recency checkpointAt value subagentTypeName",
    ),
    ("blobs", "id data key value"),
    ("meta", "key value"),
    (
        "agents",
        "agent_id workspace_ref status active_run_id latest_checkpoint_ref_json name metadata_json created_at updated_at",
    ),
    (
        "runs",
        "run_id request_id agent_id turn_number status model model_params_json start_checkpoint_ref_json \
         latest_checkpoint_ref_json error error_code usage_ref usage_json result created_at updated_at started_at \
         finished_at cancelled_at expired_at",
    ),
    ("run_events", "run_id seq offset event_type payload_json payload_ref idempotency_key created_at"),
    (
        "conversations",
        "fts_rowid source scope id title updated_at is_archived root_fingerprint cache_fingerprint",
    ),
    ("conversation_search_candidates", "id updated_at"),
    ("conversation_search_reconciliation", "id cursor in_progress"),
    ("conversation_search_settings", "id effective_conversation_cap"),
    (
        "ai_code_hashes",
        "hash source fileExtension fileName requestId conversationId timestamp model createdAt",
    ),
    (
        "scored_commits",
        "commitHash branchName scoredAt linesAdded linesDeleted tabLinesAdded tabLinesDeleted composerLinesAdded \
         composerLinesDeleted humanLinesAdded humanLinesDeleted blankLinesAdded blankLinesDeleted commitMessage \
         commitDate v1AiPercentage v2AiPercentage",
    ),
    ("tracking_state", "key value"),
    ("conversation_summaries", "conversationId title tldr overview summaryBullets model mode updatedAt"),
    ("tracked_file_content", "gitPath content conversationId model fileExtension createdAt"),
    ("ai_deleted_files", "gitPath composerId conversationId model deletedAt"),
];

/// Whether `field` of the object `place` is known.
pub fn is_known(place: Place, field: &str) -> bool {
    type Known = Vec<HashSet<&'static str>>;
    static FIELDS: LazyLock<Known> = LazyLock::new(|| {
        let words = |place: &Place| {
            let list = match place {
                Place::Record | Place::Head => RECORD,
                Place::Bubble => BUBBLE,
                Place::ListEntry => LIST_ENTRY,
                Place::Grouping => GROUPING,
                Place::ToolData => TOOL_DATA,
                Place::ChatTab => CHAT_TAB,
                Place::ChatMessage => CHAT_MESSAGE,
                Place::MessageBlob => MESSAGE_BLOB,
            };
            list.split_whitespace().collect()
        };
        Place::ALL.iter().map(words).collect()
    });
    FIELDS[place as usize].contains(field)
}

/// Whether the field `number` of a protobuf message is known.
pub fn is_known_number(kind: ProtoKind, number: u32) -> bool {
    match kind {
        ProtoKind::Root => matches!(number, 1..=50),
        ProtoKind::Turn | ProtoKind::ShellTurn => matches!(number, 1 | 2),
        ProtoKind::AgentTurn => matches!(number, 1..=15),
        ProtoKind::UserMessage => matches!(number, 1..=11 | 13..=19 | 21..=38),
        ProtoKind::Step | ProtoKind::AssistantMessage => matches!(number, 1..=3),
        ProtoKind::Thinking => matches!(number, 1..=4),
        // Beside the tool: what hooks added (54), its id (57), when it began and ended (59, 60).
        ProtoKind::ToolCall => matches!(number, 54 | 57 | 59 | 60) || is_known_tool(number),
    }
}

/// Whether the family of a key of `cursorDiskKV` is known.
pub fn is_known_key(key: &str) -> bool {
    let is_of = |family: &str| is_of(key, family);
    let is_cloud = || key.starts_with("bc-") && key.contains(":cloudAgent:");
    crate::ide::RowKind::ALL.iter().any(|kind| is_of(kind.name()))
        || KEYS.split_whitespace().any(is_of)
        || is_cloud()
}

fn is_of(key: &str, family: &str) -> bool {
    key.strip_prefix(family)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '.', '-', '_', '/']))
}

/// The name of a key of `ItemTable`, without ids, if it is about conversations and not known.
pub fn unknown_item(key: &str) -> Option<String> {
    let key = key.strip_prefix("cursor/").unwrap_or(key);
    let family = ITEM_FAMILIES.split_whitespace().find(|family| key.starts_with(family))?;
    let is_known = ITEMS.split_whitespace().any(|known| is_of(key, known));
    if is_known || PANE_STATES.iter().any(|ending| key.ends_with(ending)) {
        return None;
    }
    let is_name = |segment: &&str| !segment.is_empty() && !segment.contains(|c: char| c.is_ascii_digit());
    let rest = key[family.len()..].split(['.', '/', ':']).next().filter(is_name).unwrap_or_default();
    Some(format!("{family}{rest}"))
}

/// The columns of a table that we know; `None` if the table is not known.
pub fn columns(table: &str) -> Option<impl Iterator<Item = &'static str>> {
    let (_, columns) = TABLES.iter().find(|(name, _)| name.eq_ignore_ascii_case(table))?;
    Some(columns.split_whitespace())
}

/// The name of a table as we spell it.
pub fn table_name(table: &str) -> &'static str {
    TABLES.iter().find(|(name, _)| name.eq_ignore_ascii_case(table)).map_or("database", |(name, _)| *name)
}

/// Whether this type of record of a transcript is known, besides messages.
pub fn is_known_record(kind: &str) -> bool {
    matches!(kind, "turn_ended" | "error")
}

/// Whether this type of event is known.
pub fn is_known_event(kind: &str) -> bool {
    EVENTS.split_whitespace().any(|known| known == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_of_keys_are_known_by_their_beginning() {
        for known in [
            "composerData:a",
            "composer.composerHeaders.migratedToTable",
            "model-nudge.dismissed",
            "ai_hashes.2026-09-01",
            "composerVirtualRowHeights:_recentIds",
            "inlineDiffs-17",
            "bc-1:cloudAgent:metadata",
        ] {
            assert!(is_known_key(known), "{known}");
        }
        for unknown in ["composerDataX:a", "somethingNew:1", "bc-1:other", ""] {
            assert!(!is_known_key(unknown), "{unknown}");
        }
    }

    #[test]
    fn keys_of_items_are_unknown_only_if_they_are_about_conversations() {
        let table = [
            ("composer.composerHeaders.version", None),
            ("glass.localAgentProjects.v2", None),
            ("cursor/glass.tabs.v2/w/c/state.json", None),
            ("workbench.panel.aichat.view.aichat.chatdata", None),
            ("workbench.panel.aichat.hidden", None),
            ("workbench.panel.composerChatViewPane.0a-1.hidden", None),
            ("workbench.panel.size", None),
            ("interactive.sessions", None),
            ("somebody.extension", None),
            ("composer.threads.v3", Some("composer.threads")),
            ("cursor/glass.threads", Some("glass.threads")),
            ("aiService.answers", Some("aiService.answers")),
            ("workbench.panel.aichat.0b1c/what", Some("workbench.panel.aichat.")),
        ];
        for (key, expected) in table {
            assert_eq!(unknown_item(key).as_deref(), expected, "{key}");
        }
    }

    #[test]
    fn every_list_is_sorted_and_has_each_word_once() {
        for list in
            [RECORD, BUBBLE, LIST_ENTRY, GROUPING, TOOL_DATA, CHAT_TAB, CHAT_MESSAGE, MESSAGE_BLOB, ITEMS]
        {
            let words: Vec<&str> = list.split_whitespace().collect();
            assert!(words.is_sorted_by_key(|word| (word.to_lowercase(), *word)), "{list}");
            assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len(), "{list}");
        }
    }
}
