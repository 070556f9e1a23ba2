// The differences of an object, in the words of people.

import type { Displacement } from "../../api/content/versions";
import { text } from "../../text";
import type { Entry } from "./compared-entry";
import { numberOf, symbolOf } from "./properties";

/** The aspects of a change in words, with the way of what moved. Empty for what was added or deleted. */
export function aspectWords({ aspects = [], displacement }: Pick<Entry, "aspects" | "displacement">): string {
  return aspects.map((aspect) => (aspect === "moved" && displacement ? wayOf(displacement)
    : text.versions.aspects[aspect])).join(", ");
}

function wayOf({ distance, unit = "", turnDegrees }: Displacement): string {
  const parts = [
    ...(distance > 0 ? [text.versions.movedBy(`${numberOf(distance)} ${symbolOf(unit)}`.trim())] : []),
    ...(turnDegrees ? [text.versions.turnedBy(`${numberOf(turnDegrees)}°`)] : []),
  ];
  return parts.length > 0 ? parts.join(text.versions.andTurned) : text.versions.aspects.moved;
}
