// Requests on how the cards of a project flow through a board.

import { answer, api } from "../client";
import type { components } from "../generated/control";

export type FlowReport = components["schemas"]["FlowReport"];
export type FlowTimes = components["schemas"]["FlowTimes"];

/** The days up to today, and the team whose board is meant. Days are those of the team's zone. */
export interface FlowQuery {
  from: string;
  team: string;
}

const FLOW = "/api/v2/projects/{projectId}/reports/flow";

export function readFlow(projectId: string, query: FlowQuery): Promise<FlowReport> {
  return answer(api.GET(FLOW, { params: { path: { projectId }, query } }));
}

/** The days as a table for spreadsheets. */
export function readFlowTable(projectId: string, query: FlowQuery): Promise<Blob> {
  const params = { path: { projectId }, query };
  return answer(api.GET(`${FLOW}.csv`, { params, parseAs: "blob" }));
}
