//! Tokens that runs really used: four buckets that do not overlap; reasoning is a share of the output.

use std::collections::BTreeMap;

use backscroll_model::Tokens;

use super::run::Run;
use crate::wire_json::Object;

/// Tokens of one run, or of several added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Read anew.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Put into the cache.
    pub cache_write: u64,
    /// The share of the output that was thinking.
    pub reasoning: u64,
}

impl Usage {
    /// The usage in a `usage_json` column or a `usage` message.
    pub fn read(json: &str) -> Option<Self> {
        let object = Object::read(json)?;
        let inner = object.object("usage").unwrap_or(object);
        let of = |names: &[&str]| names.iter().find_map(|name| inner.count(name));
        let input = of(&["inputTokens", "input_tokens", "input"]);
        let output = of(&["outputTokens", "output_tokens", "output"]);
        if input.is_none() && output.is_none() {
            return None;
        }
        Some(Self {
            input: input.unwrap_or_default(),
            output: output.unwrap_or_default(),
            cache_read: of(&["cacheReadTokens", "cache_read_tokens", "cacheRead"]).unwrap_or_default(),
            cache_write: of(&["cacheWriteTokens", "cache_write_tokens", "cacheWrite"]).unwrap_or_default(),
            reasoning: of(&["reasoningTokens", "reasoning_tokens", "reasoning"]).unwrap_or_default(),
        })
    }

    /// Both added up.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }

    /// Input and output alone.
    pub fn tokens(self) -> Tokens {
        Tokens { input: self.input, output: self.output }
    }
}

/// The usage of `runs` added up for each model; runs that tell none are left out. No model is an empty name.
pub fn per_model<'a>(runs: impl IntoIterator<Item = &'a Run>) -> BTreeMap<String, Usage> {
    let mut sums: BTreeMap<String, Usage> = BTreeMap::new();
    for run in runs {
        if let Some(usage) = run.usage {
            let sum = sums.entry(run.model.clone().unwrap_or_default()).or_default();
            *sum = sum.plus(usage);
        }
    }
    sums
}
