// Measures of a shape or of a part of it as rows that people read, in units that suit their size.

import type { ShapeMeasures } from "../../api/content/previews";
import { text } from "../../text";
import { numberOf, symbolOf, type PropertyRow } from "./properties";

/** Metres in units of length. */
const METRES: Record<string, number> = { "µm": 1e-6, mm: 1e-3, cm: 1e-2, m: 1, km: 1e3 };
/** Units in metres, and the least area and volume for which they are taken, in square and cubic metres. */
const CHOSEN = [
  { name: "m", metres: 1, area: 1, volume: 1 },
  { name: "cm", metres: 1e-2, area: 1e-3, volume: 1e-6 },
  { name: "mm", metres: 1e-3, area: 0, volume: 0 },
];
const POWERS = { area: "²", volume: "³" };

/** An area or a volume of this value in the power of a unit, with a unit that suits it. */
export function sized(value: number, unit: string, kind: "area" | "volume"): string {
  const power = kind === "area" ? 2 : 3;
  const metres = METRES[unit];
  const inMetres = value * (metres ?? NaN) ** power;
  const chosen = CHOSEN.find((one) => inMetres >= one[kind]);
  // Inches stay inches, and a file without a unit has numbers alone.
  if (!chosen) return unit === "" ? numberOf(value) : `${numberOf(value)} ${unit}${POWERS[kind]}`;
  return `${numberOf(inMetres / chosen.metres ** power)} ${chosen.name}${POWERS[kind]}`;
}

/** The lengths of a box; undefined without one. */
export function lengthsOf({ box }: ShapeMeasures): string | undefined {
  const edges = [0, 1, 2].map((axis) => (box?.max[axis] ?? NaN) - (box?.min[axis] ?? NaN));
  return edges.every((edge) => Number.isFinite(edge) && edge >= 0) ? edges.map(numberOf).join(" × ") : undefined;
}

/** The measures that are known as rows. */
export function measureRows(measures: ShapeMeasures, unit: string): PropertyRow[] {
  const { area, volume, centre } = measures;
  const symbol = symbolOf(unit);
  const lengths = lengthsOf(measures);
  const place = centre?.map((value, axis) => `${AXES[axis] ?? ""} ${numberOf(value)}`).join(" · ");
  return [
    ...(lengths === undefined ? [] : [{ name: text.measures.size, value: `${lengths} ${symbol}`.trim() }]),
    ...(area === undefined ? [] : [{ name: text.measures.area, value: sized(area, symbol, "area") }]),
    ...(volume === undefined ? [] : [{ name: text.measures.volume, value: sized(volume, symbol, "volume") }]),
    ...(place === undefined ? [] : [{ name: text.measures.centre, value: `${place} ${symbol}`.trim() }]),
  ];
}

const AXES = ["X", "Y", "Z"];
