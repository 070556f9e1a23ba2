// The code that runs: that of a Code object of the tree, or new code.

import { LANGUAGES, type Executions, type Language } from "../../../model/work/executions";
import { text } from "../../../text";
import { CodeEditor } from "../../../ui/code-editor";
import { Form } from "../../../ui/form";
import { Select } from "../../../ui/picker";

const ROWS = 16;
/** Objects from which on their menu has a field to find one. */
const MANY = 8;

export function Editor({ executions }: { executions: Executions }) {
  const { objects, object, source, language } = executions;
  const choices = objects.value.map(({ id, name }) => ({ value: id, name }));
  return (
    <Form class="form editor" action={text.executions.run} send={() => executions.run()}>
      <Select key={object.value} label={text.executions.object} name="object" value={object.value}
        choices={[{ value: "", name: text.executions.fresh }, ...choices]}
        {...(choices.length > MANY ? { find: text.executions.find } : {})}
        onChange={(id) => executions.edit(id)} />
      {!object.value && <Naming executions={executions} />}
      <CodeEditor key={`code ${object.value}`} label={text.executions.code} name="code" value={source.value} rows={ROWS}
        language={language.value} help={text.executions.saves} onInput={(typed) => executions.type(typed)} />
      <div class="field">
        <label for="field-input">{text.executions.input}</label>
        <input id="field-input" name="input" class="code-box" autocomplete="off" spellcheck={false}
          value={executions.input.value} onInput={(event) => { executions.input.value = event.currentTarget.value; }} />
      </div>
    </Form>
  );
}

/** The name and the language of new code. */
function Naming({ executions }: { executions: Executions }) {
  const languages = Object.entries(LANGUAGES).map(([value, name]) => ({ value, name }));
  return (
    <div class="form-row">
      <div class="field">
        <label for="field-name">{text.executions.name}</label>
        <input id="field-name" name="name" required autocomplete="off" dir="auto" value={executions.name.value}
          onInput={(event) => { executions.name.value = event.currentTarget.value; }} />
      </div>
      <Select label={text.executions.language} name="language" value={executions.language.value} choices={languages}
        onChange={(value) => executions.speak(value as Language)} />
    </div>
  );
}
