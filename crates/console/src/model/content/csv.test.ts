import assert from "node:assert/strict";
import { test } from "node:test";
import { columnNames, MOST_ROWS, sheetOf } from "./csv";

test("columns are named by the first line, and those of numbers are known", () => {
  const sheet = sheetOf("force_n,note\r\n0,\r\n50.5,first\r\n-1e3,\r\n");
  assert.deepEqual([sheet?.head, sheet?.rows.length, sheet?.numbers, sheet?.isCut],
    [["force_n", "note"], 3, [true, false], false]);
});

test("quoted fields hold separators, quotes and lines", () => {
  assert.deepEqual(sheetOf('a;b\n"x; y";"say ""no""\nnow"\n')?.rows, [["x; y", 'say "no"\nnow']]);
});

test("a text without columns, or with other ones in a line, is no table", () => {
  assert.equal(sheetOf("words\nand words\n"), null);
  assert.equal(sheetOf("a,b\n1,2,3\n"), null);
  assert.equal(sheetOf(""), null);
});

test("a long table is cut, and one line more is no column", () => {
  const long = sheetOf(`a,b\n${"1,2\n".repeat(MOST_ROWS + 1)}`);
  assert.deepEqual([long?.rows.length, long?.isCut], [MOST_ROWS, true]);
  assert.equal(sheetOf(`a,b\n${"1,2\n".repeat(MOST_ROWS)}`)?.isCut, false);
});

test("the names of columns are read with any separator, in quotation marks and behind empty rows", () => {
  for (const [source, names] of [
    ["a,b\n1,2\n", ["a", "b"]],
    ["a;b\r\n1;2,5\r\n", ["a", "b"]],
    ["a\tb", ["a", "b"]],
    ["sep=;\r\na;b,c\r\n", ["a", "b,c"]],
    ["\"sep=\t\"\na\tb\n", ["a", "b"]],
    ['"a;,";b;"c ""d""\ne"\n1;2;3', ["a;,", "b", 'c "d"\ne']],
    ["\n,,\n Nr , Title \n", ["Nr", "Title"]],
    ["words alone\n", ["words alone"]],
    ["\n , \n", []],
    ["", []],
  ] as const) {
    assert.deepEqual(columnNames(source), names, source);
  }
});

test("a beginning with an open quotation mark ends, however long it is", () => {
  assert.deepEqual(columnNames(`a,"${"b,".repeat(100_000)}`).length, 2);
});
