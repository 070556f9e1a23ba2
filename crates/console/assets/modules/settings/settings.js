// A project's settings: name, visibility, clone address, owner and end.

import { all, get, newKey, patch, post, remove } from "../../api/client.js";
import { projectEvents, watch } from "../../api/events.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { confirm } from "../../ui/confirm.js";
import { copyable } from "../../ui/copy.js";
import { ask, field } from "../../ui/dialog.js";
import { button, h } from "../../ui/dom.js";
import { form } from "../../ui/form.js";
import { projectPlaces } from "../../ui/places.js";
import { selectField } from "../../ui/select-field.js";
import { boards, sharing } from "./sharing.js";

/** @type {import("../../router.js").Opener} */
export async function openSettings({ project: id }) {
  const root = `/projects/${id}`;
  const [{ project }, organizations, { user }] =
    await Promise.all([get(root), all("/orgs", "organizations"), get("/me")]);
  const owner = organizations.find((one) => one.id === project.ownerId);
  const personal = !owner;
  const role = (await all(`${root}/members`, "members").catch(() => [])).find((one) => one.userId === user.id)?.role ?? "viewer";
  const manages = role === "manager";
  const transfers = owner ? owner.role === "owner" || owner.role === "admin" : project.ownerId === user.id;
  /** @param {string} kind */
  const visible = (kind) => /** @type {Record<string, string>} */ (text.projects.visibility)[kind] ?? kind;
  // Internal is to the members of an organization.
  const kinds = ["private", ...(personal && project.visibility !== "internal" ? [] : ["internal"]), "public"];
  const [members, links] = await Promise.all([sharing(project, organizations, user, manages), owner ? boards(project) : null]);
  return {
    title: `${text.settings.title} · ${project.name}`,
    ...(await projectPlaces(project, "/settings", { name: text.settings.title })),
    close: watch(projectEvents(id), members.load, ({ type }) => type === "members.changed").stop,
    content: h("div", { class: "page" }, h("h1", {}, text.settings.title),
      manages ? null : h("p", { class: "soft" }, text.settings.managed(text.roles.project[role])),
      form({ disabled: !manages, action: text.settings.save, done: text.settings.saved, fields: [
        field({ label: text.projects.name, name: "name", value: project.name, required: true }),
        field({ label: text.settings.description, name: "description", value: project.description, rows: 3 }),
        selectField({ label: text.settings.visibility, name: "visibility", value: project.visibility,
          options: kinds.map((kind) => [kind, visible(kind)]), help: text.settings.visibilityHelp })],
      async send(said) {
        await patch(root, Object.fromEntries(said));
        await open(`${root}/settings`, { replace: true });
      } }),
      members.element, links,
      h("section", { "aria-labelledby": "clone" }, h("h2", { id: "clone" }, text.settings.clone),
        h("p", { class: "lead" }, text.settings.cloneHelp), clone(project)),
      h("section", { class: "danger", "aria-labelledby": "end" }, h("h2", { id: "end" }, text.settings.danger),
        h("p", {}, text.settings.owned(owner?.name ?? project.ownerSlug)),
        transfers || manages ? null : h("p", { class: "soft" }, text.settings.notYours),
        h("div", { class: "sets" },
          transfers ? button({ name: text.settings.transfer, onclick: () => transfer(project, organizations, user) }) : null,
          manages ? button({ name: text.settings.delete, kind: "bad", onclick: () => confirm({
            title: text.settings.delete, says: text.settings.deleteSays, name: project.name, action: text.settings.delete,
            async send() {
              await remove(root);
              open("/projects");
            },
          }) }) : null))),
  };
}

/** @param {any} project */
function clone(project) {
  const address = `${location.origin}/git/${project.ownerSlug}/${project.projectSlug}.git`;
  const helper = '!f() { echo username=git; echo "password=$ATELIER_KEY"; }; f';
  return [copyable(text.settings.program, `atelier clone ${project.id}`), copyable(text.settings.address, address),
    copyable(text.settings.git, `git -c credential.helper='${helper}' clone ${address}`)];
}

/** @param {any} project @param {any[]} organizations @param {any} user */
function transfer(project, organizations, user) {
  const key = newKey();
  /** @type {[string, string][]} */
  const owners = [[user.id, user.name], ...organizations.filter((one) => one.role !== "guest")
    .map((one) => /** @type {[string, string]} */ ([one.id, one.name]))];
  ask({
    title: text.settings.transfer,
    action: text.settings.transfers,
    fields: [h("p", {}, text.settings.transferSays), selectField({ label: text.projects.owner, name: "owner",
      options: owners.filter(([id]) => id !== project.ownerId) })],
    async send(said) {
      await post(`/projects/${project.id}/transfer`, { ownerId: said.get("owner") }, { key });
      open(`/projects/${project.id}/settings`, { replace: true });
    },
  });
}
