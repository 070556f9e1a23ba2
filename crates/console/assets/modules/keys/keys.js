// API keys: the caller's own, and those of an organization's service accounts.

import { all, get, newKey, post, remove } from "../../api/client.js";
import { text } from "../../text.js";
import { confirm } from "../../ui/confirm.js";
import { ask, field } from "../../ui/dialog.js";
import { button, fill, h, moment } from "../../ui/dom.js";
import { accountPlaces, organizationPlaces } from "../../ui/people-places.js";
import { entries, personEntry } from "../../ui/person.js";
import { selectField } from "../../ui/select-field.js";
import { makeKey, replaceKey, revokeAll, revokeKey, rotateKey } from "./forms.js";
import { scopeWords } from "./scopes.js";

/** @type {import("../../router.js").Opener} */
export async function openOwnKeys() {
  const list = h("div", {});
  const every = h("span", {});
  async function load() {
    const keys = await all("/api-keys", "apiKeys");
    const live = keys.filter((key) => !isOver(key));
    fill(every, live.length > 1 ? button({ name: text.keys.revokeAll, kind: "bad", onclick: () => revokeAll(live, load) }) : null);
    fill(list, entries(keys.map((key) => keyEntry(key,
      button({ name: text.keys.rotate, onclick: () => rotateKey(key, load) }),
      button({ name: text.keys.revoke, kind: "bad", onclick: () => revokeKey("/api-keys", key, load) }))),
    text.keys.title, text.keys.none));
  }
  await load();
  return {
    title: text.keys.title,
    crumbs: [{ name: text.account.title, href: "/account" }, { name: text.keys.title }],
    navigation: accountPlaces("/account/keys"),
    content: h("div", { class: "page" },
      h("div", { class: "heading" }, h("h1", {}, text.keys.title), every, button({ name: text.keys.add, icon: "plus",
        kind: "primary", onclick: () => makeKey("/api-keys", text.keys.add, load) })),
      h("p", { class: "lead" }, text.keys.lead), list),
  };
}

/** @type {import("../../router.js").Opener} */
export async function openServiceAccounts({ org: id }) {
  const root = `/orgs/${id}`;
  const { organization } = await get(root);
  const place = h("div", { class: "accounts" });
  async function load() {
    const members = await all(`${root}/members`, "members");
    const accounts = members.filter((member) => member.kind === "service");
    const keys = await Promise.all(accounts.map((account) =>
      all(`${root}/service-accounts/${account.userId}/keys`, "apiKeys")));
    fill(place, accounts.length === 0 ? h("p", { class: "soft none" }, text.keys.noAccounts)
      : accounts.map((account, at) => accountSection(root, account, keys[at] ?? [], load)));
  }
  await load();
  return {
    title: `${text.keys.accounts} · ${organization.name}`,
    ...organizationPlaces(organization, `${root}/keys`, { name: text.keys.accounts }),
    content: h("div", { class: "page" },
      h("div", { class: "heading" }, h("h1", {}, text.keys.accounts), button({ name: text.keys.addAccount,
        icon: "plus", kind: "primary", onclick: () => addAccount(root, load) })),
      h("p", { class: "lead" }, text.keys.accountsLead), place),
  };
}

/** @param {string} root @param {any} account @param {any[]} keys @param {() => Promise<void>} load */
function accountSection(root, account, keys, load) {
  const path = `${root}/service-accounts/${account.userId}/keys`;
  return h("section", { "aria-label": account.name },
    h("ul", { class: "entries" }, personEntry({ name: account.name, kind: "service",
      below: [text.roles.organization[account.role]] },
    button({ name: text.keys.add, icon: "plus", onclick: () => makeKey(path, text.keys.addFor(account.name), load) }),
    button({ name: text.members.remove, kind: "bad", onclick: () => confirm({
      title: text.members.removes(account.name), says: text.keys.accountSays(keys.length), action: text.members.remove,
      async send() {
        await remove(`${root}/members/${account.userId}`);
        await load();
      },
    }) })),
    keys.map((key) => keyEntry(key,
      button({ name: text.keys.rotate, onclick: () => replaceKey(path, key, load) }),
      button({ name: text.keys.revoke, kind: "bad", onclick: () => revokeKey(path, key, load) })))));
}

/** True for a key that nobody can use any more. @param {any} key */
const isOver = (key) => new Date(key.expiresAt).getTime() < Date.now();

/** A key, and what can be done while it lives. @param {any} key @param {...Node} acts */
function keyEntry(key, ...acts) {
  const used = key.lastUsedAt ? [text.keys.used, " ", moment(key.lastUsedAt)] : [text.keys.unused];
  const over = isOver(key);
  return personEntry({ name: key.name, kind: "key", below: [h("code", {}, key.mask), " · ", ...used, " · ",
    over ? text.keys.ended : text.keys.ends, " ", moment(key.expiresAt), " · ", scopeWords(key.scopes)] }, ...(over ? [] : acts));
}

/** @param {string} root @param {() => Promise<void>} load */
function addAccount(root, load) {
  const key = newKey();
  ask({
    title: text.keys.addAccount,
    action: text.keys.makesAccount,
    fields: [field({ label: text.keys.accountName, name: "name", required: true }),
      selectField({ label: text.members.role, name: "role", value: "member", help: text.roles.help,
        options: ["guest", "member", "admin"].map((role) => [role, text.roles.organization[role]]) })],
    async send(form) {
      await post(`${root}/service-accounts`, { name: form.get("name"), role: form.get("role") }, { key });
      await load();
    },
  });
}
