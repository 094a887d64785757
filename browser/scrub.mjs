// Opens a replay in a real browser, drags along its scrub bar, and tells how long each move took to be seen.
//
//   node scrub.mjs REPLAY.html [WIDTHxHEIGHT]
//
// A move is timed from the event that the page gets to the frame that shows it: the frame after the next is asked for,
// because it begins only when the first has been painted. Beside it stands the processor's time of the page's main thread,
// which a busy machine does not lengthen as much.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { launch, watchedPage } from "./launch.mjs";

const [file, size = "1440x900"] = process.argv.slice(2);
if (!file) throw new Error("usage: node scrub.mjs REPLAY.html [WIDTHxHEIGHT]");
const [width, height] = size.split("x").map(Number);
const address = pathToFileURL(resolve(file)).href;
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
const told = (times) => {
  const sorted = [...times].sort((a, b) => a - b);
  return [0.5, 0.95, 1].map((share, which) => `${["p50", "p95", "max"][which]} ${at(sorted, share).toFixed(1).padStart(6)} ms`).join("  ");
};

const browser = await launch();
try {
  const opened = [];
  for (let run = 0; run < 5; run += 1) {
    const { page, context } = await watchedPage(browser, { viewport: { width, height } });
    await page.goto(address);
    opened.push(await page.evaluate(() => new Promise((done) => {
      requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())));
    })));
    await context.close();
  }
  const { page, context } = await watchedPage(browser, { viewport: { width, height } });
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  await page.goto(address);
  await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
  const opening = await worked();
  await page.evaluate(() => {
    globalThis.moves = [];
    globalThis.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask" });
    document.getElementById("position").addEventListener("input", () => {
      const begun = performance.now();
      requestAnimationFrame(() => requestAnimationFrame(() => moves.push(performance.now() - begun)));
    }, true);
  });
  const box = await page.locator("#position").boundingBox();
  const rest = () => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))); }));
  /** Drags along these places, shares of the bar, waiting for each to be seen; gives the times. */
  const drag = async (places) => {
    const { y, height: high } = await page.locator("#position").boundingBox();
    const middle = y + high / 2;
    await page.mouse.move(box.x + 8 + (box.width - 16) * places[0], middle);
    await page.mouse.down();
    await rest();
    await page.evaluate(() => { moves.length = 0; longTasks.length = 0; });
    const begun = await worked();
    for (const place of places.slice(1)) {
      await page.mouse.move(box.x + 8 + (box.width - 16) * place, middle);
      await rest();
    }
    const spent = ((await worked()) - begun) / (places.length - 1);
    await page.mouse.up();
    return { ...await page.evaluate(() => ({ moves: [...moves], longTasks: [...longTasks] })), spent };
  };
  const count = 120;
  const across = Array.from({ length: count }, (_, n) => n / (count - 1));
  const near = Array.from({ length: count }, (_, n) => 0.5 + n / (box.width - 16));
  const far = Array.from({ length: count }, (_, n) => ((n * 7919) % 997) / 997);
  const steps = await page.evaluate(() => ({ steps: backscrollReplay.steps, messages: document.querySelectorAll("#conversation .message").length }));
  console.log(`${steps.messages} messages, ${steps.steps} steps, ${(statSync(file).size / 1e6).toFixed(1)} MB, window ${size}`);
  console.log("opened         ", told(opened), ` processor ${opening.toFixed(0)} ms`);
  // A frame of a page in which nothing happens: what lies below this is not the page's doing.
  console.log("an empty frame ", told(await page.evaluate(async () => {
    const times = [];
    for (let run = 0; run < 60; run += 1) {
      await new Promise((next) => setTimeout(next, 20));
      const begun = performance.now();
      await new Promise((next) => { requestAnimationFrame(() => requestAnimationFrame(next)); });
      times.push(performance.now() - begun);
    }
    return times;
  })));
  for (const [name, places] of Object.entries({ "to neighbours": near, "from end to end": across, "backwards": [...across].reverse(), "far leaps": far })) {
    const { moves, longTasks, spent } = await drag(places);
    console.log(name.padEnd(15), told(moves), ` processor ${spent.toFixed(1)} ms`, ` n ${moves.length}`, longTasks.length ? ` tasks over 50 ms: ${longTasks.length}, longest ${Math.max(...longTasks)} ms` : "");
  }
} finally {
  await browser.close();
}
