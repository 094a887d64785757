//! Made-up prose and code, cut from two long texts that are written once.

use crate::chance::Chance;

/// The amount of text of each kind that is written; everything is cut from it.
const POOL: usize = 4_000_000;

const SYLLABLES: &[&str] =
    &["ta", "ri", "mo", "len", "ka", "su", "ver", "do", "pi", "nor", "el", "zu", "gra", "tém", "hi"];
const SHAPES: &[&str] = &[
    "fn {a}_{b}(&self, {c}: usize) -> Option<{d}> {\n    self.{a}.get({c}).map(|{b}| {b}.clone())\n}\n\n",
    "    let {a} = {b}.iter().filter(|{c}| {c}.{d}()).count();\n",
    "    if {a}.{b} > {c} {\n        return Err({d}.into());\n    }\n",
    "export const {a} = ({b}) => {\n  const {c} = {b}.map((x) => x.{d});\n  return {c};\n};\n",
    "// {a} {b} before {c}, see {d}\n",
    "  \"{a}\": { \"{b}\": [1, 2, 3], \"{c}\": \"{d}\" },\n",
];

/// Two long texts to cut from.
#[derive(Debug)]
pub(crate) struct Words {
    prose: String,
    code: String,
}

impl Words {
    pub(crate) fn new(chance: &mut Chance) -> Self {
        let vocabulary: Vec<String> =
            (0..2_000).map(|_| (0..=chance.below(3)).map(|_| *chance.pick(SYLLABLES)).collect()).collect();
        let mut prose = String::with_capacity(POOL + 100);
        while prose.len() < POOL {
            prose.push_str(chance.pick::<String>(&vocabulary));
            prose.push_str(match chance.below(40) {
                0 => ".\n\n",
                1..=3 => ". ",
                4 => ", `",
                5 => "` ",
                6 => " – ",
                _ => " ",
            });
        }
        let mut code = String::with_capacity(POOL + 400);
        while code.len() < POOL {
            let shape =
                ["{a}", "{b}", "{c}", "{d}"].iter().fold((*chance.pick(SHAPES)).to_owned(), |shape, hole| {
                    shape.replace(hole, chance.pick::<String>(&vocabulary))
                });
            code.push_str(&shape);
        }
        Self { prose, code }
    }

    pub(crate) fn prose(&self, chance: &mut Chance, size: usize) -> String {
        cut(&self.prose, chance, size)
    }

    pub(crate) fn code(&self, chance: &mut Chance, size: usize) -> String {
        cut(&self.code, chance, size)
    }
}

fn cut(pool: &str, chance: &mut Chance, size: usize) -> String {
    let mut text = String::with_capacity(size + 4);
    while text.len() < size {
        let start = boundary(pool, chance.below(pool.len()));
        let end = boundary(pool, (start + size - text.len()).min(pool.len()));
        if end == start {
            text.push(' ');
        }
        text.push_str(&pool[start..end]);
    }
    text
}

/// The last boundary between characters at or before `index`.
fn boundary(text: &str, index: usize) -> usize {
    (0..=index).rev().find(|index| text.is_char_boundary(*index)).unwrap_or(0)
}
