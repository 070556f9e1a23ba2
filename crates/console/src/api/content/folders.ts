// Folders of uploads: found in the project's tree, or made.

import { answer, api } from "../client";

/** Finds or makes folders below an object. The tree is read for the first of them. */
export function makeFolders() {
  const made = new Map<string, string>();
  let tree: Promise<readonly { id: string; name: string; parent?: string | null; file?: unknown }[]> | null = null;
  return async (projectId: string, parent: string, names: readonly string[]): Promise<string> => {
    let on = parent;
    for (const name of names) {
      tree ??= answer(api.GET("/api/v2/projects/{projectId}/tree", { params: { path: { projectId } } })).then(
        (found) => found.tree,
      );
      const key = `${on}/${name}`;
      const known =
        made.get(key) ?? (await tree).find((node) => node.parent === on && node.name === name && !node.file)?.id;
      on =
        known ??
        (
          await answer(
            api.POST("/api/v2/projects/{projectId}/objects", {
              params: { path: { projectId } },
              body: { name, type: "Folder", parent: on },
            }),
          )
        ).object.id;
      made.set(key, on);
    }
    return on;
  };
}
