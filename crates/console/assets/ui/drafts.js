// Texts that a person typed and hasn't sent. They are kept in the tab until they are sent or dropped, over a reload and a
// sign-in that ends; signing out forgets them.

/** @typedef {{ read: () => string | null, keep: (text: string) => void, end: () => void }} Draft */

/** The draft of a person for a field, by the path of what it would change. @param {string} person @param {string} field @returns {Draft} */
export function draftOf(person, field) {
  // Another person may sign in to the same tab.
  const key = `draft:${person}:${field}`;
  return {
    read: () => sessionStorage.getItem(key),
    keep: (text) => sessionStorage.setItem(key, text),
    end: () => sessionStorage.removeItem(key),
  };
}
