// A person's letters on a hue of their own, which a new name doesn't change.

import { hueOf, lettersOf } from "./initials";

interface AvatarProps {
  name: string;
  /** The person's id; undefined where only a name is known. */
  of: string | undefined;
  decorative?: boolean;
}

export function Avatar({ name, of, decorative = false }: AvatarProps) {
  const label = decorative ? { "aria-hidden": "true" as const } : { role: "img" as const, "aria-label": name };
  return <span class="mark" data-hue={hueOf(of ?? name)} data-letters={lettersOf(name)} title={name} {...label} />;
}
