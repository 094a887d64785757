//! The one table of everything that we know Cursor to store: keys, tables and columns, fields of JSON objects and of protobuf
//! messages, tools and events. What a store has beyond it is drift. Names come from stores of 0.27 to 3.7, from public
//! descriptions of later ones, and from the messages of the SDK up to 1.1; see `docs/formats`.

use std::collections::HashMap;
use std::sync::LazyLock;

use backscroll_model::{Named as _, named};

use crate::agent::{ProtoKind, is_known_tool};

named! {
    /// A kind of JSON object whose fields we know.
    pub enum ObjectKind {
        /// A composer record.
        Record = "composerData",
        /// A head of a conversation.
        Head = "composerHeaders",
        /// A bubble.
        Bubble = "bubbleId",
        /// A tab of the old chat pane.
        ChatTab = "chatdata.tabs",
        /// A message in a blob.
        MessageBlob = "message blob",
        /// A line of `agents.ndjson`.
        AgentLine = "agents.ndjson",
        /// A line of `runs.ndjson`.
        RunLine = "runs.ndjson",
        /// A line of `run_events.ndjson`.
        EventLine = "run_events.ndjson",
        /// A line of `checkpoints.ndjson`.
        CheckpointLine = "checkpoints.ndjson",
        /// The payload of an event of an SDK run.
        Event = "run_events",
        /// A record of a transcript.
        TranscriptRecord = "transcript",
    }
}

// Fields by name. What follows `name{` up to `}` are the fields of the object that the field holds, or of each object in its
// list; `name:shape` refers to a shape that several fields have. `*` stands for any name. Of objects that are a user's or a
// tool's own, nothing is known.

/// Shapes that several fields have.
const SHAPES: [(&str, &str); 6] = [
    (
        "context",
        "autoContext browserSelections composers consoleLogs cursorCommands cursorRules diffHistory editTrailContexts \
         externalLinks extraContext fileSelections folderSelections gitDiff gitDiffFromBranchToMain \
         gitPRDiffSelections ideEditorsState image mentions notepads quotes selectedCommits selectedDocs selectedDocuments \
         selectedImages selectedPullRequests selectedTextSearches selectedVideos selections subagentSelections \
         terminalFiles terminalSelections uiElementSelections useContextPicking useDiffReview useLinterErrors \
         useRememberThis usesCodebase useWeb",
    ),
    ("todo", "content createdAt dependencies id status updatedAt"),
    (
        "code",
        "codeblockId codeBlockIdx content isClickable isGenerating languageId searchReplace unregistered uri version",
    ),
    ("thinking", "content isLastThinkingChunk redactedThinking signature text thinking"),
    (
        "usage",
        "cache_read_tokens cache_write_tokens cacheRead cacheReadTokens cacheWrite cacheWriteTokens input \
         input_tokens inputTokens output output_tokens outputTokens reasoning reasoning_tokens reasoningTokens \
         total_tokens totalTokens",
    ),
    ("checkpoint", "blobId rootBlobId schemaVersion storeKind"),
];

