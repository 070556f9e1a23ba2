// The state of a page that shows a plan, beside its model.

import { computed } from "@preact/signals";
import { cardNamed } from "../../model/planning/card-name";
import type { OpenPlan } from "../../model/planning/open-plan";
import type { Planning } from "../../model/planning/planning";
import type { OpenedTeam } from "../../model/planning/team";
import { roving, type Roving } from "../../ui/roving";
import type { CardSideProps } from "./card/side";
import type { FilterSource } from "./filter-source";

export interface PlanView {
  planning: Planning;
  opened: OpenedTeam;
  /** The address of the team's pages. */
  href: string;
  /** The address of this page, at which cards open. */
  here: string;
  focus: Roving;
  filters: FilterSource;
  side: CardSideProps;
}

/** `here` is the page's path below that of the team. */
export function planView({ planning, opened, listen }: OpenPlan, here: string): PlanView {
  const { orgId, teamId } = planning.path;
  const href = `/orgs/${orgId}/teams/${teamId}`;
  const focus = roving();
  const me = opened.caller.id;
  const shown = computed(() => planning.free.value.length);
  return {
    planning, opened, href, focus,
    here: href + here,
    filters: { filter: planning.filter, cards: planning.unplanned, shown, me },
    side: {
      cardOf: (name) => cardNamed(planning.cards.value, name),
      context: { board: null, teamOf: (team) => ({ orgId, teamId: team }) },
      me, listen,
      focus: focus.focus,
    },
  };
}
