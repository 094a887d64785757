//! The answer to a question without words: the listing itself, narrowed.

use std::collections::BTreeMap;

use backscroll_model::Summary;
use jiff::tz::TimeZone;

use super::{Answer, Asked, Choice, Facet, Hit};
use crate::edition::Edition;

/// How many are shown at once.
pub(super) const PAGE: usize = 40;
/// Choices of one facet that are shown.
const CHOICES: usize = 12;

/// The conversations that `asked` asks for, last changed first.
pub(crate) fn listing(edition: &Edition, asked: &Asked, time_zone: &TimeZone) -> Answer {
    let wanted: Vec<&Summary> =
        edition.summaries.iter().filter(|summary| asked.wants(summary, time_zone)).collect();
    let limit = asked.limit_of(PAGE);
    let end = asked.from.saturating_add(limit);
    let hits = wanted
        .iter()
        .skip(asked.from)
        .take(limit)
        .map(|summary| Hit { summary: (*summary).clone(), found: Vec::new() });
    Answer {
        hits: hits.collect(),
        total: wanted.len(),
        facets: facets(edition, asked, time_zone),
        next: (end < wanted.len()).then_some(end),
        ..Answer::default()
    }
}

/// Each facet is counted over what the others leave, so that another choice of the same can be seen.
fn facets(edition: &Edition, asked: &Asked, time_zone: &TimeZone) -> Vec<Facet> {
    let without = |change: fn(&mut Asked)| {
        let mut asked = asked.clone();
        change(&mut asked);
        edition.summaries.iter().filter(move |summary| asked.wants(summary, time_zone))
    };
    let facet = |name, title, values| Facet { name, title, choices: values };
    vec![
        facet(
            "surface",
            "Held in",
            counted("surface", without(|asked| asked.surface.clear()), |summary| {
                vec![summary.surface.name()]
            }),
        ),
        facet(
            "model",
            "Model",
            counted("model", without(|asked| asked.model.clear()), |summary| {
                summary.models.iter().map(String::as_str).collect()
            }),
        ),
        facet(
            "mode",
            "Mode",
            counted("mode", without(|asked| asked.mode.clear()), |summary| {
                summary.mode.as_deref().into_iter().collect()
            }),
        ),
        facet(
            "workspace",
            "Workspace",
            counted("workspace", without(|asked| asked.workspace.clear()), |summary| {
                summary.workspace.iter().map(|workspace| workspace.path.as_str()).collect()
            }),
        ),
        facet("on", "Month", months(without(|asked| asked.on.clear()), time_zone)),
    ]
}

/// Months in which conversations last changed, latest first.
fn months<'a>(summaries: impl Iterator<Item = &'a Summary>, time_zone: &TimeZone) -> Vec<Choice> {
    let mut counts: BTreeMap<(i16, i8), u64> = BTreeMap::new();
    for at in summaries.filter_map(Summary::recency) {
        let day = at.to_zoned(time_zone.clone()).date();
        *counts.entry((day.year(), day.month())).or_default() += 1;
    }
    let choice = |((year, month), count)| Choice::new("on", format!("{year:04}-{month:02}"), count);
    counts.into_iter().rev().take(CHOICES).map(choice).collect()
}

fn counted<'a>(
    name: &str,
    summaries: impl Iterator<Item = &'a Summary>,
    names: impl Fn(&'a Summary) -> Vec<&'a str>,
) -> Vec<Choice> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for value in summaries.flat_map(names) {
        *counts.entry(value).or_default() += 1;
    }
    let mut values: Vec<Choice> =
        counts.into_iter().map(|(value, count)| Choice::new(name, value, count)).collect();
    values.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    values.truncate(CHOICES);
    values
}
