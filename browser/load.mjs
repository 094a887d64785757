// Asks a running server from many clients at once, and tells how long the first byte took.
//
//   node load.mjs URL-WITH-TOKEN [CLIENTS] [SECONDS]

import http from "node:http";

const [url, clients = "50", seconds = "10"] = process.argv.slice(2);
const { origin, searchParams, hostname, port } = new URL(url);
const headers = { Authorization: `Bearer ${searchParams.get("token")}` };
const agent = new http.Agent({ keepAlive: true, maxSockets: Number(clients) });

const ask = (path) => new Promise((resolve, reject) => {
  const begun = performance.now();
  http.get({ hostname, port, path, headers, agent }, (answer) => {
    let first;
    answer.on("data", () => { first ??= performance.now() - begun; });
    answer.on("end", () => resolve({ status: answer.statusCode, first: first ?? performance.now() - begun, whole: performance.now() - begun }));
    answer.on("error", reject);
  }).on("error", reject);
});

const listed = await (await fetch(`${origin}/api/v1/conversations?limit=200`, { headers })).json();
const conversations = listed.map(({ id }) => `/c/${encodeURIComponent(id)}`);
const words = ["parser", "error", "sync engine", "role:user test", "tool:shell", "config"];
const kinds = {
  home: () => "/", list: () => "/search", search: (n) => `/search?q=${encodeURIComponent(words[n % words.length])}`,
  conversation: (n) => conversations[n % conversations.length], workspaces: () => "/workspaces", stats: () => "/stats",
};
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.toFixed(1);
for (const [kind, path] of Object.entries(kinds)) {
  const firsts = [];
  const statuses = {};
  const end = performance.now() + Number(seconds) * 1000;
  let number = 0;
  await Promise.all(Array.from({ length: Number(clients) }, async () => {
    while (performance.now() < end) {
      const { status, first } = await ask(path(number++));
      firsts.push(first);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }));
  firsts.sort((a, b) => a - b);
  console.log(kind.padEnd(13), `n=${firsts.length}`, `p50=${at(firsts, 0.5)}`, `p95=${at(firsts, 0.95)}`, `p99=${at(firsts, 0.99)} ms`, JSON.stringify(statuses));
}
agent.destroy();
