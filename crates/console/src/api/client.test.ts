import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { api, outlivePage } from "./client";

afterEach(() => mock.restoreAll());

/** True if a browser finishes the request for a change of many cards although its page has closed. */
async function outlives(): Promise<boolean> {
  const sent: Request[] = [];
  mock.method(globalThis, "fetch", async (request: Request) => {
    sent.push(request);
    return Response.json({ results: [] });
  });
  await api.POST("/api/v2/projects/{projectId}/cards/bulk",
    { baseUrl: "http://service", params: { path: { projectId: "p" } }, body: { operations: [] } });
  return sent[0]?.keepalive ?? false;
}

test("what is sent while the page is left outlives it", async () => {
  assert.equal(await outlives(), false);
  outlivePage();
  assert.equal(await outlives(), true);
});
