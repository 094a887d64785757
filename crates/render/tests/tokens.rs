//! The maximum number of tokens, compared with a real tokenizer: never below it, on any text.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use backscroll_render::most_tokens;
use proptest::prelude::*;
use tiktoken::CoreBpe;

static O200K: LazyLock<&CoreBpe> = LazyLock::new(|| tiktoken::get_encoding("o200k_base").unwrap());

/// How many tokens a text has.
pub(crate) fn tokens(text: &str) -> usize {
    O200K.encode(text).len()
}

/// What the maximum relies on.
#[test]
fn the_vocabulary_has_what_is_said_of_it() {
    for word in include_str!("../assets/common-words.txt").lines() {
        let capital = format!("{}{}", word[..1].to_uppercase(), &word[1..]);
        for form in [word.to_owned(), capital.clone(), format!(" {word}"), format!(" {capital}")] {
            assert_eq!(tokens(&form), 1, "{form}");
        }
    }
    for a in 'a'..='z' {
        assert_eq!(tokens(&format!(" {a}")), 1, "{a}");
        for b in 'a'..='z' {
            let pair = format!("{a}{b}");
            assert!(tokens(&pair) == 1 || pair == "gk" || pair.contains(['j', 'q', 'x', 'z']), "{pair}");
        }
    }
    for number in 0..1_000 {
        for digits in [format!("{number}"), format!("{number:02}"), format!("{number:03}")] {
            assert_eq!(tokens(&digits), 1, "{digits}");
        }
    }
}

#[test]
fn what_people_write_is_counted_twice_at_most() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/reliability.md"] {
        let text = fs::read_to_string(root.join(name)).unwrap();
        let (most, real) = (most_tokens(&text), tokens(&text));
        assert!((real..2 * real).contains(&most), "{name}: {most} for {real}");
    }
    assert_eq!(
        [most_tokens(""), most_tokens(" the"), most_tokens("日本"), most_tokens("1234")],
        [0, 1, 6, 2]
    );
}

#[test]
fn lines_add_up() {
    let lines = ["- `a.rs`: the word\n", "> It's 12 o'clock\n", "\n", "Über\n"];
    assert_eq!(most_tokens(&lines.concat()), lines.iter().map(|line| most_tokens(line)).sum::<usize>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_has_at_most_so_many(text in "\\PC{0,60}") {
        prop_assert!(tokens(&text) <= most_tokens(&text), "{text:?}");
    }

    #[test]
    fn any_writing_has_at_most_so_many(text in "([a-z]{1,9}|[A-Z][a-z]{0,6}|[A-Z]{1,4}|'(s|t|re|ve|m|ll|d|LL|S)|[0-9]{1,7}|[ \\t\\n\\r/.,'`(_~é²日]){0,40}") {
        prop_assert!(tokens(&text) <= most_tokens(&text), "{} {text:?}", tokens(&text));
    }

    #[test]
    fn common_words_together_have_at_most_so_many(text in "((the|The|and|error| |'s|'|\\.|/|\\n|A|é|1)){0,40}") {
        prop_assert!(tokens(&text) <= most_tokens(&text), "{} {text:?}", tokens(&text));
    }
}
