// An address of the console without a page, and the ways on from it.

import { isSignedIn } from "../../api/session.js";
import { text } from "../../text.js";
import { button, h, icon } from "../../ui/dom.js";
import { openPalette } from "../../ui/palette.js";

/** @type {import("../../router.js").Opener} */
export async function openNoPage() {
  const ways = isSignedIn()
    ? [h("a", { class: "button primary", href: "/projects" }, text.errors.home), h("a", { class: "button", href: "/boards" }, text.frame.boards),
      button({ name: text.palette.search, icon: "search", onclick: () => openPalette({ searching: true }) })]
    : [h("a", { class: "button primary", href: "/sign-in" }, text.signIn.withIssuer)];
  return {
    title: text.errors.noPage,
    content: h("section", { class: "empty" }, icon("search"), h("h1", {}, text.errors.noPage),
      h("p", {}, text.errors.noPageSays), h("div", { class: "actions" }, ways)),
  };
}
