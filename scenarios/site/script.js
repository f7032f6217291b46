// What every Harbor page shares: the theme, the signed-in user and live filtering.
// It is loaded in the head without `defer`, so that the theme and the account are settled before the first paint.
// Everything lives in sessionStorage: a new browser profile starts with an untouched site.

const Harbor = (() => {
  "use strict";

  const read = (key, fallback) => {
    const stored = sessionStorage.getItem(`harbor.${key}`);
    return stored === null ? fallback : JSON.parse(stored);
  };
  const write = (key, value) => sessionStorage.setItem(`harbor.${key}`, JSON.stringify(value));
  const remove = (key) => sessionStorage.removeItem(`harbor.${key}`);

  /** Reads a value once: the next call finds nothing. */
  const take = (key) => {
    const value = read(key, null);
    remove(key);
    return value;
  };

  // `?theme=` holds for the rest of the session, so that links need not carry it. Any other value returns to the system's theme.
  const asked = new URLSearchParams(location.search).get("theme");
  if (asked === "light" || asked === "dark") write("theme", asked);
  else if (asked !== null) remove("theme");
  const theme = read("theme", null);
  if (theme !== null) document.documentElement.dataset.theme = theme;

  const user = read("user", null);
  if (user !== null) document.documentElement.dataset.user = user;

  /** Shows the rows whose text contains every word of the query. Returns how many are left. */
  const filterRows = (rows, query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown += 1;
    }
    return shown;
  };

  document.addEventListener("DOMContentLoaded", () => {
    if (user !== null) {
      for (const place of document.querySelectorAll(".account-name")) place.textContent = user;
      for (const place of document.querySelectorAll(".account .avatar")) {
        place.textContent = user[0].toUpperCase();
        place.dataset.user = user;
      }
    }
    document.getElementById("sign-out")?.addEventListener("click", () => {
      remove("user");
      location.assign("index.html");
    });
  });

  return { read, write, take, user, filterRows };
})();
