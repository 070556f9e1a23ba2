// Cards, columns and answers for unit tests of the models of planning.

import type { BoardCard, BoardColumn, KnownBoard } from "../../api/planning/boards";
import type { CardApi, CardRead, LinkedObject } from "../../api/planning/cards";
import type { CustomField, FieldOption } from "../../api/planning/custom-fields";

export const card = (id: string, fields: Partial<BoardCard> = {}): BoardCard => ({
  id, name: id, project_id: "p", project_name: "P", is_open: true, effort: 1, deadline: null, sprint_id: null, rank: id,
  key: null, priority: "none", type: "task", parent_id: null, is_blocked: false, checklist: { total: 0, done: 0 },
  assignees: [], tags: [], fields: {}, history_head_id: "h", history_head_sequence: "1", ...fields,
});

export const column = (id: string, cards: BoardCard[], status: Partial<BoardColumn["status"]> = {}): BoardColumn => ({
  card_count: cards.length, effort: cards.length, wip_exceeded: false, cards,
  status: {
    id, name: id, status: "active", team_id: "team", color: "#000000", description: "", position: "1",
    transition_state: "started", closeMode: "off", wip_limit: null, wip_unit: "count", wip_policy: "warn", ...status,
  },
});

/** A board as the service answers it. */
export const whole = (columns: BoardColumn[], fields: Partial<KnownBoard> = {}): KnownBoard =>
  ({ team_id: "t", columns, fields: [], field_users: [], revision: "", ...fields });

export const option = (id: string, name = id, is_archived = false): FieldOption => ({ id, name, is_archived });

/** A custom field of a project. */
export const field = (id: string, fields: Partial<CustomField> = {}): CustomField => ({
  id, project_id: "p", name: id, description: "", type: "text", unit: "", options: [], default_value: null,
  is_required: false, minimum: null, maximum: null, status: "active", is_shown: false,
  applies_to: "cards", object_type: null, ...fields,
});

/** A card as its panel reads it. */
export function read(id: string, fields: Partial<CardRead["card"]> = {}, head = "h1"): CardRead {
  const own = {
    id, key: null, number: null, name: id, project_id: "p", is_open: true, effort: 0, deadline: null,
    start_date: null, priority: "none" as const, type: "task", parent_id: null, description: "", resolution: "",
    fields: {}, created_at: "", updated_at: "", closed_at: null, created_by_user: "u", author_display_name: "U",
    ...fields,
  };
  return {
    card: own, historyHeadId: head, historyHeadSequence: "1", objectIds: [], attachments: [],
    relations: [], parent: null, children: { total: 0, closed: 0, effort: 0, closedEffort: 0 }, mentions: [],
    indexCard: { ...own, checklist: { total: 0, done: 0 }, tag_ids: [], user_ids: [], team_ids: [], team_status_ids: [],
      sprint_ids: [], team_statuses: [], team_placements: [], history_head_id: head, history_head_sequence: "1",
      search_text: "" },
  };
}

/** Requests of a card that answer as if all was accepted. */
export const cardApiOf = (now: () => CardRead, others: Partial<CardApi> = {}): CardApi => ({
  read: async () => now(),
  change: async () => now(),
  relate: async () => {},
  comments: async () => [],
  addComment: async () => {},
  changeComment: async () => {},
  deleteComment: async () => {},
  history: async () => [],
  members: async () =>
    [{ userId: "u1", name: "Ada", handle: "ada", kind: "person", role: "editor", isDirect: true }],
  tags: async () => [{ id: "t1", name: "urgent", color: "#EF4444", description: "", status: "active", project_id: "p",
    card_count: 0 }],
  createTag: async () => { throw new Error("not here"); },
  fields: async () => [],
  sprints: async () => [],
  statuses: async () => [],
  object: async (_, id) => ({ id, name: "Gear", type: "Part", data: {} }) as LinkedObject,
  ...others,
});

export const settle = () => new Promise<void>((resolve) => { setTimeout(resolve); });
