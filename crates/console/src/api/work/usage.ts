// Requests on what agents have cost.

import { all, answer, api } from "../client";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type UsageReport = Schemas["UsageReport"];
export type UsageGroup = Schemas["UsageGroup"];
export type CardCost = Schemas["CardCost"];

/** Days of UTC, both included. */
export interface Days {
  from: string;
  to: string;
}

/** Whose usage: an organization's or a project's by id, or the caller's own. */
export type UsageOf = { kind: "organization" | "project"; id: string } | { kind: "account" };
export type GroupBy = Schemas["UsageGroupBy"];

export function readUsage(of: UsageOf, query: Days & { groupBy: GroupBy }): Promise<UsageReport> {
  return asked(of, query, "json") as Promise<UsageReport>;
}

/** The same as a table for spreadsheets, which the service writes. */
export function readUsageTable(of: UsageOf, query: Days & { groupBy: GroupBy }): Promise<Blob> {
  return asked(of, { ...query, format: "csv" as const }, "blob") as Promise<Blob>;
}

function asked(of: UsageOf, query: Days & { groupBy: GroupBy; format?: "csv" }, parseAs: "json" | "blob") {
  const headers = parseAs === "blob" ? { Accept: "text/csv" } : {};
  const options = { parseAs, headers };
  switch (of.kind) {
    case "account": return answer(api.GET("/api/v2/usage", { ...options, params: { query } }));
    case "organization":
      return answer(api.GET("/api/v2/orgs/{orgId}/usage", { ...options, params: { path: { orgId: of.id }, query } }));
    case "project":
      return answer(api.GET("/api/v2/projects/{projectId}/usage",
        { ...options, params: { path: { projectId: of.id }, query } }));
  }
}

/** The cards of a project by their shares of runs, and the credits that no card has a share of. */
export async function readCardCosts(projectId: string, days: Days): Promise<{ cards: CardCost[]; other: number }> {
  let other = 0;
  const cards = await all(async (page) => {
    const params = { path: { projectId }, query: { ...days, ...page } };
    const read = await answer(api.GET("/api/v2/projects/{projectId}/usage/cards", { params }));
    other = read.otherCredits;
    return read;
  }, (page) => page.cards);
  return { cards, other };
}

/** The names of projects that the caller can see, by their ids. */
export async function readProjectNames(ownerId?: string): Promise<Map<string, string>> {
  const only = ownerId ? { ownerId } : {};
  const projects = await all((query) =>
    answer(api.GET("/api/v2/projects", { params: { query: { ...query, ...only } } })), (page) => page.projects);
  return new Map(projects.map(({ id, name }) => [id, name]));
}
