// A page of one conversation, as people use it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { eventually } from "../eventually.mjs";
import { launch, watchedPage } from "../launch.mjs";
import { demoPage } from "../pages.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TITLE = "High water is an hour late in summer";
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function opened(options, address = demoPage(TITLE)) {
  const watched = await watchedPage(browser, options);
  await watched.page.goto(address);
  return watched;
}
const current = (page) => page.evaluate(() => document.querySelector(".message[aria-current]")?.id);
const shownMessages = (page) => page.locator(".message:visible").count();

test("opens without an error and fetches nothing", async () => {
  const { page, troubles, fetched, context } = await opened();
  assert.equal(await page.title(), TITLE);
  assert.ok((await shownMessages(page)) > 5);
  assert.deepEqual(troubles, []);
  assert.deepEqual(fetched, []);
  await context.close();
});

test("a foreign script and a foreign style are blocked", async () => {
  const { page, troubles, context } = await opened();
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.foreign = 1";
    document.body.append(script);
    document.body.setAttribute("style", "border: 7px solid red");
    document.body.setAttribute("onclick", "window.foreign = 2");
  });
  await page.locator("h1").click();
  assert.equal(await page.evaluate(() => window.foreign), undefined);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).borderTopWidth), "0px");
  assert.ok(troubles.some((told) => told.includes("Content Security Policy")));
  await context.close();
});

test("keys walk from message to message and from prompt to prompt", async () => {
  const { page, context } = await opened();
  await page.keyboard.press("j");
  assert.equal(await current(page), "m1");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  assert.equal(await current(page), "m3");
  await page.keyboard.press("k");
  assert.equal(await current(page), "m2");
  await page.keyboard.press("n");
  const prompt = await current(page);
  assert.equal(await page.locator(`#${prompt}`).getAttribute("data-role"), "user");
  await page.keyboard.press("p");
  assert.equal(await current(page), "m1");
  await context.close();
});

test("keys fold thinking, tools and results", async () => {
  const { page, context } = await opened();
  const open = () => page.locator("details.thinking[open]").count();
  const thoughts = await page.locator("details.thinking").count();
  assert.equal(await open(), 0);
  await page.keyboard.press("t");
  assert.equal(await open(), thoughts);
  await page.keyboard.press("t");
  assert.equal(await page.locator("details.thinking:visible").count(), 0);
  await page.keyboard.press("t");
  assert.equal(await open(), 0);
  assert.equal(await page.locator("details.thinking:visible").count(), thoughts);
  const before = await page.locator("details.tool[open]").count();
  await page.keyboard.press("o");
  assert.equal(await page.locator("details.tool[open]").count(), await page.locator("details.tool").count());
  assert.ok((await page.locator(".result:visible").count()) > 0);
  await page.keyboard.press("r");
  assert.equal(await page.locator(".result:visible").count(), 0);
  await page.getByRole("button", { name: "Tools" }).click();
  await page.getByRole("button", { name: "Tools" }).click();
  assert.equal(await page.locator("details.tool[open]").count(), before);
  await context.close();
});

test("the filter finds words and kinds, and Escape clears it", async () => {
  const { page, context } = await opened();
  const whole = await shownMessages(page);
  await page.keyboard.press("/");
  await page.keyboard.type("standard time ALL year");
  await eventually(async () => {
    const found = await shownMessages(page);
    assert.ok(found > 0 && found < whole, `${found} of ${whole}`);
    assert.match(await page.locator("#found").textContent(), new RegExp(`^${found} of `));
  });
  await page.keyboard.press("Escape");
  await eventually(async () => assert.equal(await shownMessages(page), whole));
  await page.locator("#kind").selectOption("edit");
  const edits = await page.locator('.message[data-kinds~="edit"]').count();
  await eventually(async () => assert.equal(await shownMessages(page), edits));
  await context.close();
});

