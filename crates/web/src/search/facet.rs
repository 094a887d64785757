//! What an answer can be narrowed by, and how much each choice would leave.

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