/// The fields of a composer record, and of a head, which repeats some of them.
const RECORD: &str = "_v activeBranch activeCustomMode activeTabsShouldBeReactive addedFiles agentBackend agentLocation{ environment \
    ownership retentionPolicy sourceRepoRootPath status type worktreeId worktreePath } agentLocationHistory{ \
    destination id location reason timestamp } allAttachedFileCodeChunksUris applied \
    applyAgentBackendTypeRestrictions bestOfNJudgeWinner blobEncryptionKey branches{ branchName lastInteractionAt } \
    browserChipManuallyDisabled browserChipManuallyEnabled cachingStatus canvasPillCollapsed capabilities{ data{ bubbleDataMap \
    customInstructions } type } capabilityContexts codebaseSearchSettings codeBlockData committedCustomMode \
    committedToBranch composerDataVersion composerId context:context contextTokenLimit contextTokensUsed \
    contextUsagePercent conversation conversationCheckpointLastUpdatedAt conversationMap conversationState createdAt \
    createdOnBranch debugModeSuggestionUsed deleteFileSuggestions draftTarget editingBubbleId filesChangedCount \
    forceMode fullConversationHeadersOnly{ bubbleId completedAtMs contentHeightHint createdAt grouping{ \
    capabilityType hasText hasThinking isKeptFinalAiVisibleOutsideWorkedForGroup isRenderable isShortPlainText \
    isSimulatedMsg isToolGroupable routedModelLabel textPreview thinkingDurationMs toolCallId toolDisplayComputed \
    toolFormerStatus toolFormerTool turnDurationMs } isDisplayOnly serverBubbleId startedAtMs type } \
    generatingBubbleIds gitGraphFileSuggestions gitHubPromptDismissed gitWorktree glassMetaParentAgent \
    hasBeenInSidebar hasBlockingPendingActions hasChangedContext hasLoaded hasMigratedChatData hasPendingPlan \
    hasUnreadMessages inlineDiffIdMap isAgentic isApplyingWorktree isArchived isBestOfNParent isBestOfNSubcomposer \
    isContinuationInProgress isCreatingWorktree isDraft isFileListExpanded isNAL isProject isQueueExpanded \
    isReadingLongFile isSpec isSpecSubagentDone isSubagent isTodoListExpanded isUndoingWorktree isWorktree \
    lastUpdatedAt latestChatGenerationUUID latestConversationSummary{ lastBubbleId summary{ \
    clientShouldStartSendingFromInclusiveBubbleId includesToolResults previousConversationSummaryBubbleId summary \
    truncationLastBubbleIdInclusive } } modelConfig{ maxMode modelName selectedModels{ modelId parameters{ id value \
    } } } name newlyCreatedFiles{ uri } newlyCreatedFolders numSubComposers originalFileStates originalModelLines \
    pendingCreateWorktree pendingExitedCustomMode planModeSuggestionUsed prBranchName promptContextUsageTree \
    promptTokenBreakdown pullRequests queuedAddedFiles queueItems referencedPlans removedFiles \
    restrictAgentModeSwitching reviewModeDisabled richText selectedTabIndex speculativeSummarizationEncryptionKey \
    status stopHookLoopCount subagentComposerIds subagentInfo{ parentComposerId subagentTypeName toolCallId } \
    subagentTypeName subComposerIds subtitle tabs{ bubbles isHidden type uri version } text todos:todo tokenCount \
    totalLinesAdded totalLinesRemoved trackedGitRepos{ branches{ branchName lastInteractionAt } repoPath } type \
    unifiedMode usageData{ *{ amount costInCents } } userResponsesToSuggestedCodeBlocks workspaceIdentifier{ \
    configPath id uri } worktreeStartedReadOnly";

/// The fields of a bubble.
const BUBBLE: &str = "_v afterCheckpointId agentMode aiWebSearchResults allThinkingBlocks:thinking approximateLintErrors \
    assistantSuggestedDiffs{ diff path } attachedCodeChunks attachedFileCodeChunksMetadataOnly \
    attachedFileCodeChunksUris attachedFolders attachedFoldersListDirResults attachedFoldersNew attachedHumanChanges \
    bubbleId cachedConversationSummary cachingStatus capabilities capabilitiesRan capabilityContexts capabilityStatuses \
    capabilityType capabilityTypes checkpoint checkpointId codebaseContextChunks codeBlock:code codeBlocks:code commits \
    completedAtMs consoleLogs content context:context contextPieces contextWindowStatusAtCreation conversationState \
    conversationSummary conversationTurnIndex createdAt currentFileLocationData cursorCommands \
    cursorCommandsExplicitlySet cursorRules deletedFiles diffHistories diffsForCompressingFiles diffsSinceLastApply \
    docsReferences documentationSelections editToolSupportsSearchAndReplace editTrailContexts errorDetails{ \
    connectCode error extraButtons generationUUID isRetryable message requestId stackTrace } executePlanInfo \
    existedPreviousTerminalCommand existedSubsequentTerminalCommand externalLinks fileDiffTrajectories fileLinks \
    gitDiffs humanChanges images intermediateChunks intermediateSectionType interpreterResults isAgentic \
    isCapabilityIteration isChat isDisplayOnly isNudge isPlanExecution isQuickSearchQuery isRefunded isSimulatedMsg \
    isThought knowledgeItems lastTerminalCwd lints mcpDescriptors message modelInfo{ modelName } modelType \
    multiFileLinterErrors notepads pastChats pastChatsExplicitlySet planId planTitle projectLayouts promptDryRunInfo \
    pullRequests rawText recentLocationsHistory recentlyViewedFiles relevantFiles requestId richText serverBubbleId \
    simulatedMessageMetadata{ taskId title } simulatedMsgReason skipRendering startedAtMs statusUpdates \
    subagentSpawnTaskToolCallId suggestedCodeBlocks summarizedComposers supportedTools symbolLinks text \
    thinking:thinking thinkingDurationMs thinkingStyle timestamp timingInfo{ clientEndTime clientRpcSendTime clientSettleTime \
    clientStartTime } todos:todo tokenCount{ inputTokens outputTokens } tokenCountUpUntilHere tokenDetailsUpUntilHere toolFormerData{ additionalData{ blockReason \
    codeblockId isPruned lintingStatus outputMode path pattern precomputedDiff previousAttempt reasonForAcceptReject \
    reviewData sessionId startAtBufferLine startedAtMs startingLints status topFiles totalFiles totalMatches version \
    } attachments error modelCallId name params rawArgs result status tool toolCallBinary toolCallId toolIndex \
    toolName userDecision } toolResults{ args completedAtMs content startedAtMs toolCallId toolName } turnDurationMs \
    type uiElementPicked unifiedMode usageUuid userResponsesToSuggestedCodeBlocks useWeb webReferences \
    workspaceProjectDir workspaceUris";

