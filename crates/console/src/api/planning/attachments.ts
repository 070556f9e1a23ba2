// Files that are attached to cards, to and from the data plane. One grant is good for all cards of a project.

import type { CardPath } from "./cards";
import { answer, api } from "../client";
import { DownloadGrants } from "../content/downloads";
import { refusalOf } from "../errors";
import type { components } from "../generated/control";
import { pictureIn, type Made, type ThumbnailPx } from "../content/previews";

type Schemas = components["schemas"];
export type CardAttachment = Schemas["CardAttachment"];

const grants = new DownloadGrants<Schemas["CreateAttachmentGrantResponse"]>((projectId) =>
  answer(api.POST("/api/v2/projects/{projectId}/attachment-grants", { params: { path: { projectId } } })));

/** Attaches a file. A repeat under the same key attaches no second one. */
export async function attachFile({ projectId, cardId }: CardPath, file: File, key: string): Promise<CardAttachment> {
  const body = new FormData();
  body.append("file", file, file.name);
  const sent = { method: "POST", body, headers: { "Idempotency-Key": key } };
  const got = await grants.send(projectId, ({ uploadUrl }) => uploadUrl.replace("{cardId}", cardId), sent);
  if (!got.ok) throw await refusalOf(got);
  return ((await got.json()) as { attachment: CardAttachment }).attachment;
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
