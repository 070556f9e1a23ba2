// The shape of a file while it is made and shown: asked for until it is whole. Its edges come first, its faces later.
// An event tells of the faces alone.

import { signal } from "@preact/signals";
import { ApiError, reasonOf } from "../../api/errors";
import { previewsApi, type Made, type Preview, type PreviewsApi } from "../../api/content/previews";
import type { PreviewEvents } from "./preview-events";
import type { ShapeRef } from "./shapes";

/** Pauses after questions without an answer. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
/** Failures in a row after which the person is told. */
const TRIES = 6;
/** Edge of the picture that stands in for the shape. */
const PICTURE_PX = 1024;

type Pauses = Pick<PreviewEvents, "seen" | "pause" | "untilFinished">;

interface Question<Value> {
  ask: () => Promise<Made<Value> | null>;
  take: (value: Value) => unknown;
  /** True if the next answer of use comes with the end of the making. */
  isLast: (made: Made<Value>) => boolean;
}

export class OpenShape {
  /** Null until it is known. */
  readonly preview = signal<Preview | null>(null);
  /** True if the service makes no preview of the file. */
  readonly isAbsent = signal(false);
  readonly glb = signal<ArrayBuffer | null>(null);
  readonly thumbnail = signal<Blob | null>(null);
  /** Why it can't be read. */
  readonly failure = signal<string | null>(null);

  readonly #place: string;
  readonly #shape: ShapeRef;
  readonly #api: PreviewsApi;
  readonly #pauses: Pauses;
  readonly #end = new AbortController();
  /** Size that was told when the GLB was read last. It may have grown between the two answers. */
  #told = 0;

  constructor(place: string, shape: ShapeRef, pauses: Pauses, api: PreviewsApi = previewsApi) {
    this.#place = place;
    this.#shape = shape;
    this.#api = api;
    this.#pauses = pauses;
  }

  /** Reads shape and thumbnail, until both are whole or refused. */
  async open(): Promise<void> {
    const [place, { owner, sha256 }, { signal: end }] = [this.#place, this.#shape, this.#end];
    this.failure.value = null;
    const shape = this.#until<Preview>({
      ask: () => this.#api.preview(place, owner, end),
      take: (preview) => this.#take(preview),
      // No event tells of the edges.
      isLast: ({ value }) => (value?.shape?.sizeBytes ?? 0) > 0,
    }).then((isThere) => { this.isAbsent.value = !isThere; });
    const picture = this.#until<Blob>({
      ask: () => this.#api.thumbnail(place, owner, PICTURE_PX, sha256, end),
      take: (blob) => { this.thumbnail.value = blob; },
      isLast: () => true,
    });
    // A shape without a picture is shown all the same.
    await Promise.all([shape, picture.catch(() => {})])
      .catch((error: unknown) => { if (!end.aborted) this.failure.value = reasonOf(error); });
  }

  close(): void {
    this.#end.abort();
  }

  async #take(preview: Preview): Promise<void> {
    this.preview.value = preview;
    const { shape, status } = preview;
    if (!shape || [0, this.#told, this.glb.peek()?.byteLength].includes(shape.sizeBytes)) return;
    // Of a file at a commit, only the preview tells the hash.
    const { owner, sha256 } = { ...this.#shape, ...(preview.sha256 ? { sha256: preview.sha256 } : {}) };
    const glb = await this.#api.glb(this.#place, owner, sha256, this.#end.signal).catch((error: unknown) => {
      // While it is made, the next answer tells more.
      if (status === "making") return null;
      throw error;
    });
    if (!glb || this.#end.signal.aborted) return;
    this.#told = shape.sizeBytes;
    this.glb.value = glb;
  }

  /** Asks until nothing more is to come. False if there is nothing. */
  async #until<Value>({ ask, take, isLast }: Question<Value>): Promise<boolean> {
    const { sha256 } = this.#shape;
    let [rest, failures] = [FIRST_PAUSE_MS, 0];
    while (!this.#end.signal.aborted) {
      const seen = this.#pauses.seen(sha256);
      let pause: () => Promise<void>;
      try {
        const made = await ask();
        if (this.#end.signal.aborted || !made) break;
        if (made.value !== null) await take(made.value);
        if (made.againMs === undefined) return made.value !== null;
        const again = made.againMs;
        pause = () => (isLast(made) ? this.#pauses.untilFinished(sha256, seen, again) : this.#pauses.pause(again));
        [rest, failures] = [FIRST_PAUSE_MS, 0];
      } catch (error) {
        failures += 1;
        if (!(error instanceof ApiError && error.isPassing) || failures === TRIES) throw error;
        const again = rest;
        pause = () => this.#pauses.pause(again);
        rest = Math.min(rest * 2, LONGEST_PAUSE_MS);
      }
      await pause();
    }
    return false;
  }
}
