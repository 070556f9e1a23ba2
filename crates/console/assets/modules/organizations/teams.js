// An organization's teams, and the members of one with their roles.

import { all, get, newKey, post, put, remove } from "../../api/client.js";
import { readWhenSeen, teamEvents, watch } from "../../api/events.js";
import { text } from "../../text.js";
import { confirm } from "../../ui/confirm.js";
import { ask, field } from "../../ui/dialog.js";
import { button, fill, h, icon, moment } from "../../ui/dom.js";
import { organizationPlaces } from "../../ui/people-places.js";
import { entries, personEntry, reason } from "../../ui/person.js";
import { roleSelect, selectField } from "../../ui/select-field.js";
import { teamPage } from "../../ui/team.js";
import { toast } from "../../ui/toast.js";

/** @type {[string, string][]} */
const roles = ["member", "manager"].map((role) => [role, text.roles.team[role]]);

/** @type {import("../../router.js").Opener} */
export async function openTeams({ org: id }) {
  const root = `/orgs/${id}`;
  const { organization } = await get(root);
  const list = h("div", {});
  const key = newKey();
  const create = () => ask({
    title: text.teams.create,
    action: text.teams.makes,
    fields: [field({ label: text.teams.name, name: "name", required: true }),
      selectField({ label: text.teams.visibility, name: "visibility",
        options: [["private", text.teams.private], ["internal", text.teams.internal]] })],
    async send(form) {
      await post(`${root}/teams`, { name: form.get("name"), visibility: form.get("visibility") }, { key });
      await load();
    },
  });
  async function load() {
    const teams = await all(`${root}/teams`, "teams");
    fill(list, teams.length === 0 ? h("div", { class: "empty" }, h("p", {}, text.board.emptyList)) : null,
      h("ul", { class: "rows" }, teams.map((team) => h("li", {}, h("a", { class: "row",
        href: `${root}/teams/${team.id}/members` }, icon("people"), h("span", { class: "name", dir: "auto" }, team.name),
      h("span", { class: "soft" }, team.visibility === "private" ? text.teams.private : text.teams.internal),
      h("span", {}), h("span", { class: "soft" }, moment(team.updated_at)))))));
  }
  await load();
  return {
    title: `${text.teams.title} · ${organization.name}`,
    close: readWhenSeen(load),
    ...organizationPlaces(organization, `${root}/teams`, { name: text.teams.title }),
    content: h("div", { class: "page" },
      h("div", { class: "heading" }, h("h1", {}, text.teams.title), organization.role === "guest" ? null
        : button({ name: text.teams.create, icon: "plus", kind: "primary", onclick: create })), list),
  };
}

/** @type {import("../../router.js").Opener} */
export async function openTeamMembers({ org: id, team: teamId }) {
  const root = `/orgs/${id}`;
  const { path, view } = await teamPage(id, teamId, "/members", text.teams.members);
  const list = h("div", {});
  async function load() {
    const members = await all(`${path}/members`, "members");
    fill(list, entries(members.map((one) => personEntry({ name: one.name, kind: one.kind },
      roleSelect({ label: text.members.roleOf(one.name), roles, value: one.role, change: async (role) => {
        try {
          await put(`${path}/members/${one.userId}`, { role });
          toast(text.members.changed(one.name, text.roles.team[role]));
        } catch (error) {
          toast(text.members.unchanged(one.name, reason(error)), { bad: true });
          throw error;
        }
      } }),
      button({ name: text.members.remove, kind: "bad", onclick: () => confirm({
        title: text.members.removes(one.name), says: text.teams.removeSays, action: text.members.remove,
        async send() {
          await remove(`${path}/members/${one.userId}`);
          await load();
        },
      }) }))), text.teams.members, text.teams.noMembers));
    return members;
  }
  async function add() {
    const [everybody, members] = await Promise.all([all(`${root}/members`, "members"), all(`${path}/members`, "members")]);
    const others = everybody.filter((one) => !members.some((member) => member.userId === one.userId));
    if (others.length === 0) return toast(text.teams.everybody);
    ask({
      title: text.teams.add,
      action: text.teams.adds,
      fields: [selectField({ label: text.people.person, name: "person",
        options: others.map((one) => [one.userId, one.name]) }),
      selectField({ label: text.members.role, name: "role", options: roles })],
      async send(form) {
        await put(`${path}/members/${form.get("person")}`, { role: form.get("role") });
        await load();
      },
    });
  }
  await load();
  return {
    ...view,
    close: watch(teamEvents(id, teamId), load, ({ type }) => type === "members.changed").stop,
    content: h("div", { class: "page" },
      h("div", { class: "heading" }, h("h1", {}, text.teams.members),
        button({ name: text.teams.add, icon: "plus", kind: "primary",
          onclick: () => void add().catch((error) => toast(reason(error), { bad: true })) })), list,
      h("p", {}, h("a", { href: `${root}/teams` }, text.teams.all))),
  };
}
