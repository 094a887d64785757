// Takes pictures of pages: wide and narrow, light and dark.
//
//   node screenshots.mjs OUT PAGE.html...        what is seen first
//   WHOLE=1 node screenshots.mjs OUT PAGE.html...   the whole page
//   STEP=7 node screenshots.mjs OUT REPLAY.html...  a replay at its eighth step

import { mkdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { launch, watchedPage } from "./launch.mjs";

const SIZES = { wide: { width: process.env.STEP ? 1440 : 1360, height: 900 }, narrow: { width: 390, height: 844 } };

// Far messages are laid out only near the window, so the whole page needs a tall one.
if (process.env.WHOLE) for (const size of Object.values(SIZES)) size.height = 6000;

const [out, ...files] = process.argv.slice(2);
if (!out || !files.length) throw new Error("usage: node screenshots.mjs OUT PAGE.html...");
await mkdir(out, { recursive: true });
const browser = await launch();
try {
  for (const file of files) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      for (const colorScheme of ["light", "dark"]) {
        const { page, context } = await watchedPage(browser, { viewport, colorScheme });
        await page.goto(pathToFileURL(resolve(file)).href);
        if (process.env.STEP) await page.evaluate((step) => backscrollReplay.go(Number(step)), process.env.STEP);
        const name = `${basename(file, ".html")}-${size}-${colorScheme}.png`;
        await page.screenshot({ path: join(out, name), animations: "disabled", fullPage: Boolean(process.env.WHOLE) });
        await context.close();
      }
    }
  }
} finally {
  await browser.close();
}
