// A conversation with an agent: messages in their order, notes between them, tool calls with their states, and the
// message that the model is writing.

import { batch, computed, signal, type Signal } from "@preact/signals";
import type { Message } from "../../api/work/sessions";
import { answered, toolCall, type ToolCall } from "./tool-call";

/** A change of the project, a stop or a failure, between messages. */
export interface Note {
  kind: "note";
  key: string;
  at: number;
  look: "plain" | "failure" | "added" | "changed" | "deleted";
  text: string;
  /** The object that it is about. */
  object?: string | undefined;
}

export interface Said {
  kind: "message";
  key: string;
  at: number;
  message: Message;
}

export type Entry = Said | Note;

export class Conversation {
  readonly entries = signal<readonly Entry[]>([]);
  /** The written part of the message under way; null between messages. */
  readonly writing = signal<string | null>(null);
  /** A message that the service doesn't have yet. */
  readonly pending = signal<string | null>(null);
  readonly isEmpty = computed(
    () => this.entries.value.length === 0 && this.writing.value === null && this.pending.value === null,
  );
  readonly #calls = new Map<string, Signal<ToolCall>>();
  readonly #begun = new Map<string, number>();
  #newest = 0;

  /** A tool call of a message. */
  call(id: string): Signal<ToolCall> | undefined {
    return this.#calls.get(id);
  }

  /** Adds a message. Streams begin with messages that were read already. */
  message(message: Message): void {
    if (this.entries.peek().some(({ key }) => key === message.id)) return;
    batch(() => this.#take(message));
  }

  #take(message: Message): void {
    const at = Date.parse(message.createdAt);
    this.#newest = Math.max(this.#newest, at);
    for (const part of message.parts) {
      if (part.type === "tool_call") this.#calls.set(part.callId, toolCall(part.callId, part.name, part.params));
      if (part.type === "tool_result") this.#set(part.callId, (call) => answered(call, part.text, part.isError));
    }
    const isOwn = message.role === "user";
    if (isOwn && message.parts.some((part) => part.type === "text" && part.text === this.pending.peek())) this.settle();
    if (message.role === "assistant") this.writing.value = null;
    // Results are shown with their calls.
    this.#put({ kind: "message", key: message.id, at, message });
  }

  /** Adds words of the model. */
  write(words: string, at: number): void {
    // A stream begins with words whose message was read already.
    if (at >= this.#newest) this.writing.value = (this.writing.peek() ?? "") + words;
  }

  /** Ends the message under way; what was written of it is in a message, if it was kept. */
  end(): void {
    this.writing.value = null;
    for (const id of this.#calls.keys()) {
      this.#set(id, (call) => (call.state === "running" ? { ...call, state: "failed" } : call));
    }
  }

  started(id: string, at: number): void {
    this.#begun.set(id, at);
    this.#set(id, (call) => (call.state === "waiting" ? { ...call, state: "running" } : call));
  }

  finished(id: string, at: number, isError: boolean): void {
    const begun = this.#begun.get(id);
    const seconds = begun === undefined ? null : (at - begun) / 1000;
    this.#set(id, (call) => ({ ...call, seconds, state: isError ? "failed" : "done" }));
  }

  /** A call waits for a person's answer. */
  wait(id: string): void {
    this.#set(id, (call) => ({ ...call, state: "waiting" }));
  }

  note(note: Omit<Note, "kind">): void {
    if (!this.entries.peek().some(({ key }) => key === note.key)) this.#put({ kind: "note", ...note });
  }

  /** Shows a message before the service has it. */
  expect(words: string): void {
    this.pending.value = words;
  }

  settle(): void {
    this.pending.value = null;
  }

  #set(id: string, change: (call: ToolCall) => ToolCall): void {
    const call = this.#calls.get(id);
    if (call) call.value = change(call.peek());
  }

  #put(entry: Entry): void {
    const entries = this.entries.peek();
    const after = entries.findLastIndex(({ at }) => at <= entry.at);
    this.entries.value = entries.toSpliced(after + 1, 0, entry);
  }
}
