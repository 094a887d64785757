//! Sources that live in memory, and the whole program run on them.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use backscroll_cli::{Environment, Exit, FoundStores, Streams, Surroundings};
use backscroll_fixtures::MemorySource;
use backscroll_model::{
    ConversationId, Finding, FindingKind, Fragment, Layer, Message, Origin, Part, Role, Source, Summary,
    Surface,
};

/// A source that holds these conversations.
pub(crate) fn holding(fragments: Vec<Fragment>) -> MemorySource {
    MemorySource::new("/home/a/state.vscdb", fragments)
}

/// A source that cannot be read.
pub(crate) fn broken(place: &str) -> MemorySource {
    MemorySource {
        unreadable: Some("file is not a database".to_owned()),
        ..MemorySource::new(place, Vec::new())
    }
}

pub(crate) fn origin(key: &str) -> Origin {
    Origin::new(Layer::IdeGlobal, Path::new("/home/a/state.vscdb"), key)
}

/// A conversation with one question and one answer, begun on the given day of January 2026.
pub(crate) fn conversation(id: &str, title: &str, day: u8) -> Fragment {
    let at = format!("2026-01-{day:02}T10:00:00Z").parse().expect("a time");
    let said = |id: &str, role, text: &str| Message {
        parts: vec![Part::Text(text.to_owned())],
        ..Message::new(id, role, origin(id))
    };
    Fragment {
        messages: vec![said("u", Role::User, "Why?"), said("a", Role::Assistant, "Because.")],
        ..Fragment::new(Summary {
            title: Some(title.to_owned()),
            created_at: Some(at),
            updated_at: Some(at),
            messages: Some(2),
            ..Summary::new(ConversationId::new(id), Surface::Ide, origin(id))
        })
    }
}

pub(crate) fn finding() -> Finding {
    Finding::new(FindingKind::NullRow, origin("bubbleId:x:y"), "a row without a value")
}

/// Three conversations in one source.
pub(crate) fn three() -> MemorySource {
    holding(vec![
        conversation("aaaaaaaa-1111", "Fix the login", 19),
        conversation("bbbbbbbb-2222", "Write the manual", 18),
        conversation("aaaaaaaa-3333", "Fix the logout", 17),
    ])
}

/// Surroundings that are the same on every machine.
pub(crate) fn environment() -> Environment {
    Environment {
        cache: None,
        named_data: None,
        data: None,
        claude_config_dir: None,
        codex_home: None,
        program: "/usr/bin/backscroll".into(),
        surroundings: Surroundings {
            home: Some("/home/a".into()),
            temp: std::env::temp_dir(),
            ..Surroundings::default()
        },
        config: None,
        current_folder: "/home/a/app".into(),
        no_color: false,
        pager: Some("cat".to_owned()),
        less_is_set_up: false,
        width: Some(80),
        in_is_terminal: false,
        out_is_terminal: false,
        err_is_terminal: false,
        is_agent: false,
        now: "2026-01-20T12:00:00+00:00[UTC]".parse().expect("a time"),
    }
}

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) exit: Exit,
    pub(crate) out: String,
    pub(crate) err: String,
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panicked").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("nobody panicked").clone()).expect("text")
    }
}

/// Runs the program with `arguments` on `sources`.
pub(crate) fn run_in(environment: &Environment, sources: &[MemorySource], arguments: &[&str]) -> Ran {
    let (out, err) = (Shared::default(), Shared::default());
    let streams = Streams { out: Box::new(out.clone()), err: Box::new(err.clone()) };
    let find = |_: &_, _: &_| FoundStores {
        sources: sources.iter().map(|source| Box::new(source.clone()) as Box<dyn Source>).collect(),
        findings: Vec::new(),
    };
    let arguments = ["backscroll"].iter().chain(arguments).map(ToString::to_string);
    let exit = backscroll_cli::run(arguments, environment, streams, &find);
    Ran { exit, out: out.text(), err: err.text() }
}

/// Runs the program with `arguments` on `sources`, away from any terminal.
pub(crate) fn run(sources: &[MemorySource], arguments: &[&str]) -> Ran {
    run_in(&environment(), sources, arguments)
}

/// Runs the program with `arguments` on `sources`, on a terminal.
pub(crate) fn run_on_terminal(sources: &[MemorySource], arguments: &[&str]) -> Ran {
    let environment = Environment { out_is_terminal: true, err_is_terminal: true, ..environment() };
    run_in(&environment, sources, arguments)
}

/// The text with its placeholders numbered: `‹jwt·3f9a1c07›` becomes `‹jwt-1›`, the next one `‹jwt-2›`.
pub(crate) fn numbered(text: &str) -> String {
    let mut known: std::collections::BTreeMap<String, std::collections::BTreeMap<String, usize>> =
        std::collections::BTreeMap::new();
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
