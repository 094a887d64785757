//! The names of fields, and what each may be given.

use super::filter::Field;
use super::values;

impl Field {
    /// Every field, in the order in which people read of them.
    pub const ALL: [Self; 15] = [
        Self::Role,
        Self::Tool,
        Self::Path,
        Self::Workspace,
        Self::Surface,
        Self::Model,
        Self::Mode,
        Self::Title,
        Self::Part,
        Self::After,
        Self::Before,
        Self::Until,
        Self::Has,
        Self::Flag,
        Self::Id,
    ];

    /// The name that people read.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// Every name that may be typed.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Role => &["role"],
            Self::Tool => &["tool"],
            Self::Path => &["path", "file"],
            Self::Workspace => &["workspace"],
            Self::Surface => &["surface"],
            Self::Model => &["model"],
            Self::Mode => &["mode"],
            Self::Title => &["title"],
            Self::Part => &["part", "in"],
            Self::After => &["after", "since"],
            Self::Before => &["before"],
            Self::Until => &["until"],
            Self::Has => &["has"],
            Self::Flag => &["flag"],
            Self::Id => &["id"],
        }
    }

    /// The field of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.names().contains(&name))
    }

    /// What may stand behind the colon, where only a few words may.
    pub fn values(self) -> Vec<&'static str> {
        match self {
            Self::Role => values::names(values::ROLES),
            Self::Surface => values::names(values::SURFACES),
            Self::Part => values::names(values::PARTS),
            Self::Has => values::names(values::HAS),
            Self::Flag => values::names(values::FLAGS),
            _ => Vec::new(),
        }
    }

    /// Something that may stand behind the colon.
    pub fn example(self) -> &'static str {
        match self {
            Self::Role => "user",
            Self::Tool => "shell",
            Self::Path => "src/auth.py",
            Self::Workspace => "app",
            Self::Surface => "cli",
            Self::Model => "opus",
            Self::Mode => "agent",
            Self::Title => "\"log in\"",
            Self::Part => "thinking",
            Self::After | Self::Until => "2026-01",
            Self::Before => "yesterday",
            Self::Has => "diff",
            Self::Flag => "archived",
            Self::Id => "98251e54",
        }
    }

    /// Whether it is given a time.
    pub fn is_time(self) -> bool {
        matches!(self, Self::After | Self::Before | Self::Until)
    }
}
