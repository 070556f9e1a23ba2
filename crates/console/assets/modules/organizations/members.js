// An organization's members with their roles, and the open invitations to it.

import { all, get, patch, remove } from "../../api/client.js";
import { readWhenSeen } from "../../api/events.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { confirm } from "../../ui/confirm.js";
import { button, fill, h, moment } from "../../ui/dom.js";
import { manages, organizationPlaces } from "../../ui/people-places.js";
import { entries, personEntry, reason } from "../../ui/person.js";
import { roleSelect } from "../../ui/select-field.js";
import { toast } from "../../ui/toast.js";
import { invite } from "./invite.js";

/** @type {import("../../router.js").Opener} */
export async function openMembers({ org: id }) {
  const root = `/orgs/${id}`;
  const [{ organization }, { user }] = await Promise.all([get(root), get("/me")]);
  const may = manages(organization);
  const owns = organization.role === "owner";
  const [list, open_] = [h("div", {}), h("section", { "aria-labelledby": "invitations", hidden: !may })];

  async function load() {
    const [members, invitations] = await Promise.all([all(`${root}/members`, "members"),
      may ? all(`${root}/invitations`, "invitations") : []]);
    fill(list, entries(members.map(member), text.members.title, ""));
    fill(open_, h("h2", { id: "invitations" }, text.invitations.title),
      entries(invitations.map(invitation), text.invitations.title, text.invitations.none));
  }

  /** @param {any} one */
  function member(one) {
    const self = one.userId === user.id;
    // Owners alone change owners and make them.
    const changes = may && (owns || one.role !== "owner");
    const offered = ["guest", "member", "admin", "owner"].filter((role) =>
      role !== "owner" || (owns && one.kind === "person") || one.role === "owner");
    return personEntry({ name: one.name, kind: one.kind, self,
      below: [...(one.email ? [one.email, " · "] : []), text.members.joined, " ", moment(one.joinedAt)] },
    roleSelect({ label: text.members.roleOf(one.name), value: one.role, disabled: !changes,
      roles: offered.map((role) => [role, text.roles.organization[role]]),
      change: (role) => change(one, role) }),
    self ? button({ name: text.members.leave, kind: "bad", onclick: () => end(one, true) })
      : changes ? button({ name: text.members.remove, kind: "bad", onclick: () => end(one, false) }) : null);
  }

  /** @param {any} one @param {string} role */
  async function change(one, role) {
    try {
      await patch(`${root}/members/${one.userId}`, { role });
      toast(text.members.changed(one.name, text.roles.organization[role]));
      if (one.userId === user.id) await open(root, { replace: true });
    } catch (error) {
      toast(text.members.unchanged(one.name, reason(error)), { bad: true });
      throw error;
    }
  }

  /** @param {any} one @param {boolean} self */
  function end(one, self) {
    confirm({
      title: self ? text.members.leaves(organization.name) : text.members.removes(one.name),
      says: self ? text.members.leaveSays : text.members.removeSays,
      action: self ? text.members.leave : text.members.remove,
      async send() {
        const { serviceKeys } = await remove(`${root}/members/${one.userId}`);
        if (self) return void open("/orgs");
        await load();
        if (serviceKeys.length) offerToRevoke(one, serviceKeys);
      },
    });
  }

  /** Offers to revoke what a removed member may have kept. @param {any} one @param {any[]} keys */
  function offerToRevoke(one, keys) {
    confirm({
      title: text.members.madeKeys(one.name),
      says: text.members.madeKeysSay(keys.map((key) => `${key.name} (${key.mask})`).join(", ")),
      action: text.members.revokeKeys,
      async send() {
        for (const key of keys) await remove(`${root}/service-accounts/${key.userId}/keys/${key.keyId}`);
      },
    });
  }

  /** @param {any} one */
  function invitation(one) {
    return personEntry({ name: one.email ?? text.invitations.bearer, kind: one.email ? "person" : "key",
      below: [text.roles.organization[one.role], " · ", text.keys.ends, " ", moment(one.expiresAt),
        one.mail === "limited" || one.mail === "failed" ? ` · ${text.invitations.notMailed}` : ""] },
    button({ name: text.keys.revoke, kind: "bad", onclick: () => confirm({
      title: text.invitations.revokes, says: text.invitations.revokeSays, action: text.keys.revoke,
      async send() {
        await remove(`${root}/invitations/${one.id}`);
        await load();
      },
    }) }));
  }

  await load();
  return {
    title: `${text.members.title} · ${organization.name}`,
    close: readWhenSeen(load),
    ...organizationPlaces(organization, root, { name: text.members.title }),
    content: h("div", { class: "page" },
      h("div", { class: "heading" }, h("h1", { dir: "auto" }, organization.name),
        may ? button({ name: text.invitations.make, icon: "plus", kind: "primary",
          onclick: () => invite(root, owns, load) }) : null),
      list, open_),
  };
}
