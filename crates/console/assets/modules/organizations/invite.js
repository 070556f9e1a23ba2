// Inviting a person, and the page where an invited person joins.

import { newKey, post } from "../../api/client.js";
import { forgetInvitation, invitation, invitationLink } from "../../api/invitation.js";
import { caller } from "../../api/people.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { copyable } from "../../ui/copy.js";
import { ask, field } from "../../ui/dialog.js";
import { button, fill, h } from "../../ui/dom.js";
import { reason } from "../../ui/person.js";
import { selectField } from "../../ui/select-field.js";
import { toast } from "../../ui/toast.js";

const DAY_MS = 86_400_000;

/** Makes a link that invites. @param {string} root @param {boolean} owns @param {() => Promise<void>} changed */
export function invite(root, owns, changed) {
  const key = newKey();
  const roles = ["guest", "member", "admin", ...(owns ? ["owner"] : [])];
  ask({
    title: text.invitations.make,
    action: text.invitations.makes,
    fields: [
      selectField({ label: text.members.role, name: "role", value: "member", help: text.roles.help,
        options: roles.map((role) => [role, text.roles.organization[role]]) }),
      field({ label: text.invitations.email, name: "email", type: "email", help: text.invitations.emailHelp }),
      selectField({ label: text.keys.expiry, name: "days", value: "7",
        options: ["1", "7", "30"].map((count) => [count, text.keys.days(count)]) })],
    async send(form) {
      const email = String(form.get("email")).trim() || undefined;
      // A minute less than the longest that the service allows: clocks differ.
      const expiresAt = new Date(Date.now() + Number(form.get("days")) * DAY_MS - 60_000).toISOString();
      const { invitation: made, secret } = await post(`${root}/invitations`, { role: form.get("role"), email, expiresAt }, { key });
      await changed();
      showLink(invitationLink(secret), made.mail);
    },
  });
}

/** @param {string} link @param {"due" | "sent" | "limited" | "failed"} [mail] */
function showLink(link, mail) {
  const dialog = h("dialog", { "aria-labelledby": "link-title", onclose: () => dialog.remove() },
    h("div", { class: "form" }, h("h2", { id: "link-title" }, text.invitations.made),
      h("p", { class: "warned" }, text.invitations.once), mail ? h("p", {}, text.invitations.mail[mail]) : "",
      copyable(text.invitations.link, link),
      h("div", { class: "actions" },
        button({ name: text.close, kind: "primary", onclick: () => dialog.close() }))));
  document.body.append(dialog);
  dialog.showModal();
}

/** @type {import("../../router.js").Opener} */
export async function openInvitation() {
  const secret = invitation();
  const { name, email } = await caller();
  const failure = h("p", { class: "failure", role: "alert" });
  const join = button({ name: text.invitations.accept, kind: "primary wide", onclick: async () => {
    join.disabled = true;
    fill(failure);
    try {
      const { organization } = await post("/invitations/accept", { secret });
      forgetInvitation();
      toast(text.invitations.joined(organization.name));
      open(`/orgs/${organization.id}`, { replace: true });
    } catch (error) {
      join.disabled = false;
      const { status = 0 } = /** @type {{ status?: number }} */ (error);
      const refused = status === 400;
      if (refused || status === 409) forgetInvitation();
      fill(failure, refused ? text.invitations.refused : reason(error));
    }
  } });
  return {
    title: text.invitations.page,
    content: h("section", { class: "sign-in" }, h("h1", {}, text.invitations.page),
      h("p", { class: "lead" }, secret ? text.invitations.says(name, email) : text.invitations.noSecret), failure,
      secret ? [join, button({ name: text.invitations.leave, kind: "wide", onclick: () => {
        forgetInvitation();
        open("/");
      } })] : h("a", { class: "button", href: "/account" }, text.account.title)),
  };
}
