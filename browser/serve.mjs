// Starts `backscroll serve` over a home, and ends it.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const BINARY = process.env.BACKSCROLL ?? "backscroll";

/** A running server: `url` holds the token, `origin` does not. */
export async function serve(home, ...more) {
  const process = spawn(BINARY, ["serve", "--home", home, ...more], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: process.stdout });
  const url = await new Promise((resolve, reject) => {
    lines.once("line", resolve);
    process.once("error", reject);
    process.once("exit", (code) => reject(new Error(`backscroll serve ended with ${code}`)));
  });
  return {
    url,
    origin: new URL(url).origin,
    stop: () => new Promise((resolve) => { process.once("exit", resolve); process.kill("SIGTERM"); }),
  };
}
