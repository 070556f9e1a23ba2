// What depends on a locale. The engine has no locale data, and silently ignores locales and options. These functions do
// what they say for the locales and options below, and otherwise fail and say so.
(function (zoneOffset) {
  "use strict";
  // Separators of groups and decimals, and the digits from which a number is grouped.
  const NUMBERS = {
    en: [",", ".", 4], "en-US": [",", ".", 4], "en-GB": [",", ".", 4],
    de: [".", ",", 4], "de-DE": [".", ",", 4], fr: ["\u202f", ",", 4], "fr-FR": ["\u202f", ",", 4],
    it: [".", ",", 5], "it-IT": [".", ",", 5], es: [".", ",", 5], "es-ES": [".", ",", 5],
    nl: [".", ",", 4], "nl-NL": [".", ",", 4],
  };
  const two = (number) => String(number).padStart(2, "0");
  const american = (at) => `${at.hour % 12 || 12}:${two(at.minute)}:${two(at.second)} ${at.hour < 12 ? "AM" : "PM"}`;
  const time = (at) => `${two(at.hour)}:${two(at.minute)}:${two(at.second)}`;
  const US = [(at) => `${at.month}/${at.day}/${at.year}`, american, ", "];
  const GB = [(at) => `${two(at.day)}/${two(at.month)}/${at.year}`, time, ", "];
  const DE = [(at) => `${at.day}.${at.month}.${at.year}`, time, ", "];
  // Dates, times, and the text between the two.
  const DATES = {
    en: US, "en-US": US, "en-GB": GB, de: DE, "de-DE": DE,
    fr: [GB[0], time, " "], "fr-FR": [GB[0], time, " "],
    nl: [(at) => `${at.day}-${at.month}-${at.year}`, time, ", "],
  };
  DATES["nl-NL"] = DATES.nl;

  const missing = (what) => new RangeError(`${what} is not supported here: there is no locale data`);
  // The entry of a table for the first locale.
  function chosen(table, locales, what) {
    const asked = Array.isArray(locales) ? locales[0] : locales;
    const locale = asked === undefined ? "en-US" : String(asked);
    if (!Object.hasOwn(table, locale)) throw missing(`${what} for the locale "${locale}"`);
    return table[locale];
  }
  // The options, if all of them are among those that are known.
  function known(options, names, what) {
    const asked = Object.keys(options ?? {}).filter((name) => options[name] !== undefined);
    const other = asked.find((name) => !names.includes(name));
    if (other !== undefined) throw missing(`${what} with the option "${other}"`);
    return options ?? {};
  }

  // A decimal as a number of units of its last digit, halves away from zero. The shortest decimal of a number counts.
  function rounded(decimal, digits) {
    const [mantissa, exponent = "0"] = decimal.split("e");
    const [whole, fraction = ""] = mantissa.split(".");
    const more = digits - fraction.length + Number(exponent);
    const units = BigInt(whole + fraction);
    if (more >= 0) return units * 10n ** BigInt(more);
    const divisor = 10n ** BigInt(-more);
    return (units * 2n + divisor) / (divisor * 2n);
  }

  const DIGITS_MAX = 100;
  function numberText(value, locales, options, what) {
    const [group, point, from] = chosen(NUMBERS, locales, what);
    const { minimumFractionDigits, maximumFractionDigits, useGrouping = true } = known(
      options, ["minimumFractionDigits", "maximumFractionDigits", "useGrouping"], what,
    );
    const digits = (asked, other) => {
      if (asked === undefined) return other;
      const count = Math.floor(Number(asked));
      if (!(count >= 0 && count <= DIGITS_MAX)) throw new RangeError("fraction digits are out of range");
      return count;
    };
    const most = digits(maximumFractionDigits, Math.max(3, digits(minimumFractionDigits, 0)));
    const least = digits(minimumFractionDigits, Math.min(0, most));
    if (least > most) throw new RangeError("maximumFractionDigits is out of range");
    if (![true, false, "auto"].includes(useGrouping)) throw missing(`${what} with this "useGrouping"`);
    if (typeof value === "number" && !Number.isFinite(value)) {
      return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞";
    }
    const isNegative = typeof value === "bigint" ? value < 0n : value < 0 || Object.is(value, -0);
    const size = isNegative ? -value : value;
    const units = rounded(String(size), most).toString().padStart(most + 1, "0");
    const [whole, rest] = [units.slice(0, units.length - most), units.slice(units.length - most)];
    let fraction = rest;
    while (fraction.length > least && fraction.endsWith("0")) fraction = fraction.slice(0, -1);
    const isGrouped = useGrouping !== false && whole.length >= from;
    const grouped = isGrouped ? whole.replace(/\B(?=(\d{3})+$)/g, group) : whole;
    return `${isNegative ? "-" : ""}${grouped}${fraction === "" ? "" : point + fraction}`;
  }

  function dateText(date, locales, options, what, parts) {
    const [day, clock, between] = chosen(DATES, locales, what);
    const { timeZone = "UTC" } = known(options, ["timeZone"], what);
    const millis = Date.prototype.getTime.call(date);
    if (Number.isNaN(millis)) return "Invalid Date";
    const offset = zoneOffset(String(timeZone), Math.floor(millis / 1000));
    if (offset === undefined) throw new RangeError(`Invalid time zone specified: ${timeZone}`);
    const local = new Date(millis + offset * 1000);
    if (local.getUTCFullYear() < 1) throw missing(`${what} of years before 1`);
    const at = {
      year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate(),
      hour: local.getUTCHours(), minute: local.getUTCMinutes(), second: local.getUTCSeconds(),
    };
    return parts === "both" ? `${day(at)}${between}${clock(at)}` : parts === "day" ? day(at) : clock(at);
  }

  // The order of ASCII in Unicode's root collation, before letters.
  const ORDER = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";
  // Languages whose order of these characters is the root's.
  const COLLATED = /^(en|de|fr|it|nl|pt)(-[A-Z]{2})?$/;
  const MARKS = /[\u0300-\u036f]/;
  // The weights of a text: of its characters, their marks, and their cases.
  function weights(text, isNumeric) {
    const found = [];
    for (const character of text.normalize("NFD")) {
      const last = found[found.length - 1];
      if (MARKS.test(character) && last !== undefined) {
        last.marks += character;
        continue;
      }
      const code = character.charCodeAt(0);
      if (code < 9 || (code > 13 && code < 32) || code === 127) continue;
      const isDigit = code >= 48 && code <= 57;
      if (isNumeric && isDigit && last?.digits !== undefined) {
        last.digits = (last.digits + character).replace(/^0+(?=\d)/, "");
        continue;
      }
      const lower = character.toLowerCase();
      const isLetter = lower >= "a" && lower <= "z" && lower.length === 1;
      const place = ORDER.indexOf(character);
      if (!isLetter && place < 0) throw missing(`comparing texts with "${character}"`);
      const base = isLetter ? 1000 + lower.charCodeAt(0) : place;
      found.push({ base, marks: "", isUpper: isLetter && lower !== character, digits: isNumeric && isDigit ? character : undefined });
    }
    return found;
  }
  function byBase(a, b) {
    if (a.digits !== undefined && b.digits !== undefined) {
      return a.digits.length - b.digits.length || (a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0);
    }
    return a.base - b.base;
  }
  function byMarks(a, b) {
    if (a.marks === b.marks) return 0;
    if (a.marks !== "" && b.marks !== "") throw missing("comparing different accents");
    return a.marks === "" ? -1 : 1;
  }
  const byCase = (a, b) => Number(a.isUpper) - Number(b.isUpper);
  function firstOf(a, b, compare) {
    for (let at = 0; at < Math.min(a.length, b.length); at++) {
      const order = compare(a[at], b[at]);
      if (order !== 0) return Math.sign(order);
    }
    return Math.sign(a.length - b.length);
  }
  function compare(text, other, locales, options) {
    const what = "localeCompare";
    const asked = Array.isArray(locales) ? locales[0] : locales;
    if (asked !== undefined && !COLLATED.test(String(asked))) throw missing(`${what} for the locale "${asked}"`);
    const { numeric = false, sensitivity = "variant" } = known(options, ["numeric", "sensitivity", "usage"], what);
    const [a, b] = [weights(text, Boolean(numeric)), weights(other, Boolean(numeric))];
    const levels = { base: [byBase], accent: [byBase, byMarks], case: [byBase, byCase], variant: [byBase, byMarks, byCase] };
    if (!Object.hasOwn(levels, sensitivity)) throw new RangeError(`invalid sensitivity ${sensitivity}`);
    for (const level of levels[sensitivity]) {
      const order = firstOf(a, b, level);
      if (order !== 0) return order;
    }
    return 0;
  }

  const caseOf = (change, what) =>
    function (locales) {
      const asked = Array.isArray(locales) ? locales[0] : locales;
      if (/^(tr|az|lt|el|hy)\b/.test(String(asked))) throw missing(`${what} for the locale "${asked}"`);
      return change.call(this);
    };
  const define = (prototype, methods) => {
    for (const name of Object.keys(methods)) {
      Object.defineProperty(prototype, name, { value: methods[name], writable: true, configurable: true });
    }
  };
  const numbers = (valueOf) => ({
    toLocaleString(locales, options) {
      return numberText(valueOf.call(this), locales, options, "toLocaleString");
    },
  });
  define(Number.prototype, numbers(Number.prototype.valueOf));
  define(BigInt.prototype, numbers(BigInt.prototype.valueOf));
  define(Date.prototype, {
    toLocaleString(locales, options) {
      return dateText(this, locales, options, "toLocaleString", "both");
    },
    toLocaleDateString(locales, options) {
      return dateText(this, locales, options, "toLocaleDateString", "day");
    },
    toLocaleTimeString(locales, options) {
      return dateText(this, locales, options, "toLocaleTimeString", "clock");
    },
  });
  define(String.prototype, {
    localeCompare(other, locales, options) {
      return compare(String(this), String(other), locales, options);
    },
    toLocaleUpperCase: caseOf(String.prototype.toUpperCase, "toLocaleUpperCase"),
    toLocaleLowerCase: caseOf(String.prototype.toLowerCase, "toLocaleLowerCase"),
  });
  const lists = {
    toLocaleString(locales, options) {
      const shown = Array.from(this, (item) => (item === undefined || item === null ? "" : item.toLocaleString(locales, options)));
      return shown.join(",");
    },
  };
  define(Array.prototype, lists);
  define(Object.getPrototypeOf(Uint8Array.prototype), lists);
  // A getter, so that its absence is told where it is used, and not by `typeof`.
  const Intl = new Proxy(Object.freeze({}), {
    get(_, name) {
      if (typeof name === "symbol") return undefined;
      throw missing(`Intl.${name}`);
    },
    has: () => false,
  });
  return { Intl };
});
