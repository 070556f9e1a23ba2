// Which objects have a shape in space, and which have a picture: the service's `PreviewKind::of`, in short.

import type { ProjectObject, TreeNode } from "../../api/content/objects";
import type { ThumbnailPx } from "../../api/content/previews";

/** Extensions of files of meshes, which stay files, and of designs, which become assemblies and parts. */
const MESHES = /^\.(stl|obj|gltf|glb|3mf|ply)$/i;
const DESIGNS = /^\.(step|stp|stpz|p21)$/i;
/** Media types of which there are pictures alone. */
const FLAT = /^(application\/pdf|image\/(a?png|jpeg|gif|webp|bmp|tiff)|text\/.*)$/;
const TEXTS = /^application\/.*(json|xml|javascript|x-sh|toml|yaml|sql|x-tex)$/;
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
  /** The card to which it is attached; the id is that of the attachment then. */
  card?: string;
  /** Edge of the picture, if it is no small one. */
  px?: ThumbnailPx;
}

type Kind = Pick<TreeNode, "type" | "file">;

/** True for an object whose file holds a shape. */
export function ownsShape({ type, file }: Kind): boolean {
  if (!file || file.size === 0) return false;
  const extension = file.extension ?? "";
  return PARTS.has(type) ? MESHES.test(extension) || DESIGNS.test(extension)
    : type === "File" && MESHES.test(extension);
}

/** True for an object of whose own file there is a picture. */
export function ownsPicture(object: Kind): boolean {
  const { type, file } = object;
  if (ownsShape(object)) return true;
  if (!file || file.size === 0 || PARTS.has(type)) return false;
  return type === "Code" || FLAT.test(file.mimeType) || TEXTS.test(file.mimeType);
}

/** True for an object that may be part of the file of one above it. */
export const isPart = ({ type, file }: Kind) => !file && PARTS.has(type);

/** The picture of an object that is read alone: what it is part of is unknown, but a part tells its own shape. */
export function picturedOf(
  place: string,
  object: Kind & Pick<TreeNode, "id"> & { data?: ProjectObject["data"] },
): Pictured | undefined {
  const { id, file, data } = object;
  if (file && ownsPicture(object)) return { place, id, sha256: file.sha256 };
  const { geometry } = (data?.definition ?? {}) as { geometry?: unknown };
  return isPart(object) && typeof geometry === "string" ? { place, id, geometry } : undefined;
}
