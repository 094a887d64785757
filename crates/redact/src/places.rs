//! Secrets in a known place: passwords in URLs, signed addresses, headers, cookies, command lines, files of passwords.

use std::ops::Range;

use crate::alphabet::Alphabet;
use crate::assignment::{is_code, stays};
use crate::disguise::{base64_decoded, begins_fresh, percent_decoded};
use crate::finder::{Find, Seen, Surety, Trigger};
use crate::likely;
use crate::options::around;

const PLAIN: &str = "://";
const ENCODED: &str = "%3A%2F%2F";
/// Behind this stands `user/password@host`.
const SLASHED: &str = "jdbc:oracle:thin:";

/// A token that stands in the place of a user is at least so long.
const SHORTEST_TOKEN: usize = 20;

/// A name and a password are no longer than this.
const LONGEST_URL: usize = 4096;

/// Schemes under which databases and queues are reached.
const CONNECTIONS: &str = "postgres postgresql mysql mariadb mongodb mongodb+srv redis rediss amqp amqps mssql sqlserver \
    clickhouse cockroachdb neo4j nats kafka ldap ldaps couchdb jdbc";

/// The words that lead to all of these places.
pub(crate) fn words() -> impl Iterator<Item = (String, Trigger)> {
    let calls = BASIC_CALLS.iter().map(|call| ((*call).to_owned(), Trigger::SecondArgument));
    let manifest = [(MANIFEST, Trigger::Manifest), ("\"kty\"", Trigger::WebKey), ("'kty'", Trigger::WebKey)];
    let manifest = manifest.map(|(word, trigger)| (word.to_owned(), trigger));
    calls
        .chain(manifest)
        .chain(url_words())
        .chain(header_words())
        .chain(command_words())
        .chain(cookie_words())
        .chain(address_words())
}

fn url_words() -> impl Iterator<Item = (String, Trigger)> {
    let addresses = [PLAIN, ENCODED].into_iter().map(|word| (word.to_owned(), Trigger::Url));
    addresses.chain([(SLASHED.to_owned(), Trigger::SlashPassword)])
}

/// The password of the URL whose scheme ends at `start`.
pub(crate) fn url_password_at(text: &str, start: usize, end: usize) -> Option<Find> {
    let is_encoded = text.as_bytes().get(start) == Some(&b'%');
    let (colon, at_sign) = if is_encoded { ("%3A", "%40") } else { (":", "@") };
    let is_database = is_connection(&text[..start]);
    let rest = text.get(end..)?;
    let mut authority = authority(rest, is_encoded);
    if !is_encoded && !authority.contains('@') {
        authority = rough_authority(rest, is_database)?;
    }
    let host = rfind(authority, at_sign)?;
    let user = &authority[..host];
    let behind_colon = find(user, colon).map(|at| at + colon.len());
    let password = behind_colon.unwrap_or_default();
    let written = &user[password..];
    let secret = percent_decoded(written).unwrap_or_else(|| written.to_owned());
    let host = authority.get(host + at_sign.len()..).unwrap_or_default();
    let is_token = secret.len() >= SHORTEST_TOKEN && likely::is_generated(&secret);
    if behind_colon.is_none() && (!is_token || secret.contains('.')) {
        return None;
    }
    if likely::is_example(&secret)
        || host.is_empty()
        || secret.len() < 2
        || is_code(&secret)
        || is_code(written)
    {
        return None;
    }
    let kind = match behind_colon {
        None => "url-token",
        Some(_) if is_database => "connection-password",
        Some(_) => "url-password",
    };
    let range = end + password..end + password + written.len();
    Some(Find::new(range, kind, secret, Surety::Placed))
}

/// What stands between the slashes and the host, though it holds signs that should have been encoded.
fn rough_authority(rest: &str, is_database: bool) -> Option<&str> {
    let ends = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>');
    let rest = &rest[around(rest, 0, 0, LONGEST_URL)];
    let line = &rest[..rest.bytes().position(ends).unwrap_or(rest.len())];
    let at = line.find('@')?;
    let host = line[at + 1..]
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        .count();
    let (name, password) = line[..at].split_once(':')?;
    // Behind a host stands its port.
    let begin = password.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port =
        name.contains('.') || name == "localhost" || begin.bytes().all(|byte| byte.is_ascii_digit());
    if !is_database && (is_port || !likely::is_chosen(password)) {
        return None;
    }
    let is_user = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    (host > 0 && is_user).then(|| &line[..at + 1 + host])
}

