import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { isReached, persist } from "./persist";

const KEY = "Idempotency-Key";

afterEach(() => mock.restoreAll());

/** Sends a request to a network with these answers, a status or `null` for none, and passes over the pauses. */
async function send(answers: readonly (number | Response | null)[], method = "POST", isSafe = true) {
  const [keys, pauses]: [(string | null)[], number[]] = [[], []];
  // A method that is replaced twice would be restored to its first replacement.
  mock.restoreAll();
  mock.method(globalThis, "setTimeout", (run: () => void, ms: number) => {
    pauses.push(ms);
    queueMicrotask(run);
  });
  mock.method(globalThis, "fetch", async (request: Request) => {
    keys.push(request.headers.get(KEY));
    const answer = answers[keys.length - 1] ?? null;
    if (answer === null) throw new TypeError("Failed to fetch");
    return answer instanceof Response ? answer : new Response(null, { status: answer });
  });
  const last = await persist(() => new Request("http://service/cards", { method, headers: { [KEY]: "once" } }), isSafe);
  return { status: last?.status ?? null, keys, pauses };
}

test("a creation without an answer is sent again with its key, after growing pauses", async () => {
  const { status, keys, pauses } = await send([null, 502, 504, 201]);
  assert.deepEqual([status, keys], [201, ["once", "once", "once", "once"]]);
  assert.deepEqual(pauses, [300, 600, 1200]);
});

test("after three repeats the person is told", async () => {
  const { status, keys } = await send([503, 503, 503, 503, 201]);
  assert.deepEqual([status, keys.length], [503, 4]);
  assert.equal((await send([])).status, null);
  assert.equal(isReached.value, false);
});

test("a refusal is final, and so is what isn't safe to repeat", async () => {
  for (const status of [400, 404, 409, 500]) assert.equal((await send([status, 201])).status, status);
  assert.deepEqual((await send([null, 200], "PATCH", false)).keys.length, 1);
});

test("a pause that the service asks for is kept, unless it is long", async () => {
  const later = (seconds: string) => new Response(null, { status: 429, headers: { "Retry-After": seconds } });
  assert.deepEqual((await send([later("2"), 200], "PATCH", false)).pauses, [2000]);
  assert.deepEqual((await send([later("3600"), 200])).status, 429);
});

test("a first try that is still worked on is waited for", async () => {
  const busy = () => new Response('{"error":{"code":"IDEMPOTENCY_IN_PROGRESS"}}', { status: 409 });
  assert.equal((await send([null, busy(), 201])).status, 201);
  assert.equal((await send([busy(), 201])).status, 409);
});

test("what is gone at the second try of its deletion is deleted", async () => {
  assert.equal((await send([null, 404], "DELETE")).status, 204);
  assert.equal((await send([404], "DELETE")).status, 404);
});
