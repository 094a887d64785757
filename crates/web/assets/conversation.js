// A conversation that is longer than a page: its messages come as one gets near to them (stretches.js), what is not loaded is
// found, and what is said while one reads is taken in. Folding, filter and keys are those of page.js.

import { debounced, fetchPage, say } from "./app.js";
import { stretches } from "./stretches.js";

const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const layout = one(".layout[data-id]");

function start() {
  const { id } = layout.dataset;
  const here = `/c/${encodeURIComponent(id)}`;
  const list = one("#messages");
  const added = () => document.dispatchEvent(new Event("backscroll:added"));
  const numberOf = (hash) => Number(/^#m(\d+)$/.exec(hash)?.[1] ?? 0);

  const messagesIn = (html) => all("article.message", new DOMParser().parseFromString(html, "text/html"));
  const taken = (nodes) => nodes.map((node) => document.adoptNode(node));
  for (const link of all(".earlier, .later")) link.remove();
  const messages = stretches(list, Number(layout.dataset.total), async (from, count) => {
    const answer = await fetch(`${here}/messages?from=${from}&count=${count}`);
    if (!answer.ok) throw new Error(String(answer.status));
    return taken(messagesIn(await answer.text()));
  }, added);

  // A link to a message that is not on the page now.
  const bringLinked = async () => {
    const number = numberOf(location.hash);
    if (!number || document.getElementById(`m${number}`)) return;
    if (await messages.bring(number)) dispatchEvent(new HashChangeEvent("hashchange"));
  };
  bringLinked().catch(() => {});
  addEventListener("hashchange", () => bringLinked().catch(() => {}));
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".contents a, #matches a");
    const number = link && numberOf(link.hash);
    if (!number || number > Number(layout.dataset.total) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (location.hash === link.hash) document.getElementById(`m${number}`)?.scrollIntoView();
    location.hash = link.hash;
  });

  // The filter of page.js looks at what is on the page.
  const filters = [one("#filter"), one("#kind")].filter(Boolean);
  const followFilter = () => messages.filter(filters.some((filter) => filter.value !== ""));
  for (const filter of filters) for (const kind of ["input", "change"]) filter.addEventListener(kind, followFilter);
  document.addEventListener("keyup", (event) => { if (event.key === "Escape") followFilter(); });

  // Find.
  const form = one(".find-here");
  const panel = one("#matches");
  const field = form && one("input", form);
  const find = async () => {
    const words = field.value.trim();
    if (words.length < 2) { panel.hidden = true; return; }
    const page = await fetchPage(`${here}/find?q=${encodeURIComponent(words)}`);
    // Something else may have been typed meanwhile.
    if (field.value.trim() !== words) return;
    const found = [one(".summary-line", page), one("ol.matches", page)].filter(Boolean);
    panel.replaceChildren(...found.map((node) => document.adoptNode(node)));
    panel.hidden = false;
  };
  field?.addEventListener("input", debounced(() => find().catch(() => {}), 200));
  form?.addEventListener("submit", (event) => { event.preventDefault(); find().catch(() => {}); });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, select, textarea");
    if (event.key === "Escape" && event.target === field) { field.value = ""; panel.hidden = true; }
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "f") { event.preventDefault(); field?.focus(); }
    if (event.key === "e") { event.preventDefault(); const menu = one("#export"); menu.open = !menu.open; one("summary", menu).focus(); }
  });

  // The last messages may not be on the page yet, and are higher than the room that is reserved for them.
  const toEnd = async () => (await messages.bring(Number(layout.dataset.total)))?.scrollIntoView({ block: "end", behavior: "instant" });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "End" || event.target.closest?.("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    toEnd().catch(() => {});
  });

  // What is said meanwhile.
  let isTaking = false;
  function takeHead(page) {
    for (const part of [".bar .name", "#head"]) {
      const [shown, fresh] = [one(part), one(part, page)];
      if (fresh && shown.textContent !== fresh.textContent && !shown.contains(document.activeElement)) shown.innerHTML = fresh.innerHTML;
    }
    document.title = page.title;
  }
  function sayDeleted() {
    one(".end").textContent = "This conversation was deleted. What is shown is what it was.";
    say("This conversation was deleted");
  }
  async function catchUp() {
    if (isTaking) return;
    isTaking = true;
    try {
      const known = Number(layout.dataset.total);
      const page = await fetchPage(`${here}?at=${Math.max(known - 1, 0)}`);
      takeHead(page);
      const fresh = one(".layout[data-id]", page);
      if (!fresh) return;
      const total = Number(fresh.dataset.total);
      const isAtEnd = innerHeight + scrollY >= document.body.scrollHeight - 120;
      messages.update(taken(all("article.message", fresh)), total);
      layout.dataset.total = total;
      const count = total - known;
      const [outline, freshOutline] = [one(".contents ol"), one(".contents ol", fresh)];
      if (outline && freshOutline) outline.innerHTML = freshOutline.innerHTML;
      one(".end").textContent = one(".end", fresh)?.textContent ?? "";
      added();
      if (count <= 0) return;
      if (isAtEnd) toEnd(); else say(count === 1 ? "1 new message ↓" : `${count} new messages ↓`, toEnd);
    } finally {
      isTaking = false;
    }
  }
  document.addEventListener("backscroll:changed", ({ detail }) => {
    if (!detail.conversations || detail.conversations.includes(id)) catchUp().catch((error) => { if (error.status === 404) sayDeleted(); });
  });
}

if (layout) start();
