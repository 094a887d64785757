// The player of a replay. The page holds the whole conversation and, as data, the play: steps with their moments, chapters,
// and for each file what changed at which step. What is seen at a moment follows from that moment alone, never from the way
// that led to it. It fetches nothing, and text of the conversation only ever becomes text.
(() => {
  "use strict";
  const data = document.getElementById("play");
  if (!data) return;
  const { play, zone } = JSON.parse(data.textContent);
  data.remove();
  const { steps, chapters, files, lasts } = play;
  const root = document.documentElement;
  const body = document.body;
  const by = (id) => document.getElementById(id);
  const clamp = (value, least, most) => Math.min(Math.max(value, least), most);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const conversation = by("conversation");
  const leaves = [...conversation.querySelectorAll(":scope > .leaf")];
  const messages = [...conversation.querySelectorAll(":scope > .leaf > .message")];
  if (!steps.length) return;

  // ---- Words for times.

  const twoDigits = (number) => String(number).padStart(2, "0");
  const clock = (ms) => {
    const seconds = Math.floor(ms / 1000);
    const minutes = Math.floor(seconds / 60);
    return minutes < 60 ? `${minutes}:${twoDigits(seconds % 60)}`
      : `${Math.floor(minutes / 60)}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
  };
  const rough = (ms) => {
    const seconds = Math.floor(ms / 1000);
    if (seconds < 1) return `${ms} ms`;
    if (seconds < 120) return `${seconds} s`;
    if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
    if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
    return `${Math.floor(seconds / 86400)} days`;
  };
  const format = (options) => {
    try {
      return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone ?? "UTC" });
    } catch {
      return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
    }
  };
  const longTime = format({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const shortTime = format({ hour: "2-digit", minute: "2-digit" });
  const dayAndTime = format({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

  // ---- The play: which step is on at a moment.

  const lastBelow = (count, isBelow) => {
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (isBelow(middle)) low = middle; else high = middle - 1;
    }
    return low;
  };
  const stepAt = (moment) => lastBelow(steps.length, (at) => steps[at].starts <= moment);
  const chapterAt = (step) => lastBelow(chapters.length, (at) => chapters[at].step <= step);
  const endOf = (step) => steps[step].starts + steps[step].lasts;

  // ---- The conversation: what has been said so far.

  const partsOf = (message) => [...messages[message].querySelectorAll(":scope > .part")];
  const pauseBefore = messages.map((message) => {
    const before = message.previousElementSibling;
    return before?.classList.contains("pause-between") ? before : null;
  });
  // Messages lie on leaves, so that a leap over thousands of them turns a few leaves. A leaf that is past shows all of its
  // messages, one that is to come none; only on the one that is on are they looked at one by one.
  const leafOf = messages.map((message) => leaves.indexOf(message.parentElement));
  const firstOf = leaves.map((_, leaf) => leafOf.indexOf(leaf));
  const countOf = leaves.map((_, leaf) => (firstOf[leaf + 1] ?? messages.length) - firstOf[leaf]);
  const shownOn = [...countOf]; // A page begins with everything in sight.
  const showOn = (leaf, count) => {
    const [from, to] = [Math.min(shownOn[leaf], count), Math.max(shownOn[leaf], count)];
    for (let at = firstOf[leaf] + from; at < firstOf[leaf] + to; at += 1) {
      messages[at].classList.toggle("later", at - firstOf[leaf] >= count);
      pauseBefore[at]?.classList.toggle("later", at - firstOf[leaf] >= count);
    }
    shownOn[leaf] = count;
  };
  const looks = leaves.map(() => "");
  const lookOf = (leaf, on) => (leaf > on ? "leaf later" : leaf >= on - 1 ? "leaf near" : "leaf");
  const turnTo = (on) => {
    for (let leaf = 0; leaf < leaves.length; leaf += 1) {
      const look = lookOf(leaf, on);
      if (look !== looks[leaf]) looks[leaf] = leaves[leaf].className = look;
      if (leaf < on) showOn(leaf, countOf[leaf]);
    }
  };
  let shownMessage = -1;
  let shownParts = null;
  const reveal = (step) => {
    const { message, part } = steps[step];
    if (message !== shownMessage || !shownParts) {
      turnTo(leafOf[message]);
      showOn(leafOf[message], message - firstOf[leafOf[message]] + 1);
      for (const element of shownParts ?? []) element.classList.remove("later");
      shownParts = partsOf(message);
    }
    shownMessage = message;
    shownParts.forEach((element, at) => element.classList.toggle("later", at > part));
    return shownParts[part] ?? messages[message];
  };

  // Calls and thoughts unfold while they are on, and fold again, unless the reader has laid hands on them.
  let unfolded = null;
  const touched = new WeakSet();
  document.addEventListener("click", (event) => {
    const fold = event.target.closest?.("summary")?.parentElement;
    if (fold) touched.add(fold);
  });
  const unfold = (element) => {
    if (unfolded === element) return;
    if (unfolded && !touched.has(unfolded)) unfolded.open = unfolded.dataset.was === "open";
    unfolded = element?.localName === "details" && !element.classList.contains("attachment") ? element : null;
    if (unfolded) {
      unfolded.dataset.was ??= unfolded.open ? "open" : "shut";
      if (!touched.has(unfolded)) unfolded.open = true;
    }
  };

  // Typing: what is not yet typed is there but not seen, so that nothing jumps. Blocks come when the typing reaches them.
  const canHighlight = Boolean(globalThis.CSS?.highlights) && typeof Highlight !== "undefined";
  let typing = null;
  const startTyping = (element) => {
    const within = element.matches(".text") ? element : element.querySelector(".text");
    if (!within) return null;
    const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
    const nodes = [];
    let length = 0;
    while (walker.nextNode()) {
      nodes.push({ node: walker.currentNode, from: length });
      length += walker.currentNode.length;
    }
    const blocks = [...within.children].map((block) => {
      const first = nodes.findIndex(({ node }) => block.contains(node));
      return { block, from: first < 0 ? 0 : nodes[first].from };
    });
    return { element, nodes, length, blocks };
  };
  const stopTyping = () => {
    if (!typing) return;
    for (const { block } of typing.blocks) block.classList.remove("later");
    CSS.highlights.delete("untyped");
    typing = null;
  };
  // Types `share` of the element; gives the place where it is.
  const type = (element, share) => {
    if (!canHighlight || share >= 1) return stopTyping();
    if (typing?.element !== element) {
      stopTyping();
      typing = startTyping(element);
    }
    if (!typing?.length) return stopTyping();
    const reached = Math.floor(typing.length * share);
    for (const { block, from } of typing.blocks) block.classList.toggle("later", from > reached);
    const { nodes } = typing;
    const { node, from } = nodes[lastBelow(nodes.length, (at) => nodes[at].from <= reached)];
    const range = new Range();
    range.setStart(node, clamp(reached - from, 0, node.length));
    range.setEndAfter(nodes[nodes.length - 1].node);
    CSS.highlights.set("untyped", new Highlight(range));
    const caret = range.cloneRange();
    caret.collapse(true);
    return caret;
  };

  // ---- Scrolling: the page follows the play until the reader scrolls.

  const follow = by("follow");
  let isFollowing = true;
  const setFollowing = (wanted) => {
    isFollowing = wanted;
    follow.hidden = wanted;
  };
  const leave = () => { if (isFollowing) setFollowing(false); };
  const isPanel = (target) => target.closest?.(".shelf, .chapters, .player, dialog");
  for (const kind of ["wheel", "touchmove"]) {
    addEventListener(kind, (event) => { if (!isPanel(event.target)) leave(); }, { passive: true });
  }
  addEventListener("pointerdown", (event) => { if (event.target === root) leave(); }, { passive: true });
  // What is measured is measured at once, behind everything that changes the page: each look in between costs a layout.
  let [playerHeight, viewHeight] = [116, 600];
  const settling = [];
  const keepInView = (element, place, isSmooth) => {
    if (!isFollowing) return;
    const caret = place?.getBoundingClientRect();
    const box = element.getBoundingClientRect();
    const top = 72;
    const bottom = innerHeight - playerHeight - 48;
    const edge = caret?.height ? caret.bottom : box.bottom;
    let distance = 0;
    if (edge > bottom) distance = Math.min(edge - bottom, caret?.height ? Infinity : Math.max(box.top - top, 0));
    else if (box.top < top && edge < bottom) distance = Math.max(box.top - top, edge - bottom);
    if (Math.abs(distance) < 1) return;
    scrollBy({ top: isSmooth && !calm.matches ? distance * 0.18 + Math.sign(distance) : distance, behavior: "instant" });
  };

  // ---- Files: every state is made of the one before, with a state kept every so often.

  const KEPT = 32;
  const UNKNOWN = [0];
  const spliced = (rows, splices) => {
    if (!splices?.length) return rows;
    const done = [];
    let at = 0;
    for (const [place, removed, added] of splices) {
      for (; at < place; at += 1) done.push(rows[at]);
      for (const row of added) done.push(row);
      at = place + removed;
    }
    for (; at < rows.length; at += 1) done.push(rows[at]);
    return done;
  };
  const after = (rows, change) => spliced(spliced(rows, change.told), change.changed);
  const kept = files.map(() => new Map([[-1, UNKNOWN]]));
  const latest = files.map(() => ({ change: -1, rows: UNKNOWN }));
  // The rows of a file behind its change with this number; -1 is before any.
  const rowsBehind = (file, number) => {
    if (number < 0) return UNKNOWN;
    let { change, rows } = latest[file];
    if (change > number || number - change > KEPT) {
      let near = number - (number % KEPT);
      while (near >= 0 && !kept[file].has(near)) near -= KEPT;
      near = Math.max(near, -1);
      if (change > number || near > change) [change, rows] = [near, kept[file].get(near)];
    }
    while (change < number) {
      change += 1;
      rows = after(rows, files[file].changes[change]);
      if (change % KEPT === 0) kept[file].set(change, rows);
    }
    latest[file] = { change, rows };
    return rows;
  };
  const changeAt = (file, step) => {
    const { changes } = files[file];
    return changes[0].step > step ? -1 : lastBelow(changes.length, (at) => changes[at].step <= step);
  };
  const touchedBy = new Map();
  // A checkpoint only tells how a file stands: the panel does not turn to it by itself.
  files.forEach((file, number) => file.changes.filter((change) => change.how !== "kept").forEach((change) => {
    touchedBy.set(change.step, [...(touchedBy.get(change.step) ?? []), number]);
  }));
  const touchSteps = [...touchedBy.keys()].sort((a, b) => a - b);
  const fileOf = (step) => {
    if (!touchSteps.length || touchSteps[0] > step) return null;
    return touchedBy.get(touchSteps[lastBelow(touchSteps.length, (at) => touchSteps[at] <= step)])[0];
  };

  // What is drawn: the rows of the state, and where the last change stands in it, with what it took away.
  const drawn = (file, number, isNow) => {
    const change = files[file].changes[number];
    const before = spliced(rowsBehind(file, number - 1), change.told);
    const shown = [];
    let line = 1;
    let isNumbered = true;
    const put = (row, sign) => {
      if (typeof row === "string") {
        shown.push({ text: row, sign, line: isNumbered && sign !== "−" ? line : null });
        if (sign !== "−") line += 1;
        return;
      }
      shown.push({ gap: row, sign });
      if (row > 0) line += row; else isNumbered = false;
    };
    let at = 0;
    for (const [place, removed, added] of change.changed ?? []) {
      for (; at < place; at += 1) put(before[at], "");
      if (isNow) for (const row of before.slice(place, place + removed)) if (typeof row === "string") put(row, "−");
      for (const row of added) put(row, "+");
      at = place + removed;
    }
    for (; at < before.length; at += 1) put(before[at], "");
    return shown;
  };

  const ROW = 20;
  const panel = by("files");
  const view = by("file-view");
  const rowsElement = by("file-rows");
  const tabs = by("tabs");
  const fileTrouble = by("file-trouble");
  const TROUBLES = {
    contradiction: "This step does not fit what was known of the file, so only what it tells itself is shown.",
    unplaced: "Where in the file this change stands is not known.",
    "changed-outside": "The file is not as the conversation left it: something else changed it in between.",
    "not-as-kept": "What the steps tell of this file is not what Cursor's own checkpoint kept here. The checkpoint is shown: something else may have changed the file.",
    cut: "The file is too large to be kept whole.",
  };
  const HOW = { seen: "read", edited: "edited", written: "written", deleted: "deleted", kept: "at a checkpoint" };
  let pinned = null;
  let scrolled = 0;
  let onView = { key: "", rows: [], first: -1, last: -1 };
  const tabOf = [];
  const tabLooks = [];
  const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1) || path;
  const makeTab = (number) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.setAttribute("role", "tab");
    const name = nameOf(files[number].path);
    const isTwice = files.some((file, other) => other !== number && nameOf(file.path) === name);
    const parts = files[number].path.split("/");
    tab.textContent = isTwice && parts.length > 1 ? parts.slice(-2).join("/") : name;
    tab.title = files[number].path;
    tab.addEventListener("click", () => {
      pinned = pinned === number ? null : number;
      render();
    });
    return tab;
  };
  const span = (kind, text) => {
    const element = document.createElement("span");
    element.className = kind;
    element.textContent = text;
    return element;
  };
  const gapWords = (gap) => {
    if (gap > 0) return `${gap} ${gap === 1 ? "line" : "lines"} not known`;
    return gap === 0 ? "not known from here on" : gap === -1 ? "somewhere in this file" : "more, which was not kept";
  };
  const LOOKS = { "+": "row came", "−": "row went" };
  const rowElement = ({ text, gap, sign, line }, runs) => {
    const row = document.createElement("div");
    row.className = gap === undefined ? LOOKS[sign] ?? "row" : "row gap";
    const content = span("line", runs ? "" : text ?? gapWords(gap));
    for (const [kind, words] of runs ?? []) content.append(kind ? span(kind, words) : words);
    row.append(span("number", line ?? ""), span("sign", sign), content);
    return row;
  };
  // Colours: comments and strings may have begun above, so the lines above are read too, as far as is quick.
  const ABOVE = 200;
  const coloured = (language, first, last) => {
    if (!language) return [];
    const runs = [];
    let open = null;
    for (let at = Math.max(first - ABOVE, 0); at < last; at += 1) {
      const { text, sign } = onView.rows[at];
      if (text === undefined) { open = null; continue; }
      const cut = backscrollColour.cut(language, text, open);
      // What was taken away leaves nothing open behind it.
      if (sign !== "−") ({ open } = cut);
      if (at >= first) runs[at - first] = cut.runs;
    }
    return runs;
  };
  const drawRows = (top) => {
    const first = clamp(Math.floor(top / ROW) - 5, 0, Math.max(onView.rows.length - 1, 0));
    const last = Math.min(first + Math.ceil(viewHeight / ROW) + 10, onView.rows.length);
    if (first === onView.first && last === onView.last) return;
    [onView.first, onView.last] = [first, last];
    rowsElement.style.paddingTop = `${first * ROW}px`;
    rowsElement.style.paddingBottom = `${(onView.rows.length - last) * ROW}px`;
    const runs = coloured(onView.language, first, last);
    rowsElement.replaceChildren(...onView.rows.slice(first, last).map((row, at) => rowElement(row, runs[at])));
  };
  view.addEventListener("scroll", () => {
    scrolled = view.scrollTop;
    drawRows(scrolled);
  }, { passive: true });
  new ResizeObserver(() => {
    viewHeight = view.clientHeight;
    if (onView.key) drawRows(scrolled);
  }).observe(view);
  new ResizeObserver(() => { playerHeight = by("player").offsetHeight; }).observe(by("player"));
  const showFile = (step) => {
    const file = pinned !== null && changeAt(pinned, step) >= 0 ? pinned : fileOf(step);
    by("unpin").hidden = pinned === null;
    const onStep = touchedBy.get(step);
    for (let number = 0; number < files.length; number += 1) {
      const isOpen = files[number].changes[0].step <= step;
      if (!tabOf[number] && isOpen) {
        tabOf[number] = makeTab(number);
        const next = tabOf.slice(number + 1).find(Boolean);
        tabs.insertBefore(tabOf[number], next ?? null);
      }
      if (!tabOf[number]) continue;
      const look = isOpen ? `${number === file}${onStep?.includes(number) ? " touched" : ""}` : "";
      if (tabLooks[number] === look) continue;
      tabLooks[number] = look;
      tabOf[number].hidden = !isOpen;
      tabOf[number].setAttribute("aria-selected", String(number === file));
      tabOf[number].classList.toggle("touched", look.endsWith("touched"));
    }
    if (file === null) {
      [by("file-path").textContent, by("file-change").textContent] = ["No file yet", ""];
      [fileTrouble.hidden, by("file-kept").hidden] = [true, true];
      rowsElement.replaceChildren();
      onView = { key: "", rows: [], first: -1, last: -1 };
      return;
    }
    const number = changeAt(file, step);
    const change = files[file].changes[number];
    const isNow = change.step === step;
    const key = `${file}:${number}:${isNow}`;
    if (key === onView.key) return;
    const isOtherFile = !onView.key.startsWith(`${file}:`);
    const rows = drawn(file, number, isNow);
    onView = { key, rows, language: backscrollColour.languageOf(files[file].path), first: -1, last: -1 };
    panel.dataset.file = files[file].path;
    panel.classList.toggle("stale", !isNow);
    by("file-path").textContent = files[file].path;
    const count = (sign) => rows.filter((row) => row.sign === sign && row.gap === undefined).length;
    const [came, went] = [count("+"), count("−")];
    const stat = (kind, sign, number) => (number ? [" ", span(kind, `${sign}${number}`)] : []);
    by("file-change").replaceChildren(...(isNow ? [HOW[change.how], ...stat("added", "+", came), ...stat("removed", "−", went)] : []));
    by("file-kept").hidden = !change.kept;
    fileTrouble.hidden = !change.trouble;
    fileTrouble.textContent = TROUBLES[change.trouble] ?? "";
    const firstChange = rows.findIndex((row) => row.sign);
    const firstKnown = Math.max(rows.findIndex((row) => row.gap === undefined), 0);
    if (isNow || isOtherFile) scrolled = Math.max((firstChange >= 0 ? firstChange : firstKnown) - 4, 0) * ROW;
    drawRows(scrolled);
    const tab = tabOf[file];
    settling.push(() => {
      view.scrollTop = scrolled;
      tabs.scrollTo({ left: tab.offsetLeft - tabs.clientWidth / 2 + tab.clientWidth / 2, behavior: "instant" });
    });
  };

  // ---- The scrub bar: the play from left to right, with its markers, pauses and real times.

  const marks = by("marks");
  const position = by("position");
  position.max = String(lasts);
  const KINDS = [
    { name: "prompt", key: "prompts", says: "prompt" },
    { name: "edit", key: "edits", says: "edit", is: (step) => steps[step].kind === "edit" },
    { name: "shell", key: "commands", says: "command", is: (step) => steps[step].kind === "shell" },
    { name: "error", key: "errors", says: "error", is: (step) => Boolean(steps[step].failed) },
  ];
  const beginsChapter = new Set(chapters.map((chapter) => chapter.step));
  const hasPrompt = (chapter, number) => {
    const end = chapters[number + 1]?.step ?? steps.length;
    for (let step = chapter.step; step < end; step += 1) if (steps[step].kind === "prompt") return true;
    return false;
  };
  const promptSteps = chapters.filter(hasPrompt).map((chapter) => chapter.step);
  const every = steps.map((_, step) => step);
  const markers = new Map(KINDS.map((kind) => [kind.name, kind.name === "prompt" ? promptSteps : every.filter(kind.is)]));
  const width = () => marks.clientWidth;
  const placeOf = (moment) => (lasts ? (moment / lasts) * width() : 0);
  const colours = document.createElement("span");
  colours.hidden = true;
  body.append(colours);
  const drawMarks = () => {
    const scale = devicePixelRatio || 1;
    const [wide, high] = [marks.clientWidth, marks.clientHeight];
    if (!wide) return;
    marks.width = Math.round(wide * scale);
    marks.height = Math.round(high * scale);
    const pen = marks.getContext("2d");
    pen.scale(scale, scale);
    // Colours with a light and a dark side are resolved only on an element.
    const resolved = (name) => {
      colours.style.color = `var(--mark-${name})`;
      return getComputedStyle(colours).color;
    };
    const track = 24;
    const heights = { shell: 8, edit: 8, error: 14, prompt: 14 };
    for (const kind of ["shell", "edit", "error", "prompt"]) {
      pen.fillStyle = resolved(kind);
      let drawnAt = -9;
      // Many of them are drawn thin, with room between them, or they would be one block.
      const thick = wide / (markers.get(kind).length || 1) < 8 ? 1 : 3;
      for (const step of markers.get(kind)) {
        const x = Math.round(placeOf(steps[step].starts));
        if (x - drawnAt < thick + 1) continue;
        drawnAt = x;
        pen.beginPath();
        pen.roundRect(clamp(x - thick / 2, 0, wide - thick), track - 6 - heights[kind], thick, heights[kind], thick / 2);
        pen.fill();
      }
    }
    pen.font = `11px ${getComputedStyle(body).fontFamily}`;
    pen.textBaseline = "top";
    let free = 0;
    const label = (text, x, name) => {
      const size = pen.measureText(text).width;
      const left = clamp(x - size / 2, 0, wide - size);
      if (left < free) return false;
      pen.fillStyle = resolved(name);
      pen.fillText(text, left, track + 12);
      free = left + size + 18;
      return true;
    };
    let [day, last] = ["", ""];
    for (const [at, step] of steps.entries()) {
      const x = placeOf(step.starts);
      if (step.idle) {
        const from = placeOf(at ? endOf(at - 1) : 0);
        pen.fillStyle = resolved("pause");
        for (let dot = from + 1; dot < Math.max(x - 1, from + 4); dot += 4) pen.fillRect(dot, track - 1, 2, 5);
        label(`⋯ ${rough(step.idle)}`, (from + x) / 2, "pause-text");
      } else if (step.at !== null && step.at !== undefined && step.is === "exact" && (at === 0 || beginsChapter.has(at) || x - free > 60)) {
        const now = dayAndTime.format(step.at);
        const told = now.split(",")[0] === day ? shortTime.format(step.at) : now;
        if (now !== last && label(told, x, "time")) {
          last = now;
          [day] = now.split(",");
        }
      }
    }
  };
  const redraw = () => requestAnimationFrame(drawMarks);
  new ResizeObserver(redraw).observe(marks);
  new MutationObserver(redraw).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  const legend = by("legend");
  for (const { name, says, key } of KINDS) {
    const count = markers.get(name).length;
    if (!count) continue;
    const chip = document.createElement("button");
    chip.type = "button";
    chip.className = "chip";
    chip.dataset.kind = name;
    chip.dataset.count = String(count);
    chip.append(String(count), span("says", ` ${count === 1 ? says : key}`));
    chip.title = `Next ${says}: ${count} ${count === 1 ? says : key}`;
    chip.setAttribute("aria-label", chip.title);
    chip.addEventListener("click", () => nextMarker(name));
    legend.append(chip);
  }
  const tip = by("tip");
  // Where the bar lies is looked up once: while it is dragged, each look would cost a layout.
  let bar = null;
  const showTip = (event) => {
    bar ??= marks.getBoundingClientRect();
    const share = clamp((event.clientX - bar.left) / (bar.width || 1), 0, 1);
    const step = steps[stepAt(share * lasts)];
    tip.hidden = false;
    tip.textContent = `${clock(share * lasts)} · ${step.caption || step.kind}`;
    // At the left end it begins there, at the right it ends there, so it never sticks out.
    tip.style.left = `${share * 100}%`;
    tip.style.translate = `${share * -100}% 0`;
  };
  addEventListener("resize", () => { bar = null; });
  position.addEventListener("pointermove", showTip);
  position.addEventListener("pointerleave", () => { tip.hidden = true; });

  // ---- Everything at one moment.

  let now = 0;
  let isPlaying = false;
  let isUntouched = true;
  let speed = 1;
  const TYPED = new Set(["prompt", "text", "thinking"]);
  const later = by("later");
  let shownChapter = -1;
  const chapterLinks = new Map([...document.querySelectorAll("#chapters a")].map((link) => [Number(link.dataset.step), link]));
  const showChapter = (step) => {
    const number = chapterAt(step);
    if (number === shownChapter) return;
    chapterLinks.get(chapters[shownChapter]?.step)?.removeAttribute("aria-current");
    shownChapter = number;
    const link = chapterLinks.get(chapters[number].step);
    link?.setAttribute("aria-current", "true");
    const list = by("chapters");
    if (link) settling.push(() => { list.scrollTop = link.offsetTop - list.clientHeight / 2; });
    const { model, took } = chapters[number];
    by("turn").textContent = [`${number + 1} of ${chapters.length}`, model, took ? `took ${rough(took)}` : ""].filter(Boolean).join(" · ");
  };
  const showBar = (step) => {
    const { at, is, caption, kind } = steps[step];
    position.value = String(Math.round(now));
    position.style.setProperty("--share", lasts ? String(now / lasts) : "0");
    position.setAttribute("aria-valuetext", `${clock(now)}, step ${step + 1} of ${steps.length}: ${caption || kind}`);
    by("elapsed").textContent = clock(now);
    by("caption").textContent = caption;
    by("caption").dataset.kind = steps[step].failed ? "error" : kind;
    const time = by("real");
    time.textContent = at === null || at === undefined ? "time not known" : `${is === "exact" ? "" : "≈ "}${longTime.format(at)}`;
    if (at !== null && at !== undefined) time.dateTime = new Date(at).toISOString(); else time.removeAttribute("datetime");
  };
  // While the bar is dragged the conversation keeps up with the hand; files follow a moment later, a few times a second.
  const MOMENT = 60;
  let filesDue = 0;
  const settle = () => { for (const settled of settling.splice(0)) settled(); };
  const showFiles = (isDragged) => {
    if (!files.length) return;
    if (isDragged) {
      filesDue ||= setTimeout(() => { showFiles(false); settle(); }, MOMENT);
      return;
    }
    clearTimeout(filesDue);
    filesDue = 0;
    showFile(stepAt(now));
  };
  let shownStep = -1;
  let onNow = null;
  const render = (isSmooth = false, isDragged = false) => {
    const step = stepAt(now);
    const element = step === shownStep ? (shownParts[steps[step].part] ?? messages[steps[step].message]) : reveal(step);
    if (step !== shownStep) {
      onNow?.classList.remove("on-now");
      onNow = element;
      onNow.classList.add("on-now");
    }
    unfold(element);
    const share = steps[step].lasts ? (now - steps[step].starts) / (steps[step].lasts * 0.85) : 1;
    const isTyped = TYPED.has(steps[step].kind) && !calm.matches && !isUntouched;
    const caret = isTyped ? type(element, share) : stopTyping();
    showFiles(isDragged);
    showChapter(step);
    showBar(step);
    const next = steps[step + 1];
    const isPause = Boolean(next?.idle) && now >= endOf(step) && now < next.starts;
    later.hidden = !isPause;
    if (isPause) later.textContent = `${rough(next.idle)} later`;
    if (step !== shownStep || isFollowing) keepInView(element, caret, isSmooth);
    settle();
    shownStep = step;
  };
  let asked = 0;
  const seek = (moment, isDragged = false) => {
    isUntouched = false;
    now = clamp(moment, 0, lasts);
    setFollowing(true);
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(() => render(false, isDragged));
  };
  const go = (step) => {
    const wanted = clamp(step, 0, steps.length - 1);
    seek(endOf(wanted) - 1);
    cancelAnimationFrame(asked);
    render();
  };
  const current = () => stepAt(now);
  const goToChapter = (number) => {
    const wanted = clamp(number, 0, chapters.length - 1);
    go(chapters[wanted].step);
  };
  const previousChapter = () => {
    const number = chapterAt(current());
    goToChapter(current() > chapters[number].step ? number : number - 1);
  };
  const nextMarker = (kind) => {
    const places = markers.get(kind);
    const next = places.find((step) => step > current()) ?? places[0];
    if (next !== undefined) go(next);
  };

  // ---- Playing.

  let frame = 0;
  let before = 0;
  const tick = (time) => {
    if (!isPlaying) return;
    // A tab that was away does not leap.
    const passed = Math.min(time - before, 250);
    before = time;
    now = Math.min(now + passed * speed, lasts);
    render(true);
    if (now >= lasts) return pause();
    frame = requestAnimationFrame(tick);
  };
  const button = by("play-pause");
  const showPlaying = () => {
    body.classList.toggle("playing", isPlaying);
    button.setAttribute("aria-pressed", String(isPlaying));
    button.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
  };
  const start = () => {
    if (isPlaying) return;
    if (now >= lasts - 1 || isUntouched) now = 0;
    isUntouched = false;
    isPlaying = true;
    setFollowing(true);
    showPlaying();
    before = performance.now();
    frame = requestAnimationFrame(tick);
  };
  const pause = () => {
    isPlaying = false;
    cancelAnimationFrame(frame);
    showPlaying();
  };
  const toggle = () => (isPlaying ? pause() : start());
  const speeds = [...by("speed").options].map((option) => Number(option.value));
  const setSpeed = (wanted) => {
    speed = wanted;
    by("speed").value = String(wanted);
  };
  const changeSpeed = (by_) => setSpeed(speeds[clamp(speeds.indexOf(speed) + by_, 0, speeds.length - 1)]);

  // ---- Hands and keys.

  button.addEventListener("click", toggle);
  by("previous-step").addEventListener("click", () => go(current() - 1));
  by("next-step").addEventListener("click", () => go(current() + 1));
  by("previous-chapter").addEventListener("click", previousChapter);
  by("next-chapter").addEventListener("click", () => goToChapter(chapterAt(current()) + 1));
  by("speed").addEventListener("change", (event) => setSpeed(Number(event.target.value)));
  position.addEventListener("input", () => seek(Number(position.value), true));
  follow.addEventListener("click", () => { setFollowing(true); render(); });
  by("unpin").addEventListener("click", () => { pinned = null; render(); });
  const sheets = ["chapters", "files"];
  const showSheet = (name) => {
    for (const sheet of sheets) {
      const isOpen = sheet === name && !body.classList.contains(`sheet-${sheet}`);
      body.classList.toggle(`sheet-${sheet}`, isOpen);
      document.querySelector(`[data-sheet="${sheet}"]`)?.setAttribute("aria-expanded", String(isOpen));
    }
    onView.key = "";
    showFiles(false);
    settle();
  };
  for (const opener of document.querySelectorAll("[data-sheet]")) {
    opener.addEventListener("click", () => showSheet(opener.dataset.sheet));
  }
  by("chapters").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-step]");
    if (!link) return;
    event.preventDefault();
    showSheet(null);
    go(Number(link.dataset.step));
  });
  const help = by("replay-help");
  by("ask-replay-help").addEventListener("click", () => help.showModal());
  const KEYS = {
    " ": toggle,
    ArrowLeft: () => go(current() - 1),
    ArrowRight: () => go(current() + 1),
    k: () => go(current() - 1),
    j: () => go(current() + 1),
    ArrowUp: previousChapter,
    p: previousChapter,
    ArrowDown: () => goToChapter(chapterAt(current()) + 1),
    n: () => goToChapter(chapterAt(current()) + 1),
    Home: () => seek(0),
    End: () => seek(lasts),
    "<": () => changeSpeed(-1),
    ">": () => changeSpeed(1),
    e: () => nextMarker("edit"),
    s: () => nextMarker("shell"),
    x: () => nextMarker("error"),
    f: () => (matchMedia("(max-width: 60rem)").matches ? showSheet("files") : body.classList.toggle("without-files")),
    l: () => { setFollowing(true); render(); },
    "?": () => (help.open ? help.close() : help.showModal()),
  };
  addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (help.open && key !== "?") return;
    const isField = target.matches?.("input:not([type=range]), select, textarea");
    const isOwn = key === " " && target.matches?.("button, summary, a");
    // In the file the arrows scroll.
    const isFile = target === view && key.startsWith("Arrow");
    if (isField || isOwn || isFile) return;
    if (key === "Escape") {
      if (body.matches(".sheet-chapters, .sheet-files")) showSheet(null);
      else if (pinned !== null) { pinned = null; render(); }
      return;
    }
    if (["PageUp", "PageDown"].includes(key)) return void leave();
    const act = KEYS[key];
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  }, true);

  // A link to a message leads to its step.
  const arrive = () => {
    const number = /^#m(\d+)$/.exec(location.hash)?.[1];
    const step = number ? steps.findIndex(({ message }) => message === Number(number) - 1) : -1;
    if (step >= 0) go(step);
    return step >= 0;
  };
  addEventListener("hashchange", (event) => { if (arrive()) event.stopImmediatePropagation(); }, true);

  // ---- Curtain up.

  root.classList.add("js");
  by("total").textContent = clock(lasts);
  panel.hidden = files.length === 0;
  body.classList.toggle("no-files", files.length === 0);
  document.querySelector('[data-sheet="files"]').hidden = files.length === 0;
  if (!arrive()) { now = 0; setFollowing(false); render(); setFollowing(true); }
  drawMarks();

  // For those who drive the page from outside, tests above all.
  globalThis.backscrollReplay = {
    steps: steps.length,
    get step() { return current(); },
    get now() { return now; },
    get isPlaying() { return isPlaying; },
    go,
    seek: (moment) => { seek(moment); cancelAnimationFrame(asked); render(); },
    play: start,
    pause,
    file: (path, step = current()) => {
      const file = files.findIndex((one) => one.path === path);
      const number = file < 0 ? -1 : changeAt(file, step);
      return number < 0 ? null : [...rowsBehind(file, number)];
    },
    touched: (step = current()) => files.filter((_, number) => changeAt(number, step) >= 0).map((file) => file.path),
    markers: Object.fromEntries(markers),
  };
})();
