// The colours of code in the player's file panel: nothing is lost, whatever the line, and strings and comments go on.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const source = readFileSync(new URL("../../crates/render/assets/code-colour.js", import.meta.url), "utf8");
const { languageOf, cut } = new Function(`${source}; return backscrollColour;`)();
const LANGUAGES = ["a.c", "a.java", "a.tsx", "a.rs", "a.go", "a.php", "a.css", "a.py", "a.rb", "Dockerfile", "a.yaml", "a.sql", "a.lua", "a.clj", "a.json", "a.html", "a.md"];

test("languages are told by the names of files", () => {
  assert.deepEqual(["src/x.RS", "a/Makefile", "b.test.mjs", "notes", "x.unknown"].map(languageOf), ["rust", "shell", "js", null, null]);
  for (const name of LANGUAGES) assert.ok(languageOf(name), name);
});

test("words, strings, comments and numbers have their class", () => {
  const table = [
    ["a.rs", "pub fn a(x: &'a Str) { \"<b>\" } // x", [["k", "pub"], ["k", "fn"], ["f", "a"], ["t", "Str"], ["s", '"<b>"'], ["c", "// x"]]],
    ["a.py", "x = {'a': 1}  # hi", [["s", "'a'"], ["n", "1"], ["c", "# hi"]]],
    ["a.sql", "SELECT 1 -- one", [["k", "SELECT"], ["n", "1"], ["c", "-- one"]]],
    ["a.html", '<a href="x">it\'s</a>', [["k", "<a"], ["f", "href"], ["s", '"x"'], ["k", ">"], ["k", "</a>"]]],
    ["a.md", "# Head", [["k", "# Head"]]],
  ];
  for (const [name, line, expected] of table) {
    assert.deepEqual(cut(languageOf(name), line).runs.filter(([kind]) => kind), expected, line);
  }
});

test("what is open goes on in the next line", () => {
  const lines = ["/* one", "two", "three */ let a = `four", "five`;"];
  let open = null;
  const told = lines.map((line) => {
    const done = cut("js", line, open);
    ({ open } = done);
    return done.runs.filter(([kind]) => kind);
  });
  assert.deepEqual(told, [[["c", "/* one"]], [["c", "two"]], [["c", "three */"], ["k", "let"], ["s", "`four"]], [["s", "five`"]]]);
  assert.equal(open, null);
});

test("no line loses a character, and none takes long", () => {
  // A generator of its own, so that a failure can be had again.
  let seed = 20260101;
  const random = (below) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % below; };
  const pieces = ["\"", "'", "`", "\\", "/*", "*/", "//", "#", "--", "[[", "]]", "<!--", "-->", "<a", "=", " ", "é", "名", "👍", "\u0000", "fn", "12.5e3", "(", "$", "\"\"\"", "'''", "</script>", "\ud800"];
  for (let run = 0; run < 4000; run += 1) {
    const line = Array.from({ length: random(24) }, () => pieces[random(pieces.length)]).join("");
    const language = languageOf(LANGUAGES[run % LANGUAGES.length]);
    const { runs, open } = cut(language, line);
    assert.equal(runs.map(([, text]) => text).join(""), line, `${language}: ${JSON.stringify(line)}`);
    const next = cut(language, line, open);
    assert.equal(next.runs.map(([, text]) => text).join(""), line, `${language} behind what is open: ${JSON.stringify(line)}`);
  }
  // Long lines are cut at 2,000 characters before they come here.
  for (const piece of pieces) for (const name of LANGUAGES) cut(languageOf(name), piece.repeat(2000));
});
