// Files that are dropped, with the folders that they were in, and the folders that were empty.

/** @typedef {{ file: File, path: string }} Dropped */

/**
 * The files and the empty folders of a drop, by their paths. It must be called while the event runs.
 * @param {DataTransfer} transfer @returns {Promise<{ files: Dropped[], folders: string[] }>}
 */
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...transfer.files].map((file) => ({ file, path: file.name }));
  if (!entries.some((entry) => entry?.isDirectory)) return { files: plain, folders: [] };
  /** @type {Dropped[]} */
  const files = [];
  /** @type {string[]} */
  const folders = [];
  const open = entries.filter((entry) => entry !== null).map((entry) => ({ entry, path: entry.name }));
  for (let next = open.shift(); next; next = open.shift()) {
    const { entry, path } = next;
    if (entry.isFile) {
      const one = /** @type {FileSystemFileEntry} */ (entry);
      files.push({ file: await new Promise((resolve, reject) => one.file(resolve, reject)), path });
      continue;
    }
    const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
    let isEmpty = true;
    // A reader answers a part at a time, until one is empty.
    for (let part = await read(reader); part.length > 0; part = await read(reader)) {
      isEmpty = false;
      for (const below of part) open.push({ entry: below, path: `${path}/${below.name}` });
    }
    if (isEmpty) folders.push(path);
  }
  return { files, folders };
}

/** @param {FileSystemDirectoryReader} reader @returns {Promise<FileSystemEntry[]>} */
function read(reader) {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}
