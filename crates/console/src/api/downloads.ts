// Files of objects from the data plane.

import { answer, api } from "./client";
import { networkError, refusalOf } from "./errors";

/** The bytes of an object's file, as it is now or as a commit has it. */
export async function download(place: string, objectId: string, extension = "", commit?: string | null): Promise<Blob> {
  const params = { path: { projectId: place } };
  const grant = await answer(api.POST("/api/v2/projects/{projectId}/download-grants", { params }));
  const url = grant.downloadUrl.replace("{fileName}", encodeURIComponent(objectId + extension));
  const headers = { Authorization: `Bearer ${grant.dataPlane.token}` };
  const got = await fetch(commit ? `${url}?commit=${commit}` : url, { headers }).catch(() => null);
  if (!got) throw networkError();
  if (!got.ok) throw await refusalOf(got);
  return got.blob();
}
