//! The colours, by what they mean. Only the sixteen that every terminal lets its user choose.

use anstyle::{AnsiColor, Style};

/// A style for each meaning. Without colour, all of them are plain.
#[derive(Debug, Clone, Copy, Default)]
pub struct Palette {
    /// Nothing special.
    pub plain: Style,
    /// Titles and headings.
    pub strong: Style,
    /// What may be skipped.
    pub dim: Style,
    /// The person.
    pub user: Style,
    /// The model.
    pub assistant: Style,
    /// Code.
    pub code: Style,
    /// Paths.
    pub path: Style,
    /// Ids.
    pub id: Style,
    /// What went well, and added lines.
    pub good: Style,
    /// What went wrong, and removed lines.
    pub bad: Style,
    /// What deserves a look.
    pub warning: Style,
}

impl Palette {
    /// The palette in colour, or a plain one.
    pub fn new(colour: bool) -> Self {
        if !colour {
            return Self::default();
        }
        Self {
            plain: Style::new(),
            strong: Style::new().bold(),
            dim: Style::new().dimmed(),
            user: AnsiColor::Cyan.on_default().bold(),
            assistant: AnsiColor::Green.on_default().bold(),
            code: AnsiColor::Yellow.on_default(),
            path: AnsiColor::Blue.on_default(),
            id: AnsiColor::Magenta.on_default(),
            good: AnsiColor::Green.on_default(),
            bad: AnsiColor::Red.on_default(),
            warning: AnsiColor::Yellow.on_default(),
        }
    }
}
