// The replay in a real browser: it plays, scrubs, and shows every file as it was, by a way of its own.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";

import { keep } from "../checkpoint.mjs";
import { launch, watchedPage } from "../launch.mjs";
import { addressOf } from "../pages.mjs";

const replays = resolve(process.env.BACKSCROLL_PAGES, "replay");
const built = process.env.BACKSCROLL_BUILT;
const expected = JSON.parse(readFileSync(join(replays, "expected.json"), "utf8"));
let browser;
let made;
before(async () => {
  browser = await launch();
  made = mkdtempSync(join(tmpdir(), "replay-"));
});
after(async () => {
  await browser.close();
  rmSync(made, { recursive: true });
});

const open = async (path, options) => {
  const watched = await watchedPage(browser, options);
  await watched.page.goto(addressOf(path));
  return watched;
};
const worked = (options) => open(join(replays, "worked.html"), options);

/** Everything that is seen: messages and parts in sight, what is unfolded, the files, the player. */
const seen = (page) => page.evaluate(() => {
  const inSight = (element) => !element.classList.contains("later");
  return {
    step: backscrollReplay.step,
    messages: [...document.querySelectorAll("#conversation > .leaf:not(.later) > .message")].filter(inSight).map((message) => message.id),
    parts: [...document.querySelectorAll("#conversation > .leaf:not(.later) > .message:not(.later) > .part")].filter(inSight).length,
    open: [...document.querySelectorAll("#conversation > .leaf:not(.later) > .message:not(.later) > details[open]")].length,
    tabs: [...document.querySelectorAll("#tabs button:not([hidden])")].map((tab) => tab.title + tab.getAttribute("aria-selected")),
    rows: [...document.querySelectorAll("#file-rows .row")].map((row) => row.textContent),
    caption: document.querySelector("#caption").textContent,
    real: document.querySelector("#real").textContent,
    chapter: document.querySelector("#chapters a[aria-current]").dataset.step,
  };
});

test("it opens from a file without a complaint, and fetches nothing", async () => {
  const { page, troubles, fetched } = await worked();
  assert.equal(await page.evaluate(() => backscrollReplay.steps), expected.entries.length);
  assert.equal(await page.locator("#conversation > .leaf:not(.later) > .message:not(.later)").count(), 1);
  assert.deepEqual([troubles, fetched], [[], []]);
});

test("there are no tabs before there is a file", async () => {
  const { page } = await worked();
  const shown = (step) => page.evaluate((step) => {
    backscrollReplay.go(step);
    document.querySelector("#files").hidden = false;
    return { tabs: document.querySelectorAll("#tabs button:not([hidden])").length, height: document.querySelector("#tabs").getBoundingClientRect().height };
  }, step);
  assert.deepEqual(await shown(0), { tabs: 0, height: 0 });
  const last = await shown(expected.entries.length - 1);
  assert.ok(last.tabs > 0 && last.height > 20, JSON.stringify(last));
});

test("every step has its part", async () => {
  const { page } = await worked();
  const parts = await page.locator("#conversation > .leaf > .message > .part").count();
  assert.equal(parts, expected.entries.length);
});

test("playing goes on, and pausing stops it", async () => {
  const { page, troubles } = await worked();
  await page.selectOption("#speed", "8");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => backscrollReplay.step >= 3);
  assert.equal(await page.getAttribute("#play-pause", "aria-pressed"), "true");
  await page.keyboard.press("Space");
  const stopped = await page.evaluate(() => backscrollReplay.now);
  await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
  assert.equal(await page.evaluate(() => backscrollReplay.now), stopped);
  assert.deepEqual(troubles, []);
});

test("words are typed", async () => {
  const { page } = await worked();
  const share = await page.evaluate(() => {
    backscrollReplay.seek(1500);
    const [range] = CSS.highlights.get("untyped");
    const whole = document.querySelector("#m1 .text").textContent;
    return range.toString().length / whole.length;
  });
  assert.ok(share > 0.05 && share < 0.95, `${share} is not yet typed`);
});

