// The commit from which two branches began.

import { get } from "../api/client.js";

/** Pages of each history that are read, of 100 commits. */
const PAGES = 10;

/**
 * The newest commit that two branches have in common; empty if it is further back than what is read.
 * @param {string} project @param {string} base @param {string} head @returns {Promise<string>}
 */
export async function commonCommit(project, base, head) {
  const [ours, theirs] = [reader(project, base), reader(project, head)];
  for (let page = 0; page < PAGES && !(ours.isWhole() && theirs.isWhole()); page += 1) {
    await Promise.all([ours.read(), theirs.read()]);
    // A history lists children before parents, so the first common commit is no ancestor of another one.
    for (const hash of theirs.hashes) if (ours.hashes.has(hash)) return hash;
  }
  return "";
}

/** @param {string} project @param {string} branch */
function reader(project, branch) {
  /** @type {Set<string>} */
  const hashes = new Set();
  const path = `/projects/${project}/branches/${encodeURIComponent(branch)}/commits?limit=100`;
  /** @type {string | null} */
  let next = "";
  return {
    hashes,
    isWhole: () => next === null,
    async read() {
      if (next === null) return;
      const { commits, meta } = await get(next ? `${path}&cursor=${encodeURIComponent(next)}` : path);
      for (const { hash } of commits) hashes.add(hash);
      next = meta.hasMore ? meta.nextCursor : null;
    },
  };
}
