// The columns of a table with the meaning of each, to be chosen in place.

import { useId } from "preact/hooks";
import { MEANINGS, type Meaning } from "../../../model/planning/import-columns";
import type { CardImports } from "../../../model/planning/card-imports";
import { text } from "../../../text";
import { useFailure } from "../../../ui/form";
import { InlineSelect } from "../../../ui/inline-select";

const CHOICES = MEANINGS.map((value) => ({ value, name: text.imports.meanings[value] }));

export function ColumnMeanings({ imports }: { imports: CardImports }) {
  const message = useFailure("columns");
  const id = useId();
  const columns = [...imports.columns.value];
  const own = imports.fields.value.map((field) => ({ value: `field-${field.id}`, name: field.name }));
  const choices = [...CHOICES, ...own];
  return (
    <fieldset class="import-columns" id="field-columns" name="columns" tabIndex={-1} aria-describedby={id}>
      <legend>{text.imports.columns}</legend>
      <p class="help" id={id}>{columns.length > 0 ? text.imports.columnsHelp : text.imports.noColumns}</p>
      {message && <p class="failure" role="alert">{message}</p>}
      <ul aria-label={text.imports.columns} hidden={columns.length === 0}>
        {columns.map(([name, meaning]) => (
          <li key={name}>
            <span dir="auto">{name}</span>
            <InlineSelect label={text.imports.meaningOf(name)} value={meaning} choices={choices}
              onChange={(now) => imports.mean(name, now as Meaning)} />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
