//! The keys under which the editor keeps what concerns conversations.

/// Old chat tabs, in a workspace's or the global `ItemTable`.
pub const CHAT_TABS: &str = "workbench.panel.aichat.view.aichat.chatdata";
/// A workspace's index of composers, in its `ItemTable`.
pub const WORKSPACE_COMPOSERS: &str = "composer.composerData";
/// The list of heads since 3.0, in the global `ItemTable`.
pub const HEADERS: &str = "composer.composerHeaders";
/// Prompts without answers, in any `ItemTable`.
pub const PROMPTS: &str = "aiService.prompts";
/// The times of what was generated, in any `ItemTable`.
pub const GENERATIONS: &str = "aiService.generations";
/// Projects of the agents window, in the global `ItemTable`.
pub const PROJECTS: &str = "glass.localAgentProjects.v1";
/// Which conversation belongs to which project.
pub const MEMBERSHIP: &str = "glass.localAgentProjectMembership.v1";
/// The beginning of the keys under which panes name the conversations opened in a workspace.
pub const PANES: &str = "workbench.panel.composerChatViewPane";
/// The beginning of the keys of composer records in `cursorDiskKV`.
pub const COMPOSERS: &str = "composerData:";
/// The beginning of the keys of bubbles in `cursorDiskKV`.
pub const BUBBLES: &str = "bubbleId:";
/// The beginning of the keys of the agent's blobs in `cursorDiskKV`.
pub const BLOBS: &str = "agentKv:blob:";
/// The beginning of the keys that name a conversation's root blob, an alternative to `conversationState`.
pub const CHECKPOINTS: &str = "agentKv:checkpoint:";
