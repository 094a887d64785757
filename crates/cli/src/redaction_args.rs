//! What is to be taken out of a document, as typed: the same words for every command that writes one.

use backscroll_render::redact::{HomeNames, RedactOptions, Redactor};
use clap::Args;

use crate::args::GlobalArgs;
use crate::config;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::exit::Exit;

/// What is to be taken out.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own that the user may turn")]
pub(crate) struct RedactionArgs {
    /// Take keys, tokens and passwords out (html and replay do so by themselves)
    #[arg(long, overrides_with = "no_redact")]
    redact: bool,

    /// Leave secrets in
    #[arg(long, overrides_with = "redact", conflicts_with_all = ["redact_emails", "redact_names"])]
    no_redact: bool,

    /// Take e-mail addresses out too
    #[arg(long)]
    redact_emails: bool,

    /// Take the home folder and the user's name out too
    #[arg(long)]
    redact_names: bool,
}

impl RedactionArgs {
    /// Whether anything is to be taken out.
    pub(crate) fn is_wanted(&self, by_default: bool) -> bool {
        self.redact || self.redact_emails || self.redact_names || (by_default && !self.no_redact)
    }

    /// What is to be taken out, as typed and as the configuration says.
    pub(crate) fn options(
        &self,
        global: &GlobalArgs,
        environment: &Environment,
    ) -> Result<RedactOptions, CommandError> {
        let mut options = config::redact_options(global, environment)?;
        options.emails |= self.redact_emails;
        if self.redact_names {
            let home = global.home.as_deref().or(environment.home.as_deref());
            options.home = home.map(|home| HomeNames::of(&home.to_string_lossy()));
        }
        Ok(options)
    }

    /// What takes it out; `None` if everything may stay.
    pub(crate) fn redactor(
        &self,
        by_default: bool,
        global: &GlobalArgs,
        environment: &Environment,
    ) -> Result<Option<Redactor>, CommandError> {
        if !self.is_wanted(by_default) {
            return Ok(None);
        }
        let options = self.options(global, environment)?;
        Redactor::new(&options).map(Some).map_err(|error| CommandError::new(Exit::Usage, error))
    }
}
