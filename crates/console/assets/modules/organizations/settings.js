// An organization's name, and its end.

import { all, get, patch, remove } from "../../api/client.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { confirm } from "../../ui/confirm.js";
import { field } from "../../ui/dialog.js";
import { button, h } from "../../ui/dom.js";
import { form } from "../../ui/form.js";
import { organizationPlaces } from "../../ui/people-places.js";
import { toast } from "../../ui/toast.js";

/** @type {import("../../router.js").Opener} */
export async function openOrganizationSettings({ org: id }) {
  const root = `/orgs/${id}`;
  const { organization } = await get(root);
  let name = organization.name;
  const end = async () => {
    const projects = await all(`/projects?ownerId=${id}`, "projects");
    confirm({
      title: text.organizations.deletes,
      says: text.organizations.deleteSays(projects.length),
      name,
      action: text.organizations.delete,
      async send() {
        await remove(root);
        open("/orgs");
      },
    });
  };
  return {
    title: `${text.settings.title} · ${organization.name}`,
    ...organizationPlaces(organization, `${root}/settings`, { name: text.settings.title }),
    content: h("div", { class: "page" }, h("h1", {}, text.settings.title),
      form({ fields: [field({ label: text.organizations.name, name: "name", value: name, required: true,
        help: text.organizations.slugHelp(organization.slug) })], action: text.settings.save, done: text.settings.saved,
      async send(said) {
        ({ organization: { name } } = await patch(root, { name: said.get("name") }));
        await open(`${root}/settings`, { replace: true });
      } }),
      organization.role === "owner" ? h("section", { class: "danger", "aria-labelledby": "end" },
        h("h2", { id: "end" }, text.organizations.delete), h("p", {}, text.organizations.deleteHelp),
        h("div", {}, button({ name: text.organizations.deletes, kind: "bad",
          onclick: () => void end().catch((error) => toast(error.message, { bad: true })) }))) : null),
  };
}
