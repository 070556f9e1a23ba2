// Values that the tab keeps until it is closed or the person signs out.

export function readStored<Value>(key: string): Value | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as Value | null;
  } catch {
    return null;
  }
}

export function store(key: string, value: unknown): void {
  if (value === null) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, JSON.stringify(value));
}

/** A text that a person typed and hasn't sent, kept over a reload and an expired sign-in. */
export interface Draft {
  read: () => string | null;
  keep: (text: string) => void;
  end: () => void;
}

/** The draft of a person for a field. Another person may sign in to the same tab. */
export function draftOf(person: string, field: string): Draft {
  const key = `draft:${person}:${field}`;
  return {
    read: () => sessionStorage.getItem(key),
    keep: (text) => sessionStorage.setItem(key, text),
    end: () => sessionStorage.removeItem(key),
  };
}