/// The password of `user/password@host` at `begin`.
pub(crate) fn behind_slash(text: &str, begin: usize) -> Option<Find> {
    let rest = &text[around(text, begin, 0, LONGEST_URL)];
    let (user, behind) = rest.split_once('/')?;
    let (password, _) = behind.split_once('@')?;
    let is_plain =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    let is_one = is_plain(user) && is_plain(password);
    let start = begin + user.len() + 1;
    (is_one && !is_code(password) && !likely::is_example(password))
        .then(|| Find::new(start..start + password.len(), "connection-password", password, Surety::Placed))
}

/// What stands between the slashes and the path.
fn authority(rest: &str, is_encoded: bool) -> &str {
    let rest = &rest[around(rest, 0, 0, LONGEST_URL)];
    let ends = |at: usize, byte: u8| {
        let is_end = byte.is_ascii_whitespace()
            || matches!(
                byte,
                b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'?' | b',' | b'(' | b')' | b'|'
            );
        is_end
            || (is_encoded
                && (byte == b'&'
                    || rest.get(at..at + 3).is_some_and(|code| code.eq_ignore_ascii_case("%2F"))))
    };
    let end = rest.bytes().enumerate().position(|(at, byte)| ends(at, byte));
    &rest[..end.unwrap_or(rest.len())]
}

/// `word` may be spelled in capitals or not.
fn find(text: &str, word: &str) -> Option<usize> {
    text.find(word).or_else(|| text.find(&word.to_ascii_lowercase()))
}

fn rfind(text: &str, word: &str) -> Option<usize> {
    text.rfind(word).or_else(|| text.rfind(&word.to_ascii_lowercase()))
}

fn is_connection(before: &str) -> bool {
    let scheme = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '+').next().unwrap_or_default();
    CONNECTIONS.split(' ').any(|known| known.eq_ignore_ascii_case(scheme))
}

/// Where the secret part of a webhook begins.
const WEBHOOKS: &str = "discord.com/api/webhooks/ discordapp.com/api/webhooks/ webhook.office.com/webhookb2/ \
    hooks.zapier.com/hooks/catch/ hooks.slack.com/services/ hooks.slack.com/workflows/ \
    hooks.slack.com/triggers/ chat.googleapis.com/v1/spaces/ open.feishu.cn/open-apis/bot/v2/hook/ \
    api.telegram.org/bot maker.ifttt.com/use/ /with/key/ hook.eu1.make.com/ hook.eu2.make.com/ \
    hook.us1.make.com/ hook.us2.make.com/ hook.integromat.com/ \
    qyapi.weixin.qq.com/cgi-bin/webhook/send?key=";

/// Parameters that sign an address.
const SIGNATURES: &[&str] =
    &["sig=", "X-Amz-Signature=", "X-Goog-Signature=", "X-Amz-Security-Token=", "Signature=", "code="];

/// Shorter ones are none.
const SHORTEST_SECRET: usize = 20;

/// The minimum length of the secret part of a webhook.
const SHORTEST_PATH: usize = 14;

fn address_words() -> impl Iterator<Item = (String, Trigger)> {
    let webhooks = WEBHOOKS.split(' ').map(|word| (word.to_owned(), Trigger::Webhook));
    webhooks.chain(SIGNATURES.iter().map(|word| ((*word).to_owned(), Trigger::SignedAddress)))
}

/// The secret part of the webhook whose public part ends at `end`.
pub(crate) fn webhook(text: &str, end: usize) -> Option<Find> {
    let rest = text.get(end..)?;
    let length = rest
        .bytes()
        .take_while(|byte| Alphabet::Url.has(*byte) || matches!(byte, b'/' | b'@' | b':'))
        .count();
    let path = rest[..length].trim_end_matches('/');
    // What else stands there is a number, which anybody may know, or the name of a method.
    let secret = path.split('/').max_by_key(|piece| piece.len()).unwrap_or_default();
    let is_one = path.len() >= SHORTEST_PATH
        && path.bytes().any(|byte| byte.is_ascii_digit())
        && !likely::is_words(secret)
        && !likely::is_example(secret);
    let find = || Find::new(end..end + path.len(), "webhook", path, Surety::Placed);
    is_one.then(|| Find { is_open: true, ..find() })
}

