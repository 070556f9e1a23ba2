// Files on their way to the data plane: large ones in pieces that resume after a reload, small ones together.

import { networkError, refusalOf } from "../errors";
import type { components } from "../generated/dataplane";
import { accessTo, refuseAccess } from "./grants";
import { newKey, pause } from "../persist";
import { LEFT, sendPieces, TRIES, TUS } from "../pieces";

/** An upload in pieces that a reload or a failure has interrupted. */
export interface Interrupted {
  name: string;
  size: number;
  modified: number;
  parent: string;
  replaces: boolean;
  url: string;
}

export interface Upload {
  place: string;
  parent: string;
  file: File;
  /** The file is the new version of the object `parent`. */
  replaces: boolean;
  signal: AbortSignal;
  /** Told the bytes that have arrived. */
  progress: (sent: number) => void;
}

/** Records of the uploads that this page is sending. */
const sending = new Set<string>();

type Result = components["schemas"]["UploadedFile"];

/** The uploads to a place that were interrupted. */
export function interrupted(place: string): Interrupted[] {
  return Object.keys(sessionStorage)
    .filter((key) => key.startsWith(`upload:${place}:`) && !sending.has(key))
    .map((key) => JSON.parse(sessionStorage.getItem(key) ?? "{}") as Interrupted);
}

/** Forgets an interrupted upload, here and at the service. Without an answer its pieces expire there. */
export async function forgetUpload(place: string, upload: Interrupted): Promise<void> {
  sessionStorage.removeItem(recordOf(place, upload));
  const { token } = await accessTo(place);
  await fetch(upload.url, { method: "DELETE", headers: { ...TUS, Authorization: `Bearer ${token}` } }).catch(
    () => null,
  );
}

/** Uploads a file in pieces; returns the id of the object that it became, if it became one. */
export async function uploadInPieces(upload: Upload): Promise<string | undefined> {
  const { file, parent, place, replaces } = upload;
  const record = recordOf(place, { name: file.name, size: file.size, modified: file.lastModified, parent });
  sending.add(record);
  try {
    const kept = { name: file.name, size: file.size, modified: file.lastModified, parent, replaces };
    const url = await sendPieces({
      file,
      metadata: replaces ? { replaces: parent } : {},
      signal: upload.signal,
      progress: upload.progress,
      access: async () => {
        const { resumable, token } = await accessTo(place);
        return { endpoint: resumable.replace("{parentId}", encodeURIComponent(parent)), token };
      },
      refuse: () => refuseAccess(place),
      known: (JSON.parse(sessionStorage.getItem(record) ?? "{}") as Partial<Interrupted>).url,
      begun: (at) => sessionStorage.setItem(record, JSON.stringify({ ...kept, url: at } satisfies Interrupted)),
    });
    sessionStorage.removeItem(record);
    return await objectOf(place, url);
  } catch (error) {
    if (upload.signal.aborted && upload.signal.reason !== LEFT) sessionStorage.removeItem(record);
    throw error;
  } finally {
    sending.delete(record);
  }
}

/** The object that a finished upload became. */
async function objectOf(place: string, url: string): Promise<string | undefined> {
  const { token } = await accessTo(place);
  const answer = await fetch(url, { headers: { ...TUS, Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw await refusalOf(answer);
  const { object } = (await answer.json()) as { object?: Record<string, { id: string }> };
  return Object.values(object ?? {})[0]?.id;
}

/** Uploads small files with their folders by one request; returns the outcome of each. */
export async function uploadTogether(
  place: string,
  parent: string,
  files: { file: File; path: string }[],
  signal: AbortSignal,
): Promise<Result[]> {
  const key = newKey();
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted();
    const { token, bulk } = await accessTo(place);
    const form = new FormData();
    for (const { file, path } of files) form.append("file", file, path);
    const answer = await fetch(bulk.replace("{parentId}", encodeURIComponent(parent)), {
      method: "POST",
      body: form,
      signal,
      headers: { Authorization: `Bearer ${token}`, "Idempotency-Key": key },
    }).catch(() => null);
    signal.throwIfAborted();
    if (answer?.ok) return ((await answer.json()) as components["schemas"]["UploadedFiles"]).files;
    if (answer?.status === 401) refuseAccess(place);
    const isPassing = !answer || answer.status === 401 || answer.status === 429 || answer.status >= 500;
    if (!isPassing || tries >= TRIES) throw answer ? await refusalOf(answer) : networkError();
    await pause(300 * 2 ** tries);
  }
}

function recordOf(
  place: string,
  { parent, name, size, modified }: Pick<Interrupted, "parent" | "name" | "size" | "modified">,
) {
  return `upload:${place}:${parent}:${name}:${size}:${modified}`;
}
