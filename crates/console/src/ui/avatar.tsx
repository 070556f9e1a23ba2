// A person's picture, or their letters on a hue of their own, which a new name doesn't change.

import type { ReadonlySignal } from "@preact/signals";
import { hueOf, lettersOf } from "./initials";

interface AvatarProps {
  name: string;
  /** The person's id; undefined where only a name is known. */
  of: string | undefined;
  decorative?: boolean;
}

/** Finds the address of a person's picture; empty without one. */
type FindPicture = (person: string) => ReadonlySignal<string>;

let find: FindPicture | null = null;

/** Shows the pictures that the application finds. */
export function showPictures(by: FindPicture): void {
  find = by;
}

export function Avatar({ name, of, decorative = false }: AvatarProps) {
  const picture = of && find ? find(of).value : "";
  const letters = picture ? "" : lettersOf(name);
  const label = decorative ? { "aria-hidden": "true" as const } : { role: "img" as const, "aria-label": name };
  return (
    <span class="mark" data-hue={hueOf(of ?? name)} data-letters={letters} title={name} {...label}>
      {picture && <img src={picture} alt="" />}
    </span>
  );
}
