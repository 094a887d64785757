// A conversation that is longer than what a page holds: every message can be reached, and nothing is lost on the way.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { launch, watchedPage } from "../launch.mjs";
import { serve, XTASK } from "../serve.mjs";

const folder = mkdtempSync(join(tmpdir(), "backscroll-long-"));
let browser, server, id;

before(async () => {
  execFileSync(XTASK, ["worked", "--out", folder, "--messages", "900"], { stdio: "ignore" });
  ({ id } = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")));
  server = await serve(join(folder, "home"), "--index", join(folder, "index"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The conversation, by someone who has come in with the token. */
async function opened(below = "", options = {}) {
  const watched = await watchedPage(browser, options);
  await watched.page.goto(server.url);
  await watched.page.goto(`${server.origin}/c/${id}${below}`);
  const total = Number(await watched.page.locator(".layout").getAttribute("data-total"));
  return { ...watched, total };
}
const isSeen = (page, number) => page.waitForFunction((number) => {
  const box = document.getElementById(`m${number}`)?.getBoundingClientRect();
  return box && box.bottom > 0 && box.top < innerHeight;
}, number);

test("the first look and the second show the same", async () => {
  const { page, context, troubles } = await watchedPage(browser);
  await page.goto(server.url);
  await page.goto(`${server.origin}/c/${id}`);
  const shown = () => page.evaluate(() => ({
    messages: [...document.querySelectorAll("article.message")].slice(0, 25).map((message) => message.textContent),
    head: document.querySelector("#head").textContent, prompts: document.querySelectorAll(".contents a").length,
    firstOfLayout: document.querySelector(".layout").firstElementChild.className,
  }));
  const first = await shown();
  assert.equal(first.firstOfLayout, "contents");
  await page.reload();
  assert.deepEqual(await shown(), first);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("the end, the beginning and any message can be reached, and folds are kept", async () => {
  const { page, total, context, troubles } = await opened();
  assert.ok(total >= 900, String(total));
  const fold = page.locator("details.tool").first();
  const wasOpen = await fold.evaluate((details) => { details.open = !details.open; return !details.open; });
  const holder = await fold.evaluate((details) => details.closest("article").id);
  await page.keyboard.press("End");
  await isSeen(page, total);
  assert.ok((await page.locator("article.message").count()) < 400, "what is far away is put aside");
  await page.keyboard.press("Home");
  await page.waitForFunction((holder) => document.getElementById(holder), holder);
  assert.equal(await page.locator(`#${holder} details.tool`).first().evaluate((details) => details.open), !wasOpen, "as it was left");
  const middle = Math.floor(total / 2);
  await page.evaluate((number) => { location.hash = `#m${number}`; }, middle);
  await isSeen(page, middle);
  await page.goBack();
  await page.locator(".contents a").last().click();
  const last = Number((await page.locator(".contents a").last().getAttribute("href")).split("#m")[1]);
  await isSeen(page, last);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("a link into the middle shows that message, and what stands before it can be scrolled to", async () => {
  const { page, context, troubles } = await opened("?at=500#m501");
  await isSeen(page, 501);
  const before = await page.evaluate(() => scrollY);
  for (let step = 0; step < 60; step += 1) { await page.mouse.move(700, 500); await page.mouse.wheel(0, -600); await page.waitForTimeout(30); }
  await page.waitForFunction((before) => {
    const seen = [...document.querySelectorAll("article.message")].find((message) => message.getBoundingClientRect().bottom > 0);
    return seen && Number(seen.id.slice(1)) < 501 && scrollY < before;
  }, before);
  assert.deepEqual(troubles, []);
  await context.close();
});

test("without JavaScript one goes from slice to slice", async () => {
  const { page, context } = await opened("", { javaScriptEnabled: false });
  assert.equal(await page.locator("#messages article.message").count(), 100);
  // By key: the page is laid out while one scrolls, and a link that moves is missed by the mouse.
  await page.locator(".later a").press("Enter");
  await page.locator("#m101").waitFor();
  assert.equal(await page.locator(".earlier a").count(), 1);
  await context.close();
});
