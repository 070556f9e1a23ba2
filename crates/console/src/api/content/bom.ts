// Requests on bills of materials, and on the uses of parts.

import { answer, api } from "../client";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type BomAnswer = Schemas["GetBomResponse"];
export type BomRow = Schemas["BomRow"];
export type BomObject = Schemas["BomObject"];
export type BomWarning = Schemas["BomWarning"];
export type BomView = Schemas["BomView"];
export type BomGrouping = Schemas["BomGrouping"];
export type Use = Schemas["Use"];
export type UsingProject = Schemas["UsingProject"];

/** The choices of a bill. */
export interface BomChoice {
  /** The object that is counted; null for the whole project. */
  root: string | null;
  view: BomView;
  by: BomGrouping;
  properties: readonly string[];
  /** Counts at this commit, instead of a branch. */
  commit?: string;
}

export type TableFormat = "csv" | "xlsx";

const BOM = "/api/v2/projects/{projectId}/bom";

/** The bill of a project's branch with its uncommitted changes, or of a commit. */
export async function readBom(place: string, choice: BomChoice): Promise<BomAnswer> {
  // Only files are text.
  return await answer(api.GET(BOM, asked(place, choice))) as BomAnswer;
}

/** The same bill as a file. */
export function readBomFile(place: string, choice: BomChoice, format: TableFormat): Promise<Blob> {
  return answer(api.GET(BOM, { ...asked(place, choice, format), parseAs: "blob" }));
}

function asked(projectId: string, { root, view, by, properties, commit }: BomChoice, format?: TableFormat) {
  const query = { view, by, properties: [...properties], ...(root ? { root } : {}), ...(format ? { format } : {}),
    ...(commit ? { commit } : {}) };
  const array = { style: "form", explode: false } as const;
  return { params: { path: { projectId }, query }, querySerializer: { array } };
}

/** A page of projects in which an object is used: its own first, then others in their order. It may be empty. */
export async function readUses(place: string, objectId: string, cursor: string | null) {
  const params = { path: { projectId: place, objectId }, query: cursor ? { cursor } : {} };
  const { projects, notSearched, meta } = await answer(
    api.GET("/api/v2/projects/{projectId}/objects/{objectId}/uses", { params }),
  );
  return { projects, notSearched: notSearched.length, next: meta.hasMore ? meta.nextCursor ?? null : null };
}