/// The fields of a tab of the old chat pane.
const CHAT_TAB: &str = "bubbles{ aiType bubbleId codeBlocks content contextCacheTimestamp delegate doesNotFit \
    dropdownAdvancedCodebaseSearchBehavior externalLinks fileSelections folderSelections followup hasCodeBlock id \
    initText isFocused longFilesFitTimestamp mentions:context messageType modelType notepads quotes rawText \
    referencedCodeBlockURIs repoStep requestId richText role searchTypeIfCodebaseQuery selectedCommits selectedDocs \
    selectedImages selectedPullRequests selectedTextSearches selections suggestedDiffs terminalFiles \
    terminalSelections text timestamp type useWeb waitingForContext waitingForLongFilesFit } chatTitle hasNamedTab \
    lastFocusedBubble lastFocusedBubbleId lastSendTime longContextModeEnabled messages noReactiveContext \
    selectedBubbleId sessionId summary{ bubblesWhenSubmitted text upUntilIndex } symbolToURI tabId tabState \
    timestamp title";

/// The fields of a JSON message in a blob.
const MESSAGE_BLOB: &str = "args content{ args content data experimental_content filename image image_url input isError mediaType mimeType \
    name output providerOptions result signature text toolCallId toolName type uri } id name providerOptions{ cursor{ \
    highLevelToolCallResult isSummary modelName requestContextCompleteness requestId } } role tool_call_id tool_calls{ \
    function{ arguments name } id index type } toolCallId toolName";

/// The fields of an agent's line, as older and newer hosts spell them.
const AGENT_LINE: &str = "active_run_id activeRunId agent_id agentId created_at createdAt cwd id latest_checkpoint_ref_json \
    latestCheckpoint:checkpoint latestCheckpointRef:checkpoint metadata_json metadataJson name sdkMetadata status \
    updated_at updatedAt workspace_ref workspaceRef";

/// The fields of a run's line.
const RUN_LINE: &str = "agent_id agentId cancelled_at cancelledAt created_at createdAt endedAt error error_code errorCode expired_at \
    expiredAt finished_at finishedAt id latest_checkpoint_ref_json latestCheckpointRef:checkpoint model{ id name \
    params } model_params_json modelParams modelParamsJson request_id requestId result run_id runId \
    start_checkpoint_ref_json startCheckpointRef:checkpoint started_at startedAt status turn_number turnNumber \
    updated_at updatedAt usage:usage usage_json usage_ref usageJson usageRef";

/// The fields of an event's line.
const EVENT_LINE: &str = "created_at createdAt event_type eventType idempotency_key idempotencyKey offset payload payload_json payload_ref \
    payloadJson payloadRef run_id runId seq";

/// The fields of a blob's line.
const CHECKPOINT_LINE: &str = "agent_id agentId blob_id blobId data_base64 dataBase64";

