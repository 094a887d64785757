//! `backscroll export` without secrets: the same placeholder in every file, today and next week, and what the user adds.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use backscroll_cli::{Environment, Exit};
use backscroll_fixtures::MemorySource;
use backscroll_model::Part;

use crate::memory::{conversation, environment, numbered, run_in, three};

/// Tokens that stand nowhere in this file.
fn token(number: usize) -> String {
    let tail = [
        "a8Kd93kdLs02mXpQ77vbTr41zzKd93kdLs02",
        "b1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
        "q7W8e9R0t1Y2u3I4o5P6a7S8d9F0g1H2j3K4",
    ];
    format!("gh{}{}", "p_", tail[number])
}

fn says(source: &mut MemorySource, number: usize, words: &str) {
    source.fragments[number].messages[0].parts = vec![Part::Text(words.to_owned())];
}

/// The second and the third conversation hold the same token, the first and the second one each of their own.
fn with_tokens() -> MemorySource {
    let mut source = three();
    says(&mut source, 0, &format!("use {}", token(0)));
    says(&mut source, 1, &format!("use {} and {}", token(1), token(2)));
    says(&mut source, 2, &format!("again {}", token(1)));
    source
}

fn at_home(cache: &Path) -> Environment {
    Environment { cache: Some(cache.to_owned()), ..environment() }
}

/// What is in each file of the folder, the list of files left out.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder.join("no-workspace")).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            (
                path.file_name().expect("a name").to_string_lossy().into_owned(),
                fs::read_to_string(&path).expect("text"),
            )
        })
        .collect()
}

fn text_of<'a>(texts: &'a BTreeMap<String, String>, title: &str) -> &'a str {
    texts.iter().find(|(name, _)| name.contains(title)).map(|(_, text)| text.as_str()).expect("a file")
}

#[test]
fn a_secret_has_one_placeholder_in_a_whole_folder_and_keeps_it() {
    let parent = tempfile::tempdir().expect("a folder");
    let here = at_home(&parent.path().join("cache"));
    let folder = parent.path().join("notes");
    let place = folder.to_str().expect("a path");
    let export = |source: &MemorySource, more: &[&str]| {
        let words = [&["export", "--format", "md", "--redact", "-o", place], more].concat();
        let ran = run_in(&here, std::slice::from_ref(source), &words);
        assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
        ran
    };
    export(&with_tokens(), &[]);
    let before = texts(&folder);
    let order = ["login", "manual", "logout"].map(|title| text_of(&before, title)).concat();
    let all = numbered(&order);
    for words in
        ["use ‹github-token-1›", "use ‹github-token-2› and ‹github-token-3›", "again ‹github-token-2›"]
    {
        assert!(all.contains(words), "{all}");
    }
    let list = fs::read_to_string(folder.join(".backscroll-export")).expect("the list");
    assert!((0..3).all(|number| !list.contains(&token(number))), "{list}");

    // A newer conversation comes first in the order of the export, and changes nothing about the others.
    let mut more = with_tokens();
    more.fragments.insert(0, conversation("cccccccc-4444", "Newest", 20));
    says(&mut more, 0, &format!("new: {}", token(2).replace('q', "z")));
    let ran = export(&more, &["--update"]);
    assert!(ran.err.contains("1 conversation written") && ran.err.contains("3 unchanged"), "{}", ran.err);
    let after = texts(&folder);
    assert!(numbered(text_of(&after, "newest")).contains("new: ‹github-token-1›"), "{after:?}");
    assert!(before.iter().all(|(name, text)| after.get(name) == Some(text)));

    // Another folder, with the same key: the same placeholders.
    let other = parent.path().join("other");
    let words = ["export", "--format", "md", "--redact", "-o", other.to_str().expect("a path")];
    assert_eq!(run_in(&here, &[more.clone()], &words).exit, Exit::Done);
    assert_eq!(texts(&other), after);

    // Without the key all of them are others.
    fs::remove_dir_all(parent.path().join("cache")).expect("removed");
    export(&more, &["--update"]);
    assert_ne!(text_of(&texts(&folder), "logout"), text_of(&before, "logout"));
}

