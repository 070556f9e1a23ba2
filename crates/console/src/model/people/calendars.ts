// The caller's calendar feeds. A new feed's address is returned once and kept nowhere.

import { computed, signal } from "@preact/signals";
import { calendarApi, type CalendarApi, type CalendarFeed,
  type IssuedCalendarFeed } from "../../api/planning/calendars";
import { readProjects, type Project, type Team } from "../../api/places";
import { text } from "../../text";
import { Removals } from "../removals";
import { readAllTeams } from "./account";

/** Projects that a feed can be confined to: those that were changed last. */
const PROJECTS = 100;

/** A project or a board that a feed can be confined to. */
export interface FeedPlace {
  /** `project:{id}` or `team:{id}`. */
  value: string;
  name: string;
}

export class Calendars {
  readonly all = signal<readonly CalendarFeed[]>([]);
  readonly #removals = new Removals();
  readonly shown = computed(() => this.#removals.shown(this.all.value, ({ id }) => id));
  readonly places: readonly FeedPlace[];
  readonly #api: CalendarApi;

  constructor(places: readonly FeedPlace[] = [], api: CalendarApi = calendarApi) {
    [this.places, this.#api] = [places, api];
  }

  static async open(): Promise<Calendars> {
    const [{ projects }, { teams }] = await Promise.all([readProjects({ limit: PROJECTS }), readAllTeams()]);
    const calendars = new Calendars(placesOf(projects, teams));
    await calendars.reload();
    return calendars;
  }

  async reload(): Promise<void> {
    this.all.value = await this.#api.read();
  }

  /** Makes a feed of a place, or of all. `once` makes a try after a lost answer the same creation. */
  async create(name: string, place: string, mine: boolean, once: string): Promise<IssuedCalendarFeed> {
    const [kind, id = ""] = place.split(":");
    const of = kind === "project" ? { projectId: id } : kind === "team" ? { teamId: id } : {};
    const issued = await this.#api.create({ name, ...of, ...(mine ? { mine } : {}) }, once);
    // The address must be shown, even if the list can't be read now.
    await this.reload().catch(() => { this.all.value = [issued.feed, ...this.all.value]; });
    return issued;
  }

  revoke({ id, name }: CalendarFeed): void {
    this.#removals.later({ id, name, says: text.calendars.revoked(name), send: async () => {
      await this.#api.revoke(id);
      this.all.value = this.all.value.filter((one) => one.id !== id);
    } });
  }

  /** The content of a feed in words. A place that isn't listed any more has no name. */
  says({ projectId, teamId, mine }: CalendarFeed): string {
    const { all, oneProject, oneBoard, isMine } = text.calendars;
    const named = (value: string) => this.places.find((place) => place.value === value)?.name;
    const of = projectId ? (named(`project:${projectId}`) ?? oneProject)
      : teamId ? (named(`team:${teamId}`) ?? oneBoard) : all;
    return mine ? `${of}, ${isMine}` : of;
  }
}

function placesOf(projects: readonly Project[], teams: readonly Team[]): FeedPlace[] {
  return [
    ...projects.map(({ id, name }) => ({ value: `project:${id}`, name: text.calendars.project(name) })),
    ...teams.map(({ id, name }) => ({ value: `team:${id}`, name: text.calendars.board(name) })),
  ];
}
