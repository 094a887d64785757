//! Whether secrets leak: random ones of every kind, in every surrounding and disguise, and a table of what got through.

use backscroll_redact::trial::{Chance, DISGUISES, SURROUNDINGS, leaks, trials};
use backscroll_redact::{RedactOptions, Redactor};

use crate::arguments::{Arguments, Trouble};

/// Far enough apart that no two kinds begin with the same numbers.
const BETWEEN_KINDS: u64 = 1_000_003;

/// A row of a table.
#[derive(Debug, Default)]
struct Row {
    name: String,
    kinds: u64,
    tried: u64,
    leaked: u64,
}

/// Rows in the order in which they were met.
#[derive(Debug, Default)]
struct Table(Vec<Row>);

impl Table {
    fn count(&mut self, name: &str, tried: u64, leaked: u64) {
        let at = self.0.iter().position(|row| row.name == name).unwrap_or_else(|| {
            self.0.push(Row { name: name.to_owned(), ..Row::default() });
            self.0.len() - 1
        });
        let row = &mut self.0[at];
        row.kinds += 1;
        row.tried += tried;
        row.leaked += leaked;
    }

    #[expect(clippy::print_stdout, reason = "the table is what was asked for")]
    fn print(&self, what: &str) {
        println!("| {what} | kinds | tried | leaked |\n|---|---|---|---|");
        for Row { name, kinds, tried, leaked } in &self.0 {
            println!("| {} | {kinds} | {tried} | {leaked} |", name.replace('|', "\\|"));
        }
        println!();
    }
}

/// Tries `--each` secrets of each kind, or of those whose name holds `--only`, and prints tables in Markdown; kinds that leak are
/// named one by one, and each leaking text is shown on standard error.
#[expect(clippy::print_stderr, reason = "a leak is looked at by a person")]
pub(crate) fn run(arguments: &Arguments) -> Result<(), Trouble> {
    let each: u64 = arguments.number("each", 2000)?;
    let seed: u64 = arguments.number("seed", 1)?;
    let only: String = arguments.number("only", String::new())?;
    let rules = Redactor::new(&RedactOptions::default())?;
    let (mut places, mut disguises, mut leaking) = (Table::default(), Table::default(), Table::default());
    let leaks = |text: &str, secret: &str| {
        let leaks = leaks(&mut rules.fresh(), text, secret);
        if leaks {
            eprintln!("{secret:?} leaks from {text:?}");
        }
        u64::from(leaks)
    };
    for (number, trial) in (0_u64..).zip(trials()).filter(|(_, trial)| trial.name.contains(&only)) {
        let (mut tried, mut leaked) = (0, 0);
        let mut hidden = vec![0; DISGUISES.len()];
        for secret in 0..each {
            let mut chance = Chance::new(seed + secret + number * BETWEEN_KINDS);
            let secret = trial.secret(&mut chance);
            for (_, surround) in SURROUNDINGS {
                tried += 1;
                leaked += leaks(&surround(&trial.text(&secret)), &secret);
            }
            for ((_, hide), leaked) in DISGUISES.iter().zip(&mut hidden).filter(|_| trial.is_token()) {
                *leaked += leaks(&hide(&secret, 1 + chance.below(secret.len() - 1)), &secret);
            }
        }
        places.count(trial.group(), tried, leaked);
        for ((name, _), leaked) in DISGUISES.iter().zip(&hidden).filter(|_| trial.is_token()) {
            disguises.count(name, each, *leaked);
        }
        let all = leaked + hidden.iter().sum::<u64>();
        if all > 0 {
            leaking.count(&trial.name, tried, all);
        }
    }
    places.print("secret");
    disguises.print("disguise");
    leaking.print("leaks");
    Ok(())
}
