//! The filters that commands share, and the question that they mean; and options whose values are the names of an enum.

use std::path::Path;

use backscroll_history::{Ask, Field, Order, When, WhenError};
use backscroll_model::Named;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::environment::Environment;

/// Which conversations, how many of them, and in which order.
#[derive(Debug, Args, Default)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(crate) which: WhichArgs,

    /// The maximum number of conversations; 0 for all
    #[arg(short = 'n', long, value_name = "NUMBER", help_heading = WHICH)]
    pub(crate) limit: Option<usize>,

    /// Leave out this many at the beginning
    #[arg(long, value_name = "NUMBER", default_value_t = 0, help_heading = WHICH)]
    pub(crate) offset: usize,

    /// In this order
    #[arg(long, value_name = "ORDER", value_parser = orders(), default_value = "updated", help_heading = WHICH)]
    pub(crate) sort: Order,
}

const WHICH: &str = "Which conversations";

/// Which conversations.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = WHICH)]
pub(crate) struct WhichArgs {
    /// In this workspace: a path (`.` for here), a folder's name, or part of either
    #[arg(short, long, value_name = "PATH|NAME")]
    pub(crate) workspace: Option<String>,

    /// Changed since: 2026-01-19, 2026-01, 7d, 12h, 2w, 3mo, 1y, today, yesterday, monday
    #[arg(long, value_name = "WHEN", value_parser = time)]
    pub(crate) since: Option<String>,

    /// Started on or before; a day or month is included
    #[arg(long, value_name = "WHEN", value_parser = time)]
    pub(crate) until: Option<String>,

    /// Held here (repeatable)
    #[arg(long = "surface", value_name = "SURFACE", value_parser = PossibleValuesParser::new(Field::Surface.values()))]
    pub(crate) surfaces: Vec<String>,

    /// In this mode: agent, chat, edit, plan, …
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<String>,

    /// With a model whose name contains this
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// Using this tool: read, edit, shell, mcp:github, or a name as stored
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,

    /// With this in the title
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// Holding this (repeatable)
    #[arg(long, value_name = "WHAT", value_parser = PossibleValuesParser::new(Field::Has.values()))]
    pub(crate) has: Vec<String>,

    /// Hidden ones too: empty, draft, archived, deleted, subagents
    #[arg(short, long)]
    pub(crate) all: bool,
}

/// The limit that is meant, on every command: 0 is no limit.
pub(crate) fn at_most(limit: usize) -> usize {
    if limit == 0 { usize::MAX } else { limit }
}

impl FilterArgs {
    /// The question that is meant, here and now.
    pub(crate) fn ask(&self, environment: &Environment) -> Ask {
        Ask {
            limit: self.limit.filter(|limit| *limit > 0),
            offset: self.offset,
            order: self.sort,
            ..self.which.ask(environment)
        }
    }
}

impl WhichArgs {
    /// The question that is meant, here and now.
    pub(crate) fn ask(&self, environment: &Environment) -> Ask {
        self.narrow(Ask::default(), environment)
    }

    /// The same question, of which these options must hold besides.
    pub(crate) fn narrow(&self, ask: Ask, environment: &Environment) -> Ask {
        let workspace = self.workspace.as_deref().map(|typed| workspace(typed, environment));
        let real_workspace = workspace.as_deref().and_then(behind_links);
        let chats_folder = |path: &Option<String>| path.as_deref().and_then(chats_folder_of);
        let one = |name: &'static str, value: &Option<String>| value.clone().map(|value| (name, value));
        let several = |name: &'static str, values: &[String]| {
            values.iter().map(|value| (name, value.clone())).collect::<Vec<_>>()
        };
        let options = [
            one("workspace", &workspace),
            one("workspace", &real_workspace),
            one("workspace", &chats_folder(&workspace)),
            one("workspace", &chats_folder(&real_workspace)),
            one("since", &self.since),
            one("until", &self.until),
            one("mode", &self.mode),
            one("model", &self.model),
            one("tool", &self.tool),
            one("title", &self.title),
            self.all.then(|| ("all", "yes".to_owned())),
        ];
        let options = options.into_iter().flatten();
        let options: Vec<(&str, String)> =
            options.chain(several("surface", &self.surfaces)).chain(several("has", &self.has)).collect();
        let options = options.iter().map(|(name, value)| (*name, value.as_str()));
        ask.given(options, &environment.now).expect("only values that are known are taken")
    }
}

/// `.`, `..` and what begins with them, or with `~`, is a path from here or home; anything else stays as typed.
fn workspace(typed: &str, environment: &Environment) -> String {
    let here = &environment.current_folder;
    let path = match (typed.split(['/', '\\']).next(), &environment.surroundings.home) {
        (Some("." | ".."), _) => here.join(typed),
        (Some("~"), Some(home)) => home.join(typed[1..].trim_start_matches(['/', '\\'])),
        _ => return typed.to_owned(),
    };
    without_dots(&path)
}

/// The folder at an absolute path behind its symbolic links, if there are any.
fn behind_links(path: &str) -> Option<String> {
    let real = std::fs::canonicalize(Some(path).filter(|path| Path::new(path).is_absolute())?).ok()?;
    Some(real.to_string_lossy().into_owned()).filter(|real| real != path)
}

/// The folder of `chats` in which the command line agent keeps its sessions in the folder at an absolute path.
fn chats_folder_of(path: &str) -> Option<String> {
    Path::new(path).is_absolute().then(|| crate::wiring::chats_folder(path.trim_end_matches('/')))
}

/// The path without `.` and `..`. Symbolic links stay, because Cursor stores the path as it was opened.
fn without_dots(path: &Path) -> String {
    let mut clean = std::path::PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                clean.pop();
            }
            component => clean.push(component),
        }
    }
    clean.to_string_lossy().into_owned()
}

/// Takes what is a time, as it was typed.
fn time(typed: &str) -> Result<String, WhenError> {
    typed.parse::<When>().map(|_| typed.to_owned())
}

/// Takes the orders that a listing has. What matched is nothing to a listing.
fn orders() -> impl TypedValueParser<Value = Order> {
    let listed = Order::ALL.iter().filter(|order| !matches!(order, Order::Relevance | Order::Newest));
    one_of(listed.map(|order| PossibleValue::new(order.name())))
}

/// Takes the names of `T`.
pub(crate) fn names<T: Named + Send + Sync>() -> impl TypedValueParser<Value = T> {
    one_of(T::ALL.iter().map(|one| PossibleValue::new(one.name())))
}

/// Takes the names of `T`, each with a line of help.
pub(crate) fn names_with_help<T: Named + Send + Sync>(
    help: &[&'static str],
) -> impl TypedValueParser<Value = T> {
    let values = T::ALL.iter().zip(help).map(|(one, help)| PossibleValue::new(one.name()).help(*help));
    one_of(values)
}

fn one_of<T: Named + Send + Sync>(
    values: impl Iterator<Item = PossibleValue>,
) -> impl TypedValueParser<Value = T> {
    let parser = PossibleValuesParser::new(values);
    parser.map(|name| T::from_name(&name).expect("only names of the enum are possible"))
}
