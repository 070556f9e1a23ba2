// The files of an open card. New ones are sent one after the other, beside other changes of the card, since large ones
// take their time. A removed one is gone at once, and comes back by undo.

import { computed, signal } from "@preact/signals";
import { attachmentsApi, type AttachmentsApi, type CardAttachment } from "../../api/planning/attachments";
import { reasonOf } from "../../api/errors";
import { newKey } from "../../api/persist";
import { ownsPicture, type Pictured } from "../content/shape-kinds";
import { deleteLater } from "../undo";
import type { OpenCard } from "./open-card";

/** A file on its way; with a failure, one that the person sends again or gives up. */
export interface SentFile {
  key: string;
  file: File;
  failure: string;
  /** The part of a large file that has arrived, of 1. */
  part: number;
}

/** A pasted file. Browsers call each picture `image`, so the time tells them apart. */
export function pastedFile(file: File, now: Date): File {
  const [, extension] = /^image(\.\w+)$/.exec(file.name) ?? [];
  return extension ? new File([file], `${stampOf(now)}${extension}`, { type: file.type }) : file;
}

/** The person's own day and time, as a part of a file's name: `2026-11-09 08.07.06`. */
export function stampOf(now: Date): string {
  const two = (part: number) => String(part).padStart(2, "0");
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map(two).join("-");
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(".");
  return `${day} ${time}`;
}

export class CardAttachments {
  readonly sent = signal<readonly SentFile[]>([]);
  readonly files = computed(() =>
    this.#card.now.value.attachments.filter(({ id }) => !this.#hidden.value.has(id)));
  readonly #card: OpenCard;
  readonly #api: AttachmentsApi;
  readonly #hidden = signal<ReadonlySet<string>>(new Set());
  /** Ends files that are on their way or wait, by their keys. */
  readonly #stops = new Map<string, AbortController>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(card: OpenCard, api: AttachmentsApi = attachmentsApi) {
    [this.#card, this.#api] = [card, api];
  }

  /** Attaches files, behind those that are on their way; returns those that were attached. */
  async add(files: readonly File[]): Promise<CardAttachment[]> {
    const added = files.map((file) => ({ key: newKey(), file, failure: "", part: 0 }));
    this.sent.value = [...this.sent.peek(), ...added];
    const attached = await Promise.all(added.map((one) => this.#send(one)));
    return attached.filter((one) => one !== null);
  }

  /** Sends a file again that was refused or lost. It is attached once, also if the answer was lost. */
  async retry({ key }: SentFile): Promise<void> {
    const again = this.sent.peek().find((one) => one.key === key);
    if (!again?.failure) return;
    this.#set(key, { failure: "" });
    await this.#send(again);
  }

  /** Gives up a file: one that waits, is on its way, or failed. What has arrived of it is discarded. */
  giveUp({ key }: SentFile): void {
    this.#stops.get(key)?.abort();
    this.#end(key);
  }

  /** Removes an attachment, after the time in which the person can take that back. */
  remove({ id, name }: CardAttachment): void {
    const hide = (isHidden: boolean) => {
      const others = [...this.#hidden.peek()].filter((one) => one !== id);
      this.#hidden.value = new Set(isHidden ? [...others, id] : others);
    };
    deleteLater({
      name,
      hide: () => hide(true),
      restore: () => hide(false),
      send: async () => {
        await this.#card.send(() => this.#api.remove(this.#card.path, id));
        this.#show(this.#card.now.peek().attachments.filter((one) => one.id !== id));
        hide(false);
      },
    });
  }

  /** The attachment as a thing with a picture; undefined for files that have none. */
  picturedOf({ id, name, size, mimeType, sha256 }: CardAttachment): Pictured | undefined {
    const extension = /\.[a-z0-9]{1,16}$/i.exec(name)?.[0];
    const file = { size, mimeType, sha256, ...(extension ? { extension } : {}) };
    const { projectId: place, cardId: card } = this.#card.path;
    return ownsPicture({ type: "File", file }) ? { place, id, sha256, card } : undefined;
  }

  read({ id }: CardAttachment): Promise<Blob> {
    return this.#api.read(this.#card.path, id);
  }

  #send({ key, file }: SentFile): Promise<CardAttachment | null> {
    const stop = new AbortController();
    this.#stops.set(key, stop);
    const progress = (sent: number) => this.#set(key, { part: sent / Math.max(1, file.size) });
    const sent = this.#queue.then(async () => {
      if (stop.signal.aborted) return null;
      try {
        const attached = await this.#api.attach(this.#card.path, file, { key, signal: stop.signal, progress });
        const others = this.#card.now.peek().attachments.filter(({ id }) => id !== attached.id);
        this.#show([...others, attached]);
        this.#end(key);
        this.#card.later();
        return attached;
      } catch (error) {
        this.#set(key, { failure: reasonOf(error) });
        return null;
      }
    });
    this.#queue = sent;
    return sent;
  }

  #set(key: string, changes: Partial<SentFile>): void {
    this.sent.value = this.sent.peek().map((one) => (one.key === key ? { ...one, ...changes } : one));
  }

  #end(key: string): void {
    this.#stops.delete(key);
    this.sent.value = this.sent.peek().filter((one) => one.key !== key);
  }

  #show(attachments: CardAttachment[]): void {
    this.#card.show({ attachments });
  }
}
