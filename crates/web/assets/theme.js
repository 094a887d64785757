// Runs before the first paint: what the user chose must not flash by in the other colour.
document.documentElement.classList.add("js");
try {
  const theme = localStorage.getItem("backscroll-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* then the system decides */ }
