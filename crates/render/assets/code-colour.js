// Colours for code that is shown line by line. It knows words, strings, comments and numbers of common languages, not their
// grammar: it has to keep up with a dragged scrub bar, and to be small. The classes are those of coloured code on every page.
const backscrollColour = (() => {
  "use strict";
  const words = (text) => new Set(text.split(" "));
  const COMMON = "if else for while do switch case default break continue return true false null new try catch finally throw class static public private protected import package this super void int long float double boolean bool char enum interface extends implements abstract final const";
  const SCRIPT = `${COMMON} let var function async await of in typeof instanceof delete yield export from as undefined get set type namespace declare readonly keyof infer satisfies never unknown any string number object symbol`;
  const LANGUAGES = {
    c: { line: "//", block: ["/*", "*/"], single: true, preprocessed: true, words: words(`${COMMON} struct union typedef sizeof unsigned signed short extern inline namespace using template typename virtual override auto nullptr constexpr noexcept operator friend delete goto`) },
    java: { line: "//", block: ["/*", "*/"], single: true, words: words(`${COMMON} var val fun when object data sealed override open internal companion suspend is as in out by lateinit namespace using string decimal async await get set readonly record virtual partial where yield throws synchronized native def trait match lazy implicit extension required late dynamic`) },
    js: { line: "//", block: ["/*", "*/"], many: [["`", "`"]], words: words(SCRIPT) },
    rust: { line: "//", block: ["/*", "*/"], single: true, words: words("as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str") },
    go: { line: "//", block: ["/*", "*/"], many: [["`", "`"]], single: true, words: words("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false string int int64 int32 uint uint64 byte rune bool error float64 any") },
    php: { line: "//", hash: true, block: ["/*", "*/"], words: words(`${COMMON} function echo foreach elseif fn use namespace trait match array isset unset require include require_once include_once global self parent mixed string`) },
    css: { block: ["/*", "*/"], dashes: true, words: words("important media supports container keyframes import layer property") },
    python: { hash: true, many: [['"""', '"""'], ["'''", "'''"]], words: words("and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield True False None self match case") },
    ruby: { hash: true, words: words("alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield require attr_accessor attr_reader end") },
    shell: { hash: true, dashes: true, words: words("if then else elif fi for while until do done case esac in function return local export readonly declare set unset exit trap source echo cd eval exec FROM RUN COPY ADD CMD ENTRYPOINT ENV ARG WORKDIR EXPOSE USER LABEL") },
    conf: { hash: true, dashes: true, many: [['"""', '"""']], words: words("true false null yes no on off") },
    sql: { line: "--", block: ["/*", "*/"], anyCase: true, words: words("select from where and or not null insert into values update set delete create table index unique primary key foreign references join left right inner outer on group by order having limit offset as distinct case when then else end union all exists in is like between alter add drop view with default constraint check begin commit rollback integer text varchar boolean timestamp returning if") },
    lua: { line: "--", block: ["--[[", "]]"], many: [["[[", "]]"]], words: words("and break do else elseif end false for function goto if in local nil not or repeat return then true until while") },
    lisp: { line: ";", dashes: true, words: words("def defn defun defmacro let lambda if cond when unless fn loop recur ns require nil true false t") },
    json: { line: "//", block: ["/*", "*/"], words: words("true false null") },
    markup: { block: ["<!--", "-->"], isMarkup: true, words: words("") },
    prose: { isProse: true, words: words("") },
  };
  const ENDINGS = {
    c: "c h cc cpp cxx hpp hh hxx m mm ino glsl wgsl cu", java: "java kt kts scala groovy gradle cs dart swift proto", js: "js mjs cjs jsx ts mts cts tsx vue svelte astro",
    rust: "rs", go: "go", php: "php", css: "css scss less sass", python: "py pyi pyw bzl star", ruby: "rb rake gemspec ex exs cr jl r",
    shell: "sh bash zsh fish ksh dockerfile containerfile makefile mk justfile ps1", conf: "yml yaml toml ini cfg conf env properties editorconfig gitignore tf hcl nix cmake",
    sql: "sql", lua: "lua", lisp: "lisp clj cljs cljc el scm rkt", json: "json jsonc json5 jsonl ipynb", markup: "html htm xml svg xhtml plist", prose: "md mdx markdown",
  };
  const byEnding = new Map(Object.entries(ENDINGS).flatMap(([name, endings]) => endings.split(" ").map((ending) => [ending, name])));
  const quoted = (text) => text.replace(/[.*+?^${}()|[\]\\/]/gu, "\\$&");

  // One expression for each language: whatever it finds is of the kind of the group that found it.
  const prepared = new Map();
  const prepare = (name) => {
    const rules = LANGUAGES[name];
    const opening = [...(rules.block ? [rules.block] : []), ...(rules.many ?? [])];
    const comments = [rules.line && `${quoted(rules.line)}.*`, rules.hash && "(?<![^\\s;])#.*"].filter(Boolean);
    const single = rules.single ? "'(?:\\\\[^']+|[^'\\\\])'" : "'(?:\\\\.|[^'\\\\])*'?";
    const sources = [
      `(?<open>${opening.map(([from]) => quoted(from)).join("|") || "(?!)"})`,
      `(?<c>${comments.join("|") || "(?!)"})`,
      `(?<s>"(?:\\\\.|[^"\\\\])*"?|${single})`,
      "(?<n>\\b\\d[\\w.]*)",
      rules.preprocessed ? "(?<k>^\\s*#\\s*\\w+)" : rules.isMarkup ? "(?<k><\\/?[\\w:-]+|\\/?>)" : rules.isProse ? "(?<k>^#{1,6} .*)" : "(?<k>(?!))",
      rules.isMarkup ? "(?<f>[\\w:-]+(?==))" : rules.isProse ? "(?<f>`[^`]+`|\\*\\*[^*]+\\*\\*)" : "(?<f>(?!))",
      `(?<word>[\\p{L}_$@][\\p{L}\\p{N}_$${rules.dashes ? "-" : ""}]*)`,
    ];
    // In prose and markup words and quotes are just that.
    if (rules.isProse) [sources[2], sources[3], sources[6]] = ["(?<s>(?!))", "(?<n>(?!))", "(?<word>(?!))"];
    if (rules.isMarkup) [sources[2], sources[3], sources[6]] = ['(?<s>(?<==)"[^"]*"?|(?<==)\'[^\']*\'?)', "(?<n>(?!))", "(?<word>(?!))"];
    const known = { rules, opening, pattern: new RegExp(sources.join("|"), "gu") };
    prepared.set(name, known);
    return known;
  };
  const kindOfWord = ({ rules }, word, next) => {
    if (rules.words.has(rules.anyCase ? word.toLowerCase() : word)) return "k";
    if (next === "(") return "f";
    return /^\p{Lu}/u.test(word) && !rules.dashes && !rules.anyCase ? "t" : "";
  };

  /** The language of files with this name; null for those that are not coloured. */
  const languageOf = (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
    return byEnding.get(name.slice(name.lastIndexOf(".") + 1)) ?? byEnding.get(name.split(".")[0]) ?? null;
  };
  /**
   * Cuts a line into runs `[class, text]`. `open` is what the lines before left open, and so is what is given back:
   * the mark that will end it, or nothing.
   */
  const cut = (language, line, open = null) => {
    const known = prepared.get(language) ?? prepare(language);
    const runs = [];
    const put = (kind, text) => {
      if (!text) return;
      if (runs.at(-1)?.[0] === kind) runs.at(-1)[1] += text; else runs.push([kind, text]);
    };
    let at = 0;
    let within = open;
    while (at <= line.length) {
      if (within) {
        const end = line.indexOf(within.end, at + (within.skip ?? 0));
        const to = end < 0 ? line.length : end + within.end.length;
        put(within.kind, line.slice(at, to));
        if (end < 0) return { runs, open: { kind: within.kind, end: within.end } };
        [at, within] = [to, null];
      }
      known.pattern.lastIndex = at;
      const found = known.pattern.exec(line);
      if (!found) { put("", line.slice(at)); break; }
      put("", line.slice(at, found.index));
      const { open: opens, word } = found.groups;
      at = found.index + found[0].length;
      if (opens) {
        const [from, end] = known.opening.find(([mark]) => mark === opens);
        within = { kind: from === known.rules.block?.[0] ? "c" : "s", end, skip: from.length };
        at = found.index;
      } else if (word) {
        put(kindOfWord(known, word, line[at]), word);
      } else {
        put(["c", "s", "n", "k", "f"].find((kind) => found.groups[kind] !== undefined), found[0]);
      }
    }
    return { runs, open: null };
  };
  return { languageOf, cut };
})();
