// Light or dark: the system's choice, unless the person switches.

const KEY = "scheme";

export function applyScheme(): void {
  const kept = localStorage.getItem(KEY);
  if (kept) document.documentElement.dataset.scheme = kept;
}

export function toggleScheme(): void {
  const isDark = document.documentElement.dataset.scheme === "dark"
    || (!document.documentElement.dataset.scheme && matchMedia("(prefers-color-scheme: dark)").matches);
  const now = isDark ? "light" : "dark";
  document.documentElement.dataset.scheme = now;
  localStorage.setItem(KEY, now);
}
