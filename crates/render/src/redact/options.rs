//! What is to be taken out, besides what always is.

/// What to take out. Keys, tokens and passwords always go; the rest is chosen here.
#[derive(Debug, Clone, Default)]
pub struct RedactOptions {
    /// E-mail addresses go too.
    pub emails: bool,
    /// The home folder and the user's name go too, in every spelling.
    pub home: Option<HomeNames>,
    /// Rules of the user's own.
    pub rules: Vec<UserRule>,
    /// What a secret looks like that may stay: patterns, each matched against the whole of it.
    pub allow: Vec<String>,
}

/// Under which names a person's home goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HomeNames {
    /// The home folder, such as `/home/mira` or `C:\Users\mira`.
    pub folder: String,
    /// The user's name on this machine.
    pub user: String,
}

impl HomeNames {
    /// The names that a home folder tells by itself: its last part is the user.
    pub fn of(folder: &str) -> Self {
        let folder = folder.trim_end_matches(['/', '\\']);
        let user = folder.rsplit(['/', '\\']).next().unwrap_or_default();
        Self { folder: folder.to_owned(), user: user.to_owned() }
    }
}

/// A rule of the user's own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserRule {
    /// What the placeholder is called: small letters, digits and dashes.
    pub name: String,
    /// What the secret looks like. Where the pattern has a group, only the first group goes.
    pub pattern: String,
    /// Words of which one must stand near by. Without any, all text is searched.
    pub keywords: Vec<String>,
}

/// A rule of the user's own that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// The name would not make a placeholder.
    #[error("the rule name {0:?} may hold only small letters, digits and dashes")]
    Name(String),
    /// The pattern is not a regular expression.
    #[error("the pattern of rule {name:?} is not a regular expression: {because}")]
    Pattern {
        /// The rule.
        name: String,
        /// Why not.
        because: String,
    },
    /// A pattern of what may stay is not a regular expression.
    #[error("{pattern:?} among what may stay is not a regular expression: {because}")]
    Allow {
        /// The pattern.
        pattern: String,
        /// Why not.
        because: String,
    },
}
