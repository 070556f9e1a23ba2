// The forms that make, rotate and revoke a key, and the secret that is shown once.

import { newKey, post, remove } from "../../api/client.js";
import { text } from "../../text.js";
import { confirm } from "../../ui/confirm.js";
import { copyable } from "../../ui/copy.js";
import { ask, field } from "../../ui/dialog.js";
import { button, h } from "../../ui/dom.js";
import { selectField } from "../../ui/select-field.js";
import { toast } from "../../ui/toast.js";
import { scopeFields } from "./scopes.js";

const DAY_MS = 86_400_000;
const GRACE_SECONDS = 86_400;
const MOST_DAYS = 365;

/**
 * Asks for a new key's name, scopes and expiry, and shows it.
 * @param {string} path where keys of its bearer are made @param {string} title @param {() => Promise<void>} changed
 */
export function makeKey(path, title, changed) {
  const key = newKey();
  const { element, scopes } = scopeFields();
  const days = /** @type {[string, string][]} */ (["7", "30", "90", "365"].map((count) => [count, text.keys.days(count)]));
  ask({
    title,
    action: text.keys.makes,
    fields: [field({ label: text.keys.name, name: "name", required: true, help: text.keys.nameHelp }), element,
      selectField({ label: text.keys.expiry, name: "days", options: days, value: "90" })],
    async send(form) {
      const chosen = scopes();
      if (chosen.length === 0) throw new Error(text.keys.noScope);
      const expiresAt = new Date(Date.now() + Number(form.get("days")) * DAY_MS).toISOString();
      const made = await post(path, { name: form.get("name"), scopes: chosen, expiresAt }, { key });
      await changed();
      showOnce(made);
    },
  });
}

/** @param {any} key @param {() => Promise<void>} changed */
export function rotateKey(key, changed) {
  const once = newKey();
  confirm({
    title: text.keys.rotates(key.name),
    says: text.keys.rotateSays,
    action: text.keys.rotate,
    danger: false,
    async send() {
      const made = await post(`/api-keys/${key.id}/rotate`, { graceSeconds: GRACE_SECONDS }, { key: once });
      await changed();
      showOnce(made);
    },
  });
}

/** @param {string} path @param {any} key @param {() => Promise<void>} changed */
export function revokeKey(path, key, changed) {
  confirm({
    title: text.keys.revokes(key.name),
    says: text.keys.revokeSays,
    action: text.keys.revoke,
    async send() {
      await remove(`${path}/${key.id}`);
      toast(text.keys.revoked(key.name));
      await changed();
    },
  });
}

/**
 * Makes a successor of a service account's key. The old one works until it is revoked, so that no program is cut off.
 * @param {string} path @param {any} key @param {() => Promise<void>} changed
 */
export function replaceKey(path, key, changed) {
  const once = newKey();
  confirm({
    title: text.keys.rotates(key.name),
    says: text.keys.replaceSays,
    action: text.keys.rotate,
    danger: false,
    async send() {
      const life = Date.parse(key.expiresAt) - Date.parse(key.createdAt);
      const expiresAt = new Date(Date.now() + Math.min(life, MOST_DAYS * DAY_MS)).toISOString();
      const test = key.mask.startsWith("svc_ak_test_") || undefined;
      const made = await post(path, { name: key.name, scopes: key.scopes, expiresAt, test }, { key: once });
      await changed();
      showOnce(made);
    },
  });
}

/** Revokes all keys of the caller. A key that is gone already is no failure. @param {any[]} keys @param {() => Promise<void>} changed */
export function revokeAll(keys, changed) {
  confirm({
    title: text.keys.revokesAll(keys.length),
    says: text.keys.revokeAllSays,
    action: text.keys.revokeAll,
    async send() {
      try {
        for (const { id } of keys) {
          await remove(`/api-keys/${id}`).catch((error) => {
            if (error.status !== 404) throw error;
          });
        }
        toast(text.keys.revokedAll);
      } finally {
        await changed();
      }
    },
  });
}

/** @param {{ apiKey: any, key: string }} made */
function showOnce({ apiKey, key }) {
  const dialog = h("dialog", { "aria-labelledby": "key-title", onclose: () => dialog.remove() },
    h("div", { class: "form" }, h("h2", { id: "key-title" }, text.keys.made(apiKey.name)),
      h("p", { class: "warned" }, text.keys.once),
      copyable(text.keys.secret, key),
      copyable(text.keys.environment, `export ATELIER_URL=${location.origin} ATELIER_KEY=${key}`),
      h("div", { class: "actions" },
        button({ name: text.keys.kept, kind: "primary", onclick: () => dialog.close() }))));
  document.body.append(dialog);
  dialog.showModal();
}
