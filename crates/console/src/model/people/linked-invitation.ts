// An invitation that a person opened by its link: who invites to what, as the service knows it.

import { ApiError } from "../../api/errors";
import { lookUpInvitation, type Account, type Invitation } from "../../api/people/account";
import { readCaller } from "../../api/places";

export const linkedApi = { caller: readCaller, lookUp: lookUpInvitation };
export type LinkedApi = typeof linkedApi;

export interface LinkedInvitation {
  /** The person who would join. */
  user: Account;
  /** Null for one that this person can't accept. */
  invitation: Invitation | null;
}

export async function openLinked(secret: string, api: LinkedApi = linkedApi): Promise<LinkedInvitation> {
  const found = api.lookUp(secret).catch((error: unknown) => {
    // A refusal is final. What fails for another reason may be tried again, so the page's own button does.
    if (error instanceof ApiError && error.status === 400) return null;
    throw error;
  });
  const [user, invitation] = await Promise.all([api.caller(), found]);
  return { user, invitation };
}
