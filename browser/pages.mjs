// The pages that the tests look at. They are made by the program from a demo home and from a hostile one:
// `scripts/browser-test` does that and says where they are.

import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.env.BACKSCROLL_PAGES;
if (!folder) throw new Error("BACKSCROLL_PAGES names no folder; run scripts/browser-test");

/** Every page below `demo` or `hostile`, as paths. */
export function pagesOf(home) {
  const below = resolve(folder, home);
  const names = readdirSync(below, { recursive: true }).filter((name) => name.endsWith(".html"));
  if (!names.length) throw new Error(`${below} has no page`);
  return names.sort().map((name) => join(below, name));
}

/** The address of the demo's page with this title. */
export function demoPage(title) {
  const found = pagesOf("demo").find((path) => readFileSync(path, "utf8").includes(`<title>${title}</title>`));
  if (!found) throw new Error(`no page is called ${title}`);
  return pathToFileURL(found).href;
}

/** The address of a page that lies at `path`. */
export const addressOf = (path) => pathToFileURL(path).href;
