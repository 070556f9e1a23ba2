// Home: the caller's cards by due day, what they touched last, and projects and boards by their last activity.

import { computed, signal } from "@preact/signals";
import {
  readMentionsAndQuestions,
  readOwnCards,
  readProjects,
  readTeamActivity,
  readTouchedCards,
  type IndexCard,
  type MentionedCard,
  type Organization,
  type Project,
  type Team,
  type WaitingApproval,
} from "../api/places";
import { readAccount, readAllTeams, type Caller } from "./people/account";
import { cardHref, nameOf } from "./planning/card-name";
import { daysLeft, today } from "./planning/due";

const CARDS = 20;
const TOUCHED = 6;
/** Boards whose activity is read: each takes a request. */
const BOARDS = 24;

export const DUE = ["late", "today", "week", "later", "none"] as const;
export type Due = (typeof DUE)[number];

/** When a card is due, as Home groups it. */
export function dueOf({ deadline }: Pick<IndexCard, "deadline">, day = today()): Due {
  if (!deadline) return "none";
  const left = daysLeft(deadline, day);
  if (left < 0) return "late";
  return left === 0 ? "today" : left <= 7 ? "week" : "later";
}

type ProjectPage = Awaited<ReturnType<typeof readProjects>>;

export class Home {
  readonly projects = signal<readonly Project[]>([]);
  readonly query = signal("");
  readonly next = signal<string | null>(null);
  readonly cards = signal<readonly IndexCard[]>([]);
  readonly nextCards = signal<string | null>(null);
  /** The cards by when they are due; groups without one are left out. */
  readonly groups = computed(() => DUE.map((due): [Due, IndexCard[]] =>
    [due, this.cards.value.filter((card) => dueOf(card) === due)]).filter(([, cards]) => cards.length > 0));
  /** Open cards that mention the caller, the newest mention first. */
  readonly mentioned = signal<readonly MentionedCard[]>([]);
  /** Questions of agents that wait for the caller's answer, the oldest first. */
  readonly questions = signal<readonly WaitingApproval[]>([]);
  /** Cards that the caller wrote or has, last changed first; null until they are read. */
  readonly touched = signal<readonly IndexCard[] | null>(null);
  /** When a card of a board was changed last, by the team's id, once it is read. */
  readonly activity = signal<ReadonlyMap<string, string>>(new Map());
  /** Boards, those with the last activity first. */
  readonly boards = computed(() => this.#teams.toSorted((one, other) =>
    this.lastOf(other).localeCompare(this.lastOf(one))));
  readonly organizations: readonly Organization[];
  readonly caller: Caller;
  readonly #teams: readonly Team[];
  #turn = 0;

  constructor(caller: Caller, organizations: readonly Organization[], teams: readonly Team[]) {
    [this.caller, this.organizations, this.#teams] = [caller, organizations, teams];
  }

  static async open(query: string): Promise<Home> {
    const [caller, { organizations, teams }, cards, first] = await Promise.all([
      readAccount(),
      readAllTeams(),
      readOwnCards(CARDS),
      readProjects(query ? { q: query } : {}),
    ]);
    const home = new Home(caller, organizations, teams);
    home.query.value = query;
    [home.cards.value, home.nextCards.value] = [cards.cards, cards.next];
    home.#take(first, true);
    void home.#readMore();
    return home;
  }

  /** True for a person who has no project yet. */
  get isNew(): boolean {
    return !this.query.value && this.projects.value.length === 0;
  }

  /** Finds projects by a part of their name. Late answers of earlier searches are dropped. */
  async find(query: string): Promise<void> {
    this.query.value = query;
    await this.#read(query ? { q: query } : {}, true);
  }

  async more(): Promise<void> {
    const [q, cursor] = [this.query.value, this.next.value];
    if (cursor) await this.#read({ ...(q ? { q } : {}), cursor }, false);
  }

  async moreCards(): Promise<void> {
    const cursor = this.nextCards.value;
    if (!cursor) return;
    const { cards, next } = await readOwnCards(CARDS, cursor);
    [this.cards.value, this.nextCards.value] = [[...this.cards.value, ...cards], next];
  }

  /** When something happened on a board last, as far as it is known. */
  lastOf({ id, updated_at: updated }: Team): string {
    const activity = this.activity.value.get(id) ?? "";
    return activity > updated ? activity : updated;
  }

  /** The name of a project's owner: an organization, or a person. */
  ownerOf({ ownerId, ownerSlug }: Pick<Project, "ownerId" | "ownerSlug">): string {
    const owner = this.organizations.find(({ id }) => id === ownerId);
    return owner?.name ?? (this.caller.id === ownerId ? this.caller.name : ownerSlug);
  }

  /** The board that shows a card, if one of the caller's does. */
  boardOf({ team_ids: on }: IndexCard): Team | undefined {
    return this.#teams.find(({ id }) => on.includes(id));
  }

  /** The address of a card: on its board, or as a page. */
  hrefOf(card: IndexCard): string {
    const team = this.boardOf(card);
    return team ? `/orgs/${team.organization_id}/teams/${team.id}?card=${nameOf(card)}`
      : cardHref(card.project_id, card);
  }

  /** Parts without which Home can be shown. A failure leaves them out. */
  async #readMore(): Promise<void> {
    readTouchedCards(this.caller.id, TOUCHED).then((cards) => { this.touched.value = cards; },
      () => { this.touched.value = []; });
    readMentionsAndQuestions().then(({ mentioned, approvals }) => {
      [this.mentioned.value, this.questions.value] = [mentioned, approvals];
    }, () => {});
    const read = this.#teams.slice(0, BOARDS).map(async ({ id }) =>
      [id, await readTeamActivity(id).catch(() => null) ?? ""] as const);
    this.activity.value = new Map(await Promise.all(read));
  }

  async #read(query: { q?: string; cursor?: string }, isFresh: boolean): Promise<void> {
    const own = (this.#turn += 1);
    const page = await readProjects(query);
    if (own === this.#turn) this.#take(page, isFresh);
  }

  #take({ projects, meta }: ProjectPage, isFresh: boolean): void {
    this.projects.value = isFresh ? projects : [...this.projects.value, ...projects];
    this.next.value = meta.hasMore ? meta.nextCursor : null;
  }
}
