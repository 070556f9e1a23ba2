// Requests on the caller's calendar feeds.

import { answer, api, idempotent } from "../client";
import { ApiError } from "../errors";
import type { components } from "../generated/control";

type Schemas = components["schemas"];
export type CalendarFeed = Schemas["CalendarFeedRecord"];
export type IssuedCalendarFeed = Schemas["IssuedCalendarFeed"];

export interface NewCalendarFeed {
  name: string;
  projectId?: string;
  teamId?: string;
  mine?: boolean;
}

const FEEDS = "/api/v2/me/calendar-feeds";

export async function readCalendarFeeds(): Promise<CalendarFeed[]> {
  return (await answer(api.GET(FEEDS))).feeds;
}

/** Makes a feed; its address is answered this once. */
export function createCalendarFeed(body: NewCalendarFeed, once: string): Promise<IssuedCalendarFeed> {
  return answer(api.POST(FEEDS, { headers: idempotent(once), body }));
}

/** Revokes a feed. One that is gone already is no failure. */
export async function revokeCalendarFeed(feedId: string): Promise<void> {
  await answer(api.DELETE(`${FEEDS}/{feedId}`, { params: { path: { feedId } } })).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  });
}

/** All requests of the model of calendar feeds, which tests replace. */
export const calendarApi = { read: readCalendarFeeds, create: createCalendarFeed, revoke: revokeCalendarFeed };
export type CalendarApi = typeof calendarApi;
