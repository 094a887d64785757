//! Charts as pictures that scale, with a table of the same numbers behind each. No style stands in them: geometry is in
//! attributes, colour in classes.

use maud::{Markup, html};

use super::count;

/// One bar.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: u64,
    /// Where it leads, if anywhere.
    pub(crate) address: Option<String>,
}

impl Bar {
    pub(crate) fn new(name: impl Into<String>, value: u64) -> Self {
        Self { name: name.into(), value, address: None }
    }

    pub(crate) fn leading_to(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self
    }
}

/// Bars below each other, the name and the number in words beside each: readable without a further table.
pub(crate) fn bars(bars: &[Bar]) -> Markup {
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or(0).max(1);
    html! {
        ul.bars {
            @for bar in bars {
                li {
                    span.name { @match &bar.address { Some(address) => a href=(address) title=(bar.name) { (bar.name) }, None => (bar.name) } }
                    svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
                        rect.ground width="100" height="6" {}
                        rect.filled width=(share(bar.value, most)) height="6" {}
                    }
                    span.value { (count(bar.value)) }
                }
            }
        }
    }
}

/// Columns beside each other, for what has an order, such as hours or months.
pub(crate) fn columns(title: &str, of: &str, columns: &[Bar]) -> Markup {
    let most = columns.iter().map(|column| column.value).max().unwrap_or(0).max(1);
    // A single column as wide as the page would look like a lot.
    let step = 720 / columns.len().max(12);
    let every = columns.len().div_ceil(12).max(1);
    html! {
        figure.columns {
            figcaption { (title) }
            svg viewBox="0 0 720 170" role="img" aria-label={ (title) ". The table below has the numbers." } {
                line.ground x1="0" x2="720" y1="140.5" y2="140.5" {}
                @for (at, column) in columns.iter().enumerate() {
                    @let height = column.value * 130 / most;
                    @if column.value > 0 {
                        rect.filled x=(at * step + 1) y=(140 - height.max(1)) width=(step.saturating_sub(2).max(1)) height=(height.max(1)) rx="1" {
                            title { (column.name) ": " (count(column.value)) }
                        }
                    }
                    @if at % every == 0 {
                        text.axis x=(at * step + step / 2) y="158" text-anchor="middle" { (column.name) }
                    }
                }
            }
            details.numbers {
                summary { "Numbers" }
                table {
                    thead { tr { th scope="col" { "When" } th.number scope="col" { (of) } } }
                    tbody { @for column in columns { tr { th scope="row" { (column.name) } td.number { (count(column.value)) } } } }
                }
            }
        }
    }
}

/// `value` of `most` in hundredths, at least one where there is anything.
fn share(value: u64, most: u64) -> u64 {
    if value == 0 { 0 } else { (value.saturating_mul(100) / most.max(1)).max(1) }
}
