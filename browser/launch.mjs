// Starts the system's Chromium for tests and pictures, quiet and without a network of its own.

import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A new browser with an empty profile. */
export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
}

/** A page that remembers what went wrong on it: console errors, exceptions, what the policy blocked, what it fetched. */
export async function watchedPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  // A busy machine is not a fault of the page.
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const troubles = [];
  const fetched = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) fetched.push(request.url());
  });
  return { page, context, troubles, fetched };
}
