// Files that are attached to cards, to and from the data plane. One grant is good for all cards of a project.

import type { CardPath } from "./cards";
import { answer, api } from "../client";
import { DownloadGrants } from "../content/downloads";
import { networkError, refusalOf } from "../errors";
import type { components } from "../generated/control";
import { sendPieces } from "../pieces";
import { pictureIn, type Made, type ThumbnailPx } from "../content/previews";

type Schemas = components["schemas"];
export type CardAttachment = Schemas["CardAttachment"];

const grants = new DownloadGrants<Schemas["CreateAttachmentGrantResponse"]>((projectId) =>
  answer(api.POST("/api/v2/projects/{projectId}/attachment-grants", { params: { path: { projectId } } })));

/** Files up to this size go in one request, the others in pieces. */
const WHOLE_BYTES = 4 * 1024 * 1024;

/** How a file is sent. */
export interface Sending {
  /** A repeat under the same key attaches no second file. */
  key: string;
  signal: AbortSignal;
  /** Told the bytes of a large file that have arrived. */
  progress: (sent: number) => void;
}

/** Attaches a file. */
export function attachFile(path: CardPath, file: File, sending: Sending): Promise<CardAttachment> {
  return file.size > WHOLE_BYTES ? attachInPieces(path, file, sending) : attachWhole(path, file, sending);
}

async function attachWhole({ projectId, cardId }: CardPath, file: File, { key, signal }: Sending):
  Promise<CardAttachment> {
  const body = new FormData();
  body.append("file", file, file.name);
  const sent = { method: "POST", body, headers: { "Idempotency-Key": key }, signal };
  const got = await grants.send(projectId, ({ uploadUrl }) => uploadUrl.replace("{cardId}", cardId), sent);
  if (!got.ok) throw await refusalOf(got);
  return ((await got.json()) as { attachment: CardAttachment }).attachment;
}

/** Sends a file in pieces. The same file resumes where it was interrupted, also after a reload. */
async function attachInPieces({ projectId, cardId }: CardPath, file: File, { signal, progress }: Sending):
  Promise<CardAttachment> {
  const record = `attaching:${cardId}:${file.name}:${file.size}:${file.lastModified}`;
  const url = await sendPieces({
    file,
    signal,
    progress,
    access: async () => {
      const { resumableUrl, dataPlane } = await grants.grant(projectId);
      return { endpoint: resumableUrl.replace("{cardId}", cardId), token: dataPlane.token };
    },
    refuse: () => grants.forget(projectId),
    known: sessionStorage.getItem(record) ?? undefined,
    begun: (at) => sessionStorage.setItem(record, at),
  }).catch((error: unknown) => {
    if (signal.aborted) sessionStorage.removeItem(record);
    throw error;
  });
  const got = await grants.read(projectId, () => url, signal);
  if (!got.ok) throw await refusalOf(got);
  const { attachment } = (await got.json()) as { attachment?: CardAttachment };
  // Another request attaches it at this moment; a repeat finds it.
  if (!attachment) throw networkError();
  sessionStorage.removeItem(record);
  return attachment;
}

/** The bytes of an attachment. */
export async function readAttachment({ projectId, cardId }: CardPath, attachmentId: string): Promise<Blob> {
  const got = await grants.read(projectId, ({ downloadUrl }) =>
    downloadUrl.replace("{cardId}", cardId).replace("{attachmentId}", attachmentId));
  if (!got.ok) throw await refusalOf(got);
  return got.blob();
}

/** The picture of an attachment, if there is one. */
export async function readAttachmentPicture({ projectId, cardId }: CardPath, attachmentId: string, size: ThumbnailPx):
  Promise<Made<Blob>> {
  return await pictureIn(await grants.read(projectId, ({ thumbnailUrl }) =>
    `${thumbnailUrl.replace("{cardId}", cardId).replace("{attachmentId}", attachmentId)}?size=${size}`));
}

export async function removeAttachment(path: CardPath, attachmentId: string): Promise<void> {
  await answer(api.DELETE("/api/v2/projects/{projectId}/cards/{cardId}/attachments/{attachmentId}",
    { params: { path: { ...path, attachmentId } } }));
}

/** All requests on attachments, which tests replace. */
export const attachmentsApi = { attach: attachFile, read: readAttachment, remove: removeAttachment };
export type AttachmentsApi = typeof attachmentsApi;
