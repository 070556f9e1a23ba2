// The fields of a changed object, before and after: short ones in a table, texts by lines, files by their content.

import type { Field } from "../../../api/content/versions";
import type { Comparison, Entry } from "../../../model/content/compared-entry";
import { fieldName, isLong, readableFields, writtenField } from "../../../model/content/fields";
import { text } from "../../../text";
import { languageOf } from "../../../ui/code-languages";
import { Code, Lines } from "../code";
import { FileChange } from "./file-change";

const HEADED = new Set(["/name", "/type", "/parent", "/kind"]);

interface FieldsProps {
  fields: readonly Field[];
  comparison: Comparison;
  entry: Entry;
}

export function Fields({ fields, comparison, entry }: FieldsProps) {
  // What was added or deleted has its name, type and place above.
  const isSaid = ({ field }: Field) => entry.change !== "modified" && HEADED.has(field);
  const plain = readableFields(fields, entry.displacement?.unit)
    .filter((one) => !isLong(one) && one.field !== "/file" && !isSaid(one));
  // The file of code is its text, which is shown itself.
  const file = fields.some(({ field }) => field === "/data/text") ? undefined
    : fields.find(({ field }) => field === "/file");
  if (plain.length === 0 && !file && !fields.some(isLong)) return <p class="soft">{text.files.noProperties}</p>;
  return (
    <div>
      {plain.length > 0 && <FieldTable fields={plain} comparison={comparison} entry={entry} />}
      {fields.filter(isLong).map((field) => (
        <LongField key={field.field} field={field} entry={entry} language={languageIn(fields, entry)} />
      ))}
      {file && <FileChange field={file} comparison={comparison} entry={entry} />}
    </div>
  );
}

function languageIn(fields: readonly Field[], { name }: Entry): string {
  const field = fields.find((one) => one.field === "/data/language");
  return languageOf(String(field?.head ?? field?.base ?? "")) || languageOf(name.split(".").at(-1) ?? "");
}

function FieldTable({ fields, comparison, entry }: FieldsProps) {
  const written = ({ field }: Field, side: unknown) =>
    (field === "/parent" ? comparison.nameOf(String(side)) ?? text.versions.elsewhere : writtenField(side));
  return (
    <div class="fields" role="table" aria-label={entry.name}>
      <div class="field-row head" role="row">
        {[text.versions.field, text.versions.before, text.versions.after]
          .map((name) => <span key={name} role="columnheader">{name}</span>)}
      </div>
      {fields.map((one) => (
        <div key={one.field} class="field-row" role="row">
          <span role="rowheader" dir="auto">{fieldName(one.field)}</span>
          <span role="cell">{one.base === undefined ? <None /> : <del dir="auto">{written(one, one.base)}</del>}</span>
          <span role="cell">{one.head === undefined ? <None /> : <ins dir="auto">{written(one, one.head)}</ins>}</span>
        </div>
      ))}
    </div>
  );
}

const None = () => <span class="soft">–</span>;

function LongField({ field, entry, language }: { field: Field; entry: Entry; language: string }) {
  const { base, head } = field;
  const label = `${entry.name}: ${fieldName(field.field)}`;
  return (
    <div class="long">
      <h3 dir="auto">{fieldName(field.field)}</h3>
      {typeof base === "string" && typeof head === "string" ? <Lines before={base} after={head} name={label} />
        : <Code content={writtenField(head ?? base)} language={language} label={label} />}
    </div>
  );
}
