//! Which endings make a dotted word the name of a file. A list, because `self.items` looks just the same.

/// Endings of the kinds of files that developers name, by their length, from one to ten.
const ENDINGS: [&str; 10] = [
    "c h m r",
    "rs py go js ts md cc cs kt rb sh pl hs ml ex db tf fs vb mm hh jl",
    "tsx jsx mjs cjs mts cts css cpp hpp cxx php sql xml yml txt log lua csv tsv env ini cfg zip png jpg gif svg pdf mdx mdc vue zig nix exs erl clj elm bat ps1 htm rst bak pem key crt",
    "dart lock html json toml yaml java scss sass less bash fish conf diff webp jpeg wasm",
    "proto swift scala jsonl jsonc ipynb plist patch cmake vscdb",
    "gradle svelte sqlite",
    "graphql parquet",
    "",
    "",
    "properties dockerfile",
];

/// Whether `ending` is the ending of a kind of file that developers name.
pub(super) fn is_ending(ending: &str) -> bool {
    let of_its_length = ending.len().checked_sub(1).and_then(|place| ENDINGS.get(place));
    of_its_length.is_some_and(|list| list.split(' ').any(|known| known.eq_ignore_ascii_case(ending)))
}
