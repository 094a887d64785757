//! Which models answered in which month: those that answered most by name, the others together.

use std::collections::{BTreeMap, HashMap};

use backscroll_history::ModelCount;

use crate::pieces::{KINDS, Stacked, without_gaps};

/// What the months are made of, earliest first.
pub(super) fn models_over_time(counts: &[ModelCount]) -> Stacked {
    let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
    for one in counts {
        *totals.entry(&one.model).or_default() += one.messages;
    }
    let mut ranked: Vec<_> = totals.into_iter().collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    // If all have a colour, nobody need stand among the others.
    let named = if ranked.len() <= KINDS { ranked.len() } else { KINDS - 1 };
    let mut kinds: Vec<String> = ranked.iter().take(named).map(|(model, _)| (*model).to_owned()).collect();
    if ranked.len() > named {
        kinds.push(format!("{} others", ranked.len() - named));
    }
    let places: HashMap<&str, usize> =
        ranked.iter().enumerate().map(|(at, (model, _))| (*model, at.min(named))).collect();
    let mut months: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for one in counts {
        let numbers = months.entry(one.month.clone()).or_insert_with(|| vec![0; kinds.len()]);
        if let Some(number) = places.get(one.model.as_str()).and_then(|at| numbers.get_mut(*at)) {
            *number += one.messages;
        }
    }
    let mut columns = without_gaps(months);
    for (_, numbers) in &mut columns {
        numbers.resize(kinds.len(), 0);
    }
    Stacked { columns, kinds }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(counts: &[(&str, &str, u64)]) -> Stacked {
        let counts: Vec<ModelCount> = counts
            .iter()
            .map(|(month, model, messages)| ModelCount {
                month: (*month).to_owned(),
                model: (*model).to_owned(),
                messages: *messages,
            })
            .collect();
        models_over_time(&counts)
    }

    #[test]
    fn each_month_has_a_number_of_each_model() {
        let told = counted(&[("2026-02", "b", 3), ("2026-01", "a", 1), ("2026-02", "a", 1)]);
        assert_eq!(told.kinds, ["b", "a"]);
        assert_eq!(told.columns, [("2026-01".to_owned(), vec![0, 1]), ("2026-02".to_owned(), vec![3, 1])]);
    }

    #[test]
    fn those_without_a_colour_stand_together() {
        let all = [9, 8, 7, 6, 5, 4, 3].map(|number| ("2026-01", number));
        let named: Vec<String> = all.iter().map(|(_, number)| format!("m{number}")).collect();
        let counts: Vec<_> =
            all.iter().zip(&named).map(|((month, number), name)| (*month, name.as_str(), *number)).collect();
        let told = counted(&counts);
        assert_eq!(told.kinds, ["m9", "m8", "m7", "m6", "m5", "2 others"]);
        assert_eq!(told.columns, [("2026-01".to_owned(), vec![9, 8, 7, 6, 5, 7])]);
        assert_eq!(counted(&counts[..6]).kinds.last().map(String::as_str), Some("m4"));
        assert_eq!(counted(&[]).columns, []);
    }
}
