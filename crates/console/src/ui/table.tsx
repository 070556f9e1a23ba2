// Tables of rows with named columns.

import type { ComponentChildren } from "preact";

export interface TableColumn<Row> {
  key: string;
  name: string;
  /** Class of its cells, for width and alignment. */
  kind?: string;
  cell: (row: Row) => ComponentChildren;
}

export interface TableProps<Row> {
  label: string;
  columns: readonly TableColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <div class="table-place" tabIndex={0} role="region" aria-label={label}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ key, name, kind }) => (
              <th key={key} scope="col" class={kind}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ key, kind, cell }) => (
                <td key={key} class={kind} dir="auto">
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