#[test]
fn a_secret_has_one_placeholder_in_one_file() {
    let ran = run_in(&environment(), &[with_tokens()], &["export", "--format", "txt", "--redact"]);
    let out = numbered(&ran.out);
    let order =
        ["use ‹github-token-1›", "use ‹github-token-2› and ‹github-token-3›", "again ‹github-token-2›"];
    let places: Vec<_> = order.iter().map(|words| out.find(words)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{}", ran.out);
    assert!(ran.err.contains("redacted: 3 github-token (4 places)"), "{}", ran.err);
}

#[test]
fn what_the_user_adds_holds_for_pages_and_replays_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("config.toml");
    fs::write(&config, "[[redact.rule]]\nname = 'ticket'\npattern = 'ACME-\\d+'\n").expect("written");
    let here = Environment { config: Some(config.clone()), ..environment() };
    let mut source = three();
    says(&mut source, 1, "ACME-1234 by mira@firma.de in /home/a/secret-plans");
    let play = folder.path().join("play.html");
    let play = play.to_str().expect("a path");
    let written = |more: &[&str]| {
        let replay = [&["replay", "bbbb", "--force", "-o", play], more].concat();
        assert_eq!(run_in(&here, std::slice::from_ref(&source), &replay).exit, Exit::Done);
        let page = run_in(
            &here,
            std::slice::from_ref(&source),
            &[&["export", "bbbb", "--format", "html"], more].concat(),
        );
        [numbered(&page.out), numbered(&fs::read_to_string(play).expect("a page"))]
    };
    for page in written(&[]) {
        assert!(page.contains("‹ticket-1›") && !page.contains("ACME-1234"));
        assert!(page.contains("mira@firma.de") && page.contains("/home/a/secret-plans"));
    }
    for page in written(&["--redact-emails", "--redact-names"]) {
        assert!(
            page.contains("‹ticket-1›")
                && page.contains("‹email-1›@firma.de")
                && page.contains("~/secret-plans")
        );
        assert!(!page.contains("mira@firma.de") && !page.contains("/home/a/secret-plans"));
    }
    for page in written(&["--no-redact"]) {
        assert!(page.contains("ACME-1234"));
    }
    // Who asks for more to be taken out means to take out.
    let asked = ["export", "bbbb", "--format", "jsonl", "--redact-emails"];
    let text = numbered(&run_in(&here, std::slice::from_ref(&source), &asked).out);
    assert!(text.contains("‹email-1›") && text.contains("‹ticket-1›"), "{text}");
    let both = ["export", "--no-redact", "--redact-emails"];
    assert_eq!(run_in(&here, std::slice::from_ref(&source), &both).exit, Exit::Usage);
    fs::write(&config, "[redact]\nmails = true\n").expect("written");
    let told = run_in(&here, &[source], &["export", "--redact"]);
    assert_eq!(told.exit, Exit::Usage);
    assert!(told.err.contains("config.toml, line 2"), "{}", told.err);
}

#[test]
fn what_gives_itself_away_late_is_gone_early_and_from_names() {
    let secret = "a8Kd93kdLs02mXpQ77vb";
    let mut source = three();
    source.fragments[0].summary.title = Some(format!("Why {secret} fails"));
    says(&mut source, 0, &format!("it was {secret}"));
    says(&mut source, 2, &format!("API_KEY={secret}"));
    let parent = tempfile::tempdir().expect("a folder");
    let here = at_home(&parent.path().join("cache"));
    let folder = parent.path().join("notes");
    let place = folder.to_str().expect("a path");
    let streamed = run_in(&here, std::slice::from_ref(&source), &["export", "--format", "txt", "--redact"]);
    assert!(numbered(&streamed.out).contains("it was ‹api-key-1›"), "{}", streamed.out);
    assert!(!streamed.out.contains(secret), "{}", streamed.out);
    assert!(streamed.err.contains("redacted: 1 api-key (3 places)"), "{}", streamed.err);
    let words = ["export", "--format", "md", "--redact", "-o", place];
    let ran = run_in(&here, std::slice::from_ref(&source), &words);
    assert_eq!(ran.exit, Exit::Done, "{}", ran.err);
    assert!(ran.err.contains("redacted: 1 api-key (3 places)"), "{}", ran.err);
    let written = texts(&folder);
    let index = fs::read_to_string(folder.join("README.md")).expect("an index");
    let list = fs::read_to_string(folder.join(".backscroll-export")).expect("the list");
    for (name, text) in written.iter().chain([(&"README.md".to_owned(), &index), (&"list".to_owned(), &list)])
    {
        let small = format!("{name} {text}").to_lowercase();
        assert!(!small.contains(&secret.to_lowercase()), "{name}: {text}");
    }
    assert!(numbered(text_of(&written, "why-api-key-")).contains("it was ‹api-key-1›"), "{written:?}");
    // Of one conversation too: its own words give its name away.
    let mut alone = three();
    alone.fragments.truncate(1);
    alone.fragments[0].summary.title = Some(format!("Why {secret} fails"));
    says(&mut alone, 0, &format!("API_KEY={secret}"));
    let folder = parent.path().join("one");
    let words = ["export", "--format", "md", "--redact", "-o", folder.to_str().expect("a path")];
    assert_eq!(run_in(&here, &[alone], &words).exit, Exit::Done);
    assert!(
        texts(&folder).keys().all(|name| name.contains("why-api-key-") && !name.contains(secret)),
        "{:?}",
        texts(&folder)
    );
}
