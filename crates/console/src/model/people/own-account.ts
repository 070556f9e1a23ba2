// The caller's account as they see it, and the invitations to them.

import { signal, type Signal } from "@preact/signals";
import {
  acceptInvitation,
  readOwnInvitations,
  renameCaller,
  showEmailInCommits,
  type Account,
  type Invitation,
} from "../../api/people/account";
import { readCaller } from "../../api/places";
import { text } from "../../text";
import { tell, tellFailure } from "../messages";
import { record } from "../undo";
import { deletePicture, putPicture } from "../../api/people/pictures";
import { takeAccount } from "./account";
import { pictures, type Pictures } from "./pictures";

export const accountApi = { rename: renameCaller, put: putPicture, clear: deletePicture, show: showEmailInCommits,
  accept: acceptInvitation };
export type AccountApi = typeof accountApi;

export class OwnAccount {
  readonly user: Signal<Account>;
  readonly invitations: Signal<readonly Invitation[]>;
  readonly #api: AccountApi;
  readonly #pictures: Pick<Pictures, "take">;

  constructor(user: Account, invitations: readonly Invitation[], api: AccountApi = accountApi,
    shown: Pick<Pictures, "take"> = pictures) {
    [this.user, this.invitations] = [signal(user), signal(invitations)];
    [this.#api, this.#pictures] = [api, shown];
  }

  static async open(): Promise<OwnAccount> {
    const [user, invitations] = await Promise.all([readCaller(), readOwnInvitations()]);
    return new OwnAccount(user, invitations);
  }

  /** Gives the person another name. The form shows a refusal. */
  async rename(name: string): Promise<void> {
    const before = this.user.peek().name;
    const now = await this.#api.rename(name);
    this.user.value = now;
    takeAccount(now);
    if (now.name !== before) record({ name: text.account.name, undo: () => this.rename(before) });
    tell(text.settings.saved);
  }

  /** Makes an image the person's picture. */
  async setPicture(image: Blob): Promise<void> {
    await this.#pictures.take(await this.#api.put(image));
    tell(text.settings.saved);
  }

  async clearPicture(): Promise<void> {
    await this.#api.clear();
    await this.#pictures.take({ userId: this.user.peek().id, sha256: null });
    tell(text.settings.saved);
  }

  /** Shows or hides the own address in new commits. */
  async showEmail(isShown: boolean): Promise<void> {
    const before = this.user.value;
    this.user.value = { ...before, showEmailInCommits: isShown };
    try {
      this.user.value = await this.#api.show(isShown);
    } catch (error) {
      this.user.value = before;
      return tellFailure(error);
    }
    record({ name: text.account.commitEmail, undo: () => this.showEmail(!isShown) });
    tell(text.settings.saved);
  }

  /** Joins by an invitation that is addressed to the person; returns the organization's address. */
  async accept({ id }: Invitation): Promise<string> {
    const organization = await this.#api.accept({ invitationId: id });
    this.invitations.value = this.invitations.value.filter((one) => one.id !== id);
    tell(text.invitations.joined(organization.name));
    return `/orgs/${organization.id}`;
  }
}