/// The fields of the payload of an event: a message, or an envelope around one.
const EVENT: &str = "agent_id agentId args call_id callId content durationMs error id input message{ agent_id agentId args call_id \
    callId content durationMs error id input message{ content role } model name request_id requestId result role \
    run_id runId schemaVersion status subtype text thinking thinking_duration_ms tool toolName tools truncated type \
    usage:usage } model name request_id requestId result run_id runId schemaVersion status subtype text thinking \
    thinking_duration_ms tool toolName tools truncated type usage:usage";

/// The fields of a record of a transcript.
const TRANSCRIPT_RECORD: &str = "content error id message{ content id model role text timestamp } model reason role status text timestamp \
    toolCalls{ args arguments input name parameters toolCallId toolName } toolResult{ content name output result \
    text toolCallId toolName } type";

/// What keys of `cursorDiskKV` begin with, besides those of `RowKind`.
const KEYS: &str = "agentKv:artifact ai_hashes cloudAgent cloudAgentDraft composer.autoAccept \
    composer.composerHeaders composerVirtualRowHeights inlineDiff inlineDiffs inlineDiffsData inlineDiffUndoRedo \
    model-nudge patch-graph";

/// What keys of `ItemTable` begin with that are Cursor's own and about conversations (`glass.` is how its window stands). Some have `cursor/` before it. Other keys
/// are of VS Code and its extensions.
const ITEM_FAMILIES: &str = "aiService. backgroundComposer. cloudAgent composer. workbench.backgroundComposer. \
    workbench.panel.aichat. workbench.panel.composer";

/// Those of them that we know.
const ITEMS: &str = "aiService.generations aiService.prompts backgroundComposer.windowBcMapping \
    cloudAgentRepository.agents composer.autoAccept composer.composerData composer.composerHeaders \
    composer.hasReopenedOnce composer.planMigrationToHomeDirCompleted composer.planRedirects \
    composer.planRegistry composer.reactiveStorageId workbench.backgroundComposer.persistentData \
    workbench.backgroundComposer.workspacePersistentData workbench.panel.aichat.view.aichat.chatdata \
    workbench.panel.composerChatViewPane workbench.panel.composerViewPane2";

/// How keys end under which VS Code keeps which panes are open, for whatever pane.
const PANE_STATES: [&str; 3] = [".hidden", ".numberOfVisibleViews", ".state"];

/// The types of events, and of the messages in them.
const EVENTS: &str =
    "assistant done request result sdk_message status system task thinking tool_call usage user";

/// Arguments that Cursor's own tools have, as transcripts name them.
const ARGUMENTS: &str = "allow_multiple background block_until_ms case_insensitive cell_idx cell_language code_edit command \
    completed_subtitle content contents current_step description directory_path explanation file_path \
    file_text files_to_edit final_summary glob glob_pattern head_limit ignore_globs include_pattern input \
    instructions is_background is_new_cell limit merge message model multiline name new_string num_results \
    offset old_string output_mode overview overwrite patch path paths pattern plan prompt query questions \
    readonly recursive replace_all required_permissions search_term should_read_entire_file subagent_type \
    target_directories target_directory target_file target_notebook timeout title todos type url \
    working_directory";

/// Those of them that hold whole texts, in which a line may look like another argument.
const LONG_ARGUMENTS: &str =
    "content contents code_edit file_text instructions message new_string old_string patch plan prompt text";

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

/// The fields of an object, each with those of the object in it, where we know them.
#[derive(Debug, Default)]
pub struct Fields(HashMap<&'static str, Option<Fields>>);

impl Fields {
    /// The fields of the objects of this kind.
    pub fn known_in(place: ObjectKind) -> &'static Self {
        static FIELDS: LazyLock<Vec<Fields>> = LazyLock::new(|| {
            let read = |place: &ObjectKind| Fields::read(&mut list(*place).split_whitespace());
            ObjectKind::ALL.iter().map(read).collect()
        });
        &FIELDS[place as usize]
    }

    /// The fields of the object in the field `name`, if these are known; `None` if the field itself is not.
    pub fn inside(&self, name: &str) -> Option<Option<&Self>> {
        self.0.get(name).or_else(|| self.0.get("*")).map(Option::as_ref)
    }

    fn read(words: &mut dyn Iterator<Item = &'static str>) -> Self {
        let mut fields = Self::default();
        while let Some(word) = words.next().filter(|word| *word != "}") {
            let (name, inside) = match (word.strip_suffix('{'), word.split_once(':')) {
                (Some(name), _) => (name, Some(Self::read(words))),
                (None, Some((name, shape))) => (name, Some(Self::read(&mut shape_words(shape)))),
                (None, None) => (word, None),
            };
            fields.0.insert(name, inside);
        }
        fields
    }
}

