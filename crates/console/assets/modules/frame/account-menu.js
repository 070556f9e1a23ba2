// The menu under the person's mark: their pages, and signing out.

import { signOut } from "../../api/session.js";
import { text } from "../../text.js";
import { button, h, icon, mark } from "../../ui/dom.js";

/** The mark with its menu. @param {{ name: string, email: string }} user */
export function accountMenu(user) {
  /** @param {string} href @param {string} shape @param {string} name */
  const link = (href, shape, name) => h("li", {}, h("a", { href, onclick: () => menu.hidePopover() }, icon(shape), name));
  const menu = h("div", { class: "account-menu", id: "account-menu", popover: "auto" },
    h("p", { class: "who" }, h("strong", { dir: "auto" }, user.name), h("span", { class: "soft" }, user.email)),
    h("ul", {}, link("/account", "person", text.account.title), link("/account/keys", "key", text.keys.title),
      link("/account/usage", "chart", text.usage.title), link("/orgs", "people", text.organizations.title),
      h("li", {}, button({ name: text.frame.signOut, icon: "out", kind: "plain", onclick: signOut }))));
  const sign = mark(user.name);
  sign.setAttribute("aria-hidden", "true");
  const opener = h("button", { type: "button", class: "button plain", "aria-label": text.frame.account,
    title: user.name, popovertarget: "account-menu" }, sign);
  return h("div", {}, opener, menu);
}