test("every file is at every step what the work made of it", async () => {
  const { page } = await worked();
  const told = expected.entries.map(({ path }, step) => ({ path, step })).filter(({ path }) => path);
  const rows = await page.evaluate((asked) => asked.map(({ path, step }) => backscrollReplay.file(path, step)), told);
  assert.ok(told.length > 30);
  for (const [at, { path, step }] of told.entries()) {
    assert.deepEqual(rows[at], expected.entries[step].lines, `${path} at step ${step}`);
  }
  // Backwards and in leaps it comes to the same.
  const leaps = told.map((_, at) => told[(at * 7919) % told.length]).reverse();
  const again = await page.evaluate((asked) => asked.map(({ path, step }) => backscrollReplay.file(path, step)), leaps);
  for (const [at, { step }] of leaps.entries()) assert.deepEqual(again[at], expected.entries[step].lines);
});

test("the panel shows the lines, and the change of the step", async () => {
  const { page } = await worked({ viewport: { width: 1440, height: 900 } });
  const step = expected.entries.findIndex(({ kind }) => kind === "edit");
  await page.evaluate((at) => backscrollReplay.go(at), step);
  assert.equal(await page.textContent("#file-path"), expected.entries[step].path);
  assert.match(await page.textContent("#file-change"), /^edited( [+−]\d+)+$/u);
  const [before, now] = [expected.entries[step - 1].lines, expected.entries[step].lines];
  const came = await page.locator(".row.came .line").allTextContents();
  assert.ok(came.length + (await page.locator(".row.went").count()) > 0);
  for (const line of came) assert.ok(now.includes(line) && !before.includes(line), line);
  for (const line of await page.locator(".row.went .line").allTextContents()) assert.ok(before.includes(line), line);
});

test("the code is coloured, and its text is the same", async () => {
  const { page } = await worked({ viewport: { width: 1440, height: 900 } });
  const isComment = (line) => line.trim().startsWith("//");
  const step = expected.entries.findIndex(({ kind, lines }, at) => kind === "edit" && lines.some((line) => isComment(line) && !expected.entries[at - 1].lines.includes(line)));
  await page.evaluate((at) => backscrollReplay.go(at), step);
  const comment = await page.locator(".row.came .line .c").first().textContent();
  assert.ok(expected.entries[step].lines.some((line) => line.includes(comment) && isComment(line)), comment);
  const rows = await page.locator("#file-rows .row:not(.went) .line").allTextContents();
  assert.ok(expected.entries[step].lines.join("\n").includes(rows.join("\n")), "the rows are lines of the file");
  const [came, still] = await page.evaluate(() => ["came", ""].map((kind) => getComputedStyle(document.querySelector(kind ? `.row.${kind}` : ".row:not(.came, .went, .gap)")).backgroundColor));
  assert.notEqual(came, still);
});

test("a checkpoint is believed, and what does not fit it is marked", async () => {
  const home = join(made, "kept");
  cpSync(join(replays, "home"), home, { recursive: true });
  const edits = expected.entries.flatMap(({ kind, path }, at) => (kind === "edit" ? [{ at, path }] : []));
  const [step, next] = edits.flatMap((edit, at) => (edits[at + 1]?.path === edit.path ? [[edit.at, edits[at + 1].at]] : []))[0];
  const { path, lines } = expected.entries[step];
  const kept = [...lines, "// by the formatter"];
  const id = JSON.parse(execFileSync(join(built, "backscroll"), ["--home", home, "list", "--json"], { encoding: "utf8" }).split("\n")[0]).id;
  keep(home, id, step, `file:///home/mira/harbour/${path}`, lines, kept);
  const file = join(made, "kept.html");
  execFileSync(join(built, "backscroll"), ["--home", home, "replay", "@1", "--force", "-o", file], { stdio: "pipe" });
  const { page, troubles } = await open(file, { viewport: { width: 1440, height: 900 } });
  await page.evaluate((at) => backscrollReplay.go(at), step);
  assert.deepEqual(await page.evaluate(([name, at]) => backscrollReplay.file(name, at), [path, step]), kept);
  assert.match(await page.textContent("#file-trouble"), /checkpoint kept/u);
  assert.ok(await page.locator("#file-kept").isVisible());
  await page.evaluate(() => { const view = document.getElementById("file-view"); view.scrollTop = view.scrollHeight; });
  await page.locator(".row.came .line", { hasText: "// by the formatter" }).waitFor();
  // Behind it the steps go on from what was kept, before it nothing is another.
  await page.evaluate((at) => backscrollReplay.go(at), next);
  const behind = await page.evaluate(([name, at]) => backscrollReplay.file(name, at), [path, next]);
  assert.ok(behind.includes("// by the formatter"));
  assert.deepEqual(behind.filter((line) => line !== "// by the formatter"), expected.entries[next].lines);
  assert.ok(!(await page.locator("#file-kept").isVisible()));
  await page.evaluate((at) => backscrollReplay.go(at), step - 1);
  assert.ok(!(await page.locator("#file-trouble").isVisible()));
  assert.deepEqual(troubles, []);
});

