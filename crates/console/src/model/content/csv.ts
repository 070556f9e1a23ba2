// Tables of text: comma-separated values and their kin, as far as they are shown.

/** Rows and columns of which people see more than a beginning. */
export const MOST_ROWS = 500;
const MOST_COLUMNS = 100;
const MOST_CELLS = 10_000;
/** Rows without a name that may stand above those of the columns. */
const MOST_EMPTY = 20;
const SEPARATORS = [",", ";", "\t"] as const;
const NUMBER = /^[+-]?(\d+([.,]\d+)?|[.,]\d+)(e[+-]?\d+)?$/i;

export interface Sheet {
  head: readonly string[];
  rows: readonly (readonly string[])[];
  /** Columns of numbers alone, which are aligned by their ends. */
  numbers: readonly boolean[];
  /** True where the file has more rows. */
  isCut: boolean;
}

/** The table in a text; null where its lines have no columns, or not the same ones. */
export function sheetOf(source: string): Sheet | null {
  const table = source.replace(/^\uFEFF/, "");
  const [head, ...rows] = read(table, separatorOf(table), MOST_ROWS + 2);
  if (!head || head.length < 2 || head.length > MOST_COLUMNS) return null;
  if (rows.length === 0 || rows.some((row) => row.length !== head.length)) return null;
  const shown = rows.slice(0, Math.min(MOST_ROWS, Math.floor(MOST_CELLS / head.length)));
  const numbers = head.map((_, at) => shown.every((row) => row[at] === "" || NUMBER.test(row[at] ?? "")));
  return { head, rows: shown, numbers, isCut: rows.length > shown.length };
}

/** The names of the columns in the beginning of a table, as imports read them. None if no row of it has a name. */
export function columnNames(source: string): string[] {
  // Excel writes the separator of its country into a line of its own.
  const [line = "", declared] = /^"?sep=([\x00-\x7f])"?\r?\n/i.exec(source) ?? [];
  const table = source.slice(line.length);
  const rows = read(table, declared ?? separatorOf(table), MOST_EMPTY);
  return rows.find((row) => row.some((name) => name.trim() !== ""))?.map((name) => name.trim()) ?? [];
}

/** The separator that is most frequent outside of quotation marks in the first row. */
function separatorOf(table: string): string {
  const [head = ""] = /^\s*(?:[^"\r\n]+|"[^"]*")*/.exec(table) ?? [];
  const bare = head.replace(/"[^"]*"/g, "");
  const counts = SEPARATORS.map((separator) => bare.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** The first rows of a text. Quoted fields may hold separators, quotes and lines. */
function read(source: string, separator: string, most: number): string[][] {
  const rows: string[][] = [];
  let [row, field, isQuoted]: [string[], string, boolean] = [[], "", false];
  const end = () => {
    if (row.length > 0 || field !== "") rows.push([...row, field]);
    [row, field] = [[], ""];
  };
  for (let at = 0; at < source.length && rows.length < most; at += 1) {
    const one = source[at] as string;
    if (isQuoted) {
      if (one !== '"') field += one;
      else if (source[at + 1] === '"') [field, at] = [`${field}"`, at + 1];
      else isQuoted = false;
    } else if (one === '"' && field === "") isQuoted = true;
    else if (one === separator) {
      row.push(field);
      field = "";
    } else if (one === "\n") end();
    else if (one !== "\r") field += one;
  }
  if (rows.length < most) end();
  return rows;
}
