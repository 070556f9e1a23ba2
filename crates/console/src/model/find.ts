// Places that the palette finds: projects and boards by name, cards by the service's search, and objects of the
// projects that the page is about.

import { all, answer, api } from "../api/client";
import { searchObjects } from "../api/content/objects";
import { readProjects, type IndexCard } from "../api/places";
import { text } from "../text";
import { markedParts } from "./content/excerpt";
import { picturedOf } from "./content/shape-kinds";
import { readAllTeams } from "./people/account";
import { cardHref, nameOf } from "./planning/card-name";
import type { RecentPlace } from "./recent";

const CARDS = 20;
/** Objects of each project, and projects whose objects are searched: the service searches those of one at a time. */
const OBJECTS = 10;
const PROJECTS = 4;

/** The address that a search is about. */
export interface Around {
  path: string;
  branch: string | null;
}

type Teams = Awaited<ReturnType<typeof readAllTeams>>["teams"];

/** A search with what it has read already; a new one for each opening of the palette. */
export class Finder {
  readonly #around: Around;
  readonly #names = new Map<string, Promise<string>>();
  #teams: Promise<Teams> | null = null;

  constructor(around: Around) {
    this.#around = around;
  }

  /** True where objects are found, too. */
  get findsObjects(): boolean {
    return /^\/(projects\/[^/]+|orgs\/[^/]+\/teams\/[^/]+)/.test(this.#around.path);
  }

  async find(query: string): Promise<RecentPlace[]> {
    this.#teams ??= readAllTeams().then(({ teams }) => teams);
    const [teams, { projects }] = await Promise.all([
      this.#teams,
      readProjects({ limit: 20, ...(query ? { q: query } : {}) }),
    ]);
    const folded = query.toLocaleLowerCase();
    const boards = teams.filter(({ name }) => name.toLocaleLowerCase().includes(folded)).slice(0, 20);
    const named = [
      ...boards.map(({ id, name, organization_id: org }) => ({
        name,
        href: `/orgs/${org}/teams/${id}`,
        where: text.board.title,
        icon: "board",
      })),
      ...projects.map(({ id, name }) => ({ name, href: `/projects/${id}`, where: text.files.title, icon: "files" })),
    ];
    if (!query) return named;
    const [cards, objects] = await Promise.all([this.#cards(query, teams), this.#objects(query)]);
    return [...named, ...cards, ...objects];
  }

  async #cards(query: string, teams: Teams): Promise<RecentPlace[]> {
    const near = /^\/orgs\/[^/]+\/teams\/([^/]+)/.exec(this.#around.path)?.[1];
    const project = /^\/projects\/([^/]+)/.exec(this.#around.path)?.[1];
    const { indexCards } = await answer(api.GET("/api/v2/cards", { params: { query: { limit: CARDS, q: query } } }));
    // Owners may have projects of the same key: cards of the page's own team or project come first.
    const isFar = (card: IndexCard) => Number(card.project_id !== project && !card.team_ids.some((id) => id === near));
    return Promise.all(
      indexCards.toSorted((one, other) => isFar(one) - isFar(other)).map(async (card) => {
        const on = teams.filter(({ id }) => card.team_ids.includes(id));
        const board = on.find(({ id }) => id === near) ?? on[0];
        return {
          name: card.name,
          cardKey: card.key,
          where: await this.#projectName(card.project_id),
          icon: card.is_open ? "page" : "check",
          href: board
            ? `/orgs/${board.organization_id}/teams/${board.id}?card=${nameOf(card)}`
            : cardHref(card.project_id, card),
        };
      }),
    );
  }

  /** Objects by their names and texts. A project that can't be searched hides nothing else. */
  async #objects(q: string): Promise<RecentPlace[]> {
    const { path, branch } = this.#around;
    const projects = await this.#projects().catch(() => []);
    const found = await Promise.all(
      projects
        .map(async (id): Promise<RecentPlace[]> => {
          const projectId = branch && path.startsWith("/projects/") ? `${id}--${branch}` : id;
          const [{ objects, matches = [] }, where] = await Promise.all([
            searchObjects(projectId, q, OBJECTS),
            this.#projectName(id),
          ]);
          const placeIn = new Map(matches.map((match) => [match.objectId, markedParts(match)]));
          return objects.map((object) => ({
            name: object.name,
            where: `${object.type} · ${where}`,
            icon: "part",
            pictured: picturedOf(projectId, object),
            excerpt: placeIn.get(object.id),
            href: `/projects/${id}?object=${object.id}${branch ? `&branch=${encodeURIComponent(branch)}` : ""}`,
          }));
        })
        .map((objects) => objects.catch(() => [])),
    );
    return found.flat();
  }

  async #projects(): Promise<string[]> {
    const [, project] = /^\/projects\/([^/]+)/.exec(this.#around.path) ?? [];
    if (project) return [project];
    const [, orgId, teamId] = /^\/orgs\/([^/]+)\/teams\/([^/]+)/.exec(this.#around.path) ?? [];
    if (!orgId || !teamId) return [];
    const linked = await all(
      (query) =>
        answer(
          api.GET("/api/v2/orgs/{orgId}/teams/{teamId}/projects", { params: { path: { orgId, teamId }, query } }),
        ),
      ({ projects }) => projects,
    );
    return linked.slice(0, PROJECTS).map(({ id }) => id);
  }

  #projectName(projectId: string): Promise<string> {
    const known =
      this.#names.get(projectId) ??
      answer(api.GET("/api/v2/projects/{projectId}", { params: { path: { projectId } } })).then(
        ({ project }) => project.name,
        () => "",
      );
    this.#names.set(projectId, known);
    return known;
  }
}
