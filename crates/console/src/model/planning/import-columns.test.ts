import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../../text";
import { columnsOf, decode, hasName, mappingOf, MEANINGS } from "./import-columns";

const said = (source: string) => [...columnsOf(source)].map(([name, meaning]) => `${name}: ${meaning}`).join(", ");

test("names that people use suggest meanings, in any case and with any signs", () => {
  assert.equal(said("Nr;Title;ASSIGNED TO;Due-Date;story_points;Torque\n"),
    "Nr: id, Title: name, ASSIGNED TO: assignee, Due-Date: due, story_points: estimate, Torque: field");
});

test("a meaning is suggested once, except for columns that hold one of several values", () => {
  assert.equal(said("Summary,Title,Label,Tags\n"), "Summary: name, Title: field, Label: labels, Tags: labels");
});

test("columns of one name are one, and those without a name are left out", () => {
  assert.equal(said("Labels,,Labels\n"), "Labels: labels");
});

test("columns of fields aren't sent, and those that aren't taken are", () => {
  const columns = new Map(columnsOf("Title,Torque,Color\n")).set("Color", "skip");
  assert.deepEqual(mappingOf(columns), { Title: "name", Color: "skip" });
  assert.ok(hasName(columns) && !hasName(columnsOf("Torque\n")));
});

test("a table of any number of columns offers some", () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `c${at}`);
  assert.equal(columnsOf(names.join(",")).size, 300);
});

test("a file is read by its mark, as UTF-8, or as Windows-1252", () => {
  const utf8 = new TextEncoder().encode("Größe");
  assert.equal(decode(utf8), "Größe");
  assert.equal(decode(new Uint8Array([0xef, 0xbb, 0xbf, ...utf8])), "Größe");
  assert.equal(decode(utf8.slice(0, 4)), "Grö", "a character that is cut is left out");
  assert.equal(decode(new Uint8Array([0xff, 0xfe, 0x61, 0, 0xf6, 0])), "aö");
  assert.equal(decode(new Uint8Array([0xfe, 0xff, 0, 0x61])), "a");
  assert.equal(decode(new Uint8Array([0x47, 0x72, 0xf6, 0xdf, 0x65])), "Größe");
  assert.equal(decode(new Uint8Array()), "");
});

test("every meaning has words", () => {
  for (const meaning of MEANINGS) assert.ok(text.imports.meanings[meaning], meaning);
});
