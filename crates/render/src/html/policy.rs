//! The content security policy of a file that stands alone: its one style, its one script, and nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::{SCRIPT, STYLE};

/// The source expression that allows exactly `content`: `'sha256-…'`.
pub fn hash_source(content: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content.as_bytes())))
}

/// The policy of a page with our style and script inside. What else a page brings along, it names by
/// [`hash_source`]s in `more_styles` and `more_scripts`.
pub fn content_policy(more_styles: &[&str], more_scripts: &[&str]) -> String {
    let sources = |ours: &str, more: &[&str]| {
        let hashes = std::iter::once(ours).chain(more.iter().copied()).map(hash_source);
        hashes.collect::<Vec<_>>().join(" ")
    };
    format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        sources(STYLE, more_styles),
        sources(SCRIPT, more_scripts),
    )
}
