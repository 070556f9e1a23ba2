import assert from "node:assert/strict";
import { test } from "node:test";
import { invitationLink, namesOf } from "../../api/people/invitation";

const names = { organization: "Wheels & <b>Axles</b> #1", inviter: "Ada = Lovelace", role: "member" };

test("a link gives back the secret and the names that it was made of", () => {
  const link = new URL(invitationLink("s+cr=t", names, "https://atelier.example"));
  const fragment = new URLSearchParams(link.hash.slice(1));
  assert.equal(fragment.get("secret"), "s+cr=t");
  assert.deepEqual(namesOf(fragment), names);
  assert.equal(link.search, "");
});

test("a link with the secret alone has no names, and long names are cut", () => {
  assert.equal(namesOf(new URLSearchParams("secret=s")), null);
  const long = new URLSearchParams({ ...names, organization: "x".repeat(5000) });
  assert.equal(namesOf(long)?.organization.length, 200);
});
