// The console, as Node.js has it: formats, groups, tables, counts and times. All of it goes to one output.
(function (print, inspect, numberText, now) {
  "use strict";
  const number = (value) => numberText(typeof value === "bigint" ? value : Number(value));
  function formatted(letter, value) {
    switch (letter) {
      case "s":
        if (typeof value === "number" || typeof value === "bigint") return number(value);
        if (typeof value !== "object" || value === null || hasOwnText(value)) return String(value);
        return inspect(value, 0);
      case "d":
        return typeof value === "symbol" ? "NaN" : number(value);
      case "i":
        return typeof value === "bigint" ? number(value) : typeof value === "symbol" ? "NaN" : number(parseInt(value));
      case "f":
        return typeof value === "symbol" ? "NaN" : number(parseFloat(value));
      case "j":
        try {
          return JSON.stringify(value);
        } catch {
          return "[Circular]";
        }
      case "o":
        return inspect(value, 4);
      case "O":
        return inspect(value);
      default:
        return "";
    }
  }

  // True if the program itself says how a value is written.
  function hasOwnText(value) {
    if (value instanceof Error || value instanceof Date) return !(value instanceof Date) ? Object.hasOwn(value, "toString") : false;
    for (let object = value; object !== null; object = Object.getPrototypeOf(object)) {
      if (!Object.hasOwn(object, "toString")) continue;
      const maker = object.constructor;
      return object === value || !(typeof maker === "function" && /\[native code\]/.test(String(maker)));
    }
    return false;
  }

  function format(...values) {
    if (typeof values[0] !== "string") return values.map((value) => (typeof value === "string" ? value : inspect(value))).join(" ");
    const [pattern, ...rest] = values;
    const head = values.length === 1 ? pattern : pattern.replace(/%([sdifjoOc%])/g, (whole, letter) => {
      if (letter === "%") return "%";
      return rest.length === 0 ? whole : formatted(letter, rest.shift());
    });
    return [head, ...rest.map((value) => (typeof value === "string" ? value : inspect(value)))].join(" ");
  }


  let indent = "";
  function write(text) {
    const lines = indent === "" ? text : indent + text.replaceAll("\n", `\n${indent}`);
    print(`${lines}\n`.toWellFormed());
  }
  const log = (...values) => write(format(...values));

  const counts = new Map();
  const starts = new Map();
  function elapsed(label) {
    const millis = now() - starts.get(label);
    const shown = millis >= 1000 ? `${(millis / 1000).toFixed(3)}s` : `${Number(millis.toFixed(3))}ms`;
    return `${label}: ${shown}`;
  }
  function time(label, end, values) {
    const known = String(label ?? "default");
    if (!starts.has(known)) return log(`No such label '${known}'`);
    log(elapsed(known), ...values);
    if (end) starts.delete(known);
  }

  // Rows by name, with the columns that any of them has.
  function table(data, only) {
    if (typeof data !== "object" || data === null) return log(data);
    const isWide = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 2;
    const cell = (value) => inspect(value, isWide(value) ? -1 : 0);
    const isMap = data instanceof Map;
    const isIterated = isMap || data instanceof Set;
    const rows = isIterated ? [...data].map((row, at) => [at, row]) : Object.keys(data).map((key) => [key, data[key]]);
    const columns = new Map();
    const values = [];
    rows.forEach(([, row], at) => {
      const isObject = typeof row === "object" && row !== null;
      if (isMap) {
        column(columns, "Key")[at] = cell(row[0]);
        values[at] = cell(row[1]);
      } else if (!isObject) values[at] = cell(row);
      else for (const key of only ?? Object.keys(row)) if (Object.hasOwn(row, key)) column(columns, key)[at] = cell(row[key]);
    });
    if (only) for (const key of only) column(columns, key);
    const index = isIterated ? "(iteration index)" : "(index)";
    const head = [index, ...columns.keys()];
    const body = [rows.map(([key]) => String(key)), ...columns.values()];
    if (values.length > 0) {
      head.push("Values");
      body.push(values);
    }
    const widths = head.map((name, place) => {
      return Math.max(name.length, ...rows.map((_, at) => (body[place][at] ?? "").length)) + 2;
    });
    const line = (left, middle, right) => left + widths.map((width) => "─".repeat(width)).join(middle) + right;
    const row = (cells) => `│${cells.map((text, place) => ` ${text}`.padEnd(widths[place])).join("│")}│`;
    const lines = rows.map((_, at) => row(body.map((cells) => cells[at] ?? "")));
    write([line("┌", "┬", "┐"), row(head), line("├", "┼", "┤"), ...lines, line("└", "┴", "┘")].join("\n"));
  }
  function column(columns, name) {
    if (!columns.has(name)) columns.set(name, []);
    return columns.get(name);
  }

  const group = (...values) => {
    if (values.length > 0) log(...values);
    indent += "  ";
  };
  return {
    log, info: log, debug: log, warn: log, error: log, table, group,
    groupCollapsed: group,
    groupEnd: () => void (indent = indent.slice(2)),
    assert(isTrue, ...values) {
      if (isTrue) return;
      values[0] = values.length === 0 ? "Assertion failed" : `Assertion failed: ${values[0]}`;
      log(...values);
    },
    count(label = "default") {
      const count = (counts.get(`${label}`) ?? 0) + 1;
      counts.set(`${label}`, count);
      log(`${label}: ${count}`);
    },
    countReset: (label = "default") => void counts.delete(`${label}`),
    dir: (value, options) => write(inspect(value, options?.depth === null ? Infinity : options?.depth)),
    dirxml: log,
    time: (label = "default") => void starts.set(`${label}`, now()),
    timeEnd: (label) => time(label, true, []),
    timeLog: (label, ...values) => time(label, false, values),
    trace(...values) {
      const error = new Error(format(...values));
      log(`Trace${error.message === "" ? "" : `: ${error.message}`}\n${String(error.stack ?? "").trimEnd()}`);
    },
  };
});
