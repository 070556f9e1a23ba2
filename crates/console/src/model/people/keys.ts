// API keys of a bearer: the caller, or a service account. A new key's text is returned once and kept nowhere.

import { computed, signal } from "@preact/signals";
import { keyApi, type AccountPath, type IssuedKey, type Key, type KeyApi, type Scope } from "../../api/people/keys";
import { text } from "../../text";
import { tell } from "../messages";
import { Removals } from "../removals";

const DAY_MS = 86_400_000;
const GRACE_SECONDS = 86_400;
/** The longest life that the service gives a key. */
const MOST_DAYS = 365;

/** The instant `days` from now. */
export const afterDays = (days: number, now = Date.now()) => new Date(now + days * DAY_MS).toISOString();

/** True for a key that nobody can use any more. */
export const isOver = ({ expiresAt }: Pick<Key, "expiresAt">, now = Date.now()) => Date.parse(expiresAt) < now;

export class Keys {
  readonly all = signal<readonly Key[]>([]);
  readonly #removals = new Removals();
  readonly shown = computed(() => this.#removals.shown(this.all.value, ({ id }) => id));
  readonly path: AccountPath | undefined;
  readonly #api: KeyApi;

  constructor(path?: AccountPath, api: KeyApi = keyApi) {
    this.path = path;
    this.#api = api;
  }

  static async open(path?: AccountPath): Promise<Keys> {
    const keys = new Keys(path);
    await keys.reload();
    return keys;
  }

  async reload(): Promise<void> {
    this.all.value = await this.#api.read(this.path);
  }

  /** Keys that work. */
  get live(): Key[] {
    return this.shown.value.filter((key) => !isOver(key));
  }

  /** Makes a key. `once` makes a try after a lost answer the same creation. */
  async create(name: string, scopes: Scope[], days: number, once: string): Promise<IssuedKey> {
    if (scopes.length === 0) throw new Error(text.keys.noScope);
    return this.#issued(this.#api.create({ name, scopes, expiresAt: afterDays(days) }, once, this.path));
  }

  /**
   * Makes a successor. An own key works for another day; that of a service account until it is revoked, so that no
   * program is cut off.
   */
  async rotate(key: Key, once: string): Promise<IssuedKey> {
    if (!this.path) return this.#issued(this.#api.rotate(key.id, GRACE_SECONDS, once));
    const life = Date.parse(key.expiresAt) - Date.parse(key.createdAt);
    const successor = {
      name: key.name,
      scopes: key.scopes,
      expiresAt: afterDays(Math.min(life / DAY_MS, MOST_DAYS)),
      ...(key.mask.startsWith("svc_ak_test_") ? { test: true } : {}),
    };
    return this.#issued(this.#api.create(successor, once, this.path));
  }

  revoke({ id, name }: Key): void {
    this.#removals.later({ id, name, says: text.keys.revoked(name), send: async () => {
      await this.#api.revoke(id, this.path);
      this.all.value = this.all.value.filter((one) => one.id !== id);
    } });
  }

  /** Revokes every key that works. What was revoked before a failure is gone from the list. */
  async revokeAll(): Promise<void> {
    try {
      for (const { id } of this.live) await this.#api.revoke(id, this.path);
      tell(text.keys.revokedAll);
    } finally {
      await this.reload();
    }
  }

  async #issued(asked: Promise<IssuedKey>): Promise<IssuedKey> {
    const issued = await asked;
    // The text of the key must be shown, even if the list can't be read now.
    await this.reload().catch(() => { this.all.value = [issued.apiKey, ...this.all.value]; });
    return issued;
  }
}
