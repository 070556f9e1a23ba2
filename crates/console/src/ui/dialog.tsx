// Dialogs on the platform's own element: focus, Escape and the background are the browser's work.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Form } from "./form";
import { MenuHost } from "./menu";

interface OpenDialog {
  id: number;
  content: (close: () => void) => ComponentChildren;
  label?: string | undefined;
  kind?: string | undefined;
  /** Called once it is closed in any way. */
  closed?: (() => void) | undefined;
}

const dialogs = signal<OpenDialog[]>([]);
let last = 0;

/** Opens a dialog. `kind` is its class. */
export function openDialog(
  content: OpenDialog["content"],
  { label, kind, closed }: { label?: string; kind?: string; closed?: (() => void) | undefined } = {},
): void {
  last += 1;
  dialogs.value = [...dialogs.value, { id: last, content, label, kind, closed }];
}

export const hasDialog = () => dialogs.value.length > 0;

interface Question {
  title: string;
  action: string;
  cancel: string;
  danger?: boolean;
  fields: ComponentChildren;
  /** The dialog closes once it has succeeded. */
  send: (form: FormData) => Promise<unknown>;
  /** Called once it is closed in any way. */
  closed?: () => void;
}

/** Asks by a form. */
export function ask({ title, action, cancel, danger = false, fields, send, closed }: Question): void {
  openDialog(
    (close) => (
      <>
        <h2>{title}</h2>
        <Form
          action={action}
          danger={danger}
          cancel={{ name: cancel, run: close }}
          send={async (form) => {
            await send(form);
            close();
          }}
        >
          {fields}
        </Form>
      </>
    ),
    { label: title, closed },
  );
}

/** Shows the open dialogs. */
export function DialogHost() {
  return (
    <>
      {dialogs.value.map((dialog) => (
        <Dialog key={dialog.id} {...dialog} />
      ))}
    </>
  );
}

function Dialog({ id, content, label, kind, closed }: OpenDialog) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => element.current?.showModal(), []);
  const close = () => element.current?.close();
  return (
    <dialog
      ref={element}
      id={heading}
      class={kind}
      aria-label={label}
      onClick={(event) => {
        if (event.target === element.current && kind === "palette") close();
      }}
      onClose={() => {
        dialogs.value = dialogs.value.filter((one) => one.id !== id);
        closed?.();
      }}
    >
      {content(close)}
      <MenuHost inDialog />
    </dialog>
  );
}
