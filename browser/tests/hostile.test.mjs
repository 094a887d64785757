// Conversations that try to break out of their page, and the list of conversations.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { eventually } from "../eventually.mjs";
import { launch, watchedPage } from "../launch.mjs";
import { addressOf, pagesOf } from "../pages.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test("no stored text runs, fetches, or becomes an element of its own", async () => {
  for (const path of pagesOf("hostile")) {
    const { page, troubles, fetched, context } = await watchedPage(browser);
    await page.goto(addressOf(path));
    for (const key of ["t", "o", "j", "j", "n"]) await page.keyboard.press(key);
    assert.equal(await page.evaluate(() => window.broken), undefined, path);
    assert.deepEqual(troubles, [], "the policy had nothing to block: the text never was code");
    assert.deepEqual(fetched, [], path);
    const odd = await page.evaluate(() => {
      const elements = [...document.querySelectorAll("*")];
      const isHandler = ({ name }) => name.startsWith("on") || name === "style" || name === "srcdoc";
      const isOdd = (element) =>
        ["IFRAME", "OBJECT", "EMBED", "BASE", "svg", "math"].includes(element.tagName) ||
        [...element.attributes].some(isHandler) ||
        /^\s*(javascript|data|vbscript):/i.test(element.getAttribute("href") ?? "");
      return elements.filter(isOdd).map((element) => element.outerHTML.slice(0, 200));
    });
    assert.deepEqual(odd, [], path);
    assert.equal(await page.locator("script").count(), 1, path);
    await context.close();
  }
});

test("the hostile words themselves are there to read", async () => {
  const { page, context } = await watchedPage(browser);
  const [first] = pagesOf("hostile").filter((path) => !path.endsWith("index.html"));
  await page.goto(addressOf(first));
  assert.match(await page.locator("main").innerText(), /window\.broken=1/);
  await context.close();
});

test("the list of conversations leads to each and can be filtered", async () => {
  const { page, troubles, context } = await watchedPage(browser);
  await page.goto(addressOf(pagesOf("demo").find((path) => path.endsWith("index.html"))));
  const entries = await page.locator(".entry").count();
  assert.ok(entries > 3);
  await page.keyboard.press("/");
  await page.keyboard.type("moon");
  await eventually(async () => assert.equal(await page.locator(".entry:visible").count(), 1));
  await page.locator(".entry:visible a").click();
  await page.locator("h1", { hasText: "Moon phase" }).waitFor();
  assert.deepEqual(troubles, []);
  await context.close();
});