test("a drag shows where it is, however far it leaps", async () => {
  const { page } = await worked({ viewport: { width: 1440, height: 900 } });
  const box = await page.locator("#position").boundingBox();
  await page.mouse.move(box.x + 8, box.y + box.height / 2);
  await page.mouse.down();
  for (const share of [0.9, 0.1, 0.6, 0.05, 0.99, 0.5]) {
    await page.mouse.move(box.x + 8 + (box.width - 16) * share, box.y + box.height / 2);
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
    const { message, last, inView } = await page.evaluate(() => {
      const shown = [...document.querySelectorAll("#conversation .message")].filter((one) => one.checkVisibility());
      const on = document.querySelector(".on-now").getBoundingClientRect();
      return {
        message: document.querySelector(".on-now").closest(".message").id, last: shown.at(-1).id,
        inView: on.bottom > 60 && on.top < innerHeight - 100,
      };
    });
    assert.equal(last, message, "nothing is shown behind the step that is on");
    assert.ok(inView, `at ${share} the step is in view`);
  }
  await page.mouse.up();
});

test("to the end and back is as if one had never left", async () => {
  const { page, troubles } = await worked();
  const wanted = Math.floor(expected.entries.length / 2);
  const states = [];
  for (let step = 0; step <= wanted; step += 1) {
    await page.evaluate((at) => backscrollReplay.go(at), step);
    if (step % 10 === 0 || step === wanted) states.push([step, await seen(page)]);
  }
  await page.keyboard.press("End");
  await page.waitForFunction(() => backscrollReplay.step === backscrollReplay.steps - 1);
  for (const [step, state] of states.reverse()) {
    await page.evaluate((at) => backscrollReplay.go(at), step);
    assert.deepEqual(await seen(page), state, `step ${step}`);
  }
  assert.deepEqual(troubles, []);
});

test("there is a marker for each prompt, edit, command and error", async () => {
  const { page } = await worked();
  const count = (isOne) => expected.entries.filter(isOne).length;
  const wanted = {
    prompt: count(({ kind }) => kind === "prompt"),
    edit: count(({ kind }) => kind === "edit"),
    shell: count(({ kind }) => kind === "shell"),
    error: count(({ failed }) => failed),
  };
  const chips = await page.locator("#legend .chip").evaluateAll((all) => all.map((chip) => [chip.dataset.kind, Number(chip.dataset.count)]));
  assert.deepEqual(Object.fromEntries(chips), wanted);
  assert.equal(await page.locator("#chapters li").count(), wanted.prompt);
});

test("keys and chapters lead everywhere", async () => {
  const { page } = await worked({ viewport: { width: 1440, height: 900 } });
  const step = () => page.evaluate(() => backscrollReplay.step);
  const prompts = expected.entries.flatMap(({ kind }, at) => (kind === "prompt" ? [at] : []));
  await page.keyboard.press("ArrowRight");
  assert.equal(await step(), 1);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await step(), 0);
  await page.keyboard.press("ArrowDown");
  assert.equal(await step(), prompts[1]);
  await page.keyboard.press("ArrowUp");
  assert.equal(await step(), 0);
  await page.keyboard.press("e");
  assert.equal(await step(), expected.entries.findIndex(({ kind }) => kind === "edit"));
  await page.keyboard.press(">");
  assert.equal(await page.inputValue("#speed"), "1.5");
  await page.keyboard.press("?");
  assert.ok(await page.locator("#replay-help").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#replay-help").isVisible()));
  await page.locator("#chapters a").nth(2).click();
  assert.equal(await step(), prompts[2]);
});

