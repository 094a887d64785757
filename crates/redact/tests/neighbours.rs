//! Two secrets in neighbouring lines, and a secret beside ordinary lines: each goes as a whole, and nothing else does.

use backscroll_redact::trial::{Chance, trials};
use backscroll_redact::{RedactOptions, Redactor};
use proptest::prelude::*;

use crate::synthetic::{BASE64, HEX, PLAIN, base64, chance};

/// How a token stands in its line.
const STYLES: &[&str] = &["§", "KEY_ONE=§", "key: §", "the one is §", "    \"§\","];

/// Lines that hold no secret. `¤` is a hash.
const HARMLESS: &[&str] = &[
    "DATABASE_HOST=db1.internal",
    "key=\"x\"",
    "next_page",
    "abc123",
    "0x1936bc6f5a3c",
    "EOF",
    "The next line holds nothing at all.",
    "https://example.org/a/b?page=2",
    "2026-03-01T10:00:00Z INFO started",
    "-rw-r--r-- 1 mira mira 1024 Mar  1 10:00 a.txt",
    "¤",
    "commit ¤",
    "sha256:¤",
    "KEY=116207a3",
    "retries: 3",
    "git@github.com:acme/app.git",
    "AbstractFactoryBean",
];

/// The kinds of tokens, each with a sample.
fn samples(seed: u64) -> Vec<String> {
    let tokens = trials().into_iter().filter(backscroll_redact::trial::Trial::is_token);
    tokens.map(|trial| trial.secret(&mut Chance::new(seed))).collect()
}

/// What is left of a text, with § in the place of each placeholder.
fn left(text: &str) -> String {
    let redacted = Redactor::new(&RedactOptions::default()).expect("made so here").text(text).into_owned();
    let mut left = String::new();
    for (number, piece) in redacted.split('‹').enumerate() {
        left.push_str(if number == 0 { piece } else { "§" });
        left.push_str(piece.split_once('›').filter(|_| number > 0).map_or("", |(_, rest)| rest));
    }
    left
}

proptest! {
    #[test]
    fn two_tokens_in_neighbouring_lines_never_join(
        one in any::<prop::sample::Index>(),
        two in any::<prop::sample::Index>(),
        style in prop::sample::select(STYLES),
        seed in 0..1000_u64,
    ) {
        let tokens = samples(seed);
        let (one, two) = (one.get(&tokens[..]), two.get(&samples(seed + 1000)[..]).clone());
        let alone = |token: &str| left(&style.replace('§', token)) == *style;
        prop_assume!(alone(one) && alone(&two));
        let text = format!("{}\n{}\n", style.replace('§', one), style.replace('§', &two));
        prop_assert_eq!(left(&text), format!("{style}\n{style}\n"), "{}", text);
    }

    #[test]
    fn lines_beside_a_token_stay_byte_for_byte(
        token in any::<prop::sample::Index>(),
        line in prop::sample::select(HARMLESS),
        style in prop::sample::select(STYLES),
        is_before in any::<bool>(),
        seed in 0..1000_u64,
    ) {
        let tokens = samples(seed);
        let token = style.replace('§', token.get::<String>(&tokens));
        let line = line.replace('¤', &chance(HEX, 40, seed));
        prop_assume!(left(&token) == *style);
        let (text, wanted) = if is_before {
            (format!("{line}\n{token}\n"), format!("{line}\n{style}\n"))
        } else {
            (format!("{token}\n{line}\n"), format!("{style}\n{line}\n"))
        };
        prop_assert_eq!(left(&text), wanted, "{}", text);
    }
}

#[test]
fn lines_of_ids_and_hashes_stay() {
    let lines: String = (0..3000)
        .map(|seed| match seed % 9 {
            0 => format!("token: {}-4b5a-4678-9a0b-1c2d3e4f5a6b\n", chance(HEX, 8, seed)),
            1 => format!("key=\"{}\"\n", chance(HEX, 3, seed)),
            2 => format!("KEY={}\n", chance(HEX, 8, seed)),
            3 => format!("integrity=\"sha384-{}\"\n", chance(BASE64, 64, seed)),
            4 => format!("ref: refs/heads/as-{}\n", chance(HEX, 8, seed)),
            5 => format!("0x{}\n", chance(HEX, 16, seed)),
            6 => format!("{}\trefs/heads/as-{}\n", chance(HEX, 40, seed), chance(HEX, 8, seed)),
            7 => format!("call_{}\n", chance(PLAIN, 24, seed)),
            _ => format!("{}\n", chance(HEX, 40, seed)),
        })
        .collect();
    assert_eq!(left(&lines), lines);
}

#[test]
fn a_program_in_base64_stays() {
    let program = std::fs::read(std::env::current_exe().expect("a program runs")).expect("it can be read");
    let encoded = base64(&program[..program.len().min(6_000_000)]);
    let lines: Vec<String> =
        encoded.as_bytes().chunks(76).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    let wrapped = lines.join(
        "
",
    );
    for text in [encoded, wrapped] {
        let gone = left(&text).matches('§').count();
        assert_eq!(gone, 0, "places of {} bytes", text.len());
    }
}
