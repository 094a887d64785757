//! What is to be taken out of a document: as set once in `config.toml`, and as typed. A mistake in the file is reported with
//! its line, and nothing is guessed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backscroll_history::Cleaner;
use backscroll_own_files::OwnFolder;
use backscroll_redact::{HomeNames, PlaceholderKey, RedactOptions, Redactor, UserRule};
use clap::Args;
use serde::Deserialize;
use toml::Spanned;

use crate::args::GlobalArgs;
use crate::environment::Environment;
use crate::error::{CommandError, Exit, Result};
use crate::wiring::plain_file;

/// All of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wire {
    redact: WireRedact,
}

/// `[redact]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WireRedact {
    emails: bool,
    home: bool,
    allow: Vec<Spanned<String>>,
    rule: Vec<Spanned<UserRule>>,
}

#[derive(Debug, thiserror::Error)]
enum ConfigError {
    #[error("cannot read {}", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    #[error("{}, line {line}: {says}", file.display())]
    Wrong { file: PathBuf, line: usize, says: String },
}

/// What is to be taken out, as the configuration says.
pub(crate) fn redact_options(global: &GlobalArgs, environment: &Environment) -> Result<RedactOptions> {
    let options = configured(global, environment)?;
    Ok(RedactOptions { key: placeholder_key(environment.cache.as_deref())?, ..options })
}

fn configured(global: &GlobalArgs, environment: &Environment) -> Result<RedactOptions> {
    let Some(file) = place(global, environment) else { return Ok(RedactOptions::default()) };
    let is_named = global.config.is_some() || environment.config.is_some();
    let text = match plain_file::read_text(&file) {
        Ok(text) => text,
        // A file that nobody named need not be there.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !is_named => {
            return Ok(RedactOptions::default());
        }
        Err(error) => return Err(CommandError::new(Exit::Usage, ConfigError::Unreadable(file, error))),
    };
    let home = global.home.as_deref().or(environment.surroundings.home.as_deref());
    let home = home.map(|home| HomeNames::from_folder(&home.to_string_lossy()));
    options(&file, &text, home).map_err(|error| CommandError::new(Exit::Usage, error))
}

/// Where the configuration is: where the user says, or where this system keeps such files.
fn place(global: &GlobalArgs, environment: &Environment) -> Option<PathBuf> {
    let named = global.config.as_ref().or(environment.config.as_ref());
    if let Some(named) = named {
        return Some(environment.current_folder.join(named));
    }
    let under_home = |below: &str| environment.surroundings.home.as_ref().map(|home| home.join(below));
    let folder = if cfg!(windows) {
        environment.surroundings.appdata.clone().or_else(|| under_home("AppData/Roaming"))
    } else if cfg!(target_os = "macos") {
        environment.surroundings.xdg_config_home.clone().or_else(|| under_home("Library/Application Support"))
    } else {
        environment.surroundings.xdg_config_home.clone().or_else(|| under_home(".config"))
    };
    Some(folder?.join("backscroll").join("config.toml"))
}

fn options(file: &Path, text: &str, home: Option<HomeNames>) -> Result<RedactOptions, ConfigError> {
    let wrong = |at: Option<Range<usize>>, says: String| {
        let before = text.get(..at.map_or(0, |at| at.start)).unwrap_or_default();
        ConfigError::Wrong { file: file.to_owned(), line: before.matches('\n').count() + 1, says }
    };
    let Wire { redact } =
        toml::from_str(text).map_err(|error| wrong(error.span(), error.message().trim().to_owned()))?;
    let mut options = RedactOptions {
        emails: redact.emails,
        home: home.filter(|_| redact.home),
        ..RedactOptions::default()
    };
    for allow in redact.allow {
        let alone = RedactOptions { allow: vec![allow.get_ref().clone()], ..RedactOptions::default() };
        Redactor::new(&alone).map_err(|error| wrong(Some(allow.span()), error.to_string()))?;
        options.allow.push(allow.into_inner());
    }
    for rule in redact.rule {
        let alone = RedactOptions { rules: vec![rule.get_ref().clone()], ..RedactOptions::default() };
        Redactor::new(&alone).map_err(|error| wrong(Some(rule.span()), error.to_string()))?;
        options.rules.push(rule.into_inner());
    }
    Ok(options)
}

const KEY_FILE: &str = "export-key";

const KEY_LENGTH: usize = 32;

