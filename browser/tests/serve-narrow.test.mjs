// The served pages on a telephone: everything can be reached, nothing is cut, and nothing moves once it has been painted.

import assert from "node:assert/strict";
import { test } from "node:test";

import { servedDemo, TITLE } from "../demo.mjs";
import { watchedPage } from "../launch.mjs";

const demo = servedDemo("narrow");

async function opened(path, options = {}) {
  const watched = await watchedPage(demo.browser, { viewport: { width: 390, height: 844 }, ...options });
  await watched.page.goto(demo.server.url);
  await watched.page.goto(demo.server.origin + path);
  return watched;
}
async function conversation(options) {
  const watched = await opened("/search", options);
  await watched.page.goto(demo.server.origin + (await watched.page.locator(".conversation .title", { hasText: TITLE }).first().getAttribute("href")));
  await watched.page.locator("h1", { hasText: TITLE }).waitFor();
  return watched;
}

test("the prompts of a conversation can be called up", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, context } = await conversation({ javaScriptEnabled });
    assert.equal(await page.locator(".contents").isVisible(), false);
    await page.locator(".prompts-button").click();
    assert.ok(await page.locator(".contents").isVisible());
    const last = page.locator(".contents a").last();
    const number = Number((await last.getAttribute("href")).split("#m")[1]);
    await last.click();
    assert.ok(number > 1, String(number));
    await page.waitForURL(new RegExp(`#m${number}$`));
    await page.locator(`#m${number}`).waitFor();
    assert.equal(await page.locator(".contents").isVisible(), false, "and go away again");
    await context.close();
  }
  const { page, context } = await conversation({ viewport: { width: 1280, height: 900 } });
  assert.ok(await page.locator(".contents").isVisible());
  assert.equal(await page.locator(".prompts-button").isVisible(), false, "where they stand anyway, no button is needed");
  await context.close();
});

test("the bar has two rows at most, whatever is folded", async () => {
  const { page, context } = await conversation();
  const rows = () => page.locator(".bar").evaluate((bar) => new Set([...bar.querySelectorAll("button, input, select")]
    .filter((item) => item.getClientRects().length).map((item) => Math.round(item.getBoundingClientRect().top / 10))).size);
  assert.equal(await rows(), 2);
  for (const key of ["t", "o", "r"]) await page.keyboard.press(key);
  for (const key of ["t", "o"]) await page.keyboard.press(key);
  assert.equal(await rows(), 2, "with all that is hidden told");
  await context.close();
});

test("no placeholder is cut", async () => {
  const { page, context } = await conversation();
  const here = new URL(page.url()).pathname;
  for (const path of ["/", "/search", here, "/stats"]) {
    await page.goto(demo.server.origin + path);
    const cut = await page.evaluate(() => {
      const pen = document.createElement("canvas").getContext("2d");
      return [...document.querySelectorAll("input[placeholder]")].filter((input) => input.getClientRects().length).flatMap((input) => {
        const style = getComputedStyle(input);
        pen.font = style.font;
        const room = input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        const needed = pen.measureText(input.placeholder).width;
        return needed > room ? [`${input.placeholder}: ${needed} of ${room}`] : [];
      });
    });
    assert.deepEqual(cut, [], path);
  }
  await context.close();
});

test("filters are folded from the first paint on, and nothing moves", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, context } = await opened("/search?q=tide", { javaScriptEnabled });
    const choice = page.locator(".facets li a").first();
    assert.equal(await choice.isVisible(), false);
    await page.locator(".facets summary").click();
    assert.ok(await choice.isVisible());
    await context.close();
  }
  const { page, context } = await opened("/search?q=tide");
  const shift = await page.evaluate(() => new Promise((resolve) => {
    let all = 0;
    new PerformanceObserver((list) => { for (const { value } of list.getEntries()) all += value; }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(all), 400);
  }));
  assert.ok(shift < 0.01, String(shift));
  await context.close();
  const wide = await opened("/search?q=tide", { viewport: { width: 1280, height: 900 } });
  assert.ok(await wide.page.locator(".facets li a").first().isVisible(), "where there is room they stand open");
  assert.equal(await wide.page.locator(".facets summary").isVisible(), false);
  await wide.context.close();
});
