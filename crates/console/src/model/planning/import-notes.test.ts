import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImportNote, NotesPage } from "../../api/planning/imports";
import { ImportNotes } from "./import-notes";

const note = (value: string): ImportNote =>
  ({ line: null, issue: null, field: "Created", value, reason: "not a date; a comment keeps it" });

test("notes are read a page at a time, and a page that is asked for twice is shown once", async () => {
  const asked: number[] = [];
  const pages = new Map<number, NotesPage>([[0, { notes: [note("a"), note("b")], next: 2 }],
    [2, { notes: [note("c")], next: null }]]);
  const read = async (_org: string, _id: string, after: number) => {
    asked.push(after);
    return pages.get(after) as NotesPage;
  };
  const notes = await ImportNotes.open("o", "i", { notes: read });
  const shown = () => notes.notes.value.map(({ value }) => value).join("");
  assert.deepEqual([shown(), notes.hasMore.value], ["ab", true]);
  await Promise.all([notes.more(), notes.more()]);
  assert.deepEqual([shown(), notes.hasMore.value], ["abc", false]);
  await notes.more();
  assert.deepEqual(asked, [0, 2, 2]);
});
