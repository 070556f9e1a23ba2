// Files that the service has not read, or not yet: their outcome stands in the data of their objects.

import type { ProjectObject, TreeNode } from "../../api/content/objects";

export interface Import {
  status: "failed" | "partial" | "pending";
  reason: string;
}

/** Extensions of files that conversions read. */
const CONVERTED = /^\.(stp|step|p21|pdf|zip|gz|ipynb)$/i;
/** Most objects that are looked at. */
const MOST = 50;

/** Outcomes that do not change, by object and content. */
const known = new Map<string, Import | null>();

/** The service's words on an object's import; null where there is nothing to say. */
export function importOf({ data }: Pick<ProjectObject, "data">): Import | null {
  const { status, message } = (data.conversion ?? {}) as { status?: string; message?: string };
  if (status !== "failed" && status !== "partial" && status !== "pending") return null;
  return { status, reason: String(message ?? "").replace(/\.$/, "") };
}

/** The imports of a tree that failed or wait, by object. A file that was read became more than a file. */
export async function failedImports(
  nodes: readonly TreeNode[],
  read: (id: string) => Promise<ProjectObject>,
): Promise<Map<string, Import>> {
  const files = nodes.filter(({ type, file }) => type === "File" && CONVERTED.test(file?.extension ?? ""));
  const found = await Promise.all(files.slice(0, MOST).map(async ({ id, file }) => {
    const key = `${id} ${file?.sha256}`;
    if (known.has(key)) return [id, known.get(key) ?? null] as const;
    const outcome = importOf(await read(id));
    if (outcome?.status !== "pending") known.set(key, outcome);
    return [id, outcome] as const;
  }));
  return new Map(found.filter((one): one is readonly [string & TreeNode["id"], Import] => one[1] !== null));
}
