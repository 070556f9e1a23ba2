// A file in pieces to the data plane, by tus: to a tree or to a card. It resumes after a failure, and by its address
// after a reload.

import { text } from "../text";
import { ApiError, networkError } from "./errors";
import type { components } from "./generated/dataplane";

/** Access to the data plane. */
export interface PiecesAccess {
  /** Where an upload begins. */
  endpoint: string;
  token: string;
}

export interface Pieces {
  file: File;
  /** Facts of the file for the service, beside its name. */
  metadata?: Record<string, string>;
  signal: AbortSignal;
  /** Told the bytes that have arrived. */
  progress: (sent: number) => void;
  access: () => Promise<PiecesAccess>;
  /** Forgets a token that the service refuses. */
  refuse: () => void;
  /** The address of an upload that was begun before. */
  known: string | undefined;
  /** Told the address of the upload. */
  begun: (url: string) => void;
}

/** Reason of an abort that leaves the received pieces at the service, from where the same file resumes. */
export const LEFT = "left";
/** The header of each request. */
export const TUS = { "Tus-Resumable": "1.0.0" };
/** Tries of a request. */
export const TRIES = 6;

const PIECE_BYTES = 4 * 1024 * 1024;

/** Sends the pieces; returns the upload's address. */
export async function sendPieces({ file, metadata, signal, progress, access, refuse, known, begun }: Pieces):
  Promise<string> {
  const [tus, { endpoint }] = await Promise.all([import("tus-js-client"), access()]);
  return new Promise((resolve, reject) => {
    const upload = new tus.Upload(file, {
      endpoint,
      ...(known ? { uploadUrl: known } : {}),
      chunkSize: PIECE_BYTES,
      retryDelays: Array.from({ length: TRIES }, (_, at) => 300 * 2 ** (at + 1)),
      storeFingerprintForResuming: false,
      metadata: { filename: file.name, ...metadata },
      async onBeforeRequest(request) {
        request.setHeader("Authorization", `Bearer ${(await access()).token}`);
      },
      onShouldRetry(error) {
        const status = error.originalResponse?.getStatus() ?? 0;
        if (status === 401) refuse();
        return status === 0 || status === 401 || status === 409 || status === 423 || status === 429 || status >= 500;
      },
      onUploadUrlAvailable: () => {
        if (upload.url) begun(upload.url);
      },
      onProgress: progress,
      onSuccess: () => resolve(upload.url ?? ""),
      onError: (error) => reject(errorOf(error)),
    });
    signal.addEventListener("abort", () => {
      // What the service has received is discarded there, unless the person only leaves.
      void upload.abort(signal.reason !== LEFT).catch(() => {});
      reject(new Error(text.files.isCancelled));
    });
    if (signal.aborted) reject(new Error(text.files.isCancelled));
    else upload.start();
  });
}

function errorOf(error: Error): Error {
  const answer = (error as { originalResponse?: { getStatus(): number; getBody(): string } | null }).originalResponse;
  if (!answer) return networkError();
  try {
    return new ApiError(answer.getStatus(), (JSON.parse(answer.getBody()) as components["schemas"]["Error"]).error);
  } catch {
    return new ApiError(answer.getStatus(), undefined);
  }
}