/// The signature behind the parameter between `start` and `end`.
pub(crate) fn signature(text: &str, start: usize, end: usize) -> Option<Find> {
    let is_parameter =
        ["?", "&", "&amp;", "%3F", "%26", "\\u0026"].iter().any(|sign| text[..start].ends_with(sign));
    // The keys of functions are parameters with an ordinary name.
    if text[start..end].eq_ignore_ascii_case("code=")
        && !text[around(text, start, LONGEST_ARGUMENTS, 0)].contains(".azurewebsites.net/")
    {
        return None;
    }
    let rest = text.get(end..)?;
    let length = rest.bytes().take_while(|byte| Alphabet::AnyBase64.has(*byte) || *byte == b'%').count();
    // The address may itself be a parameter of another.
    let value = rest[..length].split("%26").next().unwrap_or_default();
    let secret = percent_decoded(value).unwrap_or_else(|| value.to_owned());
    let is_one = is_parameter && secret.len() >= SHORTEST_SECRET && likely::is_random(&secret);
    is_one.then(|| Find::new(end..end + value.len(), "url-signature", secret, Surety::Placed))
}

/// The schemes after which a secret stands.
const SCHEMES: &[(&str, &str)] = &[("bearer", "bearer-token"), ("basic", "basic-auth")];

fn header_words() -> impl Iterator<Item = (String, Trigger)> {
    let after = [" ", "%20", "\\u0020"];
    let words = SCHEMES.iter().flat_map(move |(scheme, _)| after.map(|space| format!("{scheme}{space}")));
    words.map(|word| (word, Trigger::Header))
}

/// The secret after the scheme between `start` and `end`.
pub(crate) fn header_at(text: &str, start: usize, end: usize) -> Option<Find> {
    let scheme = &text[start..end];
    let (name, kind) = SCHEMES
        .iter()
        .find(|(name, _)| scheme.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name)))?;
    let rest = text.get(end..)?;
    let letters = |byte: u8| Alphabet::AnyBase64.has(byte) || matches!(byte, b'.' | b'~');
    let length = rest.bytes().take_while(|byte| letters(*byte)).count();
    let secret = rest[..length].trim_end_matches('.');
    let is_long = secret.len() >= 16 && likely::is_random(secret);
    let is_one = if *name == "basic" {
        is_credential(&secret[..Alphabet::AnyBase64.run(secret)])
    } else {
        (is_long || (secret.len() >= 12 && likely::is_strange(secret))) && !likely::is_uuid(secret)
    };
    is_one.then(|| Find::new(end..end + secret.len(), *kind, secret, Surety::Placed))
}

/// Whether this is a name and a password in base64.
fn is_credential(text: &str) -> bool {
    let decoded = base64_decoded(text);
    let is_text = decoded.iter().all(|byte| (b' '..=b'~').contains(byte));
    text.len() >= 8 && is_text && decoded.iter().skip(1).any(|byte| *byte == b':')
}

/// Cookies of one header are no longer than this.
const LONGEST_COOKIE: usize = 16 * 1024;

/// Maximum length of the value of a cookie in a string of its own.
const LONGEST_SESSION: usize = 256;

/// Shorter values open nothing.
const SHORTEST_COOKIE: usize = 16;

fn cookie_words() -> impl Iterator<Item = (String, Trigger)> {
    [("cookie".to_owned(), Trigger::Cookie)].into_iter()
}

/// The values behind the word that ends at `end`, if it is the name of the header or of an option. Gives where they end.
pub(crate) fn cookies_at(text: &str, end: usize, finds: &mut Vec<Find>) -> usize {
    let bytes = text.as_bytes();
    strings_of_cookies(text, end, finds);
    let is_between = |byte: &u8| matches!(byte, b':' | b'=' | b' ' | b'"' | b'\'' | b'\\');
    let between = bytes[end..].iter().take(8).take_while(|byte| is_between(byte)).count();
    if !bytes[end..end + between].iter().any(|byte| matches!(byte, b':' | b'=' | b' ')) {
        return end;
    }
    let begin = end + between;
    let line = bytes[begin..].iter().take(LONGEST_COOKIE);
    let length = line.take_while(|byte| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'\\' | b'`')).count();
    cookie_pairs(text, begin..begin + length, finds)
}

