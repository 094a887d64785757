//! Secrets made by chance, of every kind, in surroundings and disguises: how the room is tried out, in its tests and by
//! `xtask secrets`.

use crate::redactor::Redactor;
use crate::rules::{Rule, rules};

/// A kind of secret, how it is made, and what it is written in.
#[derive(Debug)]
pub struct Trial {
    /// What it is called in the table.
    pub name: String,
    made: Made,
    /// What stands around it; `§` is the secret.
    frame: String,
}

#[derive(Debug, Clone, Copy)]
enum Made {
    Rule(&'static Rule),
    /// Letters of which alphabet, and how many.
    Letters(&'static str, usize),
    Uuid,
    /// A name and a password in base64.
    Pair,
    WebToken,
    BotToken,
    /// Lines of base64.
    Key,
}

/// Numbers by chance, the same for the same seed.
#[derive(Debug)]
pub struct Chance(u64);

impl Chance {
    /// Numbers that begin with this one.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d | 1)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }

    fn letters(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| letters[self.below(letters.len())]).collect()
    }
}

const PLAIN: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Letters, digits, and the signs that generators of passwords put in.
const PASSWORD: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*-_=+?.";
/// The same without what a URL or a shell takes for something else.
const SIMPLE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*-_.~";

/// Where a secret stands because of what is written around it.
const FRAMES: &[(&str, Made, &str)] = &[
    (
        "JSON password",
        Made::Letters(PASSWORD, 14),
        "{\"user\": \"mira\", \"password\": \"§\", \"port\": 5432}",
    ),
    ("JSON password, short", Made::Letters(PLAIN, 10), "{\"password\": \"§\"}"),
    ("JSON token", Made::Letters(PLAIN, 32), "{\"token\": \"§\"}"),
    ("JSON API key", Made::Letters(HEX, 32), "{\"api_key\":\"§\"}"),
    ("TOML password", Made::Letters(PASSWORD, 14), "[database]\npassword = \"§\"\nport = 5432"),
    ("TOML \"\"\"", Made::Letters(PASSWORD, 16), "password = \"\"\"\n§\"\"\"\nport = 5432"),
    ("TOML \"\"\" in one line", Made::Letters(PLAIN, 32), "api_key = \"\"\"§\"\"\""),
    ("TOML '''", Made::Letters(PLAIN, 32), "secret = '''\n§\n'''"),
    ("YAML password", Made::Letters(PASSWORD, 14), "database:\n  user: app\n  password: \"§\"\n  port: 1"),
    ("YAML password, bare", Made::Letters(PLAIN, 14), "database:\n  user: app\n  password: §\n  port: 1"),
    ("YAML |", Made::Letters(PLAIN, 32), "token: |\n  §\nport: 1"),
    ("YAML >-", Made::Letters(PASSWORD, 16), "password: >-\n  §\nport: 1"),
    (".env password", Made::Letters(SIMPLE, 14), "DB_HOST=db\nDB_PASSWORD=§\nDB_PORT=5432"),
    (".env password, quoted", Made::Letters(PASSWORD, 14), "DB_PASSWORD='§'\nDB_PORT=5432"),
    (".env key", Made::Letters(PLAIN, 24), "OPENWEATHER_KEY=§"),
    (".env secret", Made::Letters(HEX, 64), "export SESSION_SECRET=§"),
    (".env AWS secret", Made::Letters(BASE64, 40), "AWS_SECRET_ACCESS_KEY=§"),
    ("value of 2,000 letters", Made::Letters(PLAIN, 2000), "{\"access_token\": \"§\"}"),
    ("value of 1,500 letters, .env", Made::Letters(BASE64, 1500), "SIGNING_KEY=§"),
    (".pgpass", Made::Letters(SIMPLE, 14), "db.internal:5432:app:mira:§"),
    (".pgpass, any host", Made::Letters(PLAIN, 12), "*:*:*:mira:§"),
    (".netrc", Made::Letters(PLAIN, 14), "machine git.test login mira password §"),
    (".npmrc UUID", Made::Uuid, "//registry.test/:_authToken=§"),
    (".npmrc token", Made::Letters(PLAIN, 40), "//registry.test/:_authToken=§"),
    (".npmrc pair", Made::Pair, "_auth=§"),
    ("docker config", Made::Pair, "{\"auths\":{\"registry.test\":{\"auth\":\"§\"}}}"),
    ("API key UUID", Made::Uuid, "SERVICE_API_KEY=§"),
    ("URL password", Made::Letters(SIMPLE, 14), "https://mira:§@git.internal/a/b.git"),
    ("URL token", Made::Letters(PLAIN, 40), "https://§@git.internal/a/b.git"),
    ("database URL", Made::Letters(SIMPLE, 12), "postgres://app:§@db.example.com:5432/app"),
    (
        "connection string",
        Made::Letters(SIMPLE, 12),
        "Server=db;Database=app;User Id=sa;Password=§;Encrypt=true",
    ),
    ("JDBC", Made::Letters(PLAIN, 12), "jdbc:postgresql://db:5432/app?user=app&password=§"),
    ("curl -u", Made::Letters(SIMPLE, 12), "curl -u mira:§ https://api.test/x"),
    ("mysql -p", Made::Letters(SIMPLE, 12), "mysql -h db -u root -p§ app"),
    ("mysql -p'…'", Made::Letters(PLAIN, 12), "mysql -h db -u root -p'§' app"),
    ("docker login -p", Made::Letters(SIMPLE, 14), "docker login -u mira -p § registry.test"),
    ("sshpass -p", Made::Letters(SIMPLE, 12), "sshpass -p '§' ssh mira@host"),
    ("--password", Made::Letters(PLAIN, 12), "tool login --password § --yes"),
    ("--token", Made::Letters(PLAIN, 32), "tool login --token § --yes"),
    ("bearer", Made::Letters(PLAIN, 32), "curl -H 'Authorization: Bearer §' https://api.test"),
    ("basic", Made::Pair, "Authorization: Basic §"),
    ("x-api-key", Made::Letters(HEX, 40), "x-api-key: §"),
    ("cookie", Made::Letters(PLAIN, 32), "Cookie: theme=dark; session=§; a=b"),
    ("?token=", Made::Letters(PLAIN, 24), "https://api.test/me?token=§&v=2"),
    ("%3Ftoken%3D", Made::Letters(PLAIN, 24), "next=https%3A%2F%2Fapi.test%2Fme%3Ftoken%3D§%26v%3D2"),
    (
        "signed address",
        Made::Letters(HEX, 64),
        "https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=§",
    ),
    ("Slack webhook", Made::Letters(PLAIN, 24), "https://hooks.slack.com/services/T0ABCDEF1/B0ABCDEF2/§"),
    ("Discord webhook", Made::Letters(PLAIN, 68), "https://discord.com/api/webhooks/417263548190276354/§"),
    (
        "Azure account key",
        Made::Letters(BASE64, 86),
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§==;EndpointSuffix=x",
    ),
    ("aligned columns", Made::Letters(PLAIN, 28), "name:          app\ntoken:         §\nport:          1"),
    ("Markdown label", Made::Letters(PLAIN, 24), "- **User:** mira\n- **Password:** §"),
    ("Markdown table", Made::Letters(PLAIN, 28), "| name | value |\n|---|---|\n| API key | § |"),
    ("HTML cell", Made::Letters(PLAIN, 24), "<td>DB_PASSWORD=§</td>"),
    ("before a semicolon", Made::Letters(PLAIN, 32), "client_secret: §;"),
    (
        "JSON in JSON",
        Made::Letters(PLAIN, 14),
        "{\"message\": \"{\\\"out\\\": \\\"one\\\\ncurl -u bob:§ https://api.test\\\"}\"}",
    ),
    ("property list", Made::Letters(PLAIN, 32), "<key>ApiKey</key>\n<string>§</string>"),
    ("prompt of a command", Made::Letters(BASE64, 40), "AWS Secret Access Key [None]: §"),
    ("JSON web token", Made::WebToken, "it was § then"),
    ("Discord bot", Made::BotToken, "it was § then"),
    ("PEM", Made::Key, "-----BEGIN RSA PRIVATE KEY-----\n§\n-----END RSA PRIVATE KEY-----"),
    ("PEM, its tail", Made::Key, "§\n-----END RSA PRIVATE KEY-----"),
    ("PEM, its head", Made::Key, "-----BEGIN PRIVATE KEY-----\n§"),
];

/// Every kind.
pub fn trials() -> Vec<Trial> {
    let of_rule = |rule: &'static Rule| {
        let frame = rule.name().map_or("§".to_owned(), |name| format!("{name}_api_key = \"§\""));
        Trial { name: format!("{}  {}", rule.kind(), rule.shape()), made: Made::Rule(rule), frame }
    };
    let framed = FRAMES.iter().map(|(name, made, frame)| Trial {
        name: (*name).to_owned(),
        made: *made,
        frame: (*frame).to_owned(),
    });
    rules().map(of_rule).chain(framed).collect()
}

