//! Whether secrets leak: random ones of every kind, in every surrounding and disguise, and a table of what got through.

use std::collections::BTreeMap;

use backscroll_redact::trial::{Chance, DISGUISES, SURROUNDINGS, leaks, trials};
use backscroll_redact::{RedactOptions, Redactor};

use crate::arguments::{Arguments, Trouble};

/// Far enough apart that no two kinds begin with the same numbers.
const BETWEEN_KINDS: u64 = 1_000_003;

/// What was tried and what leaked.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    tried: u64,
    leaked: u64,
}

impl Tally {
    fn count(&mut self, has_leaked: bool) {
        self.tried += 1;
        self.leaked += u64::from(has_leaked);
    }
}

/// Tries `--each` secrets of each kind and prints a table in Markdown.
#[expect(clippy::print_stdout, reason = "the table is what was asked for")]
pub(crate) fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let each: u64 = arguments.number("each", 2000)?;
    let seed: u64 = arguments.number("seed", 1)?;
    let rules = Redactor::new(&RedactOptions::default())?;
    let mut all = Tally::default();
    let mut by_disguise: BTreeMap<&str, Tally> = BTreeMap::new();
    println!("| kind | secrets | in surroundings | leaked | disguised | leaked |\n|---|---|---|---|---|---|");
    for (number, trial) in (0_u64..).zip(trials()) {
        let (mut plain, mut disguised) = (Tally::default(), Tally::default());
        for secret in 0..each {
            let mut chance = Chance::new(seed + secret + number * BETWEEN_KINDS);
            let secret = trial.secret(&mut chance);
            for (_, surround) in SURROUNDINGS {
                plain.count(leaks(&mut rules.fresh(), &surround(&trial.text(&secret)), &secret));
            }
            for (name, hide) in DISGUISES.iter().filter(|_| trial.is_token()) {
                let text = hide(&secret, 1 + chance.below(secret.len() - 1));
                let has_leaked = leaks(&mut rules.fresh(), &text, &secret);
                disguised.count(has_leaked);
                by_disguise.entry(name).or_default().count(has_leaked);
            }
        }
        let name = trial.name.replace('|', "\\|");
        let (Tally { tried, leaked }, hidden) = (plain, disguised);
        println!("| `{name}` | {each} | {tried} | {leaked} | {} | {} |", hidden.tried, hidden.leaked);
        all.tried += plain.tried + disguised.tried;
        all.leaked += plain.leaked + disguised.leaked;
    }
    println!("\n| disguise | tried | leaked |\n|---|---|---|");
    for (name, Tally { tried, leaked }) in by_disguise {
        println!("| {name} | {tried} | {leaked} |");
    }
    println!("\n{} of {} leaked.", all.leaked, all.tried);
    Ok(())
}