/// The values of `name=value` and others behind semicolons. Gives where they end.
fn cookie_pairs(text: &str, range: Range<usize>, finds: &mut Vec<Find>) -> usize {
    let Some(cookies) = text.get(range.clone()) else { return range.start };
    let mut at = range.start;
    for cookie in cookies.split_inclusive(';') {
        let value = cookie.trim_end_matches(';').split_once('=');
        if let Some((name, value)) = value {
            let start = at + name.len() + 1;
            let value = value.trim_end();
            let is_name =
                name.trim().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
            if is_name && value.len() >= SHORTEST_COOKIE && likely::is_generated(value) && !stays(value) {
                finds.push(Find::new(start..start + value.len(), "cookie", value, Surety::Named));
            }
        }
        at += cookie.len();
    }
    at
}

/// The strings behind the word that ends at `end`, in a call or an object: `cookies={"session": "…"}`.
fn strings_of_cookies(text: &str, end: usize, finds: &mut Vec<Find>) {
    let line = text[around(text, end, 0, LONGEST_ARGUMENTS)].split('\n').next().unwrap_or_default();
    let mut at = end;
    for piece in line.split(['"', '\'']) {
        let is_one = (SHORTEST_TOKEN..=LONGEST_SESSION).contains(&piece.len())
            && likely::is_generated(piece)
            && !stays(piece)
            && !piece.contains(['=', ';', '/', '.']);
        if is_one && at > end {
            finds.push(Find::new(at..at + piece.len(), "cookie", piece, Surety::Named));
        }
        at += piece.len() + 1;
    }
}

/// How a command takes its password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// `-u name:password`.
    BehindName,
    /// `-p password`.
    Apart,
    /// `-ppassword`.
    Attached,
    /// `-passin pass:password`.
    Marked,
    /// The first word in quotes.
    Quoted,
    /// The next word, in the quotes of SQL, or a word that can be nothing else.
    String,
    /// `-b name=value`.
    Cookies,
    /// The first word, handed to a command that reads a password; a name may stand before it.
    Piped,
}

/// A command, a word that must follow it, its options, and what they take.
type Command = (&'static str, Option<&'static str>, &'static [&'static str], Way);

const COMMANDS: &[Command] = &[
    ("curl", None, &["-u", "--user", "-U", "--proxy-user"], Way::BehindName),
    ("curl", None, &["-b", "--cookie"], Way::Cookies),
    ("sshpass", None, &["-p"], Way::Apart),
    ("sshpass", None, &["-p"], Way::Attached),
    ("mysql", None, &["-p"], Way::Attached),
    ("mysqldump", None, &["-p"], Way::Attached),
    ("mysqladmin", None, &["-p"], Way::Attached),
    ("mariadb", None, &["-p"], Way::Attached),
    ("redis-cli", None, &["-a"], Way::Apart),
    ("mongosh", None, &["-p"], Way::Apart),
    ("mongodump", None, &["-p"], Way::Apart),
    ("mongorestore", None, &["-p"], Way::Apart),
    ("sqlcmd", None, &["-P"], Way::Apart),
    ("ldapsearch", None, &["-w"], Way::Apart),
    ("docker", Some("login"), &["-p"], Way::Apart),
    ("podman", Some("login"), &["-p"], Way::Apart),
    ("helm", Some("login"), &["-p"], Way::Apart),
    ("az", Some("login"), &["-p"], Way::Apart),
    ("vault", None, &["login"], Way::Apart),
    ("ngrok", None, &["authtoken", "add-authtoken"], Way::Apart),
    ("keytool", None, &["-storepass", "-keypass"], Way::Apart),
    ("jarsigner", None, &["-storepass", "-keypass"], Way::Apart),
    ("zip", None, &["-P"], Way::Apart),
    ("unzip", None, &["-P"], Way::Apart),
    ("7z", None, &["-p"], Way::Attached),
    ("mosquitto_pub", None, &["-P"], Way::Apart),
    ("mosquitto_sub", None, &["-P"], Way::Apart),
    ("http", None, &["-a", "--auth"], Way::BehindName),
    ("aws", Some("configure"), &["aws_secret_access_key", "aws_session_token"], Way::Apart),
    ("echo", None, &[], Way::Piped),
    ("openssl", None, &["-passin", "-passout", "-pass"], Way::Marked),
    ("ConvertTo-SecureString", None, &[], Way::Quoted),
    ("openssl", None, &["-k"], Way::Apart),
    ("cargo", None, &["login"], Way::Apart),
    ("aws", Some("put-parameter"), &["--value"], Way::Apart),
    ("aws", Some("create-secret"), &["--secret-string"], Way::Apart),
    ("aws", Some("put-secret-value"), &["--secret-string"], Way::Apart),
    ("ssh-keygen", None, &["-N"], Way::Apart),
    ("smbclient", None, &["-U", "--user"], Way::BehindName),
    ("identified by", None, &[], Way::String),
    ("identified with", None, &["BY", "by"], Way::Apart),
];

