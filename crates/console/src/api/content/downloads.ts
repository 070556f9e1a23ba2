// Files of objects from the data plane. One grant is good for all files of a place, so it is kept while it lasts.

import { answer, api } from "../client";
import { networkError, refusalOf } from "../errors";
import type { components } from "../generated/control";
import { token } from "../session";

/** A grant with the templates of the addresses that it reads. */
export type DownloadGrant = components["schemas"]["CreateDownloadGrantResponse"];

/** A grant of the data plane. */
interface DataGrant {
  dataPlane: { token: string; expiresAt: string };
}

interface HeldGrant<Grant> {
  grant: Promise<Grant>;
  /** The person's token that it was asked for with. */
  owner: string | undefined;
  /** Time of its end; infinite until it is here. */
  end: number;
}

/** A grant is replaced this long before its end, and kept at least as long where the clocks differ. */
const SPARE_MS = 60_000;

/** Grants by place: a project, with its branch where that isn't the default one. */
export class DownloadGrants<Grant extends DataGrant = DownloadGrant> {
  readonly #ask: (place: string) => Promise<Grant>;
  readonly #now: () => number;
  readonly #held = new Map<string, HeldGrant<Grant>>();

  constructor(ask: (place: string) => Promise<Grant>, now = Date.now) {
    this.#ask = ask;
    this.#now = now;
  }

  /** Reads an address that a grant has. */
  read(place: string, addressOf: (grant: Grant) => string, signal?: AbortSignal): Promise<Response> {
    return this.send(place, addressOf, signal ? { signal } : {});
  }

  /** Sends a request to an address that a grant has. A refused grant is replaced once. */
  async send(place: string, addressOf: (grant: Grant) => string, request: RequestInit): Promise<Response> {
    for (let isLast = false; ; isLast = true) {
      const asked = this.grant(place);
      const grant = await asked;
      const headers = new Headers(request.headers);
      headers.set("Authorization", `Bearer ${grant.dataPlane.token}`);
      const got = await fetch(addressOf(grant), { ...request, headers }).catch(() => null);
      if (!got) throw networkError();
      if (got.status !== 401 || isLast) return got;
      this.forget(place, asked);
    }
  }

  /** The grant for a place. */
  grant(place: string): Promise<Grant> {
    const known = this.#held.get(place);
    if (known && known.owner === token() && this.#now() < known.end) return known.grant;
    const grant = this.#ask(place);
    const made: HeldGrant<Grant> = { grant, owner: token(), end: Infinity };
    this.#held.set(place, made);
    grant.then(({ dataPlane }) => {
      made.end = Math.max(Date.parse(dataPlane.expiresAt) - SPARE_MS, this.#now() + SPARE_MS);
    }, () => this.forget(place, grant));
    return grant;
  }

  /** Forgets a grant that the data plane refuses: this one, or the one that is held. */
  forget(place: string, grant = this.#held.get(place)?.grant): void {
    if (this.#held.get(place)?.grant === grant) this.#held.delete(place);
  }
}

export const downloadGrants = new DownloadGrants((projectId) =>
  answer(api.POST("/api/v2/projects/{projectId}/download-grants", { params: { path: { projectId } } })));

/** The bytes of an object's file, as it is now or as a commit has it. */
export async function download(place: string, objectId: string, extension = "", commit?: string | null): Promise<Blob> {
  const got = await downloadGrants.read(place, ({ downloadUrl }) => {
    const url = downloadUrl.replace("{fileName}", encodeURIComponent(objectId + extension));
    return commit ? `${url}?commit=${commit}` : url;
  });
  if (!got.ok) throw await refusalOf(got);
  return got.blob();
}
