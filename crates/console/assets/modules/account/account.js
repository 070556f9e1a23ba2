// The caller's account, and the invitations to it.

import { all, get, patch, post } from "../../api/client.js";
import { leave, signOut } from "../../api/session.js";
import { open } from "../../router.js";
import { text } from "../../text.js";
import { confirm } from "../../ui/confirm.js";
import { button, h, mark, moment } from "../../ui/dom.js";
import { accountPlaces } from "../../ui/people-places.js";
import { entries, personEntry, reason } from "../../ui/person.js";
import { toast } from "../../ui/toast.js";

/** @type {import("../../router.js").Opener} */
export async function openAccount() {
  const [{ user }, invitations] = await Promise.all([get("/me"), all("/invitations", "invitations")]);
  return {
    title: text.account.title,
    crumbs: [{ name: text.account.title }],
    navigation: accountPlaces("/account"),
    content: h("div", { class: "page" },
      h("div", { class: "heading" }, mark(user.name), h("h1", { dir: "auto" }, user.name),
        button({ name: text.frame.signOut, icon: "out", onclick: signOut }),
        button({ name: text.account.everywhere, kind: "bad", onclick: signOutEverywhere })),
      h("p", { class: "lead" }, text.account.signOut),
      h("dl", { class: "facts" },
        h("dt", {}, text.account.email), h("dd", {}, user.email),
        h("dt", {}, text.account.slug), h("dd", {}, user.slug),
        h("dt", {}, text.account.commitEmail), h("dd", { title: text.account.commitHelp }, user.commitEmail, " ",
          addressChoice(user)),
        h("dt", {}, text.account.since), h("dd", {}, moment(user.createdAt))),
      h("section", { "aria-labelledby": "own-invitations" },
        h("h2", { id: "own-invitations" }, text.invitations.title),
        entries(invitations.map(invited), text.invitations.title, text.invitations.noneOwn))),
  };
}

/** Shows or hides the own address in new commits. @param {any} user */
function addressChoice(user) {
  const shows = user.showEmailInCommits;
  const choose = button({ name: shows ? text.account.hideEmail : text.account.showEmail, onclick: async () => {
    choose.disabled = true;
    try {
      await patch("/me", { showEmailInCommits: !shows });
      await open("/account", { replace: true });
    } catch (error) {
      choose.disabled = false;
      toast(reason(error), { bad: true });
    }
  } });
  return choose;
}

function signOutEverywhere() {
  confirm({
    title: text.account.everywhereTitle, says: text.account.everywhereSays, action: text.account.everywhere,
    async send() {
      await post("/me/sign-out", { everywhere: true });
      await leave();
    },
  });
}

/** @param {any} invitation */
function invited(invitation) {
  const accept = button({ name: text.invitations.accept, kind: "primary", onclick: async () => {
    accept.disabled = true;
    try {
      await post("/invitations/accept", { invitationId: invitation.id });
      open(`/orgs/${invitation.orgId}`);
    } catch (error) {
      accept.disabled = false;
      toast(reason(error), { bad: true });
    }
  } });
  return personEntry({ name: invitation.orgName, below: [text.roles.organization[invitation.role], " · ",
    text.keys.ends, " ", moment(invitation.expiresAt)] }, accept);
}
