import assert from "node:assert/strict";
import { test } from "node:test";

/** The address of a tab, as far as it is used here. */
const at = { pathname: "/projects", search: "?q=gear", href: "" };
const to = (_: unknown, __: string, address: string) => {
  const { pathname, search } = new URL(address, "http://console");
  Object.assign(at, { pathname, search });
};
Object.assign(globalThis, { location: at, history: { replaceState: to, pushState: to } });

test("a page that is left doesn't see the parameters of the next one", async () => {
  const { arrive, open, path, search } = await import("./address");
  open("/projects?q=tooth");
  assert.equal(search.value.get("q"), "tooth");
  open("/sign-in?to=%2Fprojects");
  assert.deepEqual([path.value, search.value.get("q")], ["/sign-in", "tooth"]);
  arrive();
  assert.deepEqual([search.value.get("to"), search.value.get("q")], ["/projects", null]);
});
