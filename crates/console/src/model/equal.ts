// Values that came twice: what is equal keeps its identity, so that nothing is drawn again for it.

/** True if two values of JSON are equal. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  if (names.length !== others.length) return false;
  const [before, after] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return names.every((name) => name in after && isEqual(before[name], after[name]));
}

/** `now`, or `before` where it is equal. */
export function keepEqual<Value>(before: Value | undefined, now: Value): Value {
  return before !== undefined && isEqual(before, now) ? before : now;
}
