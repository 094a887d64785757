// The served pages, as people use them. The writer is a real one: it appends to the store while the page is open.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { servedDemo, TITLE } from "../demo.mjs";
import { watchedPage } from "../launch.mjs";
import { append, change } from "../append.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const demo = servedDemo("serve");
/** A conversation of the editor that a test deletes. */
const OTHER = "Why does the buoy test hang?";

/** A page that has come in with the token. */
async function opened(path = "/", options = {}) {
  const watched = await watchedPage(demo.browser, options);
  await watched.page.goto(demo.server.url);
  if (path !== "/") await watched.page.goto(demo.server.origin + path);
  return watched;
}
const addressOf = async (page) => page.locator(".conversation .title", { hasText: TITLE }).first().getAttribute("href");

/** The page that tells what a store is made of. */
async function contentsOf(page) {
  await page.goto(`${demo.server.origin}/stores`);
  return page.locator("a.made-of-link").first().getAttribute("href");
}

test("the printed address and a file that leads there open the pages, and no other server of this machine gets the cookie", async () => {
  const seen = [];
  const other = createServer((request, response) => { seen.push(request.headers.cookie); response.end("other"); });
  await new Promise((resolve) => { other.listen(0, "127.0.0.1", resolve); });
  const folder = mkdtempSync(join(tmpdir(), "backscroll-open-"));
  const file = join(folder, "open.html");
  // As `serve --open` writes it.
  writeFileSync(file, `<!DOCTYPE html><meta http-equiv=refresh content="0;url=${demo.server.url}">`);
  for (const from of [demo.server.printed, demo.server.url, pathToFileURL(file).href]) {
    const { page, context, troubles } = await watchedPage(demo.browser);
    await page.goto(from);
    await page.waitForURL(`${demo.server.origin}/`);
    await page.locator(".conversation .title", { hasText: TITLE }).first().waitFor();
    for (const host of ["127.0.0.1", "localhost", "other.localhost"]) {
      await page.goto(`http://${host}:${other.address().port}/`);
    }
    // Our own page still gets it.
    assert.equal((await page.goto(`${demo.server.origin}/help`)).status(), 200, from);
    assert.deepEqual(troubles.filter((trouble) => !trouble.includes("favicon")), []);
    await context.close();
  }
  assert.ok(seen.length >= 9);
  assert.deepEqual(seen.filter((cookie) => cookie), []);
  await new Promise((resolve) => { other.close(resolve); });
  rmSync(folder, { recursive: true });
});

test("search, open, fold, export, replay", async () => {
  const { page, troubles, context } = await opened();
  assert.equal(new URL(page.url()).search, "", "the token leaves the address");
  await page.locator("#q").fill("summer time");
  await page.locator("#instant .conversation .title").first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/search\?q=/);
  assert.ok((await page.locator(".hit mark").count()) > 0, "finds are marked");
  await page.locator(".conversation .title", { hasText: TITLE }).first().click();
  await page.waitForURL(/\/c\//);
  await page.locator("h1", { hasText: TITLE }).waitFor();
  await page.keyboard.press("o");
  assert.equal(await page.locator("details.tool:not([open])").count(), 0, "all tools stand open");
  await page.keyboard.press("e");
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#export a", { hasText: "Markdown" }).click()]);
  assert.match(readFileSync(await download.path(), "utf8"), /High water/);
  await page.keyboard.press("Escape");
  await page.locator(".actions a", { hasText: "Replay" }).click();
  await page.waitForURL(/\/replay$/);
  await page.locator("#conversation").waitFor();
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a conversation is handed off as Markdown, in the size that is chosen", async () => {
  const { page, troubles, context } = await opened();
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: demo.server.origin });
  await page.goto(demo.server.origin + (await addressOf(page)));
  await page.locator(".actions a", { hasText: "Hand off" }).click();
  await page.waitForURL(/\/handoff$/);
  const brief = await page.locator("#brief").textContent();
  assert.match(brief, /^# Hand-off: /);
  assert.match(brief, /## Goal/);
  await page.locator("#copy-brief").click();
  await page.locator("#copy-brief", { hasText: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), brief, "just what is shown");
  await page.locator('.actions a[href$="budget=1000"]').click();
  await page.waitForURL(/budget=1000$/);
  assert.ok((await page.locator("#brief").textContent()).length <= 4_400, "about four characters a token");
  assert.deepEqual(troubles, []);
  await context.close();
});

test("everything can be reached by key", async () => {
  const { page, context } = await opened("/search");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const second = await page.locator(".conversation .title").nth(1).getAttribute("href");
  await page.keyboard.press("Enter");
  await page.waitForURL(demo.server.origin + second);
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
  const [term, letter] = await Promise.all(["title:", "tid*"].map((words) => page.locator("#help dt code", { hasText: words }).boundingBox()));
  assert.equal(term.height, letter.height, "what may be typed stands on one line");
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("w");
  await page.waitForURL(/\/workspaces$/);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.name), "q");
  await page.keyboard.type("tide");
  await page.locator(".instant .title").first().waitFor();
  await page.keyboard.press("ArrowDown");
  assert.ok(await page.evaluate(() => document.activeElement.classList.contains("title")));
  await context.close();
});

