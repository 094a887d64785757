// The messages of a long conversation, a few at a time. All of them have their place on the page from the beginning, so
// that the scrollbar tells the truth and nothing jumps; only those near to what one sees are in it. What was there once is
// kept aside with its folds, so the page stays light however far one scrolls.

/** So many messages come and go together. */
const SIZE = 25;
/** What a message is taken to be high, in pixels, until it is seen; app.css says the same. */
const HEIGHT = 180;
/** What is nearer to the window than this is fetched, in pixels; what is farther than twice that is put aside. */
const NEAR = 3000;
/** So many are fetched at once. */
const FETCHES = 2;

const numberOf = (article) => Number(article.id.slice(1));

/**
 * The messages in `list`, of which there are `total`. `fetchArticles(from, count)` comes to those that are not there yet;
 * `added` is called when any came in.
 */
export function stretches(list, total, fetchArticles, added) {
  const all = [];
  let fetching = 0;
  const numberOfStretch = (number) => Math.floor((number - 1) / SIZE);
  const hasContent = (one) => one.place.firstElementChild !== null;

  // What is near and what is far. Between the two nothing happens, so that nothing flickers.
  const nearObserver = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) all[target.dataset.number].isNear = isIntersecting;
    settle();
  }, { rootMargin: `${NEAR}px 0px` });
  const farObserver = new IntersectionObserver((entries) => {
    putAside(entries.filter(({ isIntersecting }) => !isIntersecting).map(({ target }) => all[target.dataset.number]));
  }, { rootMargin: `${NEAR * 2}px 0px` });

  function grow(newTotal) {
    total = newTotal;
    for (let number = all.length; number * SIZE < total; number += 1) {
      const place = document.createElement("div");
      place.className = "stretch";
      place.dataset.number = number;
      all.push({ number, place, articles: null, isNear: false, isFetching: false });
    }
  }

  /** Takes away the messages behind the new end. */
  function shrink(newTotal) {
    total = newTotal;
    while (all.length > 1 && (all.length - 1) * SIZE >= total) all.pop().place.remove();
    const last = all.at(-1);
    const gone = (last?.articles ?? []).filter((article) => numberOf(article) > total);
    for (const article of gone) article.remove();
    if (gone.length) last.articles = last.articles.filter((article) => !gone.includes(article));
  }

  // What is not there yet has the room that it will need, as far as anybody knows.
  function reserve() {
    for (const one of all) if (!one.articles) one.place.style.blockSize = `${Math.min(SIZE, total - one.number * SIZE) * HEIGHT}px`;
  }

  function fill(one, articles) {
    one.articles = articles;
    one.place.replaceChildren(...articles);
    one.place.removeAttribute("style");
  }

  function putAside(far) {
    const selected = getSelection();
    const isHeld = ({ place }) => place.contains(document.activeElement) || (!selected.isCollapsed && place.contains(selected.anchorNode));
    const leaving = far.filter((one) => one && hasContent(one) && !list.classList.contains("filtered") && !isHeld(one));
    // Everything is measured before anything is changed.
    const heights = leaving.map((one) => [one.place.getBoundingClientRect().height, one.articles.map((article) => article.getBoundingClientRect().height)]);
    leaving.forEach((one, at) => {
      const [whole, each] = heights[at];
      one.articles.forEach((article, number) => { article.style.containIntrinsicBlockSize = `auto ${each[number]}px`; });
      one.place.style.blockSize = `${whole}px`;
      one.place.replaceChildren();
    });
  }

  function settle() {
    const back = all.filter((one) => one.isNear && one.articles && !hasContent(one));
    for (const one of back) fill(one, one.articles);
    if (back.length) added();
    fetchNext();
  }

  // The nearest first; who has scrolled past is not kept waiting for what is no longer seen.
  function fetchNext() {
    const missing = all.filter((one) => one.isNear && !one.articles && !one.isFetching);
    const distance = ({ place }) => { const { top, bottom } = place.getBoundingClientRect(); return Math.max(0, top - innerHeight, -bottom); };
    const nearest = missing.map((one) => [distance(one), one]).sort((a, b) => a[0] - b[0]);
    for (const [, one] of nearest.slice(0, FETCHES - fetching)) load(one).catch(() => {}).finally(fetchNext);
  }

  async function load(one) {
    if (one.articles) return;
    one.isFetching = true;
    fetching += 1;
    try {
      const articles = await fetchArticles(one.number * SIZE, SIZE);
      if (!one.articles && articles.length) one.articles = articles;
    } finally {
      one.isFetching = false;
      fetching -= 1;
    }
    // Whoever scrolled past meanwhile finds it when coming back.
    if (one.isNear) show(one);
  }

  function show(one) {
    if (!one.articles || hasContent(one)) return;
    fill(one, one.articles);
    added();
  }

  // What came with the page goes to its place; what one sees stays where it is.
  const present = [...list.querySelectorAll("article.message")];
  const first = present[0];
  const before = first?.getBoundingClientRect().top ?? 0;
  grow(total);
  for (const one of all) {
    const own = present.filter((article) => numberOfStretch(numberOf(article)) === one.number);
    if (own.length) fill(one, own);
  }
  reserve();
  list.replaceChildren(...all.map(({ place }) => place));
  if (first && numberOf(first) > 1) scrollBy({ top: first.getBoundingClientRect().top - before, behavior: "instant" });
  const watch = (one) => { nearObserver.observe(one.place); farObserver.observe(one.place); };
  all.forEach(watch);

  return {
    /** Puts the message with this number on the page, if there is one; comes to its element. */
    async bring(number) {
      const one = all[numberOfStretch(number)];
      if (one) { await load(one); show(one); }
      return document.getElementById(`m${number}`);
    },
    /** Takes in messages as they are now, of which there are `newTotal`. */
    update(articles, newTotal) {
      if (newTotal < total) shrink(newTotal);
      const known = all.length;
      grow(newTotal);
      reserve();
      for (const one of all.slice(known)) { list.append(one.place); watch(one); }
      for (const fresh of articles) {
        const one = all[numberOfStretch(numberOf(fresh))];
        const place = one?.articles?.findIndex((article) => article.id === fresh.id) ?? -1;
        if (place >= 0) {
          const old = one.articles[place];
          if (old.textContent === fresh.textContent || old.contains(document.activeElement)) continue;
          one.articles[place] = fresh;
          if (old.isConnected) old.replaceWith(fresh);
        } else if (one?.articles) {
          fresh.classList.add("arrived");
          one.articles.push(fresh);
          if (hasContent(one)) one.place.append(fresh);
        }
      }
      settle();
    },
    /** While messages are filtered, all that came in are on the page, and places that are still empty are not. */
    filter(isFiltered) {
      if (isFiltered === list.classList.contains("filtered")) return;
      list.classList.toggle("filtered", isFiltered);
      if (isFiltered) for (const one of all) if (one.articles && !hasContent(one)) fill(one, one.articles);
    },
  };
}