/// A command is no longer than this.
const LONGEST_COMMAND: usize = 2048;

fn command_words() -> impl Iterator<Item = (String, Trigger)> {
    COMMANDS.iter().enumerate().map(|(number, command)| (format!("{} ", command.0), Trigger::Command(number)))
}

/// The passwords of the command that begins at `start`, its name and a space before `end`.
pub(crate) fn command_at(
    number: usize,
    text: &str,
    start: usize,
    end: usize,
    seen: &mut Seen,
    finds: &mut Vec<Find>,
) {
    let Some((_, second, options, way)) = COMMANDS.get(number) else { return };
    // The words of a command were looked at with it.
    if seen.commands.get(&number).is_some_and(|end| start < *end) {
        return;
    }
    let begins = text[..start].bytes().next_back().is_none_or(|byte| !is_of_a_word(byte));
    if !begins {
        return;
    }
    let typed = typed(text, end);
    seen.commands.insert(number, typed.last().map_or(end, |word| word.range.end));
    if second.is_some_and(|second| !typed.iter().any(|word| text.get(word.range.clone()) == Some(second))) {
        return;
    }
    let word = |at: usize| typed.get(at).map(|word| (word.range.start, &text[word.range.clone()]));
    for (at, Typed { is_quoted, .. }) in typed.iter().enumerate() {
        let Some((begin, here)) = word(at) else { continue };
        let password = match way {
            Way::String => {
                let is_string = *is_quoted && text[..begin].ends_with('\'');
                let here = here.trim_end_matches(';');
                (at == 0
                    && (is_string
                        || (likely::is_telling(here) && (*is_quoted || !here.contains(['[', '('])))))
                .then_some((begin, here))
            }
            Way::Cookies => {
                if let Some((begin, value)) = word(at + 1).filter(|_| options.contains(&here)) {
                    cookie_pairs(text, begin..begin + value.len(), finds);
                }
                None
            }
            Way::Quoted => {
                (*is_quoted && !typed[..at].iter().any(|word| word.is_quoted)).then_some((begin, here))
            }
            Way::Attached => options.iter().find_map(|option| match here.strip_prefix(option)? {
                // `-p'…'`.
                "" => word(at + 1).filter(|(next, _)| *next == begin + option.len() + 1),
                attached => Some((begin + option.len(), attached)),
            }),
            Way::Piped => (at == 0 && is_read_by_login(&text[end..])).then(|| {
                let name = here.find(':').map_or(0, |colon| colon + 1);
                (begin + name, &here[name..])
            }),
            Way::BehindName if *is_quoted => None,
            // `-su name:password`, `-uname:password`.
            Way::BehindName => match here.strip_prefix("-u").filter(|_| options.contains(&"-u")) {
                Some(attached) if attached.contains(':') => behind_colon(begin + 2, attached),
                _ if options.contains(&here) || is_cluster(here, options) => {
                    word(at + 1).and_then(|(begin, next)| behind_colon(begin, next))
                }
                _ => None,
            },
            _ if !options.contains(&here) => None,
            Way::Apart => word(at + 1),
            Way::Marked => {
                word(at + 1).and_then(|(begin, next)| Some((begin + 5, next.strip_prefix("pass:")?)))
            }
        };
        if let Some((begin, password)) = password.filter(|(_, password)| is_password(password)) {
            finds.push(Find::new(begin..begin + password.len(), "password", password, Surety::Placed));
        }
    }
}

