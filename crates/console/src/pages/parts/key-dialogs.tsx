// The dialogs that make and rotate keys, and revoke all, and the one that shows a new key once.

import { signal } from "@preact/signals";
import type { IssuedKey, Key } from "../../api/people/keys";
import { newKey } from "../../api/persist";
import type { Keys } from "../../model/people/keys";
import { SETS, scopesOf, type Levels } from "../../model/people/scopes";
import { text } from "../../text";
import { Button } from "../../ui/button";
import { ask, openDialog } from "../../ui/dialog";
import { Field } from "../../ui/form";
import { Select } from "../../ui/picker";
import { confirm } from "./confirm";
import { Copied } from "./copied";
import { ScopeFields } from "./scope-fields";

const DAYS = ["7", "30", "90", "365"];

/** Asks for a new key's name, scopes and expiry, and shows it. */
export function askKey(keys: Keys, title: string): void {
  const once = newKey();
  const levels = signal<Levels>(SETS.read);
  ask({
    title,
    action: text.keys.makes,
    cancel: text.cancel,
    fields: (
      <>
        <Field label={text.keys.name} name="name" required help={text.keys.nameHelp} />
        <ScopeFields levels={levels} />
        <Select label={text.keys.expiry} name="days" value="90"
          choices={DAYS.map((count) => ({ value: count, name: text.keys.days(count) }))} />
      </>
    ),
    send: async (form) => {
      const [name, days] = [String(form.get("name")), Number(form.get("days"))];
      showOnce(await keys.create(name, scopesOf(levels.peek()), days, once));
    },
  });
}

export function askRotate(keys: Keys, key: Key): void {
  const once = newKey();
  confirm({
    title: text.keys.rotates(key.name),
    says: keys.path ? text.keys.replaceSays : text.keys.rotateSays,
    action: text.keys.rotate,
    danger: false,
    send: async () => showOnce(await keys.rotate(key, once)),
  });
}

export function askRevokeAll(keys: Keys): void {
  confirm({
    title: text.keys.revokesAll(keys.live.length),
    says: text.keys.revokeAllSays,
    action: text.keys.revokeAll,
    send: () => keys.revokeAll(),
  });
}

function showOnce({ apiKey, key }: IssuedKey): void {
  const title = text.keys.made(apiKey.name);
  openDialog(
    (close) => (
      <div class="form">
        <h2>{title}</h2>
        <p class="warned">{text.keys.once}</p>
        <Copied label={text.keys.secret} value={key} />
        <Copied label={text.keys.environment} value={`export ATELIER_URL=${location.origin} ATELIER_KEY=${key}`} />
        <div class="actions"><Button name={text.keys.kept} kind="primary" onClick={close} /></div>
      </div>
    ),
    { label: title },
  );
}
