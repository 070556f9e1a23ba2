// The columns of a table to import, and the meaning of each. Names that people use suggest meanings.

import type { CustomField } from "../../api/planning/custom-fields";
import { columnNames } from "../content/csv";
import { isFieldColumn, type FieldColumnName } from "./field-columns";

/** All meanings that a person can choose. A column with a text of its own kind becomes a field of its name. */
export const MEANINGS = ["id", "key", "name", "description", "kind", "priority", "status", "resolution", "assignee",
  "reporter", "labels", "parent", "estimate", "start", "due", "created", "updated", "closed", "sprint", "comment",
  "field", "skip"] as const;
/** One of all imports, or a custom field of the project by its id. */
export type Meaning = typeof MEANINGS[number] | FieldColumnName;

/** Columns by their names, in the order of the table. Those of one name have one meaning. */
export type Columns = ReadonlyMap<string, Meaning>;

/** Columns that are offered. Others become fields. */
const MOST_COLUMNS = 300;
/** Meanings of several columns: each column has one of the values. */
const REPEATED: ReadonlySet<Meaning> = new Set(["assignee", "labels", "sprint", "comment"]);
const NAMES: Partial<Record<typeof MEANINGS[number], string>> = {
  id: "id issueid nr no number",
  key: "key issuekey",
  name: "name title summary subject",
  description: "description details body",
  kind: "type issuetype kind tracker",
  priority: "priority",
  status: "status state",
  resolution: "resolution",
  assignee: "assignee assignees assignedto owner",
  reporter: "reporter author creator createdby",
  labels: "label labels tag tags",
  parent: "parent parentid parentkey parentissue epic",
  estimate: "estimate storypoints points effort",
  start: "start startdate startson",
  due: "due duedate dueon deadline",
  created: "created createdat createdon createddate",
  updated: "updated updatedat updatedon lastmodified",
  closed: "closed closedat closedon resolved completed completedat",
  sprint: "sprint iteration cycle",
  comment: "comment comments",
};
const MEANING_OF = new Map(Object.entries(NAMES)
  .flatMap(([meaning, names]) => names.split(" ").map((name) => [name, meaning as Meaning] as const)));

/** The columns of a table with the meanings that their names suggest. */
export function columnsOf(source: string): Columns {
  const columns = new Map<string, Meaning>();
  const taken = new Set<Meaning>();
  for (const name of columnNames(source).filter((one) => one !== "")) {
    if (columns.size === MOST_COLUMNS) break;
    const meaning = MEANING_OF.get(name.toLowerCase().replace(/[^a-z]/g, "")) ?? "field";
    if (!columns.has(name)) columns.set(name, taken.has(meaning) ? "field" : meaning);
    if (!REPEATED.has(meaning)) taken.add(meaning);
  }
  return columns;
}

/** The columns with custom fields of their names as meanings, where they have no other. */
export function withFields(columns: Columns, fields: readonly Pick<CustomField, "id" | "name">[]): Columns {
  const ids = new Map(fields.map(({ id, name }) => [name.toLowerCase(), id]));
  return new Map([...columns].map(([name, meaning]) => {
    const own = meaning === "field" ? ids.get(name.toLowerCase()) : undefined;
    return [name, own ? `field-${own}` as const : meaning];
  }));
}

/** The meanings as the service reads them: columns without one become fields there. */
export function mappingOf(columns: Columns): Record<string, string> {
  return Object.fromEntries([...columns].filter(([, meaning]) => meaning !== "field" && !isFieldColumn(meaning)));
}

/** The ids of the custom fields that columns fill. */
export function fieldMappingOf(columns: Columns): Record<string, string> {
  return Object.fromEntries([...columns].flatMap(([name, meaning]) =>
    (isFieldColumn(meaning) ? [[name, meaning.slice("field-".length)]] : [])));
}

export const hasName = (columns: Columns) => [...columns.values()].includes("name");

/** The beginning of a file as text: by its byte order mark, as UTF-8, or else as Windows has it in Western Europe. */
export function decode(bytes: Uint8Array): string {
  const mark = `${bytes[0]} ${bytes[1]}`;
  const encoding = mark === "255 254" ? "utf-16le" : mark === "254 255" ? "utf-16be" : "utf-8";
  try {
    // The last character may be cut.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