/// What stands behind the first colon of a word that begins at `begin`, and where. Samba has a percent sign in its place.
fn behind_colon(begin: usize, word: &str) -> Option<(usize, &str)> {
    let colon = word.find(':').or_else(|| word.find('%'))?;
    Some((begin + colon + 1, &word[colon + 1..]))
}

/// Whether several options stand in one word, of which the last is one of `options`: `-sSu`.
fn is_cluster(word: &str, options: &[&str]) -> bool {
    let is_letters = |letters: &&str| letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    let letters = word.strip_prefix('-').filter(is_letters).unwrap_or_default();
    let is_last = |option: &&str| option.len() == 2 && letters.ends_with(&option[1..]);
    (2..=6).contains(&letters.len()) && options.iter().any(is_last)
}

/// Whether the line that begins here goes on with a command that reads a password.
fn is_read_by_login(rest: &str) -> bool {
    let line = &rest[around(rest, 0, 0, LONGEST_COMMAND)];
    let line = line.split('\n').next().unwrap_or_default();
    let read = line.split_once('|').map(|(_, command)| command).unwrap_or_default();
    ["--password-stdin", "--with-token", "chpasswd", "passwd --stdin", "sudo -S"]
        .iter()
        .any(|word| read.contains(word))
}

/// Before the name of a command stands nothing that could be part of it; a path may.
fn is_of_a_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn is_password(text: &str) -> bool {
    text.len() >= 4 && !text.starts_with('-') && !is_code(text) && !likely::is_example(text)
}

/// A word of a command, its quotes left out.
struct Typed {
    range: Range<usize>,
    is_quoted: bool,
}

/// The words from `at` to the end of the command.
fn typed(text: &str, at: usize) -> Vec<Typed> {
    let bytes = text.as_bytes();
    let last = bytes.len().min(at + LONGEST_COMMAND);
    let mut words = Vec::new();
    let mut at = at;
    while at < last {
        match bytes[at] {
            b' ' | b'\t' => at += 1,
            // A line may go on behind a backslash, or in PowerShell behind a tick.
            b'\\' | b'`' if bytes[at + 1..].starts_with(b"\n") => at += 2,
            b'\\' | b'`' if bytes[at + 1..].starts_with(b"\r\n") => at += 3,
            b'\n' | b'\r' | b'|' | b';' | b'&' | b'`' | b')' => break,
            quote @ (b'"' | b'\'') => {
                let begin = at + 1;
                let Some(length) = bytes[begin..last].iter().position(|byte| *byte == quote) else { break };
                words.push(Typed { range: begin..begin + length, is_quoted: true });
                at = begin + length + 1;
            }
            _ => {
                let ends = |byte: &u8| {
                    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'|' | b';' | b'`')
                };
                let length = bytes[at..last].iter().position(ends).unwrap_or(last - at);
                words.push(Typed { range: at..at + length, is_quoted: false });
                at += length.max(1);
            }
        }
    }
    words.retain(|word| text.get(word.range.clone()).is_some());
    words
}

/// The secret that stands beside a key of Amazon's, known by the length that only they have.
pub(crate) fn behind_aws_key(text: &str, key: &Find) -> Option<Find> {
    if key.kind != "aws-key" {
        return None;
    }
    let near = &text[around(text, key.range.end, 0, 120)];
    // A time may stand between them.
    let is_around = |c: char| !c.is_ascii() || !Alphabet::Base64.has(u8::try_from(c).unwrap_or_default());
    let mut start = key.range.end;
    near.split_inclusive(is_around).find_map(|piece| {
        let begin = start;
        start += piece.len();
        let piece = piece.trim_end_matches(is_around);
        let is_one = begin > key.range.end
            && piece.len() == 40
            && likely::is_generated(piece)
            && !piece.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_one.then(|| Find::new(begin..begin + 40, "aws-secret", piece, Surety::Placed))
    })
}

