// Waits for what a page does a moment after it was asked: a copy, a filter, a page that is being opened.

/** Resolves once `check` does not throw; rejects with its last error if it still throws after a minute. */
export async function eventually(check) {
  const end = Date.now() + 60_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
}
