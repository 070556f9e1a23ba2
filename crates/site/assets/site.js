// Search, colours, tabs and copying. Every page can be read without it.

const store = {
  get(name) {
    try { return localStorage.getItem(name); } catch { return null; }
  },
  set(name, value) {
    try { localStorage.setItem(name, value); } catch { /* The choice lasts for this page. */ }
  },
};

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Colours

const theme = document.querySelector(".theme");
theme.hidden = false;
theme.addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  store.set("theme", root.dataset.theme);
});

// The place in the contents

const side = document.querySelector(".side");
const here = document.querySelector(".menu-wide [aria-current]");
if (side && here) side.scrollTop = here.offsetTop - side.clientHeight / 3;

// Languages of requests

const tabs = [...document.querySelectorAll('[role="tab"]')];

function choose(tab, focus) {
  for (const one of tabs) {
    const isChosen = one === tab;
    one.setAttribute("aria-selected", isChosen);
    one.tabIndex = isChosen ? 0 : -1;
    document.getElementById(one.getAttribute("aria-controls")).classList.toggle("chosen", isChosen);
  }
  if (focus) tab.focus();
}

for (const [at, tab] of tabs.entries()) {
  tab.addEventListener("click", () => {
    choose(tab);
    store.set("language", tab.id);
  });
  tab.addEventListener("keydown", (event) => {
    const next = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(tabs[next], true);
    store.set("language", tabs[next].id);
  });
}
const preferred = tabs.find((tab) => tab.id === store.get("language"));
if (preferred) choose(preferred);

// Copying

const said = element("p", { className: "aloud" });
said.setAttribute("role", "status");
document.body.append(said);
for (const block of document.querySelectorAll(".code")) {
  const button = element("button", { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector("code").textContent);
      button.textContent = said.textContent = "Copied";
    } catch {
      button.textContent = said.textContent = "Not allowed";
    }
    setTimeout(() => {
      button.textContent = "Copy";
      said.textContent = "";
    }, 2000);
  });
  block.append(button);
}

// Search

const MOST = 12;
const box = document.querySelector(".search");
const input = document.querySelector("#search");
const list = document.querySelector("#found");
const status = document.querySelector("#search-status");
box.hidden = false;

let index;

async function load() {
  index ??= fetch(document.body.dataset.search)
    .then((response) => response.json())
    .then((rows) => rows.map(([title, url, place, words]) => ({
      title, url, place, heads: title.toLowerCase(), all: `${title} ${place} ${words}`.toLowerCase(),
    })));
  return index;
}

// Every word must occur. Titles count most, beginnings of words more than their middle.
function score(entry, words) {
  let total = 0;
  for (const word of words) {
    const starts = (text) => text.startsWith(word) || text.includes(` ${word}`) || text.includes(`_${word}`);
    if (starts(entry.heads)) total += 8;
    else if (entry.heads.includes(word)) total += 5;
    else if (starts(entry.all)) total += 3;
    else if (entry.all.includes(word)) total += 1;
    else return 0;
  }
  return total - entry.title.length / 100;
}

function show(found, text) {
  const isOpen = text !== "";
  list.replaceChildren(...found.map(({ title, url, place }) =>
    element("li", {}, element("a", { href: url },
      element("b", { textContent: title }), element("span", { textContent: place })))));
  if (isOpen && found.length === 0) {
    list.append(element("li", { className: "nothing", textContent: `Nothing about “${text}”` }));
  }
  list.hidden = !isOpen;
  status.textContent = isOpen ? `${found.length} results` : "";
}

function close() {
  input.value = "";
  show([], "");
}

input.addEventListener("focus", load);
input.addEventListener("input", async () => {
  const entries = await load();
  const text = input.value.trim();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? [] : entries
    .map((entry) => [score(entry, words), entry])
    .filter(([points]) => points > 0)
    .sort((a, b) => b[0] - a[0])
    .slice(0, MOST)
    .map(([, entry]) => entry);
  show(found, text);
});
box.addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)]?.focus();
  else if (event.key === "ArrowUp") (links[at - 1] ?? input).focus();
  else if (event.key === "Enter" && at < 0) links[0]?.click();
  else if (event.key === "Escape") {
    close();
    input.blur();
  } else return;
  event.preventDefault();
});
document.addEventListener("click", (event) => {
  if (!box.contains(event.target) || event.target.closest("#found a")) close();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    input.focus();
  }
});
