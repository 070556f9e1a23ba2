// A button that can't be pressed again until what it began has ended.

import { useSignal } from "@preact/signals";
import { Button, type ButtonProps } from "./button";

interface BusyButtonProps extends Omit<ButtonProps, "onClick"> {
  run: () => Promise<unknown>;
}

export function BusyButton({ run, disabled, ...button }: BusyButtonProps) {
  const isBusy = useSignal(false);
  const press = async () => {
    isBusy.value = true;
    try {
      await run();
    } finally {
      isBusy.value = false;
    }
  };
  return <Button {...button} disabled={disabled || isBusy.value} onClick={press} />;
}
