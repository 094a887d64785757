//! Tokens that begin in a way nothing else does, besides those of the crate of rules.

/// What a token is made of after its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Letters {
    /// `0-9a-f`.
    Hex,
    /// Letters and digits.
    Plain,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Letters, digits, `_`, `-` and `.`.
    Dotted,
    /// Letters, digits, `+`, `/`, `=`, `_`, `-`.
    Base64,
}

impl Letters {
    pub(super) fn has(self, byte: u8) -> bool {
        let is_plain = byte.is_ascii_alphanumeric();
        match self {
            Self::Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            Self::Plain => is_plain,
            Self::Url => is_plain || matches!(byte, b'_' | b'-'),
            Self::Dotted => is_plain || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => is_plain || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'='),
        }
    }
}

/// One kind of token.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) kind: &'static str,
    pub(super) begins: &'static str,
    pub(super) letters: Letters,
    /// How many letters follow at least.
    pub(super) at_least: usize,
}

const fn token(kind: &'static str, begins: &'static str, letters: Letters, at_least: usize) -> Token {
    Token { kind, begins, letters, at_least }
}

/// The tokens we know.
pub(super) const TOKENS: &[Token] = &[
    token("anthropic-key", "sk-ant-", Letters::Url, 24),
    token("openai-key", "sk-proj-", Letters::Url, 24),
    token("openai-key", "sk-svcacct-", Letters::Url, 24),
    token("openai-key", "sk-admin-", Letters::Url, 24),
    token("openai-key", "sk-", Letters::Plain, 32),
    token("openrouter-key", "sk-or-v1-", Letters::Hex, 40),
    token("cursor-key", "crsr_", Letters::Hex, 40),
    token("cursor-key", "key_", Letters::Hex, 60),
    token("xai-key", "xai-", Letters::Plain, 40),
    token("groq-key", "gsk_", Letters::Plain, 40),
    token("perplexity-key", "pplx-", Letters::Plain, 40),
    token("replicate-token", "r8_", Letters::Plain, 36),
    token("nvidia-key", "nvapi-", Letters::Url, 40),
    token("langsmith-key", "lsv2_pt_", Letters::Url, 32),
    token("langsmith-key", "lsv2_sk_", Letters::Url, 32),
    token("tavily-key", "tvly-", Letters::Url, 24),
    token("huggingface-token", "hf_", Letters::Plain, 30),
    token("github-token", "ghp_", Letters::Plain, 36),
    token("github-token", "gho_", Letters::Plain, 36),
    token("github-token", "ghu_", Letters::Plain, 36),
    token("github-token", "ghs_", Letters::Plain, 36),
    token("github-token", "ghr_", Letters::Plain, 36),
    token("github-token", "github_pat_", Letters::Url, 36),
    token("gitlab-token", "glpat-", Letters::Dotted, 20),
    token("gitlab-token", "gldt-", Letters::Url, 20),
    token("gitlab-token", "glrt-", Letters::Url, 20),
    token("gitlab-token", "glptt-", Letters::Url, 40),
    token("gitlab-token", "glcbt-", Letters::Url, 20),
    token("gitlab-token", "glsoat-", Letters::Url, 20),
    token("npm-token", "npm_", Letters::Plain, 36),
    token("pypi-token", "pypi-AgE", Letters::Url, 50),
    token("rubygems-key", "rubygems_", Letters::Hex, 48),
    token("docker-token", "dckr_pat_", Letters::Url, 24),
    token("docker-token", "dckr_oat_", Letters::Url, 24),
    token("slack-token", "xoxb-", Letters::Url, 24),
    token("slack-token", "xoxp-", Letters::Url, 24),
    token("slack-token", "xoxa-", Letters::Url, 24),
    token("slack-token", "xoxr-", Letters::Url, 24),
    token("slack-token", "xoxs-", Letters::Url, 24),
    token("slack-token", "xoxc-", Letters::Url, 24),
    token("slack-token", "xoxd-", Letters::Url, 24),
    token("slack-token", "xoxe.", Letters::Dotted, 24),
    token("slack-token", "xapp-", Letters::Url, 24),
    token("stripe-key", "sk_live_", Letters::Plain, 20),
    token("stripe-key", "rk_live_", Letters::Plain, 20),
    token("stripe-key", "sk_test_", Letters::Plain, 20),
    token("stripe-key", "rk_test_", Letters::Plain, 20),
    token("stripe-key", "whsec_", Letters::Base64, 24),
    token("shopify-token", "shpat_", Letters::Hex, 32),
    token("shopify-token", "shpss_", Letters::Hex, 32),
    token("shopify-token", "shpca_", Letters::Hex, 32),
    token("shopify-token", "shppa_", Letters::Hex, 32),
    token("google-token", "ya29.", Letters::Dotted, 30),
    token("google-secret", "GOCSPX-", Letters::Url, 24),
    token("digitalocean-token", "dop_v1_", Letters::Hex, 60),
    token("digitalocean-token", "doo_v1_", Letters::Hex, 60),
    token("digitalocean-token", "dor_v1_", Letters::Hex, 60),
    token("databricks-token", "dapi", Letters::Hex, 32),
    token("vault-token", "hvs.", Letters::Url, 24),
    token("vault-token", "hvb.", Letters::Url, 24),
    token("terraform-token", "atlasv1.", Letters::Url, 40),
    token("linear-key", "lin_api_", Letters::Plain, 32),
    token("notion-token", "ntn_", Letters::Plain, 40),
    token("figma-token", "figd_", Letters::Url, 36),
    token("postman-key", "PMAK-", Letters::Url, 40),
    token("grafana-token", "glsa_", Letters::Url, 36),
    token("grafana-token", "glc_eyJ", Letters::Base64, 32),
    token("supabase-key", "sbp_", Letters::Hex, 40),
    token("supabase-key", "sb_secret_", Letters::Url, 24),
    token("sentry-token", "sntrys_", Letters::Base64, 40),
    token("sentry-token", "sntryu_", Letters::Hex, 40),
    token("newrelic-key", "NRAK-", Letters::Plain, 24),
    token("planetscale-token", "pscale_tkn_", Letters::Dotted, 30),
    token("planetscale-token", "pscale_pw_", Letters::Dotted, 30),
    token("doppler-token", "dp.pt.", Letters::Plain, 40),
    token("age-key", "AGE-SECRET-KEY-1", Letters::Plain, 50),
    token("atlassian-token", "ATATT3", Letters::Base64, 60),
];
