//! Random secrets of every kind, in every surrounding and disguise: none leaks. `xtask secrets` does the same with more.

use backscroll_redact::trial::{Chance, DISGUISES, SURROUNDINGS, leaks, trials};
use backscroll_redact::{RedactOptions, Redactor};

/// How many secrets of each kind.
const EACH: u64 = 20;

#[test]
fn no_secret_leaks_from_any_surrounding() {
    let rules = Redactor::new(&RedactOptions::default()).expect("made so here");
    let mut left = Vec::new();
    for trial in trials() {
        let mut leaked = None;
        for seed in 0..EACH {
            let secret = trial.secret(&mut Chance::new(seed));
            for (surrounding, surround) in SURROUNDINGS {
                let text = surround(&trial.text(&secret));
                if leaks(&mut rules.fresh(), &text, &secret) {
                    leaked = Some(format!("{} ({surrounding}): {text}", trial.name));
                }
            }
        }
        left.extend(leaked);
    }
    assert!(left.is_empty(), "{} kinds leak\n{}", left.len(), left.join("\n"));
}

#[test]
fn no_token_leaks_in_disguise() {
    let rules = Redactor::new(&RedactOptions::default()).expect("made so here");
    let mut left = Vec::new();
    for trial in trials().iter().filter(|trial| trial.is_token()) {
        for (disguise, hide) in DISGUISES {
            let mut leaked = None;
            for seed in 0..EACH {
                let mut chance = Chance::new(seed + 1000);
                let secret = trial.secret(&mut chance);
                let text = hide(&secret, 1 + chance.below(secret.len() - 1));
                if leaks(&mut rules.fresh(), &text, &secret) {
                    leaked = Some(format!("{} {disguise}: {text}", trial.name));
                }
            }
            left.extend(leaked);
        }
    }
    assert!(left.is_empty(), "{} leak\n{}", left.len(), left.join("\n"));
}