/// Fields of a JSON Web Key that are secret.
const KEY_FIELDS: &[&str] = &["d", "p", "q", "dp", "dq", "qi", "k"];

/// Maximum length of such a key.
const LONGEST_WEB_KEY: usize = 8 * 1024;

/// Whether a field of this name and value is the secret of a JSON Web Key.
pub(crate) fn is_web_key(name: &str, value: &str) -> bool {
    KEY_FIELDS.contains(&name) && value.len() >= SHORTEST_TOKEN && Alphabet::Url.run(value) == value.len()
}

/// The secrets of the JSON Web Key around the word between `start` and `end`.
pub(crate) fn web_key(text: &str, start: usize, end: usize, seen: &mut Seen, finds: &mut Vec<Find>) {
    if start < seen.web_key_end {
        return;
    }
    let near = around(text, start, LONGEST_WEB_KEY, LONGEST_WEB_KEY);
    let begin = text[near.start..start].rfind('{').map_or(start, |at| near.start + at);
    let stop = text[end..near.end].find('}').map_or(near.end, |at| end + at);
    seen.web_key_end = stop;
    let mut at = begin;
    let mut name = "";
    for piece in text[begin..stop].split(['"', '\'']) {
        if is_web_key(name, piece) {
            finds.push(Find::new(at..at + piece.len(), "jwk", piece, Surety::Placed));
        }
        name = if piece.trim() == ":" { name } else { piece };
        at += piece.len() + 1;
    }
}

/// Calls that take a name and a password, in small letters.
const BASIC_CALLS: &[&str] =
    &["auth=(", "auth = (", "basicauth(", "basic_auth(", "basic_auth ", "networkcredential(", ".login("];

/// The second of two strings in a call whose arguments begin at `begin`.
pub(crate) fn second_argument(text: &str, begin: usize) -> Option<Find> {
    let near = &text[around(text, begin, 0, LONGEST_ARGUMENTS)];
    let string = |text: &str| {
        let rest = text.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let length = rest[1..].find([quote, '\n'])?;
        let start = text.len() - rest.len() + 1;
        rest[1 + length..].starts_with(quote).then_some(start..start + length)
    };
    let first = string(near)?;
    let behind = near[first.end + 1..].trim_start().strip_prefix(',')?;
    let second = string(behind)?;
    let start = begin + near.len() - behind.len() + second.start;
    let password = &behind[second];
    let is_one = password.len() >= 6 && is_password(password) && likely::is_chosen(password);
    is_one.then(|| Find::new(start..start + password.len(), "password", password, Surety::Placed))
}

/// Arguments of a call are no longer than this.
const LONGEST_ARGUMENTS: usize = 600;

/// What a manifest of a cluster says that holds secrets.
const MANIFEST: &str = "kind: Secret";

/// Such a manifest is no longer than this.
const LONGEST_MANIFEST: usize = 32 * 1024;

/// The values of the manifest around the word between `start` and `end`.
pub(crate) fn secrets_of_manifest(
    text: &str,
    start: usize,
    end: usize,
    seen: &mut Seen,
    finds: &mut Vec<Find>,
) {
    let is_whole = text[end..].is_empty() || text[end..].starts_with(['\n', '\r']);
    if !is_whole || !text[start..end].starts_with("kind: S") || start < seen.manifest_end {
        return;
    }
    let near = around(text, start, LONGEST_MANIFEST, LONGEST_MANIFEST);
    let (before, behind) = (&text[near.start..start], &text[start..near.end]);
    let begin = before.rfind("\n---").map_or(near.start, |at| near.start + at);
    let stop = behind.find("\n---").map_or(near.end, |at| start + at);
    seen.manifest_end = stop;
    let mut is_data = false;
    let mut at = begin;
    for line in text[begin..stop].split_inclusive('\n') {
        let here = line.trim_end();
        let value = here.trim_start().split_once(": ").map(|(_, value)| value.trim_matches(['"', '\'']));
        match value.filter(|value| is_data && here.starts_with([' ', '\t']) && value.len() >= 6) {
            Some(value) if !is_code(value) && !likely::is_example(value) => {
                let start = at + line.find(value).unwrap_or_default();
                finds.push(Find::new(start..start + value.len(), "secret", value, Surety::Placed));
            }
            _ => {}
        }
        if !here.starts_with([' ', '\t']) {
            is_data = matches!(here, "data:" | "stringData:");
        }
        at += line.len();
    }
}

