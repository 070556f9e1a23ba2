// The colours of a view, as the page's style sheet gives them to its canvas.

import { Color } from "three";

export interface ViewColors {
  /** Behind the shape. */
  ground: Color;
  /** Parts without a colour of their own. */
  plain: Color;
  edge: Color;
  /** Selected parts and marks. */
  accent: Color;
  /** Tones of parts, in the order of their numbers. The last one is that of parts in the background. */
  tones: Color[];
}

export function colorsOf(canvas: HTMLCanvasElement): ViewColors {
  const style = getComputedStyle(canvas);
  return { ground: colorOf(style.backgroundColor), plain: colorOf(style.fill), edge: colorOf(style.stroke),
    accent: colorOf(style.caretColor), tones: [style.borderTopColor, style.borderRightColor, style.borderBottomColor,
      style.borderLeftColor, style.fill].map(colorOf) };
}

const NUMBER = "([\\d.e+-]+|none)";
const OKLCH = new RegExp(`^oklch\\(${NUMBER} ${NUMBER} ${NUMBER}`);

/** A computed colour in linear light. Browsers keep `oklch`, which three doesn't know, as it is. */
export function colorOf(computed: string): Color {
  const [, lightness, chroma, hue] = OKLCH.exec(computed) ?? [];
  if (lightness === undefined) return new Color(computed);
  const [l, c, h] = [lightness, chroma, hue].map((value) => Number(value) || 0) as [number, number, number];
  const [a, b] = [c * Math.cos(h * Math.PI / 180), c * Math.sin(h * Math.PI / 180)];
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const within = (value: number) => Math.min(1, Math.max(0, value));
  return new Color(within(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short),
    within(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short),
    within(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short));
}
