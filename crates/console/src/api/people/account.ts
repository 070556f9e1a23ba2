// Requests on the caller's account and the invitations to it.

import { all, answer, api } from "../client";
import type { components } from "../generated/control";
import { leave } from "../session";

export type Account = components["schemas"]["Account"];
export type Invitation = components["schemas"]["InvitationRecord"];

/** Gives the person another name, which others see. */
export async function renameCaller(name: string): Promise<Account> {
  return (await answer(api.PATCH("/api/v2/me", { body: { name } }))).user;
}

/** Shows or hides the person's own address in new commits. */
export async function showEmailInCommits(isShown: boolean): Promise<Account> {
  return (await answer(api.PATCH("/api/v2/me", { body: { showEmailInCommits: isShown } }))).user;
}

/** Ends all sign-ins of the person, this one last. */
export async function signOutEverywhere(): Promise<void> {
  await answer(api.POST("/api/v2/me/sign-out", { body: { everywhere: true } }));
  await leave();
}

/** The open invitations that are addressed to the caller. */
export function readOwnInvitations(): Promise<Invitation[]> {
  const read = (query: { limit: number; cursor?: string }) =>
    answer(api.GET("/api/v2/invitations", { params: { query } }));
  return all(read, ({ invitations }) => invitations);
}

/** The invitation of a link's secret, which the person may accept. */
export async function lookUpInvitation(secret: string): Promise<Invitation> {
  return (await answer(api.POST("/api/v2/invitations/lookup", { body: { secret } }))).invitation;
}

/** Joins an organization by an invitation addressed to the caller, or by a link's secret. */
export async function acceptInvitation(by: { invitationId: string } | { secret: string }) {
  return (await answer(api.POST("/api/v2/invitations/accept", { body: by }))).organization;
}
