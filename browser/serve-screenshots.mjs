// Takes pictures of every page that `backscroll serve` has: wide and narrow, light and dark.
//
//   BACKSCROLL=target/debug/backscroll node serve-screenshots.mjs OUT HOME [PAGE...]

import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { launch, watchedPage } from "./launch.mjs";
import { serve } from "./serve.mjs";

const SIZES = { wide: { width: 1360, height: 900 }, narrow: { width: 390, height: 844 } };

const [out, home, ...wanted] = process.argv.slice(2);
if (!out || !home) throw new Error("usage: node serve-screenshots.mjs OUT HOME [PAGE...]");
await mkdir(out, { recursive: true });
const server = await serve(home);
const browser = await launch();
try {
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"]) {
      const { page, context, troubles } = await watchedPage(browser, { viewport, colorScheme });
      await page.goto(server.url);
      const first = await page.locator(".conversation .title").first().getAttribute("href");
      const place = await page.locator(".places a").first().getAttribute("href");
      const pages = {
        home: "/", search: "/search?q=tide", list: "/search", conversation: first, files: `${first}/files`, about: `${first}/about`,
        find: `${first}/find?q=tide`, workspaces: "/workspaces", workspace: place, stats: "/stats", stores: "/stores", contents: "/stores#contents", help: "/help", missing: "/nowhere",
      };
      for (const [name, address] of Object.entries(pages)) {
        if (wanted.length && !wanted.includes(name)) continue;
        await page.goto(server.origin + address);
        if (name === "contents") {
          await page.locator("a.made-of-link").first().click();
          await page.locator(".made-of-line").waitFor();
        }
        await page.screenshot({ path: join(out, `${name}-${size}-${colorScheme}.png`), animations: "disabled" });
      }
      if (troubles.length) console.error(size, colorScheme, troubles);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await server.stop();
}
