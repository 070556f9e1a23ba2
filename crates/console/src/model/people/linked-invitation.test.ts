import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../api/errors";
import type { Account, Invitation } from "../../api/people/account";
import { openLinked } from "./linked-invitation";

const user = { id: "u1", name: "Ada", email: "ada@example.com" } as Account;
const invitation = { id: "i1", orgName: "Works", invitedByName: "Grace", role: "member" } as Invitation;
const caller = async () => user;
const refusal = (status: number) => new ApiError(status, { message: "refused" });

test("a link shows the invitation that the service knows", async () => {
  const asked: string[] = [];
  const lookUp = async (secret: string) => {
    asked.push(secret);
    return invitation;
  };
  assert.deepEqual(await openLinked("s", { caller, lookUp }), { user, invitation });
  assert.deepEqual(asked, ["s"]);
});

test("a refused link has no invitation, and a service that is away is no refusal", async () => {
  const failing = (status: number) => ({ caller, lookUp: async () => { throw refusal(status); } });
  assert.deepEqual(await openLinked("s", failing(400)), { user, invitation: null });
  await assert.rejects(openLinked("s", failing(503)));
});
