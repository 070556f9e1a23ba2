// Thumbnails in memory, by file and object: at most four are read at once, and pictures that nobody shows are given up
// when there are many.

import { effect } from "@preact/signals";
import { readAttachmentPicture } from "../../api/planning/attachments";
import { pause } from "../../api/persist";
import { readThumbnail } from "../../api/content/previews";
import { isSignedIn } from "../../api/session";
import type { Pictured } from "./shape-kinds";

const AT_ONCE = 4;
/** Pictures that are kept though nobody shows them. */
const KEPT = 400;
/** Questions about a picture that is being made. */
const TRIES = 8;
const PX = 256;

/** Name of a picture: another file has others. */
const keyOf = ({ id, sha256, geometry, px = PX }: Pictured) => `${sha256 ?? geometry} ${id} ${px}`;

interface Entry {
  /** Address in memory; null if there is no picture, undefined until that is known. */
  url: string | null | undefined;
  /** Components that show it, which are told its address. */
  shows: Set<(url: string | null) => void>;
  isWaiting: boolean;
  tries: number;
}

interface Asked {
  key: string;
  of: Pictured;
}

export interface ThumbnailsApi {
  read: typeof readThumbnail;
  readAttached: typeof readAttachmentPicture;
  makeUrl: (blob: Blob) => string;
  revokeUrl: (url: string) => void;
  wait: typeof pause;
}

export class Thumbnails {
  readonly #api: ThumbnailsApi;
  readonly #entries = new Map<string, Entry>();
  readonly #queue: Asked[] = [];
  #running = 0;

  constructor(api: ThumbnailsApi) {
    this.#api = api;
  }

  /** The address of a picture that was read before; null for an object without a picture. */
  known(of: Pictured): string | null | undefined {
    return this.#entries.get(keyOf(of))?.url;
  }

  /** Tells the address once it is known, and keeps the picture until the returned function is called. */
  show(of: Pictured, shown: (url: string | null) => void): () => void {
    const key = keyOf(of);
    const entry = this.#entries.get(key) ?? { url: undefined, shows: new Set(), isWaiting: false, tries: 0 };
    // The order of entries is that of their last use.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.shows.add(shown);
    if (entry.url !== undefined) shown(entry.url);
    else if (!entry.isWaiting) {
      entry.isWaiting = true;
      this.#queue.push({ key, of });
      this.#run();
    }
    return () => {
      entry.shows.delete(shown);
      this.#clean();
    };
  }

  /** Gives up everything, because the person has left. */
  forget(): void {
    for (const { url } of this.#entries.values()) if (url) this.#api.revokeUrl(url);
    this.#entries.clear();
    this.#queue.length = 0;
  }

  #run(): void {
    while (this.#running < AT_ONCE) {
      // What was asked for last is what the person looks at.
      const next = this.#queue.pop();
      if (!next) return;
      const entry = this.#entries.get(next.key);
      if (!entry) continue;
      if (entry.shows.size === 0) this.#entries.delete(next.key);
      else void this.#read(next, entry);
    }
  }

  async #read(asked: Asked, entry: Entry): Promise<void> {
    const { key, of: { place, id, sha256, card, px = PX } } = asked;
    this.#running += 1;
    const reading = card ? this.#api.readAttached({ projectId: place, cardId: card }, id, px)
      : this.#api.read(place, id, px, sha256);
    const made = await reading.catch(() => undefined);
    this.#running -= 1;
    this.#run();
    if (this.#entries.get(key) !== entry) return;
    const isMade = made !== undefined && (made.value !== null || made.againMs === undefined);
    entry.tries += 1;
    if (isMade) {
      entry.isWaiting = false;
      entry.url = made.value && this.#api.makeUrl(made.value);
      for (const shown of entry.shows) shown(entry.url);
      this.#clean();
    } else if (made?.againMs === undefined || entry.tries >= TRIES || entry.shows.size === 0) {
      // The next one that shows it asks again.
      this.#entries.delete(key);
    } else {
      await this.#api.wait(made.againMs);
      this.#queue.push(asked);
      this.#run();
    }
  }

  /** Gives up the pictures that were shown longest ago. */
  #clean(): void {
    let surplus = this.#entries.size - KEPT;
    for (const [key, { shows, url, isWaiting }] of this.#entries) {
      if (surplus <= 0) return;
      if (shows.size > 0 || isWaiting) continue;
      if (url) this.#api.revokeUrl(url);
      this.#entries.delete(key);
      surplus -= 1;
    }
  }
}

/** The thumbnails of this tab. */
export const thumbnails = new Thumbnails({ read: readThumbnail, readAttached: readAttachmentPicture,
  makeUrl: (blob) => URL.createObjectURL(blob), revokeUrl: (url) => URL.revokeObjectURL(url), wait: pause });

effect(() => { if (!isSignedIn.value) thumbnails.forget(); });