/// Lines of a file of passwords are no longer than this.
const LONGEST_PASSWORD_LINE: usize = 512;

/// Ports of databases whose clients keep files of passwords.
const PORTS: &[&str] = &["5432", "5433", "5434", "6432", "6543", "25060", "26257", "*"];

/// The passwords of lines `host:port:database:user:password`.
pub(crate) fn password_files(text: &str) -> Vec<Find> {
    let bytes = text.as_bytes();
    let is_port = |at: &usize| {
        let length =
            bytes[at + 1..].iter().take(6).take_while(|byte| byte.is_ascii_digit() || **byte == b'*').count();
        (1..=5).contains(&length) && bytes.get(at + 1 + length) == Some(&b':')
    };
    memchr::memchr_iter(b':', bytes).filter(is_port).filter_map(|at| password_file_at(text, at)).collect()
}

/// The password of a line `host:port:database:user:password`, whose first colon stands at `colon`.
fn password_file_at(text: &str, colon: usize) -> Option<Find> {
    let is_of_line = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '`');
    let near = &text[around(text, colon, LONGEST_PASSWORD_LINE, 0)];
    let before = near.char_indices().rev().find(|(_, c)| !is_of_line(*c));
    let host = near[before.map_or(0, |(at, c)| at + c.len_utf8())..].trim_start_matches(['+', '-', '>']);
    let host = host.rsplit('|').next().unwrap_or_default();
    let rest = &text[around(text, colon, 0, LONGEST_PASSWORD_LINE)];
    let rest = &rest[..rest.find(|c: char| !is_of_line(c)).unwrap_or(rest.len())];
    let mut fields = rest.splitn(5, ':').skip(1);
    let (port, database, user) = (fields.next()?, fields.next()?, fields.next()?);
    let password = fields.next()?;
    let is_field = |field: &str| {
        !field.is_empty()
            && field.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.*\\@$".contains(&byte))
    };
    // Fingerprints are made of pairs of digits with colons between them.
    let is_alone = |password: &str| !password.contains(':') && likely::is_strange(password);
    let is_name = |field: &str| is_field(field) && !field.bytes().all(|byte| byte.is_ascii_digit());
    // Colons of an IPv6 address stand behind backslashes.
    let host = host.replace("\\:", ".");
    let is_known = PORTS.contains(&port) || (is_name(database) && is_name(user) && is_alone(password));
    let is_one = is_known
        && [&*host, port, database, user].into_iter().all(is_field)
        && password.len() >= 4
        && !likely::is_example(password)
        && !is_code(password);
    let start = colon + rest.len() - password.len();
    is_one.then(|| Find::new(start..start + password.len(), "password", password, Surety::Placed))
}

/// The tokens of Discord's bots: the bot's number in base64, a time, a signature.
pub(crate) fn bot_tokens(text: &str) -> Vec<Find> {
    let mut finds = Vec::new();
    for dot in memchr::memchr_iter(b'.', text.as_bytes()) {
        let rest = &text[dot + 1..];
        // The time has six letters, and a dot behind it.
        if rest.as_bytes().get(6) != Some(&b'.') || !rest.bytes().take(6).all(|byte| Alphabet::Url.has(byte))
        {
            continue;
        }
        let number = text[..dot].bytes().rev().take(32).take_while(|byte| Alphabet::Url.has(*byte)).count();
        let start = dot - number;
        let signature = Alphabet::Url.run(&rest[7..]);
        let decoded = base64_decoded(&text[start..dot]);
        let is_number = decoded.len() >= 16 && decoded.iter().all(u8::is_ascii_digit);
        let end = dot + 8 + signature;
        if is_number && signature >= 25 && begins_fresh(text, start) {
            finds.push(Find::new(start..end, "discord-token", &text[start..end], Surety::Certain));
        }
    }
    finds
}
