// Starts `backscroll serve` over a home, and ends it.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const { BACKSCROLL, BACKSCROLL_BUILT } = process.env;

/** The program that is tested. */
export const BINARY = BACKSCROLL ?? (BACKSCROLL_BUILT ? `${BACKSCROLL_BUILT}/backscroll` : "backscroll");

/** The program that writes homes for tests. */
export const XTASK = BACKSCROLL_BUILT ? `${BACKSCROLL_BUILT}/xtask` : "xtask";

/** A running server: `url` holds the token, `origin` does not. */
export async function serve(home, ...more) {
  const child = spawn(BINARY, ["serve", "--home", home, ...more], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise((resolve, reject) => {
    lines.once("line", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`backscroll serve ended with ${code}`)));
  });
  return {
    url,
    origin: new URL(url).origin,
    stop: () => new Promise((resolve) => { child.once("exit", resolve); child.kill("SIGTERM"); }),
  };
}
