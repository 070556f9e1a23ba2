// Messages in a corner. Screen readers read them out; reasons stay longer.

import { useEffect, useRef } from "preact/hooks";
import { Button } from "./button";

const LIFETIME_MS = 8000;
const BAD_LIFETIME_MS = 20_000;

export interface ToastMessage {
  id: number;
  message: string;
  bad?: boolean | undefined;
  /** An action that the person may take, once. */
  act?: { name: string; run: () => unknown } | undefined;
  /** Its own time to stand. */
  lifetimeMs?: number | undefined;
}

interface ToastsProps {
  messages: readonly ToastMessage[];
  closeName: string;
  close: (id: number) => void;
}

export function Toasts({ messages, closeName, close }: ToastsProps) {
  const list = (bad: boolean) =>
    messages
      .filter((one) => Boolean(one.bad) === bad)
      .map((one) => <Toast key={one.id} {...one} closeName={closeName} close={close} />);
  return (
    <div class="toasts">
      <div role="status">{list(false)}</div>
      <div role="alert">{list(true)}</div>
    </div>
  );
}

function Toast({ id, message, bad, act, lifetimeMs, closeName, close }: ToastMessage & Omit<ToastsProps, "messages">) {
  const timer = useRef(0);
  const begin = () => {
    timer.current = window.setTimeout(close, lifetimeMs ?? (bad ? BAD_LIFETIME_MS : LIFETIME_MS), id);
  };
  const hold = () => clearTimeout(timer.current);
  useEffect(() => {
    begin();
    return hold;
  }, []);
  return (
    // Nobody who reads or reaches for it loses it.
    <div class={bad ? "toast bad" : "toast"} onPointerEnter={hold} onPointerLeave={begin}>
      <p>{message}</p>
      {act && (
        <Button
          name={act.name}
          kind="small"
          onClick={() => {
            close(id);
            void act.run();
          }}
        />
      )}
      <Button name={closeName} icon="close" kind="plain small" quiet onClick={() => close(id)} />
    </div>
  );
}
