// The service accounts of an organization, each with its keys.

import { computed, signal } from "@preact/signals";
import {
  createServiceAccount,
  readMembers,
  readOrganization,
  removeMember,
  type Member,
  type Organization,
  type Role,
} from "../../api/people/organizations";
import { text } from "../../text";
import { Keys } from "./keys";
import { Removals } from "../removals";

export interface ServiceAccount {
  member: Member;
  keys: Keys;
}

export class ServiceAccounts {
  readonly all = signal<readonly ServiceAccount[]>([]);
  readonly #removals = new Removals();
  readonly shown = computed(() => this.#removals.shown(this.all.value, ({ member }) => member.userId));
  readonly organization: Organization;

  private constructor(organization: Organization) {
    this.organization = organization;
  }

  static async open(orgId: string): Promise<ServiceAccounts> {
    const [organization, members] = await Promise.all([readOrganization(orgId), readMembers(orgId)]);
    const accounts = new ServiceAccounts(organization);
    const found = members.filter(({ kind }) => kind === "service");
    accounts.all.value = await Promise.all(found.map((member) => accounts.#withKeys(member)));
    return accounts;
  }

  async create(name: string, role: Role, once: string): Promise<void> {
    const member = await createServiceAccount(this.organization.id, name, role, once);
    const others = this.all.value.filter((one) => one.member.userId !== member.userId);
    this.all.value = [...others, { member, keys: new Keys(this.#pathOf(member)) }];
  }

  /** Removes an account with its keys. */
  remove({ member: { userId, name } }: ServiceAccount): void {
    this.#removals.later({ id: userId, name, says: text.keys.accountRemoved(name), send: async () => {
      await removeMember(this.organization.id, userId);
      this.all.value = this.all.value.filter((one) => one.member.userId !== userId);
    } });
  }

  async #withKeys(member: Member): Promise<ServiceAccount> {
    return { member, keys: await Keys.open(this.#pathOf(member)) };
  }

  #pathOf = ({ userId }: Member) => ({ orgId: this.organization.id, accountId: userId });
}
