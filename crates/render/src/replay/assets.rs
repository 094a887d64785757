//! The player's own style and script, which stand behind those of all pages.

/// The style of the player.
pub(super) const STYLE: &str = include_str!("../../assets/replay.css");

/// The player.
pub(super) const SCRIPT: &str = include_str!("../../assets/replay.js");
