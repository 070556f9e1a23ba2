// Runs before the page is drawn: with the chosen colours, and with what only a script can do.
const root = document.documentElement;
root.classList.add("scripted");
try {
  const theme = localStorage.getItem("theme");
  if (theme) root.dataset.theme = theme;
} catch {
  // A browser without storage follows the system.
}
