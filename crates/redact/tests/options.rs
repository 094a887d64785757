//! What the user chooses: addresses, rules of their own, what may stay.

use backscroll_redact::{RedactOptions, Redactor, RuleError, UserRule};

use crate::synthetic::{PLAIN, chance, numbered};

fn rule(name: &str, pattern: &str, keywords: &[&str]) -> UserRule {
    let keywords = keywords.iter().map(|word| (*word).to_owned()).collect();
    UserRule { name: name.to_owned(), pattern: pattern.to_owned(), keywords }
}

fn redacted(options: &RedactOptions, text: &str) -> String {
    numbered(&Redactor::new(options).expect("made so here").text(text))
}

/// C131: the host stays.
#[test]
fn addresses_go_on_demand() {
    let text = "Mira <mira.k@company.de>, <mailto:Mira.K@company.de>, hi%40other.io, git@github.com:a/b, x@example.com, a@2x.png, serde@1.0.1";
    assert_eq!(redacted(&RedactOptions::default(), text), text);
    let options = RedactOptions { emails: true, ..RedactOptions::default() };
    insta::assert_snapshot!(redacted(&options, text), @"Mira <‹email-1›@company.de>, <mailto:‹email-1›@company.de>, ‹email-2›%40other.io, git@github.com:a/b, ‹email-3›@example.com, a@2x.png, serde@1.0.1");
}

#[test]
fn rules_of_ones_own() {
    let rules = vec![
        rule("ticket", r"\b(ACME-\d{4,})\b", &["acme-"]),
        rule("codename", "(?i)project (nightjar)", &[]),
    ];
    let options = RedactOptions { rules, ..RedactOptions::default() };
    let text = "See ACME-12345 and acme-99 of Project Nightjar; ACME-12345 again, ACME-77777.";
    insta::assert_snapshot!(redacted(&options, text), @"See ‹ticket-1› and acme-99 of Project ‹codename-1›; ‹ticket-1› again, ‹ticket-2›.");
}

#[test]
fn rules_that_cannot_be_used_are_told() {
    let refused = |options: RedactOptions| Redactor::new(&options).unwrap_err();
    let with = |rule| RedactOptions { rules: vec![rule], ..RedactOptions::default() };
    assert!(matches!(refused(with(rule("Big Name", "x", &[]))), RuleError::Name(_)));
    assert!(matches!(refused(with(rule("", "x", &[]))), RuleError::Name(_)));
    assert!(matches!(refused(with(rule("open", "(", &[]))), RuleError::Pattern { .. }));
    let options = RedactOptions { allow: vec!["[".to_owned()], ..RedactOptions::default() };
    assert!(matches!(refused(options), RuleError::Allow { .. }));
}

#[test]
fn what_may_stay_stays() {
    let secret = chance(PLAIN, 32, 5);
    let text = format!("api_key = \"{secret}\"");
    let allow = vec![format!("{}.*", &secret[..4])];
    assert_eq!(redacted(&RedactOptions { allow, ..RedactOptions::default() }, &text), text);
}