#[derive(Debug, thiserror::Error)]
#[error("this system gives no random numbers")]
struct NoRandomNumbers(#[source] getrandom::Error);

/// Bytes that nobody can guess.
pub(crate) fn random() -> Result<[u8; KEY_LENGTH]> {
    let mut bytes = [0; KEY_LENGTH];
    getrandom::fill(&mut bytes).map_err(|error| CommandError::new(Exit::Refused, NoRandomNumbers(error)))?;
    Ok(bytes)
}

/// The key that makes placeholders, so that they are the same in every document of this user; made if there is none.
///
/// It lies among the user's own caches, never in a folder of exported files, which may be given away. Without it the next
/// export has other placeholders. Where it cannot be kept, it is good for this run.
fn placeholder_key(cache: Option<&Path>) -> Result<PlaceholderKey> {
    let cache = cache.and_then(|cache| OwnFolder::make(cache).ok());
    let known = cache
        .as_ref()
        .and_then(|cache| cache.read(KEY_FILE, KEY_LENGTH as u64).ok()?)
        .and_then(|bytes| <[u8; KEY_LENGTH]>::try_from(bytes).ok());
    if let Some(known) = known {
        return Ok(PlaceholderKey::new(known));
    }
    let key = random()?;
    if let Some(cache) = cache {
        // Readable by the user alone, as every file of ours is.
        let _ = cache.write(KEY_FILE, &key);
    }
    Ok(PlaceholderKey::new(key))
}

/// What is to be taken out.
#[derive(Debug, Args, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own that the user may turn")]
pub(crate) struct RedactionArgs {
    /// Remove keys, tokens and passwords (the default for html, replay, handoff, serve, mcp, and under an agent)
    #[arg(long, overrides_with = "no_redact")]
    redact: bool,

    /// Keep secrets
    #[arg(long, overrides_with = "redact", conflicts_with_all = ["redact_emails", "redact_names"])]
    no_redact: bool,

    /// Remove e-mail addresses, too
    #[arg(long)]
    redact_emails: bool,

    /// Remove the home folder and the user's name, too
    #[arg(long)]
    redact_names: bool,
}

impl RedactionArgs {
    /// Those of a command without any.
    pub(crate) const BY_DEFAULT: Self =
        Self { redact: false, no_redact: false, redact_emails: false, redact_names: false };

    /// Whether anything is to be taken out.
    pub(crate) fn is_wanted(&self, by_default: bool) -> bool {
        self.redact || self.redact_emails || self.redact_names || (by_default && !self.no_redact)
    }

    /// What is to be taken out, as typed and as the configuration says.
    pub(crate) fn options(&self, global: &GlobalArgs, environment: &Environment) -> Result<RedactOptions> {
        let mut options = redact_options(global, environment)?;
        options.emails |= self.redact_emails;
        if self.redact_names {
            let home = global.home.as_deref().or(environment.surroundings.home.as_deref());
            options.home = home.map(|home| HomeNames::from_folder(&home.to_string_lossy()));
        }
        Ok(options)
    }

    /// What takes it out of all that a history gives out; `None` if everything may stay.
    pub(crate) fn cleaner(
        &self,
        by_default: bool,
        global: &GlobalArgs,
        environment: &Environment,
    ) -> Result<Option<Arc<Cleaner>>> {
        let Some(redactor) = self.redactor(by_default, global, environment)? else { return Ok(None) };
        let fingerprint = fingerprint(&self.options(global, environment)?, &environment.program);
        Ok(Some(Arc::new(Cleaner::new(redactor, fingerprint))))
    }

    /// What takes it out; `None` if everything may stay.
    pub(crate) fn redactor(
        &self,
        by_default: bool,
        global: &GlobalArgs,
        environment: &Environment,
    ) -> Result<Option<Redactor>> {
        if !self.is_wanted(by_default) {
            return Ok(None);
        }
        let options = self.options(global, environment)?;
        Redactor::new(&options).map(Some).map_err(|error| CommandError::new(Exit::Usage, error))
    }
}

/// A name for what is taken out: another one for other options, and for another build of this program, whose rules may be others.
/// So no index gives out what an earlier version left in it.
fn fingerprint(options: &RedactOptions, program: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    options.fingerprint().hash(&mut hasher);
    program.metadata().ok().map(|about| (about.len(), about.modified().ok())).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test writes its own files")]
    fn another_program_or_other_options_have_another_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("backscroll");
        std::fs::write(&program, "one").unwrap();
        let options = RedactOptions::default();
        let first = fingerprint(&options, &program);
        assert_eq!(fingerprint(&options, &program), first);
        assert_ne!(fingerprint(&RedactOptions { emails: true, ..options.clone() }, &program), first);
        std::fs::write(&program, "another").unwrap();
        assert_ne!(fingerprint(&options, &program), first);
    }

    fn read(text: &str) -> Result<RedactOptions, String> {
        let home = Some(HomeNames::from_folder("/home/mira"));
        options(Path::new("config.toml"), text, home).map_err(|error| error.to_string())
    }

    #[test]
    fn everything_that_can_be_set() {
        let text = "[redact]\nemails = true\nhome = true\nallow = ['demo-.*']\n\n[[redact.rule]]\nname = 'ticket'\npattern = 'ACME-\\d+'\nkeywords = ['acme']\n";
        let options = read(text).unwrap();
        assert!(options.emails);
        assert_eq!(options.home, Some(HomeNames::from_folder("/home/mira")));
        assert_eq!(options.allow, ["demo-.*"]);
        assert_eq!(options.rules[0].name, "ticket");
        assert!(read("").unwrap().home.is_none());
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let table = [
            ("[redact]\nemail = true\n", "config.toml, line 2: unknown field `email`"),
            ("[redact]\nemails = 1\n", "config.toml, line 2: invalid type"),
            ("[redact]\nemails =\n", "config.toml, line 2"),
            ("\n[redact]\nallow = ['(']\n", "config.toml, line 3: \"(\" among what may stay"),
            (
                "[[redact.rule]]\nname = 'a'\npattern = '('\n",
                "config.toml, line 1: the pattern of rule \"a\"",
            ),
            ("[[redact.rule]]\nname = 'A b'\npattern = 'x'\n", "config.toml, line 1: the rule name \"A b\""),
            ("[[redact.rule]]\nname = 'a'\n", "config.toml, line 1: missing field `pattern`"),
        ];
        for (text, says) in table {
            let told = read(text).unwrap_err();
            assert!(told.starts_with(says), "{told}");
        }
    }
}
