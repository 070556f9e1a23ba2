// A person's two letters on a hue of their own.

const HUES = 12;

export function Avatar({ name, decorative = false }: { name: string; decorative?: boolean }) {
  const letters = name.split(/\s+/).map((word) => [...word][0] ?? "").slice(0, 2).join("").toUpperCase();
  let hue = 0;
  for (const letter of name) hue = (hue * 31 + (letter.codePointAt(0) ?? 0)) % HUES;
  const label = decorative ? { "aria-hidden": "true" as const } : { role: "img" as const, "aria-label": name };
  return <span class="mark" data-hue={hue} data-letters={letters || "?"} title={name} {...label} />;
}
