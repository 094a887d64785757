// Keys, instant results, endless lists and live updates. Everything can be read and reached without it.

const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const root = document.documentElement;
const kind = root.dataset.kind;

/** The page at `address`, parsed but not shown. */
export async function fetchPage(address, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw Object.assign(new Error(`${answer.status} ${address}`), { status: answer.status });
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Calls `act` once `wait` milliseconds have passed without another call. */
export function debounced(act, wait) {
  let timer;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => act(...given), wait); };
}

/** Says something in passing; a click on it does `act`. */
export function say(words, act) {
  const live = one("#live");
  live.replaceChildren();
  if (!words) return;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words;
  button.addEventListener("click", () => { live.replaceChildren(); act?.(); });
  live.append(button);
}

// Instant results.
for (const field of all("input[data-instant]")) {
  const form = field.form;
  let panel = field.dataset.instant === "here" ? one("#instant") : null;
  if (!panel) {
    panel = document.createElement("div");
    panel.className = "instant";
    panel.hidden = true;
    form.append(panel);
  }
  panel.setAttribute("aria-label", "Results");
  let asking;
  const show = async () => {
    const words = field.value.trim();
    asking?.abort();
    if (words.length < 2 || words === field.defaultValue.trim()) { panel.hidden = true; return; }
    asking = new AbortController();
    const address = `/search?q=${encodeURIComponent(words)}`;
    try {
      const page = await fetchPage(`${address}&limit=8&typing=1`, asking.signal);
      const list = one(".conversations", page);
      const [wrong, note] = [one(".results .wrong strong", page), one(".results .note", page)];
      panel.replaceChildren();
      if (list) {
        panel.append(document.adoptNode(list));
        const more = document.createElement("a");
        more.className = "all";
        more.href = address;
        more.textContent = one(".summary-line span", page)?.textContent ?? "All results";
        panel.append(more);
      } else {
        const nothing = document.createElement("p");
        nothing.className = wrong ? "nothing wrong" : "nothing";
        nothing.textContent = (wrong ?? note)?.textContent ?? "Nothing is found.";
        panel.append(nothing);
      }
      panel.hidden = false;
    } catch (error) {
      if (error.name !== "AbortError") panel.hidden = true;
    }
  };
  field.addEventListener("input", debounced(show, 120));
  const links = () => all("a.title, a.hit, a.all", panel);
  form.parentElement.addEventListener("keydown", (event) => {
    if (panel.hidden || !["ArrowDown", "ArrowUp", "Escape"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Escape") { panel.hidden = true; field.focus(); return; }
    const list = links();
    const at = list.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    (list[at] ?? field).focus();
  });
  document.addEventListener("click", (event) => {
    if (!panel.contains(event.target) && event.target !== field) panel.hidden = true;
  });
}

// More results when the end comes near.
const ahead = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) goOn(entry.target);
}, { rootMargin: "800px" });
async function goOn(link) {
  ahead.unobserve(link);
  try {
    const page = await fetchPage(link.href);
    const list = one(".results .conversations");
    list.dataset.isLonger = "";
    for (const item of all(".results .conversation", page)) {
      if (!one(`[data-id="${CSS.escape(item.dataset.id)}"]`, list)) list.append(document.adoptNode(item));
    }
    const next = one("a.next", page);
    const line = link.parentElement;
    if (!next) { line.remove(); return; }
    link.href = next.getAttribute("href");
    ahead.observe(link);
  } catch { /* the link still works */ }
}
for (const link of all("a.next")) ahead.observe(link);

