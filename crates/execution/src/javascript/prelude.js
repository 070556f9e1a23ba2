// Globals beside the language: familiar Web APIs, and `atelier`. All of them call the host, which decides what may be
// reached.
(function (send, encode, decodeCharacters, added, inspect, context) {
  "use strict";
  const NOTHING = new Uint8Array(0);
  // Limits of the host.
  const FETCHES_AT_ONCE = 8;
  const SLEEPS_AT_ONCE = 64;

  // Bytes leave the engine as a text with one character for each.
  function characters(bytes) {
    const parts = [];
    for (let at = 0; at < bytes.length; at += 8192) {
      parts.push(String.fromCharCode.apply(null, bytes.subarray(at, at + 8192)));
    }
    return parts.join("");
  }
  const decode = (bytes) => decodeCharacters(characters(bytes));

  const waiting = new Map();
  let lastId = 0;
  function question(head, body) {
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      // A call that is too long throws, which rejects the promise.
      send(JSON.stringify({ id, ...head }).toWellFormed(), characters(body ?? NOTHING));
      waiting.set(id, { resolve, reject });
    });
  }

  function inTurn(atOnce) {
    let free = atOnce;
    const queue = [];
    return async function (work) {
      if (free === 0) await new Promise((resolve) => queue.push(resolve));
      else free--;
      try {
        return await work();
      } finally {
        const next = queue.shift();
        if (next) next();
        else free++;
      }
    };
  }
  const fetching = inTurn(FETCHES_AT_ONCE);
  const sleeping = inTurn(SLEEPS_AT_ONCE);

  function bytesOf(body) {
    if (body === undefined || body === null) return NOTHING;
    if (body instanceof Uint8Array) return body;
    if (body instanceof ArrayBuffer) return new Uint8Array(body);
    if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    return encode(String(body).toWellFormed());
  }

  class Headers {
    #pairs = [];
    constructor(init) {
      if (init instanceof Headers || Array.isArray(init)) for (const [name, value] of init) this.append(name, value);
      else if (init) for (const name of Object.keys(init)) this.append(name, init[name]);
    }
    append(name, value) {
      this.#pairs.push([String(name).toLowerCase(), String(value)]);
    }
    set(name, value) {
      this.delete(name);
      this.append(name, value);
    }
    delete(name) {
      const folded = String(name).toLowerCase();
      this.#pairs = this.#pairs.filter(([known]) => known !== folded);
    }
    get(name) {
      const folded = String(name).toLowerCase();
      const values = this.#pairs.filter(([known]) => known === folded).map(([, value]) => value);
      return values.length > 0 ? values.join(", ") : null;
    }
    has(name) {
      return this.get(name) !== null;
    }
    [Symbol.iterator]() {
      return this.#pairs[Symbol.iterator]();
    }
  }

  class Response {
    #body;
    constructor(url, head, body) {
      this.url = url;
      this.status = head.status;
      this.ok = head.status >= 200 && head.status < 300;
      this.headers = new Headers(head.headers);
      this.#body = body;
    }
    async bytes() {
      return this.#body;
    }
    async arrayBuffer() {
      return this.#body.buffer;
    }
    async text() {
      return decode(this.#body);
    }
    async json() {
      return JSON.parse(decode(this.#body));
    }
  }

  async function fetch(url, options = {}) {
    const headers = new Headers(options.headers);
    if (typeof options.body === "string" && !headers.has("content-type")) {
      headers.set("content-type", "text/plain;charset=UTF-8");
    }
    const head = {
      kind: "fetch",
      method: String(options.method ?? "GET").toUpperCase(),
      url: String(url),
      headers: [...headers],
    };
    const { answer, body } = await fetching(() => question(head, bytesOf(options.body)));
    return new Response(head.url, answer, body);
  }

  const timers = new Set();
  let lastTimer = 0;
  function begin(work, millis, isRepeated) {
    const timer = ++lastTimer;
    timers.add(timer);
    const wait = Math.min(Math.max(Math.trunc(Number(millis)) || 0, isRepeated ? 1 : 0), 0x7fffffff);
    const pause = () =>
      sleeping(() => question({ kind: "sleep", millis: wait })).then(() => {
        if (!timers.has(timer)) return;
        if (!isRepeated) timers.delete(timer);
        work();
        // It may have ended itself.
        if (timers.has(timer)) return pause();
      });
    pause();
    return timer;
  }
  const setTimeout = (callback, millis = 0, ...rest) => begin(() => callback(...rest), millis, false);
  const setInterval = (callback, millis = 0, ...rest) => begin(() => callback(...rest), millis, true);
  const end = (timer) => void timers.delete(timer);

  class TextEncoder {
    encode(text = "") {
      return encode(String(text).toWellFormed());
    }
  }
  class TextDecoder {
    decode(bytes = NOTHING) {
      return decode(bytesOf(bytes));
    }
  }

  // Uploads a file under an object of the tree, by the execution's session.
  async function upload(parentId, name, content) {
    const boundary = `part-${context.executionId}-${++lastId}`;
    const quoted = String(name).replaceAll("\\", "\\\\").replaceAll('"', '\\"');
    const disposition = `Content-Disposition: form-data; name="file"; filename="${quoted}"`;
    const before = encode(`--${boundary}\r\n${disposition}\r\n\r\n`.toWellFormed());
    const after = encode(`\r\n--${boundary}--\r\n`);
    const bytes = bytesOf(content);
    const body = new Uint8Array(before.length + bytes.length + after.length);
    body.set(before, 0);
    body.set(bytes, before.length);
    body.set(after, before.length + bytes.length);
    const place = `${context.ownerId}/me/${context.projectId}--${encodeURIComponent(context.branch)}`;
    const url = `${context.dataPlaneUrl}/api/v1/file/upload/${place}/${context.connectionId}/${parentId}`;
    const headers = {
      authorization: `Bearer ${context.grant}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
    };
    const response = await fetch(url, { method: "POST", headers, body });
    if (!response.ok) throw new Error(`the upload was refused: ${response.status} ${await response.text()}`);
    return await response.json();
  }

  async function createEvaluationRun() {
    const { body } = await fetching(() => question({ kind: "createEvaluationRun" }));
    return JSON.parse(decode(body));
  }

  const atelier = Object.freeze({ ...context, upload, createEvaluationRun });
  const all = {
    ...added, atelier, fetch, Headers, TextEncoder, TextDecoder, setTimeout, setInterval,
    clearTimeout: end, clearInterval: end,
  };
  for (const name of Object.keys(all)) {
    Object.defineProperty(globalThis, name, { value: all[name], writable: true, configurable: true });
  }

  function receive(text, body) {
    const answer = JSON.parse(text);
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error) asked?.reject(new TypeError(answer.error));
    else asked?.resolve({ answer, body });
  }
  const describe = (error) => (typeof error === "string" ? error : inspect(error)).toWellFormed();

  // Promises that have failed and that nothing handles, with their reasons.
  const failed = new Map();
  function rejected(promise, reason, isHandled) {
    if (isHandled) failed.delete(promise);
    else failed.set(promise, reason);
  }
  function unseen() {
    for (const reason of failed.values()) return [reason];
    return [];
  }
  return [receive, describe, rejected, unseen];
});
