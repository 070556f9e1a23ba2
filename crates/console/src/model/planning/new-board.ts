// A new board. It belongs to an organization; a person without one gets it with their first board.

import { answer, api, idempotent } from "../../api/client";
import { newKey } from "../../api/persist";
import { text } from "../../text";
import type { Caller } from "../people/account";

/** One try to make a board. Trying it again after a failure makes nothing twice. */
export class BoardMaker {
  readonly #keys = { org: newKey(), team: newKey() };
  readonly #user: Caller;
  #moved = "";

  constructor(user: Caller) {
    this.#user = user;
  }

  /** Makes the board, and plans the cards of `projectId` on it; returns its address. */
  async make(name: string, org: string | null, projectId: string): Promise<string> {
    const orgId = org ?? await this.#organization();
    const { team } = await answer(api.POST("/api/v2/orgs/{orgId}/teams",
      { params: { path: { orgId } }, headers: idempotent(this.#keys.team), body: { name } }));
    if (projectId && !org && this.#moved !== projectId) {
      await answer(api.POST("/api/v2/projects/{projectId}/transfer",
        { params: { path: { projectId } }, body: { ownerId: orgId } }));
      this.#moved = projectId;
    }
    if (projectId) {
      await answer(api.PUT("/api/v2/orgs/{orgId}/teams/{teamId}/projects/{projectId}",
        { params: { path: { orgId, teamId: team.id, projectId } } }));
    }
    return `/orgs/${orgId}/teams/${team.id}`;
  }

  async #organization(): Promise<string> {
    const body = { name: text.begin.organization(this.#user.name) };
    return (await answer(api.POST("/api/v2/orgs", { headers: idempotent(this.#keys.org), body }))).organization.id;
  }
}
