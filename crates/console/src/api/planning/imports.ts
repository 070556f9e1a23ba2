// Requests on imports of cards from other planning tools.

import { all, answer, api, idempotent } from "../client";
import { readFields } from "./custom-fields";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type ImportRecord = Schemas["ImportRecord"];
export type ImportNote = Schemas["ImportNote"];
export type ImportTool = ImportRecord["tool"];

/** A file to import, and how to read it. */
export interface NewImport {
  file: File;
  tool: ImportTool;
  /** The project that gets the cards. */
  projectId: string;
  /** Time zone of times without one. */
  zone: string;
  /** The meanings of a table's columns by their names; null for a tool's own export. */
  columns: Readonly<Record<string, string>> | null;
  /** The ids of the custom fields that columns fill; null where none can. */
  fields: Readonly<Record<string, string>> | null;
  /** True for a trial, which makes nothing. */
  isTrial: boolean;
}

export interface NotesPage {
  notes: ImportNote[];
  /** The number after which the next page begins; null after the last note. */
  next: number | null;
}

const IMPORTS = "/api/v2/orgs/{orgId}/imports";
const NOTES = 100;

/** Sends the file, and begins its import. */
async function begin(orgId: string, chosen: NewImport, key: string): Promise<ImportRecord> {
  const { file, tool, projectId, zone, columns, fields: own, isTrial } = chosen;
  const form = new FormData();
  const hasOwn = own !== null && Object.keys(own).length > 0;
  const fields = { tool, projectId, zone, ...(columns ? { columns: JSON.stringify(columns) } : {}),
    ...(hasOwn ? { fields: JSON.stringify(own) } : {}), ...(isTrial ? { dryRun: "true" } : {}) };
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file);
  const params = { path: { orgId } };
  // The document describes the fields. The client sends a form as it is.
  const sent = { params, headers: idempotent(key), body: form as never };
  return (await answer(api.POST(IMPORTS, sent))).import;
}

async function read(orgId: string, importId: string): Promise<ImportRecord> {
  return (await answer(api.GET(`${IMPORTS}/{importId}`, { params: { path: { orgId, importId } } }))).import;
}

/** The caller's imports in an organization, the newest first. */
function list(orgId: string): Promise<ImportRecord[]> {
  return all((query) => answer(api.GET(IMPORTS, { params: { path: { orgId }, query } })), ({ imports }) => imports);
}

/** A page of the notes on what an import changed or left out, from the first one after a number. */
async function notes(orgId: string, importId: string, after: number): Promise<NotesPage> {
  const params = { path: { orgId, importId }, query: { after, limit: NOTES } };
  const page = await answer(api.GET(`${IMPORTS}/{importId}/notes`, { params }));
  return { notes: page.notes, next: page.nextAfter ?? null };
}

/** All requests of the models of imports, which tests replace. */
export const importApi = { begin, read, list, notes, fields: readFields };
export type ImportApi = typeof importApi;