test("the page follows the play until the reader scrolls", async () => {
  const { page } = await worked();
  await page.evaluate(() => backscrollReplay.go(40));
  await page.mouse.move(500, 400);
  await page.mouse.wheel(0, -600);
  await page.locator("#follow").waitFor({ state: "visible" });
  await page.keyboard.press("ArrowRight");
  await page.locator("#follow").waitFor({ state: "hidden" });
});

test("pauses are told", async () => {
  const { page } = await worked();
  assert.match(await page.locator(".pause-between").first().textContent(), /^3 h later$/u);
});

test("on a phone the files are a sheet, and nothing sticks out", async () => {
  const { page, troubles } = await worked({ viewport: { width: 390, height: 844 }, hasTouch: true });
  await page.evaluate(() => backscrollReplay.go(20));
  assert.ok(!(await page.locator("#files").isVisible()));
  await page.locator('[data-sheet="files"]').click();
  assert.ok(await page.locator("#files").isVisible());
  assert.ok((await page.locator("#file-rows .row").count()) > 5);
  await page.locator('[data-sheet="files"]').click();
  assert.ok(!(await page.locator("#files").isVisible()));
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width} wide`);
  assert.deepEqual(troubles, []);
});

test("who wants no motion gets none", async () => {
  const { page } = await worked({ reducedMotion: "reduce" });
  assert.equal(await page.evaluate(() => { backscrollReplay.seek(500); return CSS.highlights.has("untyped"); }), false);
});

test("without JavaScript the conversation can be read", async () => {
  const { page } = await worked({ javaScriptEnabled: false });
  const messages = page.locator("#conversation > .leaf:not(.later) > .message");
  assert.ok(await messages.last().isVisible());
  assert.ok(!(await page.locator("#player").isVisible()));
  await page.locator("#chapters a").last().click();
});

const replay = (...words) => {
  const file = join(made, "made.html");
  execFileSync(join(built, "backscroll"), ["--home", join(replays, "home"), "replay", "@1", "--force", "-o", file, ...words], { stdio: "pipe" });
  return readFileSync(file, "utf8");
};

test("what is hidden is nowhere in the file", () => {
  const whole = replay("--no-redact");
  const thought = /class="part thinking".*?<p>(\S+ \S+)/su.exec(whole)[1];
  const wanted = ["cargo test --workspace", "/home/mira/harbour", "line 0 of", thought];
  for (const words of wanted) assert.ok(whole.includes(words), words);
  const withoutTools = replay("--hide", "tools,thinking");
  for (const words of ["cargo test", "line 0 of", "part_", 'class="part thinking"']) assert.ok(!withoutTools.includes(words), words);
  const withoutResults = replay("--hide", "results");
  assert.ok(withoutResults.includes("cargo test --workspace") && !withoutResults.includes("totalLinesInFile"));
  const withoutPaths = replay("--hide", "paths");
  assert.ok(!withoutPaths.includes("mira") && withoutPaths.includes("src/part_"));
  const some = replay("--from", "9", "--to", "12", "--title", "Four", "--notes", "**Look** at this");
  assert.equal(some.match(/<article /gu).length, 4);
  assert.ok(some.includes("<title>Four</title>") && some.includes("<strong>Look</strong> at this"));
});

test("hostile text stays text", async () => {
  const pages = readdirSync(join(replays, "hostile")).filter((name) => name.endsWith(".html"));
  assert.ok(pages.length > 5);
  for (const name of pages) {
    const { page, context, troubles, fetched } = await open(join(replays, "hostile", name));
    const count = await page.evaluate(() => backscrollReplay.steps);
    for (let step = 0; step < count; step += 1) await page.evaluate((at) => backscrollReplay.go(at), step);
    assert.equal(await page.evaluate(() => globalThis.broken), undefined, name);
    assert.deepEqual([troubles, fetched], [[], []], name);
    await context.close();
  }
});
