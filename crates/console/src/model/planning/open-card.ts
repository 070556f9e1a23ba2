// A card that is open in a panel or on its page: its fields, its relations, and the actions on them.

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import type { BoardCard } from "../../api/planning/boards";
import { cardApi, type CardApi, type CardPath, type CardRead } from "../../api/planning/cards";
import { cardOf, fieldsOf, type StreamEvent } from "../../api/events";
import { text } from "../../text";
import { picturedOf, type Pictured } from "../content/shape-kinds";
import { projectAround, summaryOf, teamsAround, type Around, type CardContext } from "./card-around";
import { bodyOf, CardEdits, fieldsBefore, isOwn, nameOfChange, withFields, type CardFields, type CardHolder,
  type CardSummary, type OwnFields } from "./card-edits";
import { findCard } from "./columns";
import { keepEqual } from "../equal";
import { tell, tellFailure } from "../messages";
import { record } from "../undo";

/** Events that come together make one reading. */
const TOGETHER_MS = 60;
/** Names that are read at once. */
const MOST_NAMES = 50;

export class OpenCard implements CardHolder {
  readonly path: CardPath;
  readonly context: CardContext;
  readonly now: ReadonlySignal<CardRead>;
  readonly around: ReadonlySignal<Around>;
  readonly objectNames = signal<ReadonlyMap<string, string>>(new Map());
  /** Keys or names of cards that the history names. */
  readonly cardNames = signal<ReadonlyMap<string, string>>(new Map());
  /** Linked objects that have a picture. */
  readonly pictured = signal<ReadonlyMap<string, Pictured>>(new Map());
  /** How many times the card was read again: what belongs to it may have changed with its head the same. */
  readonly readings = signal(0);
  readonly summary = computed(() => summaryOf(this.now.value, this.#around.value, this.#known));
  readonly edits: CardEdits;
  readonly #api: CardApi;
  readonly #now;
  readonly #around;
  /** Heads that own changes of a field have made of others: they are no conflict. */
  readonly #own = new Map<string, string>();
  /** Names of people and tags that were given with the card. */
  readonly #known = new Map<string, string>();
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #begun = 0;
  #timer: unknown = 0;

  constructor(read: CardRead, around: Around, context: CardContext, api: CardApi = cardApi) {
    this.path = { projectId: read.card.project_id, cardId: read.card.id };
    this.context = context;
    this.#api = api;
    this.#now = signal(read);
    this.now = this.#now;
    this.#around = signal(around);
    this.around = this.#around;
    this.edits = new CardEdits(this, api);
    for (const one of context.board?.card(read.card.id)?.assignees ?? []) this.#known.set(one.id, one.display_name);
    void this.#nameObjects();
  }

  static async open(path: CardPath, context: CardContext, api: CardApi = cardApi): Promise<OpenCard> {
    const [read, shared] = await Promise.all([api.read(path), projectAround(path.projectId, api)]);
    return new OpenCard(read, { ...shared, ...await teamsAround(read, context, api) }, context, api);
  }

  get head(): string {
    return this.#now.peek().historyHeadId;
  }

  /** True for an event about the card, or about one of which it shows something. */
  isAbout(event: StreamEvent): boolean {
    const { card, relations, children } = this.#now.peek();
    const about = cardOf(event);
    const isNear = about === card.id || about === card.parent_id || relations.some((one) => one.card.id === about);
    // A child is known by its parent alone, which the event doesn't name.
    const isOfCard = about !== undefined && (children.total > 0 || event.type === "card.created");
    return isNear || isOfCard || fieldsOf(event).some((field) => field === "parent_id" || field === "parent");
  }

  /** Reads the card again, once for many causes of a moment. */
  later(): void {
    clearTimeout(this.#timer as number);
    this.#timer = setTimeout(() => void this.refresh().catch(() => {}), TOGETHER_MS);
  }

  card(id: string): CardSummary | undefined {
    return id === this.path.cardId ? this.summary.peek() : undefined;
  }

  update(id: string, changes: Partial<CardSummary>): void {
    const { assignees, tags, ...fields } = changes;
    for (const one of assignees ?? []) this.#known.set(one.id, one.display_name);
    batch(() => {
      const now = this.#now.peek();
      this.#now.value = {
        ...now,
        card: { ...now.card, ...fields },
        indexCard: { ...now.indexCard, ...(assignees ? { user_ids: assignees.map((one) => one.id) } : {}),
          ...(tags ? { tag_ids: tags.map((one) => one.id) } : {}) },
      };
      this.context.board?.update(id, changes);
    });
  }

  /** Shows other parts of what was read. */
  show(parts: Partial<CardRead>): void {
    this.#now.value = { ...this.#now.peek(), ...parts };
  }

  /** Shows another count of the checklist, on the board as well. */
  showChecklist(checklist: BoardCard["checklist"]): void {
    this.show({ indexCard: { ...this.#now.peek().indexCard, checklist } });
    this.context.board?.update(this.path.cardId, { checklist });
  }

  /** Shows another sprint of the card in a team. */
  showSprint(team: string, sprint: string | null): void {
    const now = this.#now.peek();
    const statuses = now.indexCard.team_statuses.map((one) =>
      (one.team_id === team ? { ...one, sprint_id: sprint } : one));
    this.#now.value = { ...now, indexCard: { ...now.indexCard, team_statuses: statuses } };
    if (this.context.board?.path.teamId === team) this.context.board.update(this.path.cardId, { sprint_id: sprint });
  }

  /** Sends a change after those before it. A reading that began before it is older. */
  send<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    const board = this.context.board;
    this.#waiting += 1;
    this.#begun += 1;
    const sent = (board ? board.send(send) : this.#queue.then(send)).finally(() => {
      this.#waiting -= 1;
      if (this.#waiting === 0) void this.refresh().catch(() => {});
    });
    if (!board) this.#queue = sent.catch(() => {});
    return sent;
  }

  /** Reads the card again, unless it is being changed. */
  async refresh(): Promise<void> {
    if (this.#waiting > 0) return;
    const begun = this.#begun;
    const read = await this.#api.read(this.path);
    if (this.#waiting > 0 || begun !== this.#begun) return;
    batch(() => {
      this.#now.value = keepEqual(this.#now.peek(), read);
      this.readings.value += 1;
    });
    void this.#nameObjects();
  }

  /** Reads again what the card's ids refer to. What can't be read stays as it was. */
  async refreshAround(): Promise<void> {
    const before = this.#around.peek();
    const [shared, teams] = await Promise.all([projectAround(this.path.projectId, this.#api, before),
      teamsAround(this.#now.peek(), this.context, this.#api)]);
    const sprints = new Map([...before.sprints, ...[...teams.sprints].filter(([, known]) => known.length > 0)]);
    this.#around.value = { ...shared, sprints, columns: new Map([...before.columns, ...teams.columns]) };
  }

  /**
   * Changes a field. `head` is that of the text that the person saw when they began: events go on while they type.
   * A refusal is thrown, for it is shown at the field.
   */
  async change(fields: CardFields | OwnFields, head: string = this.head): Promise<void> {
    const before = fieldsBefore(this.#now.peek().card, fields);
    const undo = () => {
      this.#show(before);
      return this.send(() => this.#api.change(this.path, bodyOf(before)));
    };
    const forget = record({ name: this.#now.peek().card.name, undo });
    this.#show(fields);
    try {
      await this.send(() => this.#change(fields, nameOfChange(fields), head));
    } catch (error) {
      forget();
      this.#show(before);
      throw error;
    }
  }

  /** Links an object, or ends the link. */
  async link(object: { id: string; name: string }, is: boolean): Promise<void> {
    const show = (has: boolean) => {
      const [now, others] = [this.#now.peek(), this.#now.peek().objectIds.filter((id) => id !== object.id)];
      this.#now.value = { ...now, objectIds: has ? [...others, object.id] : others };
    };
    this.objectNames.value = new Map([...this.objectNames.peek(), [object.id, object.name]]);
    show(is);
    try {
      await this.send(() => this.#api.relate(this.path, "objects", object.id, is));
      record({ name: this.#now.peek().card.name, undo: () => this.link(object, !is) });
    } catch (error) {
      show(!is);
      tellFailure(error);
    }
  }

  /**
   * Marks the card as done, or opens it again. A done card goes to the board's column for done cards; without one the
   * person is told where it stays, and may `choose` another.
   */
  async setOpen(isOpen: boolean, choose: () => void = () => {}): Promise<void> {
    const { cardId } = this.path;
    if (!await this.edits.change(cardId, { is_open: isOpen })) return;
    const board = this.context.board;
    const status = board && findCard(board.columns.peek(), cardId)?.column.status;
    if (!board || !status || isOpen !== (status.transition_state === "closed")) return;
    const done = board.columns.peek().find((column) => column.status.transition_state === "closed");
    if (!isOpen && done) board.moveToEnd(cardId, done.status.id, "bottom");
    else tell(isOpen ? text.card.openIn(status.name) : text.card.doneIn(status.name),
      { act: { name: text.card.moveTo, run: choose } });
  }

  /** Reads the names of other cards. One that is gone stays without. */
  async nameCards(ids: readonly string[]): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => !this.cardNames.peek().has(id)).slice(0, MOST_NAMES);
    const read = await Promise.all(unknown.map((cardId) => this.#api.read({ ...this.path, cardId }).catch(() => null)));
    const named = read.flatMap((one) => (one ? [[one.card.id, one.card.key ?? one.card.name] as const] : []));
    if (named.length > 0) this.cardNames.value = new Map([...this.cardNames.peek(), ...named]);
  }

  #show(fields: Partial<CardSummary> | OwnFields): void {
    if (!isOwn(fields)) return this.update(this.path.cardId, fields);
    this.show({ card: withFields(this.#now.peek().card, fields) });
  }

  async #change(fields: CardFields | OwnFields, field: string, head: string): Promise<void> {
    let base = head;
    for (let next = this.#own.get(`${field} ${base}`); next; next = this.#own.get(`${field} ${base}`)) base = next;
    const answer = await this.#api.change(this.path, { ...bodyOf(fields), expectedHistoryHeadId: base });
    if (answer.historyHeadId !== base) this.#own.set(`${field} ${base}`, answer.historyHeadId);
    this.#now.value = { ...this.#now.peek(), ...answer };
  }

  async #nameObjects(): Promise<void> {
    const unknown = this.#now.peek().objectIds.filter((id) => !this.objectNames.peek().has(id)).slice(0, MOST_NAMES);
    const found = await Promise.all(unknown.map((id) => this.#api.object(this.path.projectId, id).catch(() => null)));
    const read = found.filter((one) => one !== null);
    if (read.length === 0) return;
    const pictured = read.flatMap((one) => picturedOf(this.path.projectId, one) ?? []);
    this.pictured.value = new Map([...this.pictured.peek(), ...pictured.map((one) => [one.id, one] as const)]);
    this.objectNames.value = new Map([...this.objectNames.peek(), ...read.map(({ id, name }) => [id, name] as const)]);
  }
}
