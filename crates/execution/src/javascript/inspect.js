// Values as text, as Node.js prints them (`util.inspect`, version 20).
(function (promiseState) {
  "use strict";
  const DEPTH = 2;
  const BREAK_LENGTH = 80;
  // Levels, counted from the innermost, that share a line where they fit.
  const COMPACT = 3;
  const ITEMS_MAX = 100;
  const CHARACTERS_MAX = 10_000;
  // Longest text in all. Cycles of getters have no other end.
  const TEXT_MAX = 1_000_000;
  const CUSTOM = Symbol.for("nodejs.util.inspect.custom");
  const IDENTIFIER = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const ESCAPES = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\" };
  // Reads an internal slot, or fails for other values. Their methods can be replaced later.
  const slots = {
    Map: slot(Map.prototype, "size"),
    Set: slot(Set.prototype, "size"),
    ArrayBuffer: slot(ArrayBuffer.prototype, "byteLength"),
    DataView: slot(DataView.prototype, "byteLength"),
  };
  const tagOf = slot(TypedArray.prototype, Symbol.toStringTag);
  const dateTime = Date.prototype.getTime;
  const isoDate = Date.prototype.toISOString;
  const [numberOf, textOf, booleanOf, bigintOf, symbolOf] = [Number, String, Boolean, BigInt, Symbol].map(
    (kind) => kind.prototype.valueOf,
  );

  function slot(prototype, name) {
    return Object.getOwnPropertyDescriptor(prototype, name).get;
  }
  function has(read, value) {
    try {
      read.call(value);
      return true;
    } catch {
      return false;
    }
  }

  function quoted(text) {
    const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !/[`]|\$\{/.test(text) ? "`" : "'";
    const escaped = text.replace(/[\u0000-\u001f\u007f-\u009f\\]/g, (c) => {
      return ESCAPES[c] ?? `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
    });
    const whole = escaped.replace(/[\ud800-\udfff]/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
    return mark + (mark === "'" ? whole.replaceAll("'", "\\'") : whole) + mark;
  }

  function text(context, value) {
    let rest = "";
    if (value.length > CHARACTERS_MAX) {
      const more = value.length - CHARACTERS_MAX;
      rest = `... ${more} more character${more > 1 ? "s" : ""}`;
      value = value.slice(0, CHARACTERS_MAX);
    }
    if (value.length > 16 && value.length > BREAK_LENGTH - context.indent - 4) {
      const lines = value.split(/(?<=\n)/).map(quoted);
      return lines.join(` +\n${" ".repeat(context.indent + 2)}`) + rest;
    }
    return quoted(value) + rest;
  }

  function primitive(context, value) {
    switch (typeof value) {
      case "string":
        return text(context, value);
      case "number":
        return Object.is(value, -0) ? "-0" : `${value}`;
      case "bigint":
        return `${value}n`;
      case "symbol":
        return String(value);
      default:
        return `${value}`;
    }
  }

  function inspect(value, depth = DEPTH) {
    return any({ seen: [], circular: new Map(), indent: 0, level: 0, depth, left: TEXT_MAX }, value, 0, true);
  }

  function any(context, value, level, isTyped = false) {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return primitive(context, value);
    if (context.left < 0) return "...";
    const custom = value[CUSTOM];
    if (typeof custom === "function") {
      const shown = custom.call(value, context.depth - level, { depth: context.depth }, inspect);
      const said = typeof shown === "string" || shown === value ? shown : any(context, shown, level);
      if (said !== value) return said.replaceAll("\n", `\n${" ".repeat(context.indent)}`);
    }
    if (context.seen.includes(value)) {
      if (!context.circular.has(value)) context.circular.set(value, context.circular.size + 1);
      return `[Circular *${context.circular.get(value)}]`;
    }
    const shown = object(context, value, level, isTyped);
    context.left -= shown.length;
    return shown;
  }

  // The name of the constructor; null for an object without a prototype.
  function constructorName(value) {
    for (let object = value; object !== null; object = Object.getPrototypeOf(object)) {
      const found = Object.getOwnPropertyDescriptor(object, "constructor");
      if (found !== undefined && typeof found.value === "function" && found.value.name !== "") {
        if (value instanceof found.value || object === value) return String(found.value.name);
      }
    }
    return null;
  }

  function prefix(constructor, tag, fallback, size = "") {
    const kind = tag !== "" && constructor !== tag ? `[${tag}] ` : "";
    if (constructor === null) return `[${fallback}${size}: null prototype] ${kind}`;
    return `${constructor}${size} ${kind}`;
  }

  function keysOf(value, isList) {
    const isIndex = (key) => /^(0|[1-9][0-9]*)$/.test(key);
    const names = Object.keys(value).filter((key) => !isList || !isIndex(key));
    const isShown = (symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol);
    return [...names, ...Object.getOwnPropertySymbols(value).filter(isShown)];
  }

  // What a value is: the text before its braces, its braces, its items, and its other keys.
  function shape(context, value, level, constructor, tag) {
    const sized = (size) => prefix(constructor, tag, "Object", `(${size})`);
    if (Array.isArray(value)) {
      const before = constructor === "Array" && tag === "" ? "" : prefix(constructor, tag, "Array", `(${value.length})`);
      return { braces: [`${before}[`, "]"], items: items, keys: keysOf(value, true), isList: true };
    }
    if (has(slots.Set, value)) {
      const all = () => limited([...Set.prototype.values.call(value)], (item) => indented(context, item, level));
      return { braces: [`${sized(slots.Set.call(value))}{`, "}"], items: all, keys: keysOf(value) };
    }
    if (has(slots.Map, value)) {
      const pair = ([key, item]) => `${indented(context, key, level)} => ${indented(context, item, level)}`;
      const all = () => limited([...Map.prototype.entries.call(value)], pair);
      return { braces: [`${sized(slots.Map.call(value))}{`, "}"], items: all, keys: keysOf(value) };
    }
    const typed = tagOf.call(value);
    if (typed !== undefined) {
      const before = prefix(constructor, constructor === typed ? "" : tag, typed, `(${value.length})`);
      const all = () => limited([...value], (item) => primitive(context, item));
      return { braces: [`${before}[`, "]"], items: all, keys: keysOf(value, true), isList: true };
    }
    const plain = (before) => ({ braces: [`${before}{`, "}"], items: () => [], keys: keysOf(value) });
    if (Object.prototype.toString.call(value) === "[object Arguments]" && tag === "") {
      return plain("[Arguments] ");
    }
    if (typeof value === "function") return { ...plain(""), base: functionName(value, constructor, tag) };
    if (value instanceof Error) return { ...plain(""), ...error(context, value, constructor, tag) };
    if (has(dateTime, value)) {
      const date = Number.isNaN(dateTime.call(value)) ? "Invalid Date" : isoDate.call(value);
      return { ...plain(""), base: constructor === "Date" ? date : `${prefix(constructor, tag, "Date")}${date}` };
    }
    if (value instanceof RegExp) {
      const source = RegExp.prototype.toString.call(value);
      return { ...plain(""), base: constructor === "RegExp" ? source : `${prefix(constructor, tag, "RegExp")}${source}` };
    }
    const boxed = boxedValue(context, value, constructor);
    if (boxed !== undefined) return { ...plain(""), base: boxed, keys: keysOf(value, has(textOf, value)) };
    if (has(slots.ArrayBuffer, value)) {
      const all = () => bytes(value);
      return { ...plain(prefix(constructor, tag === "ArrayBuffer" ? "" : tag, "ArrayBuffer")), items: all };
    }
    if (has(slots.DataView, value)) {
      const view = { byteLength: value.byteLength, byteOffset: value.byteOffset, buffer: value.buffer };
      const all = () => Object.keys(view).map((key) => property(context, view, level, key));
      return { ...plain(prefix(constructor, tag === "DataView" ? "" : tag, "DataView")), items: all };
    }
    const state = promiseState(value);
    if (state !== undefined) {
      const all = () => {
        if (state.length === 0) return ["<pending>"];
        const [isKept, result] = state;
        return [`${isKept ? "" : "<rejected> "}${indented(context, result, level)}`];
      };
      return { ...plain(prefix(constructor, tag === "Promise" ? "" : tag, "Promise")), items: all };
    }
    if (value instanceof WeakSet || value instanceof WeakMap) {
      return { ...plain(prefix(constructor, "", "WeakMap")), items: () => ["<items unknown>"] };
    }
    if (tag === "Module" && constructor === null) return plain("[Module: null prototype] ");
    return plain(constructor === "Object" && tag === "" ? "" : prefix(constructor, tag, "Object"));
  }

  function bytes(buffer) {
    const all = new Uint8Array(buffer);
    const shown = Array.from(all.subarray(0, 50), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const more = all.length > 50 ? ` ... ${all.length - 50} more byte${all.length > 51 ? "s" : ""}` : "";
    return [`[Uint8Contents]: <${shown}${more}>`, `byteLength: ${all.length}`];
  }

  function functionName(value, constructor, tag) {
    const source = Function.prototype.toString.call(value);
    const name = Object.getOwnPropertyDescriptor(value, "name")?.value;
    if (source.startsWith("class") && source.endsWith("}")) {
      const parent = Object.getPrototypeOf(value);
      const other = constructor !== "Function" && constructor !== null ? ` [${constructor}]` : "";
      const ancestor = constructor === null ? " extends [null prototype]" : parent?.name ? ` extends ${parent.name}` : "";
      return `[class ${name ? name : "(anonymous)"}${other}${ancestor}]`;
    }
    const kinds = /^(async\b\s*)?(?:function\s*)?(\*)?/.exec(source);
    const kind = `${kinds[1] ? "Async" : ""}${kinds[2] ? "Generator" : ""}Function`;
    const origin = constructor === null ? " (null prototype)" : "";
    const other = constructor !== kind && constructor !== null ? ` ${constructor}` : "";
    const tagged = tag !== "" && constructor !== tag ? ` [${tag}]` : "";
    return `[${kind}${origin}${name ? `: ${name}` : " (anonymous)"}]${other}${tagged}`;
  }

  function boxedValue(context, value, constructor) {
    const kinds = { Number: numberOf, String: textOf, Boolean: booleanOf, BigInt: bigintOf, Symbol: symbolOf };
    for (const kind of Object.keys(kinds)) {
      if (!has(kinds[kind], value)) continue;
      const name = constructor === kind ? kind : `${kind} (${constructor ?? "null prototype"})`;
      return `[${name}: ${primitive({ ...context, indent: 0 }, kinds[kind].call(value))}]`;
    }
    return undefined;
  }

  // An error with its stack. The engine's stack begins with the places, Node's with name and message.
  function error(context, value, constructor, tag) {
    const own = keysOf(value);
    const keys = own.filter((key) => !["name", "message", "stack"].includes(key) || !isSaid(value, key));
    for (const more of ["cause", "errors"]) {
      if (more in value && !keys.includes(more) && (more === "cause" || Array.isArray(value.errors))) keys.push(more);
    }
    const name = String(value.name ?? "Error");
    const message = String(value.message ?? "");
    let head = message === "" ? name : name === "" ? message : `${name}: ${message}`;
    const kind = prefix(constructor, tag, "Error").slice(0, -1);
    if (name.endsWith("Error") && name !== kind) {
      head = kind.includes(name) ? kind + head.slice(name.length) : `${kind} [${name}]${head.slice(name.length)}`;
    }
    const places = String(value.stack ?? "").trimEnd();
    let base = places === "" ? `[${head}]` : places.startsWith(head) ? places : `${head}\n${places}`;
    if (context.indent > 0) base = base.replaceAll("\n", `\n${" ".repeat(context.indent)}`);
    return { base, keys };
  }
  const isSaid = (value, key) => String(value.stack).includes(String(value[key])) || key !== "stack";

  function object(context, value, level, isTyped) {
    const constructor = constructorName(value);
    let tag = value[Symbol.toStringTag];
    // An own tag is shown as a property.
    if (typeof tag !== "string" || tag === "" || Object.prototype.propertyIsEnumerable.call(value, Symbol.toStringTag)) {
      tag = "";
    }
    if (tag === constructor) tag = "";
    const { base = "", braces, items: itemsOf, keys, isList = false } = shape(context, value, level, constructor, tag);
    const isEmpty = keys.length === 0 && base !== "";
    if (isEmpty) return base;
    if (keys.length === 0 && isBare(value, isList)) return braces.join("");
    if (level > context.depth) {
      return `[${(constructor === null ? prefix(null, tag, "Object") : prefix(constructor, tag, "Object")).trim()}]`;
    }
    context.seen.push(value);
    context.level = level;
    let output;
    try {
      output = itemsOf(context, value, level);
      for (const key of keys) output.push(property(context, value, level, key));
    } finally {
      context.seen.pop();
    }
    const number = context.circular.get(value);
    const reference = number === undefined ? "" : `<ref *${number}> `;
    if (output.length === 0) return `${reference}${braces.join("")}`;
    if (base === "") return joined(context, output, "", [reference + braces[0], braces[1]], isList, level, value);
    return joined(context, output, reference + base, braces, isList, level, value);
  }

  function isBare(value, isList) {
    if (isList) return value.length === 0;
    if (has(slots.Map, value)) return slots.Map.call(value) === 0;
    if (has(slots.Set, value)) return slots.Set.call(value) === 0;
    const isPlain = tagOf.call(value) === undefined && Object.getPrototypeOf(value) === Object.prototype;
    return isPlain && !Object.prototype.toString.call(value).startsWith("[object A");
  }

  // The items of an array, with its holes.
  function items(context, value, level) {
    const output = [];
    let at = 0;
    while (at < value.length && output.length < ITEMS_MAX) {
      if (Object.hasOwn(value, at)) {
        output.push(property(context, value, level, at++, true));
        continue;
      }
      const from = at;
      while (at < value.length && !Object.hasOwn(value, at)) at++;
      output.push(`<${at - from} empty item${at - from > 1 ? "s" : ""}>`);
    }
    if (at < value.length) output.push(more(value.length - at));
    return output;
  }
  const more = (count) => `... ${count} more item${count > 1 ? "s" : ""}`;
  function limited(all, show) {
    const output = all.slice(0, ITEMS_MAX).map(show);
    if (all.length > ITEMS_MAX) output.push(more(all.length - ITEMS_MAX));
    return output;
  }

  function indented(context, value, level) {
    context.indent += 2;
    try {
      return any(context, value, level + 1);
    } finally {
      context.indent -= 2;
    }
  }

  function property(context, value, level, key, isItem = false) {
    const found = Object.getOwnPropertyDescriptor(value, key) ?? { value: value[key], enumerable: false };
    let shown;
    if (found.get !== undefined) shown = found.set === undefined ? "[Getter]" : "[Getter/Setter]";
    else if (found.set !== undefined) shown = "[Setter]";
    else shown = indented(context, found.value, level);
    if (isItem) return shown;
    let name;
    if (typeof key === "symbol") name = `[${String(key)}]`;
    else if (key === "__proto__") name = "['__proto__']";
    else if (!found.enumerable) name = `[${key}]`;
    else name = IDENTIFIER.test(key) ? key : quoted(key);
    return `${name}: ${shown}`;
  }

  // Puts items on one line, in columns, or on a line each.
  function joined(context, output, base, braces, isList, level, value) {
    const entries = output.length;
    if (isList && entries > 6) output = columns(context, output, value);
    const before = base === "" ? "" : `${base} `;
    if (context.level - level < COMPACT && entries === output.length) {
      const start = output.length + context.indent + braces[0].length + base.length + 10;
      const length = output.reduce((sum, item) => sum + item.length, output.length + start);
      if (length <= BREAK_LENGTH && !base.includes("\n")) {
        const line = output.join(", ");
        if (!line.includes("\n")) return `${before}${braces[0]} ${line} ${braces[1]}`;
      }
    }
    const indentation = `\n${" ".repeat(context.indent)}`;
    return `${before}${braces[0]}${indentation}  ${output.join(`,${indentation}  `)}${indentation}${braces[1]}`;
  }

  // Characters of East Asian scripts and pictures take two cells.
  function width(item) {
    let cells = 0;
    for (const c of item) cells += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(c) ? 2 : 1;
    return cells;
  }

  // Short items in columns, about two and a half times as many as there are lines.
  function columns(context, output, value) {
    const isCut = output.length > ITEMS_MAX;
    const count = isCut ? output.length - 1 : output.length;
    const widths = output.slice(0, count).map(width);
    const total = widths.reduce((sum, cells) => sum + cells + 2, 0);
    const widest = Math.max(...widths);
    const cell = widest + 2;
    const isEven = total / cell > 5 || widest <= 6;
    if (cell * 3 + context.indent >= BREAK_LENGTH || !isEven) return output;
    const biased = Math.max(cell - 3 - Math.sqrt(cell - total / output.length), 1);
    const square = Math.round(Math.sqrt(2.5 * biased * count) / biased);
    const number = Math.min(square, Math.floor((BREAK_LENGTH - context.indent) / cell), COMPACT * 4, 15);
    if (number <= 1) return output;
    const column = (place) => widths.filter((_, at) => at % number === place).reduce((a, b) => Math.max(a, b), 0) + 2;
    const widthsOf = Array.from({ length: number }, (_, place) => column(place));
    const isNumber = (item) => typeof item === "number" || typeof item === "bigint";
    const isRight = value !== undefined && output.every((_, at) => isNumber(value[at]));
    const lines = [];
    for (let from = 0; from < count; from += number) {
      const row = output.slice(from, Math.min(from + number, count));
      const cells = row.map((item, place) => {
        const isLast = place === row.length - 1;
        const wanted = widthsOf[place] + item.length - widths[from + place] - (isLast ? 2 : 0);
        const said = isLast ? item : `${item}, `;
        return isRight ? said.padStart(wanted) : isLast ? said : said.padEnd(wanted);
      });
      lines.push(cells.join(""));
    }
    if (isCut) lines.push(output[count]);
    return lines;
  }

  const number = (value) => primitive({ indent: 0 }, value);
  return [inspect, number];
});
