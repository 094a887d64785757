// A conversation that is longer than a page: fetches slices as one comes near them, finds what is not loaded, and takes in
// what is said while one reads. Folding, filter and keys are those of page.js.

import { debounced, fetchPage, say } from "./app.js";

const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const layout = one(".layout[data-id]");

function start() {
  const { id, slice } = layout.dataset;
  const here = `/c/${encodeURIComponent(id)}`;
  const list = one("#messages");
  const added = () => document.dispatchEvent(new Event("backscroll:added"));
  const numberOf = (hash) => Number(/^#m(\d+)$/.exec(hash)?.[1] ?? 0);

  // A link to a message that is not on this page.
  const fetchUnloaded = () => {
    const number = numberOf(location.hash);
    if (number && !document.getElementById(`m${number}`) && number <= Number(layout.dataset.total)) {
      location.replace(`${here}?at=${number - 1}#m${number}`);
    }
  };
  fetchUnloaded();
  addEventListener("hashchange", fetchUnloaded);
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".contents a, #matches a");
    const number = link && numberOf(link.hash);
    if (number && document.getElementById(`m${number}`)) {
      event.preventDefault();
      if (location.hash === link.hash) document.getElementById(`m${number}`).scrollIntoView();
      location.hash = link.hash;
    }
  });

  // Slices before and after.
  const messagesIn = (html) => all("article.message", new DOMParser().parseFromString(html, "text/html"));
  async function take(link) {
    const from = Number(link.dataset.from);
    const isEarlier = link.parentElement.classList.contains("earlier");
    const answer = await fetch(`${here}/messages?from=${from}`);
    if (!answer.ok) throw new Error(String(answer.status));
    const fresh = messagesIn(await answer.text()).map((message) => document.adoptNode(message));
    if (isEarlier) {
      const first = list.firstElementChild;
      const before = first?.getBoundingClientRect().top ?? 0;
      list.prepend(...fresh);
      if (first) scrollBy({ top: first.getBoundingClientRect().top - before, behavior: "instant" });
    } else {
      list.append(...fresh);
    }
    added();
    const next = isEarlier ? from - slice : from + Number(slice);
    if (next < 0 || next >= Number(layout.dataset.total) || (isEarlier && from === 0)) { link.parentElement.remove(); return; }
    link.dataset.from = next;
    link.href = `${here}?at=${next}#m${next + 1}`;
    near.observe(link);
  }
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      take(target).catch(() => {});
    }
  }, { rootMargin: "1500px" });
  // What is above comes only when one scrolls up, so that the page does not move while one arrives.
  for (const link of all(".later a[data-from]")) near.observe(link);
  let last = scrollY;
  addEventListener("scroll", () => {
    if (scrollY < last) for (const link of all(".earlier a[data-from]")) near.observe(link);
    last = scrollY;
  }, { passive: true });

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

  // Copy as Markdown.
  one("#copy-markdown")?.addEventListener("click", async (event) => {
    const button = event.currentTarget;
    const words = button.textContent;
    try {
      const answer = await fetch(button.dataset.from);
      if (!answer.ok) throw new Error(String(answer.status));
      await navigator.clipboard.writeText(await answer.text());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Could not copy";
    }
    setTimeout(() => { button.textContent = words; }, 1500);
  });

  // What is said meanwhile.
  let isTaking = false;
  async function catchUp() {
    if (isTaking) return;
    isTaking = true;
    try {
      const lastShown = numberOf(`#${list.lastElementChild?.id ?? ""}`);
      const page = await fetchPage(`${here}?at=${Math.max(lastShown - 1, 0)}`);
      const fresh = one(".layout[data-id]", page);
      if (!fresh) return;
      const knewEnd = !one(".later a");
      layout.dataset.total = fresh.dataset.total;
      const isAtEnd = innerHeight + scrollY >= document.body.scrollHeight - 120;
      let count = 0;
      for (const message of all("article.message", fresh)) {
        const known = document.getElementById(message.id);
        if (known && known.textContent !== message.textContent && !known.contains(document.activeElement)) {
          known.replaceWith(document.adoptNode(message));
        } else if (!known && knewEnd && numberOf(`#${message.id}`) > lastShown) {
          message.classList.add("arrived");
          list.append(document.adoptNode(message));
          count += 1;
        }
      }
      const [outline, freshOutline] = [one(".contents ol"), one(".contents ol", fresh)];
      if (outline && freshOutline) outline.innerHTML = freshOutline.innerHTML;
      one(".end").textContent = one(".end", fresh)?.textContent ?? "";
      added();
      if (!count) return;
      const toEnd = () => list.lastElementChild.scrollIntoView({ block: "end" });
      if (isAtEnd) toEnd(); else say(count === 1 ? "1 new message ↓" : `${count} new messages ↓`, toEnd);
    } finally {
      isTaking = false;
    }
  }
  document.addEventListener("backscroll:changed", ({ detail }) => {
    if (!detail.conversations || detail.conversations.includes(id)) catchUp().catch(() => {});
  });
}

if (layout) start();
