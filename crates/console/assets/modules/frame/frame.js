// The frame of all pages: one row on top, navigation at the left, and the place of the content.

import { caller } from "../../api/people.js";
import { isSignedIn, signOut } from "../../api/session.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { listenToKeys, register } from "../../ui/actions.js";
import { button, fill, h, icon } from "../../ui/dom.js";
import { openKeys, openPalette } from "../../ui/palette.js";
import { toggleScheme } from "../../ui/scheme.js";
import { toast, toasts } from "../../ui/toast.js";
import { accountMenu } from "./account-menu.js";
import { around } from "./around.js";
import { firstSteps } from "./first-steps.js";
import { uploading } from "./uploading.js";

/** @typedef {import("../../router.js").View} View @typedef {import("../../router.js").Frame} Frame */

const SPINNER_MS = 300;
/** Second strokes of the keys that go to a page, by the icon of its link in the navigation. @type {Record<string, string>} */
const STROKES = { files: "f", changes: "c", history: "h", branch: "r", package: "k", agent: "a", chart: "u", settings: ",", board: "b",
  table: "t", backlog: "l", sprint: "s", people: "m" };

/** The frame, put into the page. @returns {Frame} */
export function frame() {
  const crumbs = h("ol", { class: "crumbs" });
  const person = h("span", {});
  const account = h("div", { class: "account" },
    h("a", { href: "/docs", class: "button plain", target: "_blank" }, text.frame.docs),
    button({ name: text.frame.scheme, icon: "scheme", kind: "plain", quiet: true, onclick: toggleScheme }));
  const steps = firstSteps();
  const progress = h("div", { class: "progress", hidden: true });
  const search = button({ name: text.palette.search, icon: "search", kind: "find", onclick: () => openPalette({ searching: true }) });
  search.setAttribute("aria-label", text.palette.search);
  search.append(h("kbd", {}, "/"));
  search.hidden = true;
  const top = h("header", { class: "top" },
    h("a", { class: "brand", href: "/", "aria-label": text.product }, icon("part"), h("span", {}, text.product)),
    h("nav", { "aria-label": text.frame.path, class: "crumbs-place" }, crumbs), uploading(), search, account);
  const side = h("nav", { class: "side", "aria-label": text.frame.navigation, onclick: follow });
  const main = h("main", { id: "content", tabindex: "-1" });
  fill(document.body, h("a", { class: "skip", href: "#content" }, text.skip), top, progress,
    h("div", { class: "middle" }, side, main, steps.strip), toasts());
  let [known, opened] = [false, false];
  register(() => (isSignedIn() ? everywhere(side) : []));
  listenToKeys();

  /** Marks the page that a person has chosen, before it is read. @param {MouseEvent} event */
  function follow({ target, ctrlKey, metaKey, shiftKey }) {
    const link = target instanceof Element ? target.closest("a") : null;
    if (!link || ctrlKey || metaKey || shiftKey) return;
    side.querySelector("[aria-current]")?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "page");
  }

  async function knowPerson() {
    if (!isSignedIn()) {
      known = false;
      search.hidden = true;
      person.remove();
      return;
    }
    search.hidden = false;
    if (known) return;
    known = true;
    fill(person, accountMenu(await caller()));
    account.append(person);
  }

  return {
    show(view) {
      document.title = view.title === text.product ? view.title : `${view.title} · ${text.product}`;
      const trail = view.crumbs ?? [];
      fill(crumbs, trail.map((crumb, at) => breadcrumb(crumb, at === trail.length - 1)));
      fill(side, view.navigation);
      side.hidden = !view.navigation;
      // On a phone the navigation is a strip.
      side.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
      fill(main, view.content);
      main.scrollTo(0, 0);
      // A reader of the screen hears the new page; the first one is read without it.
      if (opened) main.focus({ preventScroll: true });
      opened = true;
      // The next page asks again.
      knowPerson().catch(() => { known = false; });
      steps.draw();
    },
    wait() {
      const timer = setTimeout(() => { progress.hidden = false; }, SPINNER_MS);
      return () => {
        clearTimeout(timer);
        progress.hidden = true;
      };
    },
    fail(error) {
      const status = /** @type {{ status?: number }} */ (error).status;
      const reason = status === 404 ? text.errors.hidden : error instanceof Error ? error.message : text.errors.failed;
      document.title = `${text.errors.title} · ${text.product}`;
      fill(crumbs);
      side.hidden = true;
      fill(main, h("section", { class: "empty" }, h("h1", {}, text.errors.title), h("p", {}, reason),
        h("div", { class: "actions" },
          button({ name: text.errors.again, kind: "primary", onclick: () => location.reload() }),
          h("a", { class: "button", href: "/" }, text.errors.home))));
      // Who may not see it may be signed in as somebody else.
      knowPerson().catch(() => { known = false; });
    },
  };
}

/** A breadcrumb, with the button of its menu. @param {import("../../router.js").Crumb} crumb @param {boolean} isLast */
function breadcrumb({ name, href, menu }, isLast) {
  const others = button({ name: text.frame.other(name), icon: "down", kind: "plain small", quiet: true,
    onclick: () => void menu?.(others).catch((error) => toast(error.message, { bad: true })) });
  others.setAttribute("aria-haspopup", "menu");
  return h("li", {}, h(href ? "a" : "span", { href, "aria-current": isLast ? "page" : undefined, dir: "auto" }, name), menu && others);
}

/** The actions of every page, and those that go to the pages of its navigation. @param {HTMLElement} side @returns {import("../../ui/actions.js").Action[]} */
function everywhere(side) {
  const taken = new Set();
  const pages = /** @type {HTMLAnchorElement[]} */ ([...side.querySelectorAll("a")]).map((link) => {
    const shape = link.querySelector("use")?.getAttribute("href")?.split("#").at(-1) ?? "";
    // The first of several boards has the key.
    const stroke = taken.has(shape) ? undefined : STROKES[shape];
    taken.add(shape);
    return { name: text.palette.goTo(link.textContent ?? ""), key: stroke && `g ${stroke}`, icon: shape, group: text.palette.places,
      run: () => open(link.pathname + link.search) };
  });
  return [
    { name: text.palette.title, key: "Ctrl+K", run: () => openPalette() },
    { name: text.palette.search, key: "/", icon: "search", run: () => openPalette({ searching: true }) },
    { name: text.palette.keys, key: "?", icon: "keys", run: openKeys },
    { name: text.palette.sends, key: "Ctrl+Enter" },
    { name: text.palette.goProjects, key: "g p", icon: "files", run: () => open("/projects") },
    { name: text.palette.goBoards, icon: "board", run: () => open("/boards") },
    ...pages, ...around(side),
    { name: text.frame.scheme, icon: "scheme", run: toggleScheme },
    { name: text.frame.signOut, icon: "out", run: signOut },
  ];
}
