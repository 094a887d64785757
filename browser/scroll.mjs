// Scrolls through a long conversation in a real browser and tells how smooth it was: the time between frames, tasks that
// kept the page from answering, and how far things jumped that nobody had touched.
//
//   node scroll.mjs URL-WITH-TOKEN CONVERSATION-ID [STEPS]
//
// The address is printed by `backscroll serve`; take a release build. STEPS of the wheel are made (until the end).

import { launch, watchedPage } from "./launch.mjs";

const [url, id, most = "Infinity"] = process.argv.slice(2);
if (!id) throw new Error("usage: node scroll.mjs URL-WITH-TOKEN CONVERSATION-ID [STEPS]");
/** Pixels of one step of the wheel. */
const WHEEL = 360;

/** Runs in the page: notes frames, long tasks and shifts from now on. */
function watch() {
  const noted = { frames: [], tasks: [], shifts: [], first: {} };
  window.noted = noted;
  let last;
  const frame = (now) => { if (last !== undefined) noted.frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) noted.tasks.push(duration); }).observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) => { for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) noted.shifts.push(value); }).observe({ type: "layout-shift", buffered: true });
  const seen = () => { if (!noted.first.message && document.querySelector("article.message")) noted.first.message = performance.now(); };
  new MutationObserver(seen).observe(document, { childList: true, subtree: true });
}

const at = (sorted, share) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
/** Where the browser's time went since the last time, in milliseconds. */
const spent = {};
async function spentOn(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return ["ScriptDuration", "RecalcStyleDuration", "LayoutDuration"].map((name) => {
    const now = metrics.find((metric) => metric.name === name).value * 1000;
    const since = now - (spent[name] ?? 0);
    spent[name] = now;
    return since.toFixed(0);
  });
}

/** One line about what was noted since the last one. */
async function told(page, session, what) {
  const { frames, tasks, shifts } = await page.evaluate(() => {
    const { frames, tasks, shifts } = window.noted;
    Object.assign(window.noted, { frames: [], tasks: [], shifts: [] });
    return { frames, tasks, shifts };
  });
  frames.sort((a, b) => a - b);
  const over = (limit) => frames.filter((time) => time > limit).length;
  const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
  console.log(`| ${what} | ${frames.length} | ${at(frames, 0.5)} / ${at(frames, 0.95)} / ${at(frames, 1)} | ${over(33.4)} / ${over(50)} | ${tasks.length}, longest ${Math.max(0, ...tasks).toFixed(0)} | ${(await spentOn(session)).join(" / ")} | ${sum(shifts).toFixed(3)} |`);
}

/** What is on the page, and where it stands. */
const state = (page) => page.evaluate(() => ({
  loaded: document.querySelectorAll("article.message").length, total: Number(document.querySelector(".layout").dataset.total),
  nodes: document.querySelectorAll("*").length, height: document.body.scrollHeight,
}));

const browser = await launch();
try {
  const { page, troubles } = await watchedPage(browser);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await page.addInitScript(watch);
  await page.goto(url);
  const here = new URL(`/c/${encodeURIComponent(id)}`, page.url()).href;
  for (const look of ["first", "again"]) {
    await page.goto(here, { waitUntil: "load" });
    const times = await page.evaluate(() => ({ message: window.noted.first.message, paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, whole: performance.timing.loadEventEnd - performance.timing.navigationStart }));
    console.log(`${look} look, milliseconds: first message ${times.message?.toFixed(0)}, first paint ${times.paint?.toFixed(0)}, whole page ${times.whole}`);
  }
  console.log("\n| what | frames | ms between frames, p50 / p95 / most | over 33 / 50 ms | long tasks | ms of script / style / layout | shift |\n|---|---|---|---|---|---|---|");
  await page.mouse.move(700, 500);
  await page.waitForTimeout(500);
  await told(page, session, "at rest");

  // By the wheel, faster than one reads (about 20,000 pixels a second), until the end or as far as was asked. Asking the page for more than its place
  // would be what one measures.
  let before = -1;
  for (let step = 0, still = 0; step < Number(most) && still < 40; step += 1) {
    await page.mouse.wheel(0, WHEEL);
    await page.waitForTimeout(16);
    const now = await page.evaluate(() => scrollY);
    still = now === before ? still + 1 : 0;
    before = now;
  }
  await told(page, session, "wheel down");
  console.error(await state(page));
  for (let step = 0; step < 400; step += 1) { await page.mouse.wheel(0, -WHEEL); await page.waitForTimeout(16); }
  await told(page, session, "wheel back, 400 steps");
  for (const key of ["Home", "End", "Home", "End"]) { await page.keyboard.press(key); await page.waitForTimeout(700); }
  await told(page, session, "Home and End, twice");
  for (const share of [0.5, 0.1, 0.9, 0.3, 0.7]) {
    await page.evaluate((share) => scrollTo({ top: document.body.scrollHeight * share, behavior: "instant" }), share);
    await page.waitForTimeout(500);
  }
  await told(page, session, "five jumps by the scrollbar");

  // From the middle upwards: what comes in above must not move what one reads.
  const { total } = await state(page);
  await page.goto(`${here}?at=${Math.floor(total / 2)}`, { waitUntil: "load" });
  await page.mouse.move(700, 500);
  await told(page, session, "open the middle");
  for (let step = 0; step < 300; step += 1) { await page.mouse.wheel(0, -WHEEL); await page.waitForTimeout(16); }
  await told(page, session, "wheel up from the middle, 300 steps");
  console.error(await state(page));
  if (troubles.length) console.log("troubles:", troubles);
} finally {
  await browser.close();
}
