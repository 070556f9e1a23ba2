// The properties of an object as rows with their units. All of its data as JSON is folded.

import type { ProjectObject } from "../../../api/content/objects";
import { fieldsOfObject, withoutValues } from "../../../model/content/object-fields";
import { placementRows } from "../../../model/content/placement";
import { prettyJson, propertyRows } from "../../../model/content/properties";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Code } from "../../parts/code";
import { askProperties } from "./edit-properties";
import { OwnFields, useObjectFields } from "./object-fields";
import type { FilesView } from "./view";

export function Properties({ object, view }: { object: ProjectObject; view: FilesView }) {
  const all = useObjectFields(view);
  const others = withoutValues(object.data, fieldsOfObject(all.fields, object.type, object.data));
  const rows = [...propertyRows(others, text.properties.truth), ...placementRows(object.data)];
  // The text of code is shown above.
  const { text: _, ...data } = object.data;
  return <>
    <OwnFields object={object} all={all} view={view} />
    <section class="properties" aria-labelledby="properties">
      <div class="heading">
        <h3 id="properties">{text.files.data}</h3>
        <Button name={text.files.edit} icon="pencil" kind="plain" onClick={() => askProperties(view, object)} />
      </div>
      {rows.length === 0 ? <p class="soft">{text.files.noProperties}</p> : (
        <dl class="facts">
          {rows.map(({ name, value }) => <Row key={name} name={name} value={value} />)}
        </dl>
      )}
      {Object.keys(data).length > 0 && (
        <details class="raw">
          <summary>{text.files.json}</summary>
          <Code content={prettyJson(data)} language="json" label={text.files.json} />
        </details>
      )}
    </section>
  </>;
}

const Row = ({ name, value }: { name: string; value: string }) => (
  <><dt dir="auto">{name}</dt><dd dir="auto">{value}</dd></>
);
