// With whom a project is shared, and the teams that plan its cards.

import { all, put, remove } from "../../api/client.js";
import { text } from "../../text.js";
import { confirm } from "../../ui/confirm.js";
import { ask } from "../../ui/dialog.js";
import { button, fill, h } from "../../ui/dom.js";
import { entries, personEntry, reason } from "../../ui/person.js";
import { roleSelect, selectField } from "../../ui/select-field.js";
import { toast } from "../../ui/toast.js";

/** @type {[string, string][]} */
const roles = ["viewer", "editor", "manager"].map((role) => [role, text.roles.project[role]]);

/** The members of a project. @param {any} project @param {any[]} organizations @param {any} user @param {boolean} manages */
export async function sharing(project, organizations, user, manages) {
  const path = `/projects/${project.id}/members`;
  const list = h("div", {});
  const owner = organizations.find(({ id }) => id === project.ownerId);
  async function load() {
    const members = await all(path, "members");
    fill(list, entries(members.map(entry), text.settings.sharing, text.settings.alone));
  }
  /** @param {any} one */
  function entry(one) {
    const below = [one.isDirect ? text.settings.direct : owner ? text.settings.through(owner.name) : text.settings.owns];
    return personEntry({ name: one.name, kind: one.kind, below, self: one.userId === user.id },
      roleSelect({ label: text.members.roleOf(one.name), roles, value: one.role, disabled: !one.isDirect || !manages,
        change: async (role) => {
          try {
            await put(`${path}/${one.userId}`, { role });
            toast(text.members.changed(one.name, text.roles.project[role]));
          } catch (error) {
            toast(text.members.unchanged(one.name, reason(error)), { bad: true });
            throw error;
          }
        } }),
      one.isDirect && manages ? button({ name: text.members.remove, kind: "bad", onclick: () => confirm({
        title: text.members.removes(one.name), says: text.settings.removeSays, action: text.members.remove,
        async send() {
          await remove(`${path}/${one.userId}`);
          await load();
        },
      }) }) : null);
  }
  async function share() {
    const [lists, members] = await Promise.all([Promise.all(organizations.map(({ id }) =>
      all(`/orgs/${id}/members`, "members").catch(() => []))), all(path, "members")]);
    const direct = new Set(members.filter((one) => one.isDirect).map((one) => one.userId));
    const people = new Map(lists.flat().filter((one) => !direct.has(one.userId) && one.userId !== project.ownerId)
      .map((one) => [one.userId, one.name]));
    if (people.size === 0) return toast(text.settings.nobody);
    ask({
      title: text.settings.share,
      action: text.settings.shares,
      fields: [selectField({ label: text.people.person, name: "person", options: [...people] }),
        selectField({ label: text.members.role, name: "role", options: roles, value: "editor", help: text.roles.projectHelp })],
      async send(said) {
        await put(`${path}/${said.get("person")}`, { role: said.get("role") });
        await load();
      },
    });
  }
  await load();
  const element = h("section", { "aria-labelledby": "sharing" }, h("div", { class: "heading" },
    h("h2", { id: "sharing" }, text.settings.sharing), manages ? button({ name: text.settings.share, icon: "plus",
      onclick: () => void share().catch((error) => toast(reason(error), { bad: true })) }) : null), list);
  return { element, load };
}

/** The teams on whose boards a project's cards may be. @param {any} project */
export async function boards(project) {
  const root = `/orgs/${project.ownerId}/teams`;
  const teams = (await all(root, "teams").catch(() => [])).slice(0, 50);
  const linked = await Promise.all(teams.map((team) => all(`${root}/${team.id}/projects`, "projects")
    .then((projects) => projects.some((one) => one.id === project.id), () => false)));
  /** @param {any} team @param {boolean} on */
  const entry = (team, on) => {
    const path = `${root}/${team.id}/projects/${project.id}`;
    const box = h("input", { type: "checkbox", id: `team-${team.id}`, onchange: async () => {
      try {
        await (box.checked ? put(path, {}) : remove(path));
      } catch (error) {
        box.checked = !box.checked;
        toast(reason(error), { bad: true });
      }
    } });
    box.checked = on;
    return h("li", {}, h("label", { class: "check", for: `team-${team.id}` }, box, h("span", { dir: "auto" }, team.name)));
  };
  return h("section", { "aria-labelledby": "linked" }, h("h2", { id: "linked" }, text.settings.boards),
    h("p", { class: "lead" }, text.settings.boardsHelp),
    teams.length === 0 ? h("p", { class: "soft" }, text.settings.noTeams)
      : h("ul", { class: "form" }, teams.map((team, at) => entry(team, linked[at] ?? false))));
}
