// Tables for spreadsheets.

import { ApiError } from "./client.js";
import { token } from "./session.js";
import { text } from "../text.js";

/** The table at `path` of the API. @param {string} path */
export async function table(path) {
  const headers = new Headers({ Accept: "text/csv", Authorization: `Bearer ${token()}` });
  const answer = await fetch(`/api/v2${path}`, { headers, cache: "no-store" }).catch(() => null);
  if (!answer) throw new ApiError(0, { code: "NETWORK", message: text.errors.network });
  if (!answer.ok) throw new ApiError(answer.status, (await answer.json().catch(() => ({}))).error ?? {});
  return answer.blob();
}
