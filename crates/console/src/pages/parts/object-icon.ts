// Icons of objects by their types.

import type { TreeNode } from "../../api/content/objects";

const ICONS: Record<string, string> = { Package: "package", Include: "package", Folder: "folder", Code: "code",
  Document: "page", Page: "page", Assembly: "part", Part: "part", File: "file" };

export const iconOf = ({ type, file }: Pick<TreeNode, "type" | "file">) => ICONS[type] ?? (file ? "file" : "part");
