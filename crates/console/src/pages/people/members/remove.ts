// Leaving, removing a member, and revoking the keys that a removed one may have kept.

import type { MadeKey, Member } from "../../../api/people/organizations";
import type { Members } from "../../../model/people/members";
import { tell } from "../../../model/messages";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { confirm } from "../../parts/confirm";

/** Keys that were kept matter longer than other messages. */
const KEYS_MS = 300_000;

/** Who leaves can't come back alone. */
export function askLeave(members: Members): void {
  confirm({
    title: text.members.leaves(members.organization.peek().name),
    says: text.members.leaveSays,
    action: text.members.leave,
    send: async () => {
      await members.leave();
      open("/orgs");
    },
  });
}

export function remove(members: Members, one: Member): void {
  members.remove(one, (keys) => tell(text.members.madeKeys(one.name), {
    lifetimeMs: KEYS_MS,
    act: { name: text.members.revokeKeys, run: () => askRevoke(members, one, keys) },
  }));
}

function askRevoke(members: Members, one: Member, keys: readonly MadeKey[]): void {
  confirm({
    title: text.members.revokesKeys(one.name),
    says: text.members.madeKeysSay(keys.map(({ name, mask }) => `${name} (${mask})`).join(", ")),
    action: text.members.revokeKeys,
    send: () => members.revokeKeys(keys),
  });
}
