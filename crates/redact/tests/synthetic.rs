//! Secrets made up at run time from pieces, so that none stands in the repository, and the ways in which they are disguised.

use std::collections::BTreeMap;
use std::path::Path;

use backscroll_model::{
    Attachment, AttachmentKind, Attribution, Code, Conversation, ConversationId, Finding, FindingKind, Image,
    Layer, Message, Origin, Part, Role, Summary, Surface, Todo, Workspace,
};

/// The text with its placeholders numbered: `‹jwt·3f9a1c07›` becomes `‹jwt-1›`, the next one `‹jwt-2›`.
pub(crate) fn numbered(text: &str) -> String {
    let mut known: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    let mut pieces = text.split('‹');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push('‹');
        let placeholder = piece.split_once('›').and_then(|(name, rest)| {
            let (kind, hash) = name.split_once('·')?;
            (hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
                .then_some((kind, hash, rest))
        });
        let Some((kind, hash, rest)) = placeholder else {
            out.push_str(piece);
            continue;
        };
        let of_kind = known.entry(kind.to_owned()).or_default();
        let next = of_kind.len() + 1;
        let number = of_kind.entry(hash.to_owned()).or_insert(next);
        out.extend([kind, "-", &number.to_string(), "›", rest]);
    }
    out
}

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

pub(crate) fn origin(key: &str) -> Origin {
    Origin::new(Layer::IdeGlobal, Path::new("/srv/Cursor/User/globalStorage/state.vscdb"), key)
}

/// A conversation of these messages.
pub(crate) fn holding(messages: Vec<Message>) -> Conversation {
    let summary = Summary {
        title: Some("Fix the login".to_owned()),
        workspace: Some(Workspace {
            path: "/srv/app".to_owned(),
            uri: Some("file:///srv/app".to_owned()),
            remote: None,
            by: Attribution::Header,
        }),
        models: vec!["some-model".to_owned()],
        ..Summary::new(ConversationId::new("98251e54"), Surface::Ide, origin("composerData:98251e54"))
    };
    let mut conversation = Conversation::new(summary);
    conversation.messages = messages;
    conversation
}

/// A conversation with a part of every kind.
pub(crate) fn conversation() -> Conversation {
    let words = || "words ".to_owned();
    let todo = || Todo { id: None, content: words(), status: None };
    let code = Code { path: None, language: None, text: words(), status: None, diff: None };
    let image =
        Image { path: None, media_type: None, data: Some("iVBORw0KGgo=".to_owned()), description: None };
    let parts = vec![
        Part::Text(words()),
        Part::Thinking { text: words(), duration_ms: None },
        Part::ToolCall(Box::default()),
        Part::Image(Box::new(image)),
        Part::Attachment(Box::new(Attachment::new(AttachmentKind::File))),
        Part::Code(Box::new(code)),
        Part::Summary(words()),
        Part::Error(words()),
        Part::Todos(vec![todo()]),
    ];
    let message = Message { parts, ..Message::new("m", Role::Assistant, origin("bubbleId:98251e54:m")) };
    let mut conversation = holding(vec![message.clone()]);
    conversation.orphans = vec![Message { id: "o".into(), ..message }];
    conversation.facts.branches = vec![words()];
    conversation.facts.pull_requests = vec![words()];
    conversation.facts.files = vec![words()];
    conversation.facts.plans = vec![words()];
    conversation.facts.todos = vec![todo()];
    conversation.findings =
        vec![Finding::new(FindingKind::OrphanMessage, origin("k"), "a message that is not listed")];
    conversation
}
