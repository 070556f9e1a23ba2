// Light or dark: as the system has it, unless the person chose. The choice is no secret, so it is kept.

const KEY = "scheme";

/** Applies the kept choice. */
export function applyScheme() {
  const chosen = localStorage.getItem(KEY);
  if (chosen) document.documentElement.dataset.scheme = chosen;
}

/** Turns to the other scheme and keeps it. */
export function toggleScheme() {
  const now = document.documentElement.dataset.scheme
    ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.scheme = next;
  localStorage.setItem(KEY, next);
}