/// Its name, and what it makes of a text.
type Surrounding = (&'static str, fn(&str) -> String);

/// Its name, and what it makes of a token and a place to cut it.
type Disguise = (&'static str, fn(&str, usize) -> String);

/// What a text stands in.
pub const SURROUNDINGS: &[Surrounding] = &[
    ("alone", |text| text.to_owned()),
    ("other lines", |text| format!("$ cat settings\n{text}\nnothing else here.\n")),
    ("quotation", |text| format!("Please look at this:\n\n```\n{text}\n```\n\nand tell me why.\n")),
    ("JSON", |text| serde_json::to_string(&serde_json::json!({ "output": text })).unwrap_or_default()),
    ("diff", |text| {
        format!("@@ -1,2 +1,9 @@\n context\n{}", each_line(text, |_, line| format!("+{line}\n")))
    }),
    ("numbered lines", |text| each_line(text, |number, line| format!("{number:6}|{line}\n"))),
    ("numbers and arrows", |text| each_line(text, |number, line| format!("{number:6}→{line}\n"))),
    ("grep -Hn", |text| each_line(text, |number, line| format!("src/a.rs:{number}:{line}\n"))),
    ("Windows", |text| format!("first\r\n{}\r\nlast\r\n", text.replace('\n', "\r\n"))),
];

/// What hides a token that is known by itself. The letter is where it is cut.
pub const DISGUISES: &[Disguise] = &[
    ("in a sentence", |token, _| format!("Please use {token}, it still works.")),
    ("quoted", |token, _| format!("let it = \"{token}\";")),
    ("in a URL", |token, _| format!("https://api.test/v1?it={token}&page=2")),
    ("in an encoded URL", |token, _| format!("next=https%3A%2F%2Fapi.test%2F%3Fit%3D{token}%26page%3D2")),
    ("in a file name", |token, _| format!("backup/{token}/notes.txt")),
    ("base64", |token, _| format!("it: {}", base64(token.as_bytes()))),
    ("base64 of a line", |token, _| format!("data:\n  it: {}", base64(format!("it={token}\n").as_bytes()))),
    ("zero width", |token, at| format!("it: {}\u{200b}{}", &token[..at], &token[at..])),
    ("broken by a terminal", |token, at| {
        format!("{}{}\n{}\n$ ", filled(token, at), &token[..at], &token[at..])
    }),
    ("broken in a diff", |token, at| {
        format!("@@ -1 +1,2 @@\n+{}{}\n+{}\n", filled(token, at), &token[..at], &token[at..])
    }),
    ("broken, and words behind", |token, at| {
        let (begin, end) = token.split_at(at);
        format!("@@ -1 +1,3 @@\n context\n+{}{begin}\n+{end} because it is long\n", filled(token, at))
    }),
    ("broken, behind a margin", |token, at| {
        format!("  ⎿  {}{}\n     {}\n     done\n", filled(token, at), &token[..at], &token[at..])
    }),
    ("percent codes", |token, _| {
        let code = |byte: u8| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        };
        format!("https://api.test/v1?it={}&page=2", token.bytes().map(code).collect::<String>())
    }),
    ("grep, all of it", |token, _| format!("a.txt:it=\u{1b}[01;31m\u{1b}[K{token}\u{1b}[m\u{1b}[K")),
    ("grep, a part", |token, at| {
        format!("it=\u{1b}[01;31m\u{1b}[K{}\u{1b}[m\u{1b}[K{}", &token[..at], &token[at..])
    }),
    ("grep, spelled", |token, at| format!("it=\\u001b[1;31m{}\\u001b[0m{}", &token[..at], &token[at..])),
];

/// Words that fill a line of a terminal up to its last letters, which are the first ones of a token that is cut at `at`. The
/// others fit into one more line.
fn filled(token: &str, at: usize) -> String {
    let width = 72.max(token.len() - at);
    format!("{}it: ", "and so on, ".repeat(width.saturating_sub(at).div_ceil(11)))
}

fn each_line(text: &str, line: impl Fn(usize, &str) -> String) -> String {
    text.lines().enumerate().map(|(number, text)| line(number + 1, text)).collect::<Vec<_>>().concat()
}

impl Trial {
    /// Whether the secret is known by itself, so that it may stand in disguise.
    pub fn is_token(&self) -> bool {
        matches!(self.made, Made::Rule(rule) if rule.name().is_none())
    }

    /// Under what it stands in a table: tokens of the table of rules together, every place by itself.
    pub fn group(&self) -> &str {
        match &self.made {
            Made::Rule(rule) if rule.name().is_none() => "tokens known by their shape",
            Made::Rule(_) => "tokens known by the name they are assigned to",
            _ => &self.name,
        }
    }

    /// A secret.
    pub fn secret(&self, chance: &mut Chance) -> String {
        match &self.made {
            Made::Rule(rule) => rule.sample(&mut |limit| chance.below(limit)),
            Made::Letters(alphabet, length) => {
                // Signs stand inside: at the ends they would mean something to the frame.
                let ends = [chance.letters(PLAIN, 1), chance.letters(PLAIN, 1)];
                let ends =
                    if *alphabet == HEX { [chance.letters(HEX, 1), chance.letters(HEX, 1)] } else { ends };
                format!("{}{}{}", ends[0], chance.letters(alphabet, length - 2), ends[1])
            }
            Made::Uuid => [8, 4, 4, 4, 12].map(|length| chance.letters(HEX, length)).join("-"),
            Made::Pair => base64(format!("mira:{}", chance.letters(PLAIN, 14)).as_bytes()),
            Made::WebToken => {
                let payload = format!("{{\"sub\":\"{}\"}}", chance.letters(PLAIN, 12));
                let pieces = ["{\"alg\":\"HS256\",\"typ\":\"JWT\"}", &payload];
                let [header, payload] =
                    pieces.map(|piece| base64(piece.as_bytes()).trim_end_matches('=').to_owned());
                format!("{header}.{payload}.{}", chance.letters(PLAIN, 43))
            }
            Made::BotToken => {
                let number = base64(chance.letters("123456789", 18).as_bytes());
                format!("{number}.{}.{}", chance.letters(PLAIN, 6), chance.letters(PLAIN, 38))
            }
            Made::Key => {
                let lines: Vec<String> = (0..6).map(|_| chance.letters(BASE64, 64)).collect();
                format!("{}\n{}==", lines.join("\n"), chance.letters(BASE64, 22))
            }
        }
    }

    /// The secret in its frame.
    pub fn text(&self, secret: &str) -> String {
        let is_json = self.frame.starts_with('{') || self.frame.contains("= \"§");
        let spelled =
            if is_json { secret.replace('\\', "\\\\").replace('"', "\\\"") } else { secret.to_owned() };
        self.frame.replace('§', &spelled)
    }
}

/// Pieces of a secret this long give too much of it away.
const TELLING: usize = 10;

/// Whether anything of `secret` is left of `text` after redaction.
pub fn leaks(redactor: &mut Redactor, text: &str, secret: &str) -> bool {
    let left = redactor.text(text).into_owned();
    let left = left.replace(['\u{200b}', '\r'], "").replace("\n+", "").replace('\n', "");
    let encoded = base64(secret.as_bytes());
    let holds = |secret: &str| {
        let letters = secret.as_bytes();
        let length = letters.len().min(TELLING);
        letters.windows(length).any(|piece| memchr::memmem::find(left.as_bytes(), piece).is_some())
    };
    secret.split('\n').filter(|line| line.len() > 4).any(holds) || holds(encoded.trim_end_matches('='))
}

fn base64(bytes: &[u8]) -> String {
    let letters: Vec<char> = BASE64.chars().collect();
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let held =
            three.iter().chain(&[0; 2]).take(3).fold(0_usize, |held, byte| held << 8 | usize::from(*byte));
        for at in 0..4 {
            text.push(if at <= three.len() { letters[held >> (18 - 6 * at) & 63] } else { '=' });
        }
    }
    text
}
