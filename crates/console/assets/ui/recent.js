// The palette's memory of what was chosen, last first. It is the tab's, and is forgotten by signing out.

const KEY = "recent";
const MOST = 30;

/** @typedef {{ name: string, href: string, where: string, icon: string }} Place */

/** Keys of choices: places by their address, actions by their name. @returns {(string | Place)[]} */
export function recent() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}

/** @param {string | Place} one */
const keyOf = (one) => (typeof one === "string" ? one : one.href);

/** Notes a choice. @param {string | Place} choice */
export function note(choice) {
  const others = recent().filter((one) => keyOf(one) !== keyOf(choice));
  sessionStorage.setItem(KEY, JSON.stringify([choice, ...others].slice(0, MOST)));
}

/** The rank of a choice by use: less is more recent. @param {string} key */
export function rankOf(key) {
  const at = recent().findIndex((one) => keyOf(one) === key);
  return at < 0 ? MOST : at;
}
