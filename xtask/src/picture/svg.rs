//! A terminal window as an SVG. Every span stands in its own cell and is stretched to its own length, so that columns
//! stay straight whatever monospace font the reader has.

use std::fmt::Write;

use super::styled::{Look, Span};

const CELL: f64 = 8.4;
const LINE: f64 = 19.0;
const MARGIN: f64 = 22.0;
const BAR: f64 = 38.0;
const BEHIND: &str = "#1a1e27";
const PLAIN: &str = "#d7dce6";

/// Black, red, green, yellow, blue, magenta, cyan, white.
const COLOURS: [&str; 8] =
    ["#5b6270", "#f0787d", "#8fd08b", "#e5c27a", "#7eaaf5", "#c794ea", "#6fcbd8", "#ffffff"];
const LIGHTS: [&str; 3] = ["#f0787d", "#e5c27a", "#8fd08b"];

/// The window that shows `lines`, `cells` wide. `about` says what it shows to those who cannot see it.
pub(super) fn window(lines: &[Vec<Span>], cells: u16, about: &str) -> String {
    let width = f64::from(cells) * CELL + 2.0 * MARGIN;
    let height = BAR + f64::from(u32::try_from(lines.len()).unwrap_or(0)) * LINE + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" xml:space=\"preserve\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{BEHIND}\"/>\n",
        escaped(about)
    );
    for (at, light) in [22, 42, 62].into_iter().zip(LIGHTS) {
        line(&mut svg, format_args!("<circle cx=\"{at}\" cy=\"20\" r=\"6\" fill=\"{light}\"/>"));
    }
    line(
        &mut svg,
        format_args!(
            "<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
             font-size=\"14\" fill=\"{PLAIN}\">"
        ),
    );
    let mut below = BAR + LINE - 5.0;
    for spans in lines {
        for span in spans {
            text(&mut svg, span, below);
        }
        below += LINE;
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn text(svg: &mut String, span: &Span, below: f64) {
    let cells = |number: usize| f64::from(u32::try_from(number).unwrap_or(0)) * CELL;
    let (left, length) = (MARGIN + cells(span.cell), cells(span.text.chars().count()));
    let (looks, shown) = (attributes(span.look), escaped(&span.text));
    line(
        svg,
        format_args!(
            "<text x=\"{left:.1}\" y=\"{below:.1}\" textLength=\"{length:.1}\" \
             lengthAdjust=\"spacingAndGlyphs\"{looks}>{shown}</text>"
        ),
    );
}

fn attributes(look: Look) -> String {
    let mut attributes = String::new();
    if let Some(colour) = look.colour.and_then(|colour| COLOURS.get(usize::from(colour))) {
        attributes.extend([" fill=\"", colour, "\""]);
    }
    if look.is_bold {
        attributes += " font-weight=\"bold\"";
    }
    if look.is_dim {
        attributes += " fill-opacity=\"0.6\"";
    }
    attributes
}

fn line(svg: &mut String, written: std::fmt::Arguments<'_>) {
    // A string takes everything.
    let _ = writeln!(svg, "{written}");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
