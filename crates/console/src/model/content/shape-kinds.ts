// Which objects have a shape in space, and so a picture.

import type { ProjectObject, TreeNode } from "../../api/objects";

/** Extensions of files of meshes, which stay files, and of designs, which become assemblies and parts. */
const MESHES = /^\.(stl|obj|gltf|glb|3mf|ply)$/i;
const DESIGNS = /^\.(step|stp|stpz|p21)$/i;
const PARTS = new Set(["Assembly", "Part"]);

/** An object with a picture. */
export interface Pictured {
  /** Its project, with the branch where that isn't the default one. */
  place: string;
  id: string;
  /** Hash of the file that it owns or is part of, where that is known. */
  sha256?: string;
  /** Fingerprint of a part's own shape. */
  geometry?: string;
}

type Kind = Pick<TreeNode, "type" | "file">;

/** True for an object whose file holds a shape. */
export function ownsShape({ type, file }: Kind): boolean {
  if (!file || file.size === 0) return false;
  const extension = file.extension ?? "";
  return PARTS.has(type) ? MESHES.test(extension) || DESIGNS.test(extension)
    : type === "File" && MESHES.test(extension);
}

/** True for an object that may be part of the file of one above it. */
export const isPart = ({ type, file }: Kind) => !file && PARTS.has(type);

/** The picture of an object that is read alone: what it is part of is unknown, but a part tells its own shape. */
export function picturedOf(
  place: string,
  object: Kind & Pick<TreeNode, "id"> & { data?: ProjectObject["data"] },
): Pictured | undefined {
  const { id, file, data } = object;
  if (file && ownsShape(object)) return { place, id, sha256: file.sha256 };
  const { geometry } = (data?.definition ?? {}) as { geometry?: unknown };
  return isPart(object) && typeof geometry === "string" ? { place, id, geometry } : undefined;
}
