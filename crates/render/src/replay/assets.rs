//! The player's own style and script, which stand behind those of all pages.

/// The style of the player.
pub(super) const STYLE: &str = include_str!("../../assets/replay.css");

/// The player, behind what colours its files.
pub(super) const SCRIPT: &str =
    concat!(include_str!("../../assets/code-colour.js"), include_str!("../../assets/replay.js"));
