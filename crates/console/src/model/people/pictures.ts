// Pictures of people in memory, by their ids. Those who are shown at about the same time are asked for together.

import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { lookUpPictures, readPicture, type PictureRef } from "../../api/people/pictures";
import { isSignedIn } from "../../api/session";

/** Time in which people are gathered, in milliseconds. */
const GATHER_MS = 40;
/** Most people of one question that the service takes. */
const MOST = 100;

export interface PicturesApi {
  lookUp: typeof lookUpPictures;
  read: typeof readPicture;
  isAllowed: () => boolean;
  makeUrl: (blob: Blob) => string;
  revokeUrl: (url: string) => void;
  later: (run: () => void) => void;
}

export class Pictures {
  readonly #api: PicturesApi;
  /** The address in memory of each person's picture; empty without one. */
  readonly #urls = new Map<string, Signal<string>>();
  readonly #hashes = new Map<string, string>();
  #wanted = new Set<string>();

  constructor(api: PicturesApi) {
    this.#api = api;
  }

  /** The address of a person's picture, once it is known; empty for one without a picture. */
  of(person: string): ReadonlySignal<string> {
    const known = this.#urls.get(person);
    if (known) return known;
    const made = signal("");
    this.#urls.set(person, made);
    this.#want(person);
    return made;
  }

  /** The person's picture is another one now, or gone. */
  async take({ userId, sha256 }: Pick<PictureRef, "userId"> & { sha256: string | null }): Promise<void> {
    const shown = this.#urls.get(userId) ?? signal("");
    this.#urls.set(userId, shown);
    if (sha256 !== null && this.#hashes.get(userId) === sha256) return;
    const url = sha256 === null ? "" : this.#api.makeUrl(await this.#api.read(sha256));
    // The person may have left meanwhile.
    if (this.#urls.get(userId) !== shown) return this.#api.revokeUrl(url);
    const before = shown.peek();
    shown.value = url;
    if (sha256 === null) this.#hashes.delete(userId);
    else this.#hashes.set(userId, sha256);
    if (before) this.#api.revokeUrl(before);
  }

  /** Gives up everything, because the person has left. */
  forget(): void {
    for (const { value } of this.#urls.values()) if (value) this.#api.revokeUrl(value);
    this.#urls.clear();
    this.#hashes.clear();
    this.#wanted.clear();
  }

  #want(person: string): void {
    if (!this.#api.isAllowed()) return;
    if (this.#wanted.size === 0) this.#api.later(() => void this.#ask());
    this.#wanted.add(person);
  }

  async #ask(): Promise<void> {
    const people = [...this.#wanted];
    this.#wanted = new Set();
    for (let from = 0; from < people.length; from += MOST) {
      const some = people.slice(from, from + MOST);
      // Letters do without pictures. Who is shown later is asked for again.
      const found = await this.#api.lookUp(some).catch(() => null);
      if (!found) some.forEach((person) => this.#urls.delete(person));
      await Promise.all((found ?? []).map((one) => this.take(one).catch(() => {})));
    }
  }
}

export const pictures = new Pictures({ lookUp: lookUpPictures, read: readPicture, isAllowed: () => isSignedIn.peek(),
  makeUrl: (blob) => URL.createObjectURL(blob), revokeUrl: (url) => URL.revokeObjectURL(url),
  later: (run) => { setTimeout(run, GATHER_MS); } });
