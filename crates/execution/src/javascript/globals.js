// Web APIs without a host: copies, URLs, random values, text as base64.
(function (splitUrl, changeUrl, randomBytes) {
  "use strict";
  class DataCloneError extends Error {
    name = "DataCloneError";
  }

  // Copies a value with its cycles; functions, symbols and objects of the host can't be copied.
  function structuredClone(value) {
    const copies = new Map();
    const refuse = (what) => {
      throw new DataCloneError(`${what} could not be cloned.`);
    };
    const known = (value, copy) => {
      copies.set(value, copy);
      return copy;
    };
    const entries = (value, copy) => {
      for (const key of Object.keys(value)) copy[key] = clone(value[key]);
      return copy;
    };
    function clone(value) {
      if (typeof value === "symbol") refuse(String(value));
      if (typeof value === "function") refuse(`${value}`);
      if (typeof value !== "object" || value === null) return value;
      if (copies.has(value)) return copies.get(value);
      const kind = Object.prototype.toString.call(value);
      if (Array.isArray(value)) return entries(value, known(value, new Array(value.length)));
      if (value instanceof Date) return known(value, new Date(value.getTime()));
      if (value instanceof RegExp) return known(value, new RegExp(value.source, value.flags));
      if (value instanceof Map) {
        const copy = known(value, new Map());
        for (const [key, item] of value) copy.set(clone(key), clone(item));
        return copy;
      }
      if (value instanceof Set) {
        const copy = known(value, new Set());
        for (const item of value) copy.add(clone(item));
        return copy;
      }
      if (value instanceof ArrayBuffer) return known(value, value.slice(0));
      if (ArrayBuffer.isView(value)) {
        const length = value instanceof DataView ? value.byteLength : value.length;
        return known(value, new value.constructor(clone(value.buffer), value.byteOffset, length));
      }
      if (value instanceof Error) {
        const kinds = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];
        const Kind = kinds.find((kind) => kind.prototype.name === value.name) ?? Error;
        const copy = known(value, new Kind(value.message));
        copy.stack = value.stack;
        if ("cause" in value) copy.cause = clone(value.cause);
        return copy;
      }
      if (["[object Number]", "[object String]", "[object Boolean]", "[object BigInt]"].includes(kind)) {
        return known(value, Object(value.valueOf()));
      }
      if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) refuse(kind);
      return entries(value, known(value, {}));
    }
    return clone(value);
  }

  const PARTS = ["protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];
  class URL {
    #parts;
    #params;
    constructor(url, base) {
      this.#set(splitUrl(`${url}`, base === undefined ? undefined : `${base}`), url);
      this.#params = new URLSearchParams(this.#parts.search);
      follow(this.#params, (search) => this.#set(changeUrl(this.#parts.href, "search", search), this.href));
    }
    #set(parts, url) {
      if (parts === undefined) {
        const error = new TypeError("Invalid URL");
        error.code = "ERR_INVALID_URL";
        error.input = `${url}`;
        throw error;
      }
      this.#parts = JSON.parse(parts);
    }
    static canParse(url, base) {
      return splitUrl(`${url}`, base === undefined ? undefined : `${base}`) !== undefined;
    }
    static parse(url, base) {
      return URL.canParse(url, base) ? new URL(url, base) : null;
    }
    get href() {
      return this.#parts.href;
    }
    set href(url) {
      this.#set(splitUrl(`${url}`), url);
      refill(this.#params, this.#parts.search);
    }
    get origin() {
      return this.#parts.origin;
    }
    get searchParams() {
      return this.#params;
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
    part(name, ...changed) {
      if (changed.length === 0) return this.#parts[name];
      this.#set(changeUrl(this.#parts.href, name, `${changed[0]}`) ?? JSON.stringify(this.#parts), this.href);
      if (name === "search") refill(this.#params, this.#parts.search);
    }
    [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
      const shown = { href: this.href, origin: this.origin };
      for (const name of PARTS.slice(0, -1)) shown[name] = this.#parts[name];
      return `URL ${inspect({ ...shown, searchParams: this.#params, hash: this.hash })}`;
    }
  }
  const part = URL.prototype.part;
  delete URL.prototype.part;
  for (const name of PARTS) {
    Object.defineProperty(URL.prototype, name, {
      get() {
        return part.call(this, name);
      },
      set(value) {
        part.call(this, name, value);
      },
      enumerable: true,
      configurable: true,
    });
  }

  const plus = (text) => encodeURIComponent(text.toWellFormed()).replace(/%20|[!'()~]/g, (c) => {
    return c === "%20" ? "+" : `%${c.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  const unplus = (text) => {
    const spaced = text.replaceAll("+", " ");
    try {
      return decodeURIComponent(spaced);
    } catch {
      return spaced.replace(/(%[0-9a-f]{2})+/gi, (bytes) => {
        try {
          return decodeURIComponent(bytes);
        } catch {
          return "\ufffd";
        }
      });
    }
  };
  const pairsOf = (search) => {
    const pieces = search.replace(/^\?/, "").split("&").filter((piece) => piece !== "");
    return pieces.map((piece) => {
      const [name, ...rest] = piece.split("=");
      return [unplus(name), unplus(rest.join("="))];
    });
  };
  let follow, refill;
  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    static {
      follow = (params, changed) => void (params.#changed = changed);
      refill = (params, search) => void (params.#pairs = pairsOf(search));
    }
    constructor(init = "") {
      if (typeof init === "string") this.#pairs = pairsOf(init);
      else if (init?.[Symbol.iterator]) this.#pairs = [...init].map(([name, value]) => [`${name}`, `${value}`]);
      else this.#pairs = Object.keys(init ?? {}).map((name) => [name, `${init[name]}`]);
    }
    append(name, value) {
      this.#pairs.push([`${name}`, `${value}`]);
      this.#changed(`${this}`);
    }
    delete(name, ...value) {
      const isIt = ([known, held]) => known === `${name}` && (value.length === 0 || held === `${value[0]}`);
      this.#pairs = this.#pairs.filter((pair) => !isIt(pair));
      this.#changed(`${this}`);
    }
    set(name, value) {
      const at = this.#pairs.findIndex(([known]) => known === `${name}`);
      if (at < 0) return this.append(name, value);
      this.#pairs[at][1] = `${value}`;
      this.#pairs = this.#pairs.filter(([known], place) => known !== `${name}` || place <= at);
      this.#changed(`${this}`);
    }
    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#changed(`${this}`);
    }
    get(name) {
      return this.getAll(name)[0] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter(([known]) => known === `${name}`).map(([, value]) => value);
    }
    has(name, ...value) {
      return value.length === 0 ? this.getAll(name).length > 0 : this.getAll(name).includes(`${value[0]}`);
    }
    get size() {
      return this.#pairs.length;
    }
    forEach(work, self) {
      for (const [name, value] of this) work.call(self, value, name, this);
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#pairs) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return this.#pairs.map(([name, value]) => `${plus(name)}=${plus(value)}`).join("&");
    }
    [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
      const shown = this.#pairs.map(([name, value]) => `${inspect(name)} => ${inspect(value)}`);
      return shown.length === 0 ? "URLSearchParams {}" : `URLSearchParams { ${shown.join(", ")} }`;
    }
  }

  const RANDOM_MAX = 65_536;
  const crypto = Object.freeze({
    getRandomValues(list) {
      if (!ArrayBuffer.isView(list) || list instanceof DataView || /Float/.test(list.constructor.name)) {
        throw new TypeError("the argument must be an array of integers");
      }
      if (list.byteLength > RANDOM_MAX) throw new RangeError(`at most ${RANDOM_MAX} bytes at once`);
      const bytes = new Uint8Array(list.buffer, list.byteOffset, list.byteLength);
      if (bytes.length > 0) bytes.set(randomBytes(bytes.length));
      return list;
    },
    randomUUID() {
      const bytes = randomBytes(16);
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
      return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
  });

  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  function btoa(value) {
    const text = `${value}`;
    const coded = [];
    for (let at = 0; at < text.length; at += 3) {
      const codes = [0, 1, 2].map((place) => text.charCodeAt(at + place));
      if (codes.some((code) => code > 255)) throw new RangeError("a character is over 255");
      const bits = ((codes[0] << 16) | ((codes[1] || 0) << 8) | (codes[2] || 0)) >>> 0;
      const left = text.length - at;
      const digit = (place) => (place <= left ? DIGITS[(bits >> (18 - 6 * place)) & 63] : "=");
      coded.push(digit(0), digit(1), digit(2), digit(3));
    }
    return coded.join("");
  }
  function atob(value) {
    const text = `${value}`.replace(/[\t\n\f\r ]/g, "").replace(/^((?:.{4})*(?:.{2}|.{3}|.{4}))$/, (whole) => {
      return whole.length % 4 === 0 ? whole.replace(/={1,2}$/, "") : whole;
    });
    if (/[^A-Za-z0-9+/]/.test(text) || text.length % 4 === 1) throw new TypeError("the text is not base64");
    let [bits, count, decoded] = [0, 0, ""];
    for (const digit of text) {
      bits = ((bits << 6) | DIGITS.indexOf(digit)) & 0xffff;
      count += 6;
      if (count >= 8) decoded += String.fromCharCode((bits >> (count -= 8)) & 255);
    }
    return decoded;
  }

  return { structuredClone, URL, URLSearchParams, crypto, btoa, atob };
});