/// The fields of a shape that several fields have.
fn shape_words(shape: &str) -> impl Iterator<Item = &'static str> {
    let words = SHAPES.iter().find(|(name, _)| *name == shape).map_or("", |(_, words)| *words);
    words.split_whitespace()
}

fn list(place: ObjectKind) -> &'static str {
    match place {
        ObjectKind::Record | ObjectKind::Head => RECORD,
        ObjectKind::Bubble => BUBBLE,
        ObjectKind::ChatTab => CHAT_TAB,
        ObjectKind::MessageBlob => MESSAGE_BLOB,
        ObjectKind::AgentLine => AGENT_LINE,
        ObjectKind::RunLine => RUN_LINE,
        ObjectKind::EventLine => EVENT_LINE,
        ObjectKind::CheckpointLine => CHECKPOINT_LINE,
        ObjectKind::Event => EVENT,
        ObjectKind::TranscriptRecord => TRANSCRIPT_RECORD,
    }
}

/// Whether `field` of the object `place` is known.
pub fn is_known(place: ObjectKind, field: &str) -> bool {
    Fields::known_in(place).inside(field).is_some()
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
    matches!(kind, "error" | "message" | "progress" | "turn_ended" | "turn_started")
}

/// Whether Cursor's own tools have this argument.
pub(crate) fn is_argument(name: &str) -> bool {
    ARGUMENTS.split_whitespace().any(|known| known == name)
}

/// Whether it holds a whole text.
pub(crate) fn is_long_argument(name: &str) -> bool {
    LONG_ARGUMENTS.split_whitespace().any(|known| known == name)
}

/// Whether this type of event is known.
pub fn is_known_event(kind: &str) -> bool {
    EVENTS.split_whitespace().any(|known| known == kind)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

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
            ("workbench.panel.composerViewPane2", None),
            ("composer.reactiveStorageId", None),
            ("workbench.panel.size", None),
            ("interactive.sessions", None),
            ("somebody.extension", None),
            ("composer.threads.v3", Some("composer.threads")),
            ("cursor/glass.threads", None),
            ("aiService.answers", Some("aiService.answers")),
            ("workbench.panel.aichat.0b1c/what", Some("workbench.panel.aichat.")),
        ];
        for (key, expected) in table {
            assert_eq!(unknown_item(key).as_deref(), expected, "{key}");
        }
    }

    /// Asserts that the words up to the next `}` are sorted, and each there once.
    fn assert_sorted(words: &mut dyn Iterator<Item = &'static str>) {
        let mut names = Vec::new();
        while let Some(word) = words.next().filter(|word| *word != "}") {
            let name = word.split([':', '{']).next().unwrap();
            names.push(name);
            if let Some((_, shape)) = word.split_once(':') {
                assert!(shape_words(shape).next().is_some(), "{word}");
            }
            if word.ends_with('{') {
                assert_sorted(words);
            }
        }
        assert!(names.is_sorted_by_key(|word| (word.to_lowercase(), *word)), "{names:?}");
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
    }

    #[test]
    fn every_list_is_sorted_and_has_each_word_once() {
        let shapes = SHAPES.iter().map(|(_, words)| *words);
        for words in
            ObjectKind::ALL.iter().map(|place| list(*place)).chain(shapes).chain([ITEMS, EVENTS, ARGUMENTS])
        {
            assert_sorted(&mut words.split_whitespace());
            assert_eq!(words.matches('{').count(), words.matches(" }").count(), "{words}");
        }
    }

    #[test]
    fn fields_of_objects_inside_are_known_by_their_place() {
        let config = Fields::known_in(ObjectKind::Record).inside("modelConfig").unwrap().unwrap();
        assert!(config.inside("modelName").is_some() && config.inside("zz").is_none());
        let usage = Fields::known_in(ObjectKind::Head).inside("usageData").unwrap().unwrap();
        assert!(usage.inside("any model").unwrap().unwrap().inside("costInCents").is_some());
        assert!(
            Fields::known_in(ObjectKind::Record).inside("codeBlockData").unwrap().is_none(),
            "keyed by files"
        );
    }
}
