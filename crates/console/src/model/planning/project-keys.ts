// Keys of the caller's projects, which tell a key of a card from other words of its form: ISO-4762, UTF-8.

import { signal } from "@preact/signals";
import { readProjects } from "../../api/places";
import { token } from "../../api/session";
import { cardHref } from "./card-name";
import { projectPart } from "./mentions";

/** A project with what its cards' keys begin with. */
export interface KeyedProject {
  id: string;
  key: string | null;
  ownerId?: string;
}

/** Projects that are known, those that were changed last. */
const MOST = 100;
/** A reading counts for this time. */
const FRESH_MS = 60_000;

/** The projects of the caller, once a text needs them. */
export const keyedProjects = signal<readonly KeyedProject[]>([]);
let reading: { token: string | undefined; at: number } | null = null;

/** Reads the keys of the caller's projects, at most once a minute. Without them their keys are plain text. */
export async function readProjectKeys(): Promise<void> {
  const own = { token: token(), at: Date.now() };
  if (reading?.token === own.token && own.at - (reading?.at ?? 0) < FRESH_MS) return;
  if (reading?.token !== own.token) keyedProjects.value = [];
  reading = own;
  try {
    const { projects } = await readProjects({ limit: MOST });
    if (reading === own) keyedProjects.value = projects;
  } catch {
    if (reading === own) reading = null;
  }
}

/** The address of the card of a key in a text of a project; undefined where no known project has the key. */
export function hrefOfKey(said: string, own: KeyedProject, known: readonly KeyedProject[]): string | undefined {
  const key = said.toUpperCase();
  const part = projectPart(key);
  if (own.key === part) return cardHref(own.id, { id: key });
  const named = known.filter((one) => one.key === part);
  // Keys are unique within an owner.
  const ownerId = own.ownerId ?? known.find(({ id }) => id === own.id)?.ownerId;
  const project = named.find(({ id }) => id === own.id) ?? named.find((one) => one.ownerId === ownerId) ?? named[0];
  return project && cardHref(project.id, { id: key });
}
