//! What an answer can be narrowed by, and how much each choice would leave.

use backscroll_model::Surface;
use jiff::civil::Date;

use crate::pieces::surface_name;

/// One way of narrowing.
#[derive(Debug, Clone)]
pub(crate) struct Facet {
    /// The parameter's name.
    pub(crate) name: &'static str,
    /// The name for people.
    pub(crate) title: &'static str,
    /// The choices, most first.
    pub(crate) choices: Vec<Choice>,
}

/// One choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// What the parameter is set to.
    pub(crate) value: String,
    /// What people read.
    pub(crate) shown: String,
    pub(crate) count: u64,
}

impl Choice {
    /// The choice of `value` for the parameter `name`, which leaves `count`.
    pub(crate) fn new(name: &str, value: impl Into<String>, count: u64) -> Self {
        let value = value.into();
        Self { shown: shown(name, &value).unwrap_or_else(|| value.clone()), value, count }
    }
}

/// What people read for a value, where that is not the value itself.
fn shown(name: &str, value: &str) -> Option<String> {
    match name {
        "surface" => {
            let all = [Surface::Ide, Surface::IdeChat, Surface::Cli, Surface::Sdk, Surface::Transcript];
            all.into_iter().find(|surface| surface.name() == value).map(|one| surface_name(one).to_owned())
        }
        // What tells folders apart stands at the end, and would be cut off.
        "workspace" => {
            let mut names: Vec<&str> =
                value.rsplit(['/', '\\']).filter(|name| !name.is_empty()).take(2).collect();
            names.reverse();
            (!names.is_empty()).then(|| names.join("/"))
        }
        "on" => {
            let first: Date = format!("{value}-01").parse().ok()?;
            Some(first.strftime("%B %Y").to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_names() {
        let table = [
            ("surface", "ide", "editor"),
            ("surface", "new", "new"),
            ("workspace", "/home/a/app", "a/app"),
            ("workspace", "c:\\work\\app\\", "work/app"),
            ("workspace", "/", "/"),
            ("on", "2026-07", "July 2026"),
            ("on", "2026-07-01", "2026-07-01"),
            ("model", "gpt-4", "gpt-4"),
        ];
        for (name, value, expected) in table {
            let choice = Choice::new(name, value, 1);
            assert_eq!((choice.shown.as_str(), choice.value.as_str()), (expected, value));
        }
    }
}
