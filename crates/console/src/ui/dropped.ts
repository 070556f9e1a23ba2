// Files that are dropped, with the folders that they were in, and the folders that were empty.

export interface Dropped {
  files: { file: File; path: string }[];
  folders: string[];
}

/** The files of a drop. Call it while the event runs: the browser forgets them after. */
export async function droppedFiles(transfer: DataTransfer): Promise<Dropped> {
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry?.() ?? null)
    .filter((entry) => entry !== null);
  const plain = [...transfer.files].map((file) => ({ file, path: file.name }));
  if (!entries.some((entry) => entry.isDirectory)) return { files: plain, folders: [] };
  const found: Dropped = { files: [], folders: [] };
  const open = entries.map((entry) => ({ entry, path: entry.name }));
  for (let next = open.shift(); next; next = open.shift()) {
    const { entry, path } = next;
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      found.files.push({ file, path });
      continue;
    }
    const below = await entriesOf((entry as FileSystemDirectoryEntry).createReader());
    open.push(...below.map((one) => ({ entry: one, path: `${path}/${one.name}` })));
    if (below.length === 0) found.folders.push(path);
  }
  return found;
}

/** True if files are dragged, rather than something of a page. */
export const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** A reader answers a part at a time, until one is empty. */
async function entriesOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const found: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return found;
    found.push(...part);
  }
}
