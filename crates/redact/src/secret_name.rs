//! Which names sound as if a secret stood behind them.

use std::sync::LazyLock;

/// Words after which the name still means the secret itself.
static SUFFIXES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "value string prod production dev development staging live test base old new current default hex \
     b64 base64 raw env plain plaintext primary secondary"
        .split(' ')
        .collect()
});

/// Words that make a name harmless, wherever they stand in it.
static HARMLESS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "public pub hash hashed digest checksum sha sha1 sha256 sha512 integrity length len size limit \
     count max min num name type kind url uri endpoint path file filename dir id ids field label hint \
     regex pattern format prefix suffix placeholder fingerprint thumbprint revision commit etag \
     foreign cache sort partition translation locale query index idempotency anon error version csrf \
     xsrf nonce algorithm site"
        .split(' ')
        .collect()
});

/// Words that make a token one of a page or of a language, not of a person.
static HARMLESS_TOKENS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "next page pagination continuation sync stop eos bos pad mask special cancel cancellation lexer \
     parser syntax design color css pos start end begin prev previous"
        .split(' ')
        .collect()
});

/// Words before `key` that make it a secret.
static KEYS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "api access secret private encryption auth account signing signature master service shared admin \
     app application hmac jwt session deploy bearer subscription function storage license aes crypto \
     preshared ingestion ingest write consumer integration webhook unseal functions validation \
     decryption fernet cookie"
        .split(' ')
        .collect()
});

/// Words before `pat` that make it a personal access token.
const HOSTS: &[&str] = &["github", "gh", "gitlab", "azure", "devops", "ado", "ext", "asana"];

/// Names that are written without a seam.
const RUN_TOGETHER: &[(&str, &str)] = &[
    (
        "password passwd passphrase passwort requirepass sshpass bindpw kennwort userpwd authtok \
     zugangsdaten anmeldedaten",
        "password",
    ),
    ("apikey accesskey", "api-key"),
    ("secretkey privatekey clientsecret", "secret"),
    ("accountkey", "azure-key"),
    ("authtoken accesstoken zugriffstoken zugangstoken", "token"),
];

/// Names that hold a harmless word and are secrets nevertheless.
const WHOLE: &[(&str, &str)] = &[
    ("id_token", "token"),
    ("api_hash", "secret"),
    ("app_certificate", "secret"),
    ("auth_hash", "secret"),
    ("nonce_key", "secret"),
    ("_salt", "secret"),
    ("-schlüssel", "api-key"),
    ("zugangsschlüssel", "api-key"),
    ("geheime schlüssel", "api-key"),
    ("geheimer schlüssel", "api-key"),
    ("api schlüssel", "api-key"),
];

/// The kind of secret that `name` speaks of, if it does.
pub(crate) fn kind_of(name: &str) -> Option<&'static str> {
    let small = name.to_ascii_lowercase();
    if let Some((_, kind)) = WHOLE.iter().find(|(whole, _)| small.ends_with(whole)) {
        return Some(kind);
    }
    let words = base_words(name);
    if words.iter().any(|word| HARMLESS.contains(&word.as_str())) {
        return None;
    }
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let last = words.last()?.as_str();
    let before = words.len().checked_sub(2).and_then(|at| words.get(at)).map(String::as_str);
    match last {
        "password" | "passwd" | "pwd" | "pw" | "psk" | "passphrase" | "pass" => Some("password"),
        "pat" if before.is_some_and(|before| is_variable(name) || HOSTS.contains(&before)) => Some("token"),
        "secret" | "key" if has("aws") && has("secret") => Some("aws-secret"),
        "secret" | "secrets" | "credential" | "credentials" => Some("secret"),
        "token" if words.iter().any(|word| HARMLESS_TOKENS.contains(&word.as_str())) => None,
        "token" | "auth" | "authorization" => Some("token"),
        "key" if has("account") || has("azure") => Some("azure-key"),
        "key" if matches!(before, Some("secret" | "private")) => Some("secret"),
        "key" if before.is_some_and(|before| KEYS.contains(&before)) => Some("api-key"),
        "key" if is_variable(name) && before.is_some() => Some("api-key"),
        other => {
            let ends = |(names, _): &&(&str, &str)| names.split(' ').any(|name| other.ends_with(name));
            RUN_TOGETHER.iter().find(ends).map(|(_, kind)| *kind)
        }
    }
}

/// Whether a name is spelled like a variable of the environment.
pub(crate) fn is_variable(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.len() >= 3 && name.bytes().all(is_letter)
}

/// The words of a name without those after which it still means the same.
pub(crate) fn base_words(name: &str) -> Vec<String> {
    let mut words = words(name);
    let is_number = |word: &str| word.trim_start_matches('v').bytes().all(|byte| byte.is_ascii_digit());
    while words.len() > 1
        && words.last().is_some_and(|word| SUFFIXES.contains(&word.as_str()) || is_number(word))
    {
        words.pop();
    }
    words
}

/// The words of a name, in small letters: `dbPassword`, `DB_PASSWORD` and `db-password` are the same two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    let mut letters = name.chars().peekable();
    while let Some(c) = letters.next() {
        let is_hump = c.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || before.is_ascii_digit()
                || (before.is_ascii_uppercase() && letters.peek().is_some_and(char::is_ascii_lowercase)));
        if is_hump || !c.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}