test("what is said meanwhile appears by itself, without a jump", async () => {
  const { page, troubles, context } = await opened();
  const address = await addressOf(page);
  await page.goto(demo.server.origin + address);
  await page.locator(".message").first().waitFor();
  const count = await page.locator(".message").count();
  const place = await page.evaluate(() => scrollY);
  append(demo.home, decodeURIComponent(address.split("/").pop()), "And the harbour master says thank you.");
  await page.locator(".message", { hasText: "harbour master says thank you" }).waitFor({ state: "attached" });
  assert.equal(await page.locator(".message").count(), count + 1);
  assert.equal(await page.evaluate(() => scrollY), place, "the page stays where it was");
  assert.match(await page.locator("#live").innerText(), /1 new message/);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a list that was scrolled on stays whole when something changes", async () => {
  const { page, troubles, context } = await opened("/search?limit=4");
  await page.locator("a.next").waitFor({ state: "detached" });
  const before = await page.locator(".conversation").evaluateAll((items) => items.map((item) => item.dataset.id).sort());
  assert.ok(before.length > 8, String(before.length));
  append(demo.home, decodeURIComponent((await addressOf(page)).split("/").pop()), "Look again tomorrow.");
  await page.locator(".conversation.fresh", { hasText: TITLE }).waitFor();
  assert.deepEqual(await page.locator(".conversation").evaluateAll((items) => items.map((item) => item.dataset.id).sort()), before);
  assert.equal(await page.locator(".conversation.fresh").count(), 1, "only what changed is marked");
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a page of results says that there is something newer, and shows it when asked", async () => {
  const { page, troubles, context } = await opened();
  const id = decodeURIComponent((await addressOf(page)).split("/").pop());
  await page.goto(`${demo.server.origin}/search?q=lighthousekeeper`);
  await page.locator(".search-page").waitFor();
  append(demo.home, id, "The lighthousekeeper agrees.");
  await page.locator("#live button", { hasText: "something newer" }).click();
  await page.locator(".results .conversation", { hasText: TITLE }).waitFor();
  assert.deepEqual(troubles, []);
  await context.close();
});

test("an open conversation takes a new title, loses what was taken back, and says when it is deleted", async () => {
  const { page, context } = await opened();
  const address = await page.locator(".conversation .title", { hasText: OTHER }).first().getAttribute("href");
  const id = decodeURIComponent(address.split("/").pop());
  await page.goto(demo.server.origin + address);
  await page.locator(".message").first().waitFor();
  const count = await page.locator(".message").count();
  change(demo.home, id, "Another name");
  await page.locator(".bar .name", { hasText: "Another name" }).waitFor({ state: "attached" });
  assert.match(await page.title(), /Another name/);
  change(demo.home, id, "take back");
  await page.locator(".message").nth(count - 1).waitFor({ state: "detached" });
  change(demo.home, id, "delete");
  await page.locator("#live", { hasText: "was deleted" }).waitFor();
  assert.equal(await page.locator(".message").count(), count - 1, "what one reads stays");
  await context.close();
});

test("each filter leaves as many conversations as it says", async () => {
  const { page, context } = await opened("/search?q=tide");
  const choices = await page.locator(".facets li a").evaluateAll((links) =>
    links.map((link) => [link.getAttribute("href"), Number(link.querySelector(".number").textContent.replace(/\D/g, ""))]));
  assert.ok(choices.length > 8, String(choices.length));
  for (const [address, count] of choices) {
    await page.goto(demo.server.origin + address);
    assert.equal(await page.locator(".results .conversation").count(), count, address);
    assert.equal(await page.locator(".chosen .chip").count(), 1, "and can be taken back");
  }
  await context.close();
});

