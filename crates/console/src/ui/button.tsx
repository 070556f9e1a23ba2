// Buttons with an icon, a name, or both.

import type { ComponentChild, JSX, Ref, TargetedMouseEvent } from "preact";
import { Icon } from "./icon";

export interface ButtonProps {
  name: string;
  icon?: string | undefined;
  /** Stands before the name, where that is no icon of the set. */
  lead?: ComponentChild;
  /** Classes of the look: primary, plain, small, wide, destroys. */
  kind?: string;
  /** Shows the icon alone; the name is on hover and for screen readers. */
  quiet?: boolean;
  type?: "button" | "submit";
  disabled?: boolean;
  hidden?: boolean;
  /** Of a button that switches something on and off. */
  pressed?: boolean;
  /** Its key among the actions of the page; it is shown on hover. */
  shortcut?: string;
  popup?: "menu" | "dialog";
  expanded?: boolean;
  label?: string;
  /** The id of its help. */
  describedBy?: string | undefined;
  controlRef?: Ref<HTMLButtonElement>;
  onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => unknown;
  children?: JSX.Element | null;
}

export function Button({
  name,
  icon,
  lead,
  kind = "",
  quiet = false,
  type = "button",
  disabled,
  hidden,
  pressed,
  shortcut,
  popup,
  expanded,
  label,
  describedBy,
  controlRef,
  onClick,
  children,
}: ButtonProps) {
  return (
    <button
      ref={controlRef ?? null}
      type={type}
      class={`button ${kind}`}
      disabled={disabled}
      hidden={hidden}
      aria-label={label ?? (quiet ? name : undefined)}
      aria-describedby={describedBy}
      title={quiet ? name + (shortcut ? ` (${shortcut.toUpperCase()})` : "") : undefined}
      aria-pressed={pressed}
      aria-keyshortcuts={shortcut}
      aria-haspopup={popup}
      aria-expanded={expanded}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      {lead}
      {!quiet && <span>{name}</span>}
      {children}
    </button>
  );
}