// Keys. Those of a conversation belong to page.js.
let waitsForPlace = false;
const PLACES = { h: "/", c: "/search", w: "/workspaces", s: "/stats", o: "/stores" };
const focusSearch = () => { const field = one("input[data-instant]"); field?.focus(); field?.select(); };
const walk = (forwards) => {
  const titles = all(".conversation .title").filter((title) => title.getClientRects().length);
  const at = titles.findIndex((title) => title === document.activeElement);
  const next = titles[at < 0 ? (forwards ? 0 : titles.length - 1) : at + (forwards ? 1 : -1)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.closest?.("input, select, textarea");
  if (event.key === "Escape") {
    for (const menu of all("details.menu[open]")) { menu.open = false; one("summary", menu).focus(); }
    if (isTyping && kind !== "conversation") event.target.blur();
    return;
  }
  if (isTyping || one("#help")?.open) return;
  const done = () => { event.preventDefault(); event.stopPropagation(); };
  if (waitsForPlace) {
    waitsForPlace = false;
    if (PLACES[event.key]) { done(); location.href = PLACES[event.key]; }
    return;
  }
  if (event.key === "g") { done(); waitsForPlace = true; setTimeout(() => { waitsForPlace = false; }, 1500); return; }
  if (event.key === "s" || (event.key === "/" && kind !== "conversation")) { done(); focusSearch(); return; }
  if (kind === "conversation") return;
  if (event.key === "j") { done(); walk(true); }
  if (event.key === "k") { done(); walk(false); }
}, true);
document.addEventListener("click", (event) => {
  for (const menu of all("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

// What a store is made of is counted when somebody asks, and shown below its line.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a.made-of-link");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const line = link.closest("tr");
  if (link.ariaExpanded === "true") {
    link.ariaExpanded = "false";
    line.nextElementSibling?.remove();
    return;
  }
  if (link.ariaBusy === "true") return;
  link.ariaBusy = "true";
  try {
    const found = one(".made-of", await fetchPage(link.href));
    const cell = document.createElement("td");
    cell.colSpan = line.children.length;
    cell.append(document.adoptNode(found));
    const below = document.createElement("tr");
    below.className = "made-of-line";
    below.append(cell);
    line.after(below);
    link.ariaExpanded = "true";
  } catch {
    // The page itself says what is the matter.
    location.href = link.href;
  } finally {
    link.ariaBusy = null;
  }
});

// While the index is being made, the answer grows.
async function lookAgain() {
  const growing = one(".results .growing");
  if (!growing) return;
  try {
    const page = await fetchPage(location.href);
    const [shown, fresh] = [one(".search-page"), one(".search-page", page)];
    if (fresh) shown.replaceWith(document.adoptNode(fresh));
    for (const link of all("a.next")) ahead.observe(link);
  } catch { /* the next time may be luckier */ }
  setTimeout(lookAgain, 1000);
}
setTimeout(lookAgain, 1000);

// Live: whoever listens is told by the event `backscroll:changed` on the document.
let shown = Number(root.dataset.snapshot);
async function refresh() {
  const page = await fetchPage(location.href);
  for (const block of all("[data-live]")) {
    const fresh = one(`[data-live="${block.dataset.live}"]`, page);
    if (!fresh || fresh.innerHTML === block.dataset.was || block.contains(document.activeElement)) continue;
    block.dataset.was = fresh.innerHTML;
    const [list, freshList] = [one(".conversations", block), one(".conversations", fresh)];
    if (list && freshList) merge(list, freshList); else block.innerHTML = fresh.innerHTML;
  }
}
/** Says when the same search finds something else now: what one reads stays until one asks for it. */
async function compareResults() {
  const page = await fetchPage(location.href);
  const [shown, fresh] = [one(".search-page"), one(".search-page", page)];
  const told = (within) => all(".summary-line > span:first-child, .results .title, .results .hit", within).map((part) => part.textContent).join("\n");
  if (!fresh || told(shown) === told(fresh)) return;
  say("There is something newer ↻", () => {
    shown.replaceWith(document.adoptNode(fresh));
    for (const link of all("a.next")) ahead.observe(link);
  });
}
/** Brings a list up to date by the ids of its items. What was fetched beyond the first page stays where it is. */
function merge(list, fresh) {
  // That time goes by is no news.
  const told = (item) => all(".title, .meta > :not(time), .hit", item).map((part) => part.textContent).join("\n");
  const known = new Map([...list.children].map((item) => [item.dataset.id, item]));
  let at = list.firstElementChild;
  for (const item of [...fresh.children]) {
    const old = known.get(item.dataset.id);
    const next = document.adoptNode(item);
    if (!old || told(old) !== told(next)) next.classList.add("fresh");
    if (old === at) at = old?.nextElementSibling ?? null;
    old?.remove();
    list.insertBefore(next, at);
  }
  if ("isLonger" in list.dataset) return;
  while (at) { const next = at.nextElementSibling; at.remove(); at = next; }
}
// Buttons that copy: what is on the page, or what is at an address.
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy], [data-copy-address]");
  if (!button) return;
  const words = button.textContent;
  const text = async () => {
    if (button.dataset.copy) return one(`#${button.dataset.copy}`).textContent;
    const answer = await fetch(button.dataset.copyAddress);
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.text();
  };
  try {
    await navigator.clipboard.writeText(await text());
    button.textContent = "Copied";
  } catch {
    button.textContent = "Could not copy";
  }
  setTimeout(() => { button.textContent = words; }, 1500);
});

if (root.dataset.snapshot && "EventSource" in globalThis) {
  const hear = (event) => {
    const change = JSON.parse(event.data);
    if (change.snapshot === shown || !shown) { shown = change.snapshot; return; }
    shown = change.snapshot;
    document.dispatchEvent(new CustomEvent("backscroll:changed", { detail: change }));
    if (one(".search-page") && new URLSearchParams(location.search).get("q")) compareResults().catch(() => {});
    else if (one("[data-live]") && !new URLSearchParams(location.search).has("from")) refresh().catch(() => {});
  };
  let source;
  const listen = () => {
    source = new EventSource("/events");
    source.addEventListener("now", hear);
    source.addEventListener("change", hear);
  };
  // A page that nobody sees need not keep the stores busy.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { source?.close(); source = null; } else if (!source) listen();
  });
  addEventListener("pagehide", () => { source?.close(); source = null; });
  addEventListener("pageshow", () => { if (!source && !document.hidden) listen(); });
  if (!document.hidden) listen();
}
