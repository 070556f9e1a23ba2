// A table of text as a table, with the text below it.

import type { Sheet } from "../../../model/content/csv";
import { text } from "../../../text";
import { Table } from "../../../ui/table";
import { Code } from "../../parts/code";

export function SheetView({ sheet, source, name }: { sheet: Sheet; source: string; name: string }) {
  const columns = sheet.head.map((head, at) => ({
    key: String(at),
    name: head,
    kind: sheet.numbers[at] ? "number" : "",
    cell: (row: { cells: readonly string[] }) => row.cells[at] ?? "",
  }));
  const rows = sheet.rows.map((cells, at) => ({ key: String(at), cells }));
  return (
    <>
      <Table label={name} columns={columns} rows={rows} keyOf={({ key }) => key} />
      {sheet.isCut && <p class="soft">{text.files.cut}</p>}
      <details>
        <summary>{text.files.asText}</summary>
        <Code content={source} language="" />
      </details>
    </>
  );
}