test("a question that cannot be understood looks like a mistake, not like an empty answer", async () => {
  const { page, troubles, context } = await opened("/search?q=harbour%20since%3Afoo");
  const wrong = page.locator(".wrong[role=alert]");
  assert.match(await wrong.locator("strong").innerText(), /foo is not a time/);
  assert.equal(await wrong.locator("mark").innerText(), "foo", "the place is marked");
  assert.match(await wrong.innerText(), /yesterday or monday/, "what would be right");
  assert.equal(await page.getByText("Nothing is found").count(), 0);
  assert.equal(await page.getByText("0 conversations").count(), 0);
  const [red, muted] = await page.evaluate(() => [".wrong strong", ".top nav a"].map((what) => getComputedStyle(document.querySelector(what)).color));
  assert.notEqual(red, muted);
  await page.goto(demo.server.origin);
  await page.locator("#q").fill("role:usr");
  assert.match(await page.locator("#instant .wrong").innerText(), /does not know usr/);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("an answer out of an index that is still being made is asked for again", async () => {
  const { page, troubles, context } = await opened();
  let asked = 0;
  let looked;
  const isLookedAt = new Promise((resolve) => { looked = resolve; });
  await page.route("**/search?q=tide", async (route) => {
    asked += 1;
    if (asked > 2) return isLookedAt.then(() => route.continue());
    // Only the browser itself finds the name.
    const answer = await route.fetch({ url: route.request().url().replace(demo.server.origin, demo.server.address) });
    const body = (await answer.text()).replace(/<div data-live="results">.*<\/ol><\/div>/s, '<div class="empty growing">Nothing is found yet.</div>');
    return route.fulfill({ response: answer, body });
  });
  await page.goto(`${demo.server.origin}/search?q=tide`);
  assert.equal(await page.locator(".conversation").count(), 0);
  looked();
  await page.locator(".results .conversation").first().waitFor();
  assert.equal(await page.locator(".growing").count(), 0);
  await page.waitForTimeout(1500);
  assert.equal(asked, 3, "and then no more");
  assert.deepEqual(troubles, []);
  await context.close();
});

test("bars are as long as their numbers, whatever the width of these", async () => {
  const { page, context } = await opened("/stats");
  for (const value of await page.locator(".bars li:first-child .value").all()) await value.evaluate((value) => { value.textContent = "1 234 567"; });
  const lists = await page.locator(".bars").evaluateAll((lists) => lists.map((list) =>
    [...list.querySelectorAll("svg")].map((bar) => [bar.getBoundingClientRect().left, bar.getBoundingClientRect().width].map(Math.round).join("+"))));
  assert.ok(lists.some((bars) => bars.length > 3), JSON.stringify(lists));
  for (const bars of lists) assert.equal(new Set(bars).size, 1, JSON.stringify(bars));
  await context.close();
});

test("the outline knows at the end of the page which prompt is read", async () => {
  const { page, context } = await opened();
  await page.goto(demo.server.origin + (await addressOf(page)));
  await page.locator(".contents a").first().waitFor();
  const marked = () => page.locator(".contents a[aria-current]").evaluateAll((links) => links.map((link) => link.hash));
  const last = await page.locator(".contents a").last().evaluate((link) => link.hash);
  const first = await page.locator(".contents a").first().evaluate((link) => link.hash);
  await page.evaluate(() => { document.querySelector(".thread").style.paddingBottom = "0"; scrollTo(0, document.body.scrollHeight); });
  await page.waitForFunction((last) => document.querySelector(".contents a[aria-current]")?.hash === last, last);
  await page.evaluate((first) => document.querySelector(first).scrollIntoView(), first);
  await page.waitForFunction((first) => document.querySelector(".contents a[aria-current]")?.hash === first, first);
  assert.deepEqual(await marked(), [first]);
  await context.close();
});

test("a store shows what it is made of when asked", async () => {
  const { page, troubles, context } = await opened("/stores");
  const link = page.locator("tr", { hasText: "state.vscdb" }).locator("a.made-of-link").first();
  await link.click();
  await page.locator(".made-of-line th", { hasText: "bubbleId" }).waitFor();
  assert.equal(await page.locator(".made-of-line").count(), 1);
  await link.click();
  await page.locator(".made-of-line").waitFor({ state: "detached" });
  const plain = await opened("/stores", { javaScriptEnabled: false });
  await plain.page.locator("a.made-of-link").first().click();
  assert.match(await plain.page.locator(".kinds").innerText(), /composerData/);
  assert.deepEqual(troubles, []);
  await plain.context.close();
  await context.close();
});

test("all can be read without JavaScript", async () => {
  const { page, context } = await opened("/search?q=tide", { javaScriptEnabled: false });
  assert.ok((await page.locator(".conversation").count()) > 0);
  await page.locator(".conversation .title").first().click();
  await page.locator(".message").first().waitFor();
  assert.equal(await page.locator(".controls").isVisible(), false, "buttons that would do nothing are not shown");
  await page.goto(`${demo.server.origin}/help`);
  assert.match(await page.locator("h1").innerText(), /Keys/);
  await context.close();
});

test("no page has a serious fault for those who use it otherwise", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page, troubles, context } = await opened("/", { colorScheme });
    const first = await addressOf(page);
    const place = await page.locator(".places a").first().getAttribute("href");
    const pages = ["/", "/search", "/search?q=tide", first, `${first}/files`, `${first}/about`, `${first}/related`, `${first}/handoff`, "/workspaces", place, "/stats", "/stores", await contentsOf(page), "/help"];
    for (const path of pages) {
      await page.goto(demo.server.origin + path);
      // The policy forbids foreign scripts, so the checker comes in from outside of the page.
      const session = await context.newCDPSession(page);
      await session.send("Runtime.evaluate", { expression: axe });
      const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(" | ")}`), [], `${path} ${colorScheme}`);
      const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.equal(isTooWide, false, path);
    }
    assert.deepEqual(troubles, []);
    await context.close();
  }
});

test("nothing is too wide for a telephone", async () => {
  const { page, context } = await opened("/", { viewport: { width: 390, height: 844 } });
  const first = await addressOf(page);
  for (const path of ["/", "/search?q=tide", first, `${first}/files`, `${first}/about`, `${first}/handoff`, "/workspaces", "/stats", "/stores", await contentsOf(page), "/help"]) {
    await page.goto(demo.server.origin + path);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${path} is ${width} wide`);
  }
  await context.close();
});
