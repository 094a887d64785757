// Starts `backscroll serve` over a home, and ends it.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const { BACKSCROLL, BACKSCROLL_BUILT } = process.env;

/** The program that is tested. */
export const BINARY = BACKSCROLL ?? (BACKSCROLL_BUILT ? `${BACKSCROLL_BUILT}/backscroll` : "backscroll");

/** The program that writes homes for tests. */
export const XTASK = BACKSCROLL_BUILT ? `${BACKSCROLL_BUILT}/xtask` : "xtask";

/** A running server: `url` holds the token, `origin` does not; `address` is where programs ask. */
export async function serve(home, ...more) {
  const child = spawn(BINARY, ["serve", "--home", home, ...more], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const printed = await new Promise((resolve, reject) => {
    lines.once("line", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`backscroll serve ended with ${code}`)));
  });
  // A browser is sent on to a name that cookies are set for.
  const url = (await fetch(printed, { redirect: "manual" })).headers.get("location");
  return {
    url,
    origin: new URL(url).origin,
    address: new URL(printed).origin,
    printed,
    stop: () => new Promise((resolve) => { child.once("exit", resolve); child.kill("SIGTERM"); }),
  };
}
