// The demo home, served, with a browser to look at it: made before the tests of a file and gone after them.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";

import { launch } from "./launch.mjs";
import { BINARY, serve } from "./serve.mjs";

/** A conversation that it holds. */
export const TITLE = "High water is an hour late in summer";

/** `home`, and once the tests run `server` and `browser`. */
export function servedDemo(name) {
  const folder = mkdtempSync(join(tmpdir(), `backscroll-${name}-`));
  const demo = { home: join(folder, "home") };
  before(async () => {
    execFileSync(BINARY, ["demo", demo.home], { stdio: "ignore" });
    demo.server = await serve(demo.home, "--index", join(folder, "index"));
    demo.browser = await launch();
  });
  after(async () => {
    await demo.browser?.close();
    await demo.server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return demo;
}
