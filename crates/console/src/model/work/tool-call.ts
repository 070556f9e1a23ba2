// A call of a tool by an agent: its state, what it is about, and what its answer names.

import { signal, type Signal } from "@preact/signals";
import { parsed } from "../content/json";

export type CallState = "running" | "waiting" | "done" | "failed";

/** A card or an object that an answer is about. */
export interface Made {
  kind: "card" | "object";
  id: string;
  name: string;
  /** The team on whose board the card is. */
  team?: string | undefined;
}

export interface ToolCall {
  id: string;
  name: string;
  params: Readonly<Record<string, unknown>>;
  state: CallState;
  /** Its subject, in few words. */
  subject: string;
  answer: string | null;
  made: Made | null;
  seconds: number | null;
}

/** Arguments that say best what a call is about. */
const SUBJECTS = ["name", "title", "q", "path", "message", "body", "objectId", "cardId", "url"];
const SUBJECT_CHARACTERS = 80;

export function toolCall(id: string, name: string, params: ToolCall["params"]): Signal<ToolCall> {
  const key = SUBJECTS.find((one) => typeof params[one] === "string" && params[one] !== "");
  const subject = key ? cut(String(params[key])) : "";
  return signal({ id, name, params, state: "running", subject, answer: null, made: null, seconds: null });
}

/** A call with its answer. */
export function answered(call: ToolCall, answer: string, isError: boolean): ToolCall {
  const made = isError ? null : madeIn(answer);
  const subject = call.subject || (made ? cut(made.name) : "");
  return { ...call, answer, made, subject, state: isError ? "failed" : "done" };
}

/** A tool's name as people read it; it is `{toolbox}__{tool}`. */
export function toolName(name: string): string {
  const words = (name.split("__").at(-1) ?? name).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The card or object that an answer is about. */
function madeIn(answer: string): Made | null {
  const value = fieldsOf(parsed(answer));
  for (const kind of ["card", "object"] as const) {
    const { id, name } = fieldsOf(value[kind]);
    if (typeof id !== "string") continue;
    const placements = fieldsOf(value.indexCard).team_placements;
    const team = Array.isArray(placements) ? fieldsOf(placements[0]).team_id : undefined;
    return { kind, id, name: cut(typeof name === "string" ? name : ""), team: team as string | undefined };
  }
  return null;
}

const fieldsOf = (value: unknown) =>
  (value !== null && typeof value === "object" ? value : {}) as Readonly<Record<string, unknown>>;

function cut(words: string): string {
  const characters = [...words.slice(0, SUBJECT_CHARACTERS * 4)];
  const isLong = characters.length > SUBJECT_CHARACTERS;
  return isLong ? `${characters.slice(0, SUBJECT_CHARACTERS).join("")}…` : characters.join("");
}
