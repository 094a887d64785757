//! Secrets made up at run time from pieces, so that none stands in the repository, and the ways in which they are disguised.

/// The alphabets from which secrets are made.
pub(crate) const HEX: &str = "0123456789abcdef";
pub(crate) const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub(crate) const PLAIN: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub(crate) const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// `length` letters of `alphabet` that look made by chance, and are the same each time.
pub(crate) fn chance(alphabet: &str, length: usize, seed: u64) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let at = usize::try_from(state >> 33).expect("made so here") % letters.len();
        letters[at]
    };
    (0..length).map(|_| letter()).collect()
}

/// A private key's lines.
pub(crate) fn key_block(label: &str, seed: u64) -> String {
    let body: Vec<String> = (0..6).map(|line| chance(BASE64, 64, seed + line)).collect();
    let dashes = "-".repeat(5);
    format!("{dashes}BEGIN {label}{dashes}\n{}\nabc0DEF1gh+=\n{dashes}END {label}{dashes}", body.join("\n"))
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    let letters: Vec<char> = BASE64.chars().collect();
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let held = three
            .iter()
            .chain(std::iter::repeat(&0))
            .take(3)
            .fold(0_usize, |held, byte| held << 8 | usize::from(*byte));
        for at in 0..4 {
            text.push(if at <= three.len() { letters[held >> (18 - 6 * at) & 63] } else { '=' });
        }
    }
    text
}

/// A token of JSON.
pub(crate) fn json_web_token(seed: u64) -> String {
    let piece = |json: &str| base64(json.as_bytes()).trim_end_matches('=').to_owned();
    let header = piece("{\"alg\":\"HS256\",\"typ\":\"JWT\"}");
    let payload = piece("{\"sub\":\"4711\",\"name\":\"Mira\"}");
    format!("{header}.{payload}.{}", chance(PLAIN, 43, seed))
}

/// Everything that begins in a way of its own: the kind, and the secret.
pub(crate) fn tokens() -> Vec<(&'static str, String)> {
    let c = chance;
    vec![
        ("aws-key", format!("AK{}{}", "IA", c(CAPITALS, 16, 1))),
        ("google-key", format!("AI{}{}", "za", c(PLAIN, 35, 2))),
        ("github-token", format!("gh{}{}", "p_", c(PLAIN, 36, 3))),
        ("github-token", format!("gh{}{}", "o_", c(PLAIN, 36, 4))),
        ("github-token", format!("gh{}{}", "s_", c(PLAIN, 36, 5))),
        ("github-token", format!("github_{}{}_{}", "pat_", c(PLAIN, 22, 6), c(PLAIN, 59, 7))),
        ("gitlab-token", format!("gl{}{}", "pat-", c(PLAIN, 20, 8))),
        (
            "slack-token",
            format!("xo{}{}-{}-{}", "xb-", c("123456789", 12, 9), c("123456789", 12, 10), c(PLAIN, 24, 11)),
        ),
        ("stripe-key", format!("sk_{}{}", "live_", c(PLAIN, 24, 12))),
        ("stripe-key", format!("rk_{}{}", "live_", c(PLAIN, 30, 13))),
        ("openai-key", format!("sk{}{}", "-", c(PLAIN, 48, 14))),
        ("openai-key", format!("sk{}{}", "-proj-", c(PLAIN, 60, 15))),
        ("anthropic-key", format!("sk{}{}-AA", "-ant-api03-", c(PLAIN, 80, 16))),
        ("npm-token", format!("np{}{}", "m_", c(PLAIN, 36, 17))),
        ("pypi-token", format!("py{}{}", "pi-AgEIcHlwaS5vcmc", c(PLAIN, 60, 18))),
        ("huggingface-token", format!("h{}{}", "f_", c(PLAIN, 34, 19))),
        ("twilio-key", format!("S{}{}", "K", c(HEX, 32, 20))),
        ("sendgrid-key", format!("S{}{}.{}", "G.", c(PLAIN, 22, 21), c(PLAIN, 43, 22))),
        ("digitalocean-token", format!("do{}{}", "p_v1_", c(HEX, 64, 23))),
        ("telegram-token", format!("{}:{}{}", c("123456789", 10, 24), "AA", c(PLAIN, 33, 25))),
        ("google-token", format!("ya{}{}", "29.", c(PLAIN, 60, 26))),
        ("shopify-token", format!("sh{}{}", "pat_", c(HEX, 32, 27))),
        ("vault-token", format!("hv{}{}", "s.", c(PLAIN, 90, 28))),
        ("cursor-key", format!("cr{}{}", "sr_", c(HEX, 64, 29))),
        ("jwt", json_web_token(30)),
    ]
}

/// The texts in which a secret stands in disguise, each with a name.
pub(crate) fn disguises(secret: &str) -> Vec<(&'static str, String)> {
    vec![
        ("bare", secret.to_owned()),
        ("in a sentence", format!("Please use {secret}, it still works.")),
        ("quoted", format!("let it = \"{secret}\";")),
        ("a line of its own", format!("first\n{secret}\nlast\n")),
        ("an escaped line of its own", format!("first\\n{secret}\\nlast")),
        ("JSON inside JSON", format!("{{\\\"it\\\":\\\"{secret}\\\"}}")),
        ("a URL", format!("https://api.test/v1?it={secret}&page=2")),
        ("an encoded URL", format!("next=https%3A%2F%2Fapi.test%2F%3Fit%3D{secret}%26page%3D2")),
        ("a diff", format!("@@ -1 +1 @@\n-it: none\n+it: {secret}\n")),
        ("a file name", format!("backup/{secret}/notes.txt")),
        ("numbered lines", format!("     1|it\n     2|{secret}\n")),
    ]
}
