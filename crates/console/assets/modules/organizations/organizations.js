// The caller's organizations.

import { all, newKey, post } from "../../api/client.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { ask, field } from "../../ui/dialog.js";
import { button, h, icon, moment } from "../../ui/dom.js";
import { accountPlaces } from "../../ui/people-places.js";

/** @type {import("../../router.js").Opener} */
export async function openOrganizations() {
  const organizations = await all("/orgs", "organizations");
  const add = () => button({ name: text.organizations.create, icon: "plus", kind: "primary", onclick: create });
  return {
    title: text.organizations.title,
    crumbs: [{ name: text.organizations.title }],
    navigation: accountPlaces("/orgs"),
    content: h("div", { class: "page" },
      h("div", { class: "heading" }, h("h1", {}, text.organizations.title), organizations.length > 0 ? add() : null),
      organizations.length === 0 ? h("div", { class: "empty" }, h("p", {}, text.organizations.empty), add()) : null,
      h("ul", { class: "rows" }, organizations.map((org) => h("li", {}, h("a", { class: "row", href: `/orgs/${org.id}` },
        icon("people"), h("span", { class: "name", dir: "auto" }, org.name),
        h("span", { class: "soft" }, org.slug),
        h("span", { class: "soft" }, text.roles.organization[org.role] ?? org.role),
        h("span", { class: "soft" }, moment(org.createdAt))))))),
  };
}

function create() {
  const key = newKey();
  ask({
    title: text.organizations.create,
    action: text.organizations.makes,
    fields: [field({ label: text.organizations.name, name: "name", required: true, help: text.organizations.nameHelp })],
    async send(form) {
      const { organization } = await post("/orgs", { name: form.get("name") }, { key });
      open(`/orgs/${organization.id}`);
    },
  });
}
