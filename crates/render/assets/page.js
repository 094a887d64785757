// Filter, folding, copying and keys for the pages of Backscroll. Everything can be read without it. It asks no server,
// and handlers hang on the document, so messages that are added later work too: tell it by the event `backscroll:added`.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // What is remembered from page to page. Some browsers forbid that for files.
  const memory = {
    get(name) { try { return localStorage.getItem(`backscroll-${name}`); } catch { return null; } },
    set(name, value) { try { localStorage.setItem(`backscroll-${name}`, value); } catch { /* then it is forgotten */ } },
  };

  // Light and dark.
  const remembered = memory.get("theme");
  if (remembered === "light" || remembered === "dark") root.dataset.theme = remembered;
  const changeTheme = () => {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    memory.set("theme", root.dataset.theme);
  };

  // Folding: each kind of part is as it came, all open, or hidden.
  const FOLDS = { thinking: "details.thinking", tools: "details.tool", results: ".result" };
  const STATES = { thinking: ["", "open", "hidden"], tools: ["", "open", "hidden"], results: ["", "hidden"] };
  const applyFold = (what) => {
    const state = root.dataset[what] ?? "";
    for (const part of all(FOLDS[what])) {
      if (part.localName !== "details") continue;
      part.dataset.was ??= part.open ? "open" : "shut";
      part.open = state === "open" || (state === "" && part.dataset.was === "open");
    }
    const label = one(`[data-toggle="${what}"] .state`);
    if (label) label.textContent = state;
  };
  const cycleFold = (what) => {
    const states = STATES[what];
    const next = states[(states.indexOf(root.dataset[what] ?? "") + 1) % states.length];
    const seen = nearest();
    const before = seen?.getBoundingClientRect().top;
    if (next) root.dataset[what] = next; else delete root.dataset[what];
    applyFold(what);
    if (seen?.offsetParent) scrollBy(0, seen.getBoundingClientRect().top - before);
  };

  // The filter.
  const field = one("#filter");
  const kind = one("#kind");
  const texts = new WeakMap();
  const textOf = (item) => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };
  const markFound = (words, items) => {
    if (!globalThis.CSS?.highlights || typeof Highlight === "undefined") return;
    CSS.highlights.delete("found");
    if (!words) return;
    const ranges = [];
    for (const item of items) {
      const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
      while (walker.nextNode() && ranges.length < 2000) {
        const text = walker.currentNode.data.toLowerCase();
        for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
          if (at + words.length > walker.currentNode.length) break;
          const range = new Range();
          range.setStart(walker.currentNode, at);
          range.setEnd(walker.currentNode, at + words.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  };
  const applyFilter = () => {
    const words = field?.value.trim().toLowerCase() ?? "";
    const wanted = kind?.value ?? "";
    const items = all(".message, .entry");
    const shown = items.filter((item) => {
      const isOfKind = !wanted || (item.dataset.kinds ?? "").split(" ").includes(wanted);
      const isFound = isOfKind && (!words || textOf(item).includes(words));
      item.hidden = !isFound;
      return isFound;
    });
    for (const group of all(".group")) group.hidden = !one(".entry:not([hidden])", group);
    const found = one("#found");
    if (found) found.textContent = words || wanted ? `${shown.length} of ${items.length}` : "";
    markFound(words, shown);
  };
  const clearFilter = () => {
    if (field) field.value = "";
    if (kind) kind.value = "";
    applyFilter();
  };
  let waiting;
  field?.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(applyFilter, 100); });
  kind?.addEventListener("change", applyFilter);

  // Walking from message to message.
  const visible = (selector) => all(selector).filter((item) => !item.hidden && item.getClientRects().length);
  const edge = () => parseFloat(getComputedStyle(root).scrollPaddingTop) + 2;
  const nearest = () => {
    const current = one(".message[aria-current]");
    const isSeen = (box) => box.bottom > 0 && box.top < innerHeight;
    if (current && isSeen(current.getBoundingClientRect())) return current;
    return visible(".message").find((item) => item.getBoundingClientRect().bottom > edge());
  };
  const goTo = (item) => {
    if (!item) return;
    one(".message[aria-current]")?.removeAttribute("aria-current");
    item.setAttribute("aria-current", "true");
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "start" });
  };
  const step = (selector, forwards) => {
    const items = visible(selector);
    const here = nearest();
    if (forwards) {
      const isMarked = here?.hasAttribute("aria-current");
      const after = (item) => here.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_FOLLOWING;
      goTo(here ? items.find((item) => after(item) || (!isMarked && item === here)) : items[0]);
    } else {
      goTo(items.findLast((item) => here && here.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_PRECEDING));
    }
  };
  const arrive = () => {
    const target = /^#[mo]\d+$/.test(location.hash) ? one(location.hash) : null;
    if (!target) return;
    if (target.hidden) clearFilter();
    goTo(target);
  };
  addEventListener("hashchange", arrive);

  // Copying.
  const copy = async (text, button) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.className = "spoken";
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    if (!button) return;
    button.dataset.said ??= button.textContent;
    button.dataset.done = "";
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = button.dataset.said; delete button.dataset.done; }, 1500);
  };
  const wordsOf = (message) => {
    const texts = all(":scope > .text", message);
    return (texts.length ? texts : all(":scope > .part", message)).map((part) => part.innerText.trim()).join("\n\n");
  };

  // Clicks.
  const help = one("#help");
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) {
      if (event.target.closest(".contents a") && one(".contents:popover-open")) one(".contents").hidePopover();
      return;
    }
    if (button.dataset.copy === "block") copy(one("pre", button.closest(".block")).textContent.replace(/^\$ /, ""), button);
    if (button.dataset.copy === "message") copy(wordsOf(button.closest(".message")), button);
    if (button.dataset.toggle) cycleFold(button.dataset.toggle);
    if (button.id === "theme") changeTheme();
    if (button.id === "ask-help") help?.showModal();
  });

  // Keys.
  const keys = {
    j: () => step(".message", true),
    k: () => step(".message", false),
    n: () => step('.message[data-role="user"]', true),
    p: () => step('.message[data-role="user"]', false),
    t: () => cycleFold("thinking"),
    o: () => cycleFold("tools"),
    r: () => cycleFold("results"),
    d: changeTheme,
    c: () => { const here = nearest(); if (here) copy(`${location.href.split("#")[0]}#${here.id}`, one(".anchor", here)); },
    "/": () => { field?.focus(); field?.select(); },
    "?": () => { if (help) help.open ? help.close() : help.showModal(); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const isTyping = event.target.closest?.("input, select, textarea, [contenteditable]");
    if (event.key === "Escape" && (isTyping || field?.value || kind?.value) && !help?.open) {
      clearFilter();
      event.target.blur?.();
      return;
    }
    if (isTyping || (help?.open && event.key !== "?")) return;
    const action = Object.hasOwn(keys, event.key) ? keys[event.key] : null;
    if (!action) return;
    event.preventDefault();
    action();
  });

  // Where we are, in the table of contents.
  let links = [];
  const numberOf = (id) => Number(id.slice(1));
  const markPlace = () => {
    // The last prompts never come near to the top: towards the end of the page, the line goes down.
    const below = root.scrollHeight - innerHeight - scrollY;
    const line = innerHeight / 3 + Math.min(scrollY, Math.max(0, (innerHeight * 2) / 3 - below));
    const isAbove = (item) => !item.hidden && item.getBoundingClientRect().top < line;
    let current = null;
    let isLacking = false;
    for (const [id, link] of links) {
      const prompt = document.getElementById(id);
      isLacking ||= !prompt;
      if (prompt && isAbove(prompt)) current = link;
    }
    if (isLacking) {
      // Some are not on the page now: what is read tells by its number which of them it belongs to.
      const seen = all(".message").findLast(isAbove);
      current = seen ? links.findLast(([id]) => numberOf(id) <= numberOf(seen.id))?.[1] ?? null : current;
    }
    const before = one(".contents a[aria-current]");
    if (before === current) return;
    before?.removeAttribute("aria-current");
    current?.setAttribute("aria-current", "location");
  };
  const findLinks = () => {
    links = all(".contents a").map((link) => [link.hash.slice(1), link]);
    if (links.length) markPlace();
  };
  let isDue = false;
  addEventListener("scroll", () => {
    if (isDue || !links.length) return;
    isDue = true;
    requestAnimationFrame(() => { isDue = false; markPlace(); });
  }, { passive: true });
  document.addEventListener("backscroll:added", findLinks);
  findLinks();

  // Buttons for what is not on this page are of no use.
  const refresh = () => {
    for (const what of Object.keys(FOLDS)) {
      const button = one(`[data-toggle="${what}"]`);
      if (button) button.hidden = !one(FOLDS[what]);
      if (root.dataset[what]) applyFold(what);
    }
    if (field?.value || kind?.value) applyFilter();
  };
  document.addEventListener("backscroll:added", refresh);
  refresh();
  arrive();
})();
