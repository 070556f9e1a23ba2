// The notes on what an import changed or left out. The table grows by a button: the list of imports stands below it.

import type { ImportNote, ImportRecord } from "../../../api/planning/imports";
import { tellFailure } from "../../../model/messages";
import { isRunning } from "../../../model/planning/card-imports";
import { ImportNotes } from "../../../model/planning/import-notes";
import { text } from "../../../text";
import { BusyButton } from "../../../ui/busy-button";
import { Table, type TableColumn } from "../../../ui/table";
import { Read } from "../../parts/read";

interface Row {
  at: number;
  note: ImportNote;
}

const placeOf = ({ issue, line }: ImportNote) =>
  issue ?? (line ? text.imports.line(line) : text.imports.wholeFile);

const COLUMNS: readonly TableColumn<Row>[] = [
  { key: "issue", name: text.imports.issue, kind: "issue", cell: ({ note }) => placeOf(note) },
  { key: "field", name: text.imports.field, cell: ({ note }) => note.field },
  { key: "value", name: text.imports.value, cell: ({ note }) => note.value },
  { key: "reason", name: text.imports.reason, cell: ({ note }) => note.reason },
];

export function Notes({ organization, shown }: { organization: string; shown: ImportRecord }) {
  const { id, noteCount } = shown;
  if (noteCount === 0) return isRunning(shown) ? null : <p class="soft">{text.imports.noNotes}</p>;
  return (
    <>
      <h3>{text.imports.notes(noteCount)}</h3>
      <p class="soft">{text.imports.notesSay}</p>
      <Read read={() => ImportNotes.open(organization, id)} keys={[organization, id]}>
        {(notes) => <Opened notes={notes} />}
      </Read>
    </>
  );
}

function Opened({ notes }: { notes: ImportNotes }) {
  const rows = notes.notes.value.map((note, at) => ({ at, note }));
  return (
    <>
      <Table label={text.imports.notes(rows.length)} columns={COLUMNS} rows={rows} keyOf={({ at }) => String(at)} />
      {notes.hasMore.value && <BusyButton name={text.imports.more} kind="import-more"
        run={() => notes.more().catch(tellFailure)} />}
    </>
  );
}
