// Forms: labels above, help below, and a refusal beside the field that it is about. Nothing typed is lost by a
// refusal.

import { useSignal, type Signal } from "@preact/signals";
import { createContext, type ComponentChildren, type JSX } from "preact";
import { useContext, useId, useRef } from "preact/hooks";
import { Button } from "./button";
import { isSend } from "./keys";

/** A refusal that names fields. */
interface Refusal extends Error {
  issues: { path: string; message: string }[];
  say: (label: (field: string) => string | undefined) => string;
}

interface Failed {
  field: string | undefined;
  message: string;
}

/** Where a request has its fields: in its body, or in its only operation. */
const PLACE = /^body\.(operations\[0\]\.)?/;

const Failing = createContext<Signal<Failed | null> | null>(null);

/** Why the form around it refuses the field of a name. */
export function useFailure(name: string): string | undefined {
  const failed = useContext(Failing)?.value;
  return failed?.field === name ? failed.message : undefined;
}

/** Why the form refuses a field that has no place of its own for it. */
export function FieldFailure({ name }: { name: string }) {
  const message = useFailure(name);
  return message ? <p class="failure" role="alert">{message}</p> : null;
}

export interface FormProps {
  action: string;
  send: (form: FormData) => Promise<unknown>;
  cancel?: { name: string; run: () => void };
  /** The action can't be undone. */
  danger?: boolean;
  wide?: boolean;
  class?: string;
  children: ComponentChildren;
}

/** A form that is sent by its button, or by Ctrl+Enter. */
export function Form({
  action,
  send,
  cancel,
  danger = false,
  wide = false,
  class: name = "form",
  children,
}: FormProps) {
  const failed = useSignal<Failed | null>(null);
  const sending = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (sending.peek() || !form.current) return;
    [sending.value, failed.value] = [true, null];
    try {
      await send(new FormData(form.current));
    } catch (error) {
      failed.value = failedOf(form.current, error);
      form.current?.querySelector<HTMLElement>(`#field-${CSS.escape(failed.value.field ?? "")}`)?.focus();
    } finally {
      sending.value = false;
    }
  };
  const own = failed.value?.field === undefined ? failed.value?.message : undefined;
  return (
    <form
      ref={form}
      class={name}
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => {
        if (isSend(event)) form.current?.requestSubmit();
      }}
    >
      <Failing.Provider value={failed}>{children}</Failing.Provider>
      <p class="failure" role="alert">
        {own}
      </p>
      <div class="actions">
        {cancel && <Button name={cancel.name} onClick={cancel.run} />}
        <Button
          name={action}
          type="submit"
          kind={`primary${danger ? " destroys" : ""}${wide ? " wide" : ""}`}
          disabled={sending.value}
        />
      </div>
    </form>
  );
}

export interface FieldProps {
  label: string;
  name: string;
  help?: string;
  type?: "text" | "email" | "password" | "number" | "date" | "color" | "search" | "url"
    | "datetime-local";
  value?: string;
  required?: boolean;
  rows?: number;
  min?: number;
  /** Of a number: `any` allows fractions. Of a time: its seconds. */
  step?: "any" | "1";
  autocomplete?: string;
  onInput?: (typed: string) => void;
}

/** A field with its label above. */
export function Field({
  label,
  name,
  help,
  type = "text",
  value,
  required,
  rows,
  min,
  step,
  autocomplete = "off",
  onInput,
}: FieldProps) {
  const message = useFailure(name);
  const id = `field-${name}`;
  const note = useId();
  const shared = {
    id,
    name,
    required,
    autocomplete,
    defaultValue: value,
    "aria-invalid": message ? true : undefined,
    "aria-describedby": help ? `${note}-help` : undefined,
    "aria-errormessage": message ? `${note}-failure` : undefined,
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onInput?.(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows ? (
        <textarea {...shared} rows={rows} dir="auto" />
      ) : (
        <input {...({ ...shared, type, min, step } as JSX.IntrinsicElements["input"])} />
      )}
      {help && (
        <p class="help" id={`${note}-help`}>
          {help}
        </p>
      )}
      {message && (
        <p class="failure" role="alert" id={`${note}-failure`}>
          {message}
        </p>
      )}
    </div>
  );
}

/** The refusal in the words of the form: its fields are named by their labels. */
function failedOf(form: HTMLFormElement, error: unknown): Failed {
  const labelOf = (name: string) =>
    form.querySelector(`label[for="field-${CSS.escape(name)}"]`)?.textContent ?? undefined;
  if (!(error instanceof Error)) return { field: undefined, message: String(error) };
  if (!("issues" in error) || !("say" in error)) return { field: undefined, message: error.message };
  const refusal = error as Refusal;
  const [only, ...others] = refusal.issues.map(({ path }) => path.replace(PLACE, ""));
  return {
    field: others.length === 0 && only && form.elements.namedItem(only) ? only : undefined,
    message: refusal.say(labelOf),
  };
}
