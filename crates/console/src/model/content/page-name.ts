// Names of a document's pages.

import type { ProjectObject } from "../../api/content/objects";
import { text } from "../../text";

interface PageData {
  number?: unknown;
  label?: unknown;
}

/** A page by its label, for example "iv" or a sheet's "A-101"; without one, or renamed, by its object. */
export function pageName({ name, data }: Pick<ProjectObject, "name" | "data">): string {
  const { number, label } = (data.page ?? {}) as PageData;
  // A person's own name for a page counts more than the label.
  const isRenamed = name !== text.files.page(String(number));
  const isSaid = typeof label === "string" && label !== "" && label !== String(number);
  return isSaid && !isRenamed ? text.files.page(label) : name;
}
