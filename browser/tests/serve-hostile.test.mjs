// Conversations that try to break out of the served pages.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { launch, watchedPage } from "../launch.mjs";
import { serve, XTASK } from "../serve.mjs";

const folder = mkdtempSync(join(tmpdir(), "backscroll-serve-hostile-"));
const home = join(folder, "home");
let browser, server, headers;

before(async () => {
  execFileSync(XTASK, ["hostile", "--out", home], { stdio: "ignore" });
  server = await serve(home, "--index", join(folder, "index"));
  headers = { Authorization: `Bearer ${new URL(server.url).searchParams.get("token")}` };
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A page that has come in with the token, and whatever dialog it opened. */
async function opened() {
  const watched = await watchedPage(browser);
  const dialogs = [];
  watched.page.on("dialog", (dialog) => { dialogs.push(dialog.message()); dialog.dismiss(); });
  await watched.page.goto(server.url);
  return { ...watched, dialogs };
}

/** What stands on the page that none of ours does: handlers, foreign scripts and frames, addresses that run. */
const oddities = (page) => page.evaluate(() => {
  const isHandler = ({ name }) => name.startsWith("on") || name === "style" || name === "srcdoc";
  const isOdd = (element) =>
    ["IFRAME", "OBJECT", "EMBED", "BASE", "math"].includes(element.tagName) ||
    (element.tagName === "SCRIPT" && (new URL(element.src, location).origin !== location.origin || element.textContent !== "")) ||
    [...element.attributes].some(isHandler) ||
    /^\s*(javascript|data|vbscript):/i.test(element.getAttribute("href") ?? "");
  return [...document.querySelectorAll("*")].filter(isOdd).map((element) => element.outerHTML.slice(0, 200));
});

async function assertHarmless({ page, troubles, fetched, dialogs }, path) {
  assert.equal(await page.evaluate(() => window.broken), undefined, `${path} ran what was stored`);
  assert.deepEqual(dialogs, [], path);
  assert.deepEqual(troubles, [], `${path}: the policy had nothing to block, the text never was code`);
  assert.deepEqual(await oddities(page), [], path);
  assert.deepEqual(fetched.filter((url) => new URL(url).origin !== server.origin), [], path);
  assert.equal(await page.locator("main").count(), 1, `${path} keeps its frame`);
  const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(isTooWide, false, `${path} keeps its width`);
}

test("nothing stored runs on the pages about everything", async () => {
  const watched = await opened();
  const { page, context } = watched;
  await assertHarmless(watched, "/");
  const place = await page.locator(".places a").first().getAttribute("href");
  const word = encodeURIComponent("<script>window.broken=1</script>");
  const pages = ["/search", "/search?q=broken", `/search?q=${word}`, `/search?model=${word}`, "/workspaces", place, "/stats", "/stores", `/${word}`, `/c/${word}`];
  for (const path of pages) {
    const answer = await page.goto(server.origin + path);
    // The browser itself tells of an address that leads nowhere; the page must be as quiet as the others.
    const ours = watched.troubles.filter((trouble) => answer.status() !== 404 || !/status of 404/.test(trouble));
    watched.troubles.length = 0;
    await assertHarmless({ ...watched, troubles: ours }, path);
  }
  await context.close();
});

test("nothing stored runs in a conversation, whatever is unfolded", async () => {
  const listed = await (await fetch(`${server.address}/api/v1/conversations?all=1`, { headers })).json();
  assert.ok(listed.length >= 10, `${listed.length} conversations`);
  const watched = await opened();
  for (const { id } of listed) {
    for (const below of ["", "/files", "/about", "/related"]) {
      const path = `/c/${encodeURIComponent(id)}${below}`;
      await watched.page.goto(server.origin + path);
      if (below === "") {
        await watched.page.locator(".message").first().waitFor();
        for (const key of ["t", "o", "j", "j", "n"]) await watched.page.keyboard.press(key);
        assert.match(await watched.page.locator("main").innerText(), /window\.broken=1/, `${path}: the words are there to read`);
      }
      await assertHarmless(watched, path);
    }
  }
  await watched.context.close();
});

test("nothing stored runs while one types", async () => {
  const watched = await opened();
  await watched.page.locator("#q").fill("broken");
  await watched.page.locator("#instant .conversation .title").first().waitFor();
  await assertHarmless(watched, "instant results");
  await watched.context.close();
});
