// Round numbers for the axes of charts.

/** Round whole steps from 0 up to a value, at most five. */
export function steps(most: number): number[] {
  const raw = Math.max(1, most) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, ([1, 2, 5, 10].find((one) => one * power >= raw) ?? 10) * power);
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, at) => at * step);
}

/** Nothing, half and all of the next round number, of any size. */
export function halves(most: number): number[] {
  if (most <= 0) return [0, 0.5, 1];
  const power = 10 ** Math.floor(Math.log10(most));
  const top = ([1, 2, 5, 10].find((one) => one * power >= most) ?? 10) * power;
  // Without the dust of binary fractions.
  return [0, top / 2, top].map((value) => Number(value.toPrecision(12)));
}

/** A name, cut to `most` letters. */
export function shortened(name: string, most: number): string {
  const letters = [...name];
  return letters.length > most ? `${letters.slice(0, Math.max(1, most - 1)).join("")}…` : name;
}
