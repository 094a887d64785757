//! What names a person: e-mail addresses, the user name, the home folder.

use crate::disguise::begins_fresh;
use crate::finder::{Find, Surety, Trigger};
use crate::options::HomeNames;

/// Names that many machines and many texts have: they go only where they name a home.
const EVERYBODY: &[&str] = &[
    "root",
    "user",
    "users",
    "home",
    "admin",
    "test",
    "ubuntu",
    "debian",
    "dev",
    "developer",
    "runner",
    "node",
    "app",
    "me",
    "git",
    "guest",
    "default",
    "public",
    "shared",
    "vscode",
    "code",
    "cursor",
    "docker",
    "jenkins",
    "build",
    "pi",
    "ec2-user",
    "vagrant",
];

/// What may stand between the parts of a path, as it is spelled in paths, URIs and JSON; longest first.
const BETWEEN: &[&str] = &["\\\\\\\\", "\\\\", "\\/", "%2F", "%2f", "%5C", "%5c", "/", "\\", "-"];

/// Who must not be named.
#[derive(Debug)]
pub(crate) struct Home {
    /// In small letters.
    user: String,
    folder: String,
    /// Whether the name goes wherever it stands.
    goes_everywhere: bool,
}

impl Home {
    /// `None` where nothing is known that could be looked for.
    pub(crate) fn new(names: &HomeNames) -> Option<Self> {
        let user = names.user.to_ascii_lowercase();
        let folder = names.folder.trim_end_matches(['/', '\\']).to_owned();
        let goes_everywhere = user.len() >= 3 && !EVERYBODY.contains(&user.as_str());
        (!user.is_empty() || folder.len() > 1).then_some(Self { user, folder, goes_everywhere })
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = (String, Trigger)> {
        let mut words = vec![self.user.clone()];
        if self.folder.len() > 1 {
            for between in BETWEEN {
                let spelled = self.folder.replace(['/', '\\'], between);
                words.push(spelled.trim_start_matches('-').to_owned());
            }
        }
        words.sort();
        words.dedup();
        let roots = ["home", "users"].iter().flat_map(|name| {
            BETWEEN
                .iter()
                .filter(|between| **between != "-")
                .map(move |between| format!("{between}{name}{between}"))
        });
        words.into_iter().map(|word| (word, Trigger::Home)).chain(roots.map(|root| (root, Trigger::AnyHome)))
    }

    /// What to take out where the folder of all homes is named: the home of somebody else goes like one's own.
    pub(crate) fn of_another(text: &str, start: usize, end: usize) -> Option<Find> {
        let begin = begin_of_home(text, end)?;
        let before = &text[..begin];
        let is_root = before.ends_with("//")
            || !before.ends_with(|c: char| {
                c.is_alphanumeric() || matches!(c, '/' | '\\' | '.' | '_' | '-' | '~' | '}')
            });
        // In small letters and without a drive, `/users/7` is an address of a service.
        let is_home =
            ["home", "Users"].iter().any(|name| text[start..end].contains(name)) || begin + 1 < start;
        let name = text[end..].chars().take_while(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'));
        let length: usize = name.map(char::len_utf8).sum();
        (is_root && is_home && length > 0)
            .then(|| Find::new(begin..end + length, "home", "home", Surety::Personal))
    }

    /// What to take out where the word between `start` and `end` stands.
    pub(crate) fn at(&self, text: &str, start: usize, end: usize) -> Option<Find> {
        let next = text.as_bytes().get(end);
        if next.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            return None;
        }
        if end - start != self.user.len() {
            let begins = begins_fresh(text, start) && !text[..start].ends_with(['.', '/']);
            return begins.then(|| Find::new(start..end, "home", "home", Surety::Personal));
        }
        if let Some(begin) = begin_of_home(text, start) {
            return Some(Find::new(begin..end, "home", "home", Surety::Personal));
        }
        let goes = self.goes_everywhere && begins_fresh(text, start);
        goes.then(|| Find::new(start..end, "user", "user", Surety::Personal))
    }
}

/// Where the path begins that leads to the home whose last part begins at `user`.
fn begin_of_home(text: &str, user: usize) -> Option<usize> {
    let before = strip_between(&text[..user])?;
    let is_slug = text[..user].ends_with('-');
    let folder =
        ["home", "users", "Users", "USERS", "Home"].iter().find_map(|name| before.strip_suffix(name))?;
    if folder.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && !begins_fresh(folder, folder.len())
    {
        return None;
    }
    let Some(root) = strip_between(folder).filter(|_| !is_slug) else { return Some(folder.len()) };
    let drive = [":", "%3A", "%3a"].iter().find_map(|colon| root.strip_suffix(colon));
    let drive = drive.filter(|drive| drive.ends_with(|c: char| c.is_ascii_alphabetic()));
    Some(drive.map_or(root.len(), |drive| drive.len() - 1))
}

fn strip_between(text: &str) -> Option<&str> {
    BETWEEN.iter().find_map(|between| text.strip_suffix(between))
}

/// What follows the last dot of a file name, not of a host.
const FILE_ENDINGS: &[&str] = &[
    "png",
    "jpg",
    "jpeg",
    "gif",
    "svg",
    "webp",
    "ico",
    "js",
    "ts",
    "tsx",
    "jsx",
    "mjs",
    "cjs",
    "json",
    "css",
    "scss",
    "html",
    "md",
    "rs",
    "py",
    "go",
    "rb",
    "java",
    "kt",
    "c",
    "h",
    "cpp",
    "toml",
    "yaml",
    "yml",
    "lock",
    "txt",
    "service",
    "socket",
    "timer",
    "target",
    "mount",
    "local",
    "localhost",
    "test",
    "example",
    "invalid",
];

pub(crate) fn email_words(is_wanted: bool) -> impl Iterator<Item = (String, Trigger)> {
    is_wanted
        .then(|| ("@".to_owned(), Trigger::Email))
        .into_iter()
        .chain(is_wanted.then(|| ("%40".to_owned(), Trigger::Email)))
}

/// The address around the sign at `sign`.
pub(crate) fn email_at(text: &str, sign: usize) -> Option<Find> {
    let after = sign + if text.as_bytes().get(sign) == Some(&b'%') { 3 } else { 1 };
    let bytes = text.as_bytes();
    let is_local = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(*byte, b'.' | b'_' | b'+' | b'-');
    let is_host = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(*byte, b'.' | b'-');
    let local_length = bytes[..sign].iter().rev().take(64).take_while(|byte| is_local(byte)).count();
    let mut start = sign - local_length;
    // A letter that belongs to an escape does not belong to the address.
    if bytes[..start].last() == Some(&b'\\') && local_length > 1 {
        start += 1;
    }
    let host_length = bytes.get(after..)?.iter().take(253).take_while(|byte| is_host(byte)).count();
    let host = text[after..after + host_length].trim_end_matches(['.', '-']);
    let local = &text[start..sign];
    let (name, ending) = host.rsplit_once('.')?;
    let is_address = local.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.is_empty()
        && (2..=24).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_address || email_stays(local, ending, bytes.get(after + host.len())) {
        return None;
    }
    let secret = format!("{local}@{host}").to_lowercase();
    Some(Find::new(start..sign, "email", secret, Surety::Personal))
}

/// Whether the address is nobody's.
fn email_stays(local: &str, ending: &str, next: Option<&u8>) -> bool {
    // `git@host.com:group/project` is how a repository is reached.
    let is_repository = local == "git" || (next == Some(&b':') && local.len() <= 3);
    let is_machine = matches!(local, "noreply" | "no-reply");
    is_repository || is_machine || FILE_ENDINGS.contains(&ending.to_ascii_lowercase().as_str())
}