test("a deep link opens at its message", async () => {
  const { page, context } = await opened({ viewport: { width: 1280, height: 400 } }, `${demoPage(TITLE)}#m10`);
  assert.equal(await current(page), "m10");
  await page.waitForFunction(() => {
    const { top } = document.querySelector("#m10").getBoundingClientRect();
    return top >= 0 && top < innerHeight;
  });
  await context.close();
});

test("blocks, messages and links can be copied", async () => {
  const { page, context } = await opened({ permissions: ["clipboard-read", "clipboard-write"] });
  const isCopied = (wanted) => eventually(async () => assert.match(await page.evaluate(() => navigator.clipboard.readText()), wanted));
  await page.locator(".block.diff .copy").first().click();
  await isCopied(/^--- .*\n\+\+\+ .*\n@@ /);
  await page.locator("#m1").hover();
  await page.locator("#m1 [data-copy=message]").click();
  await isCopied(/^Since the clocks changed, .*why\?$/);
  await page.keyboard.press("j");
  await page.keyboard.press("c");
  await isCopied(/#m1$/);
  await context.close();
});

test("light and dark follow the system until they are changed", async () => {
  const { page, context } = await opened({ colorScheme: "dark" });
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await back();
  await page.keyboard.press("d");
  assert.equal(await back(), "rgb(255, 255, 255)");
  await page.reload();
  assert.equal(await back(), "rgb(255, 255, 255)", "it is remembered");
  await page.getByRole("button", { name: "Light or dark" }).click();
  assert.equal(await back(), dark);
  await context.close();
});

test("the help opens and closes", async () => {
  const { page, context } = await opened();
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#help").isVisible()));
  await context.close();
});

test("without a script everything can be read", async () => {
  const { page, troubles, context } = await opened({ javaScriptEnabled: false });
  assert.ok(await page.getByText("Found it. The printed tables are in").isVisible());
  assert.equal(await page.locator(".copy:visible, .controls:visible").count(), 0, "no button that does nothing");
  await page.locator("details.thinking summary").first().click();
  assert.ok(await page.getByText("The table is probably in standard time").isVisible());
  await page.locator(".contents a").last().click();
  await page.waitForURL(/#m\d+$/);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a phone shows it without scrolling sideways, and calls the prompts up", async () => {
  const { page, context } = await opened({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await page.keyboard.press("t");
  await page.keyboard.press("o");
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= screen, `${wide} > ${screen}`);
  assert.ok(!(await page.locator(".contents").isVisible()));
  assert.equal(await page.getByRole("link", { name: "All conversations", exact: true }).count(), 1);
  const rows = await page.locator(".bar :is(.up, button, input, select)").evaluateAll((items) => new Set(items.filter((item) => item.getClientRects().length).map((item) => Math.round(item.getBoundingClientRect().top / 10))).size);
  assert.equal(rows, 2, "the bar leaves room for the conversation");
  await page.getByRole("button", { name: "Prompts" }).click();
  await page.locator(".contents a").last().click();
  await page.locator(".contents").waitFor({ state: "hidden" });
  await page.waitForURL(/#m\d+$/);
  await context.close();
});

for (const colorScheme of ["light", "dark"]) {
  test(`nothing serious stands in anyone's way (${colorScheme})`, async () => {
    for (const viewport of [{ width: 1280, height: 3000 }, { width: 390, height: 3000 }]) {
      // The checker is a foreign script, so the policy is set aside for it.
      const { page, context } = await opened({ colorScheme, viewport, bypassCSP: true });
      await page.keyboard.press("t");
      await page.keyboard.press("o");
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join("\n")}`), []);
      await context.close();
    }
  });
}

test("on paper there are words and no controls", async () => {
  const { page, context } = await opened({ colorScheme: "dark" });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.equal(await page.locator(".bar:visible, .contents:visible, .copy:visible").count(), 0);
  assert.ok(await page.getByText("Found it. The printed tables are in").isVisible());
  const pdf = await page.pdf();
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  await context.close();
});
