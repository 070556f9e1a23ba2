// The uploads of this tab. They belong to no page: they continue wherever the person is, one batch after the other.

import { computed, signal } from "@preact/signals";
import { reasonOf } from "../../api/errors";
import { makeFolders } from "../../api/content/folders";
import { interrupted, uploadInPieces, uploadTogether } from "../../api/content/uploads";
import { LEFT } from "../../api/pieces";
import { text } from "../../text";
import { tell } from "../messages";

/** A project's branch as the API names it, and the address of its files. */
export interface Target {
  place: string;
  href: string;
}

/** A file, or an empty folder, on its way below an object. */
export interface Upload {
  id: number;
  target: Target;
  path: string;
  parent: string;
  file: File | null;
  replaces: boolean;
  state: "waiting" | "sending" | "done" | "failed" | "cancelled";
  /** The part that has arrived, of 1. */
  part: number;
  reason?: string;
  /** The object that it became. */
  object?: string | undefined;
}

/** Files up to this size are sent together. */
const SMALL_BYTES = 1_000_000;
const TOGETHER_FILES = 100;
const TOGETHER_BYTES = 16_000_000;

export const uploads = signal<readonly Upload[]>([]);
export const isEnded = ({ state }: Upload) => state === "done" || state === "failed" || state === "cancelled";
export const isUploading = computed(() => uploads.value.some((upload) => !isEnded(upload)));
/** The part of all that has arrived, of 1. */
export const arrivedPart = computed(
  () => uploads.value.reduce((sum, { part }) => sum + part, 0) / Math.max(1, uploads.value.length),
);

const stops = new Map<number, AbortController>();
let last = 0;
let queue: Promise<unknown> = Promise.resolve();

/** The uploads to a branch. */
export const uploadsTo = (place: string) => uploads.value.filter(({ target }) => target.place === place);

/** Sends files below an object, and makes empty folders; returns the outcomes. */
export function sendFiles(
  target: Target,
  files: { file: File; path: string }[],
  parent: string,
  folders: string[] = [],
) {
  const known = interrupted(target.place);
  return enqueue([
    ...files.map(({ file, path }) => {
      const same = known.find(
        ({ name, size, modified }) => name === file.name && size === file.size && modified === file.lastModified,
      );
      return make(target, file, same ? file.name : path, same?.parent ?? parent, same?.replaces);
    }),
    ...folders.map((path) => make(target, null, path, parent)),
  ]);
}

/** Sends a new version of an object's file. */
export const replaceFile = (target: Target, file: File, object: string) =>
  enqueue([make(target, file, file.name, object, true)]);

/** Ends uploads, here and at the service. */
export function cancelUploads(ids: readonly number[]): void {
  for (const id of ids) end(id, { state: "cancelled" });
}

/** Forgets the uploads to a branch, which have ended. */
export function dismissUploads(place: string): void {
  uploads.value = uploads.value.filter((upload) => upload.target.place !== place || !isEnded(upload));
}

/**
 * Ends all uploads with the person's sign-in. Received pieces stay at the service: the same file resumes from
 * there.
 */
export function leaveUploads(): void {
  for (const stop of stops.values()) stop.abort(LEFT);
  stops.clear();
  uploads.value = [];
}

function make(target: Target, file: File | null, path: string, parent: string, replaces = false): Upload {
  last += 1;
  stops.set(last, new AbortController());
  return { id: last, target, path, parent, file, replaces, state: "waiting", part: 0 };
}

function enqueue(batch: Upload[]): Promise<Upload[]> {
  // A batch that begins after all others have ended replaces their list.
  uploads.value = isUploading.value ? [...uploads.value, ...batch] : batch;
  const ids = new Set(batch.map(({ id }) => id));
  const sent = queue
    .then(() => run(batch))
    .then(() => {
      const outcomes = uploads.value.filter(({ id }) => ids.has(id));
      report(outcomes);
      return outcomes;
    });
  queue = sent.catch(() => {});
  return sent;
}

/** Small files are sent together, the others one by one. */
async function run(batch: Upload[]): Promise<void> {
  const isSmall = ({ file, replaces }: Upload) => file !== null && file.size <= SMALL_BYTES && !replaces;
  let some: Upload[] = [];
  for (const upload of batch.filter(isSmall)) {
    const bytes = some.reduce((sum, { file }) => sum + (file?.size ?? 0), upload.file?.size ?? 0);
    if (
      some.length === TOGETHER_FILES ||
      bytes > TOGETHER_BYTES ||
      some.some(({ parent }) => parent !== upload.parent)
    ) {
      await sendTogether(some);
      some = [];
    }
    some.push(upload);
  }
  await sendTogether(some);
  const folders = makeFolders();
  for (const upload of batch.filter((one) => !isSmall(one))) await sendAlone(upload, folders);
}

const now = (id: number) => uploads.value.find((upload) => upload.id === id);

function set(id: number, changes: Partial<Upload>): void {
  uploads.value = uploads.value.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload));
}

/** Ends an upload, unless it has ended. */
function end(id: number, outcome: Partial<Upload>): void {
  const upload = now(id);
  if (!upload || isEnded(upload)) return;
  set(id, { part: 1, ...outcome });
  if (outcome.state === "cancelled") stops.get(id)?.abort();
  stops.delete(id);
}

async function sendTogether(all: Upload[]): Promise<void> {
  const some = all.filter(({ id }) => now(id)?.state === "waiting");
  const [first] = some;
  if (!first) return;
  const stop = new AbortController();
  for (const { id } of some) {
    set(id, { state: "sending" });
    stops.get(id)?.signal.addEventListener("abort", () => {
      if (some.every((one) => now(one.id)?.state === "cancelled")) stop.abort();
    });
  }
  try {
    const files = some.map(({ file, path }) => ({ file: file as File, path }));
    const results = await uploadTogether(first.target.place, first.parent, files, stop.signal);
    some.forEach(({ id }, at) => {
      const result = results[at];
      end(
        id,
        result?.error
          ? { state: "failed", reason: result.error.message }
          : { state: "done", object: result?.root?.id },
      );
    });
  } catch (error) {
    for (const { id } of some) end(id, { state: "failed", reason: reasonOf(error) });
  }
}

async function sendAlone(
  { id, file, path, parent, replaces, target: { place } }: Upload,
  folders: ReturnType<typeof makeFolders>,
): Promise<void> {
  const signal = stops.get(id)?.signal;
  if (!signal || now(id)?.state !== "waiting") return;
  set(id, { state: "sending" });
  const names = path.split("/");
  try {
    if (!file) return end(id, { state: "done", object: await folders(place, parent, names) });
    const above = replaces ? parent : await folders(place, parent, names.slice(0, -1));
    const progress = (sent: number) => {
      if (now(id)?.state === "sending") set(id, { part: sent / Math.max(1, file.size) });
    };
    end(id, {
      state: "done",
      object: await uploadInPieces({ place, parent: above, file, replaces, signal, progress }),
    });
  } catch (error) {
    end(id, { state: "failed", reason: reasonOf(error) });
  }
}

function report(outcomes: readonly Upload[]): void {
  for (const { path, reason } of outcomes.filter(({ state }) => state === "failed")) {
    tell(text.files.failed(path, reason ?? ""), { bad: true });
  }
  const done = outcomes.filter(({ state }) => state === "done");
  const files = done.filter(({ file }) => file).length;
  // What was uploaded stands in the line of status.
  if (files > 0 && done[0]?.replaces) tell(text.files.replaced);
}
