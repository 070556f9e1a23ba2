// An organization's members with their roles, and the open invitations to it.

import { computed, signal, type Signal } from "@preact/signals";
import { afterDays } from "./keys";
import { revokeKey } from "../../api/people/keys";
import {
  changeRole,
  createInvitation,
  readInvitations,
  readMembers,
  readOrganization,
  removeMember,
  revokeInvitation,
  type Invitation,
  type MadeKey,
  type Member,
  type Organization,
  type Role,
} from "../../api/people/organizations";
import { reasonOf } from "../../api/errors";
import { text } from "../../text";
import { manages, readAccount, type Caller } from "./account";
import { tell } from "../messages";
import { Removals } from "../removals";
import { record, undoStep } from "../undo";

export const memberApi = {
  members: readMembers,
  invitations: readInvitations,
  changeRole,
  remove: removeMember,
  invite: createInvitation,
  revoke: revokeInvitation,
  revokeKey,
};
export type MemberApi = typeof memberApi;

const ROLES: readonly Role[] = ["guest", "member", "admin", "owner"];
/** Clocks differ, and the service refuses an expiry beyond its longest. */
const CLOCK_DAYS = 1 / 1440;

export class Members {
  readonly all = signal<readonly Member[]>([]);
  readonly invitations = signal<readonly Invitation[]>([]);
  readonly #removals = new Removals();
  readonly shown = computed(() => this.#removals.shown(this.all.value, ({ userId }) => userId));
  readonly shownInvitations = computed(() => this.#removals.shown(this.invitations.value, ({ id }) => id));
  /** The organization with the caller's role in it. */
  readonly organization: Signal<Organization>;
  readonly caller: Pick<Caller, "id" | "name">;
  readonly #api: MemberApi;

  constructor(organization: Organization, caller: Pick<Caller, "id" | "name">, api: MemberApi = memberApi) {
    this.organization = signal(organization);
    this.caller = caller;
    this.#api = api;
  }

  static async open(orgId: string): Promise<Members> {
    const [organization, caller] = await Promise.all([readOrganization(orgId), readAccount()]);
    const members = new Members(organization, caller);
    await members.reload();
    return members;
  }

  get manages(): boolean {
    return manages(this.organization.value);
  }

  get owns(): boolean {
    return this.organization.value.role === "owner";
  }

  async reload(): Promise<void> {
    const { id } = this.organization.peek();
    const [members, invitations] = await Promise.all([
      this.#api.members(id),
      this.manages ? this.#api.invitations(id) : [],
    ]);
    [this.all.value, this.invitations.value] = [members, invitations];
  }

  isSelf({ userId }: Member): boolean {
    return userId === this.caller.id;
  }

  /** Owners alone change owners and make them. */
  mayChange({ role }: Member): boolean {
    return this.manages && (this.owns || role !== "owner");
  }

  /** The roles that a member can be given; the present one among them. */
  rolesFor({ kind, role }: Member): Role[] {
    return ROLES.filter((one) => one !== "owner" || (this.owns && kind === "person") || role === "owner");
  }

  /** The roles that the caller can invite to. */
  get invitable(): Role[] {
    return ROLES.filter((role) => role !== "owner" || this.owns);
  }

  /** Changes a role, which undo takes back. */
  async change(member: Member, role: Role): Promise<void> {
    const before = member.role;
    if (!(await this.#give(member, role))) return;
    const name = text.members.changed(member.name, text.roles.organization[role] ?? role);
    // Who has given their own rights away can't take that back.
    if (this.isSelf(member)) return void tell(name);
    const step = { name, undo: () => this.#give({ ...member, role }, before) };
    record(step);
    tell(name, { act: { name: text.undo.title, run: () => undoStep(step) } });
  }

  /** Gives a role; a refusal takes it back with the reason. True if it was given. */
  async #give(member: Member, role: Role): Promise<boolean> {
    const before = member.role;
    this.#set(member.userId, role);
    try {
      await this.#api.changeRole(this.organization.peek().id, member.userId, role);
    } catch (error) {
      this.#set(member.userId, before);
      tell(text.members.unchanged(member.name, reasonOf(error)), { bad: true });
      return false;
    }
    if (this.isSelf(member)) this.organization.value = { ...this.organization.value, role };
    return true;
  }

  /** Leaves the organization. */
  async leave(): Promise<void> {
    await this.#api.remove(this.organization.peek().id, this.caller.id);
  }

  /** Removes a member. `kept` hears of the keys that they made and may have kept. */
  remove(member: Member, kept: (keys: readonly MadeKey[]) => void): void {
    const { userId, name } = member;
    this.#removals.later({ id: userId, name, says: text.members.removed(name), send: async () => {
      const keys = await this.#api.remove(this.organization.peek().id, userId);
      this.all.value = this.all.value.filter((one) => one.userId !== userId);
      if (keys.length > 0) kept(keys);
    } });
  }

  async revokeKeys(keys: readonly MadeKey[]): Promise<void> {
    const orgId = this.organization.peek().id;
    for (const { keyId, userId } of keys) await this.#api.revokeKey(keyId, { orgId, accountId: userId });
  }

  /** Makes an invitation; returns it with its secret. */
  async invite(role: Role, email: string, days: number, once: string) {
    const expiresAt = afterDays(days - CLOCK_DAYS);
    const invitation = { role, expiresAt, ...(email ? { email } : {}) };
    const made = await this.#api.invite(this.organization.peek().id, invitation, once);
    this.invitations.value = [...this.invitations.value.filter(({ id }) => id !== made.invitation.id), made.invitation];
    return made;
  }

  revoke({ id, email }: Invitation): void {
    const name = email ?? text.invitations.bearer;
    this.#removals.later({ id, name, says: text.invitations.revoked, send: async () => {
      await this.#api.revoke(this.organization.peek().id, id);
      this.invitations.value = this.invitations.value.filter((one) => one.id !== id);
    } });
  }

  #set(id: string, role: Role): void {
    this.all.value = this.all.value.map((one) => (one.userId === id ? { ...one, role } : one));
  }
}
