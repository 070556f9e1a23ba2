// Icons of icons.svg. They are hidden from screen readers: their control has a name.

const file = globalThis.document?.documentElement.dataset.icons ?? "";

export function Icon({ name }: { name: string }) {
  return (
    <svg class="icon" aria-hidden="true" width="16" height="16"><use href={`${file}#${name}`} /></svg>
  );
}

/** A dot of a colour. */
export function Dot({ color }: { color: string }) {
  return <span class="dot" aria-hidden="true" style={{ "--dot": color }} />;
}
