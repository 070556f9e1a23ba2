// The actions of the backlog with their keys: up and down through the cards, `x` selects, a number chooses a sprint.

import { text } from "../../../text";
import type { Action } from "../../../ui/actions";
import { Icon } from "../../../ui/icon";
import type { MenuEntry } from "../../../ui/menu-state";
import type { PlanView } from "../../parts/plan-view";

/** Sprints that a number chooses. */
const NUMBERED = 9;

/** The cards in the order of the page. */
function shown({ planning }: PlanView): string[] {
  return planning.free.peek().map(({ id }) => id);
}

export function backlogActions(view: PlanView): Action[] {
  const { planning, focus } = view;
  const group = text.backlog.title;
  const step = (by: number) => () => {
    const ids = shown(view);
    const at = ids.indexOf(focus.current.peek());
    const next = ids[at < 0 ? 0 : Math.max(0, Math.min(ids.length - 1, at + by))];
    if (next) focus.focus(next);
  };
  const select = () => {
    if (shown(view).includes(focus.current.peek())) planning.select(focus.current.peek());
  };
  return [
    { name: text.board.nextCard, key: "j", group, run: step(1) },
    { name: text.board.previousCard, key: "k", group, run: step(-1) },
    // The same by arrows, which lists of keys need not repeat.
    ...[["ArrowDown", 1] as const, ["ArrowUp", -1] as const].map(([key, by]) =>
      ({ name: by > 0 ? text.board.nextCard : text.board.previousCard, key, shownKey: by > 0 ? "↓" : "↑", group,
        run: step(by) })),
    { name: text.board.openCard, key: "Enter", group },
    { name: text.backlog.selects, key: "x", group, run: select },
    ...planning.sprints.peek().slice(0, NUMBERED).map((sprint, at) => ({
      name: `${text.backlog.putByKey}: ${sprint.name}`,
      key: String(at + 1),
      icon: "sprint",
      group,
      run: () => put(view, sprint.id),
    })),
  ];
}

/** The sprints as entries of a menu for the selected cards. */
export function sprintEntries(view: PlanView): MenuEntry[] {
  return view.planning.sprints.value.map((sprint, at) => ({
    name: sprint.name,
    lead: <Icon name="sprint" />,
    ...(at < NUMBERED ? { key: String(at + 1) } : {}),
    run: () => put(view, sprint.id),
  }));
}

function put({ planning, focus }: PlanView, sprint: string): void {
  const current = focus.current.peek();
  const isFree = planning.free.peek().some(({ id }) => id === current);
  planning.place(planning.selected.peek().size > 0 ? planning.subjects(undefined)
    : planning.subjects(isFree ? current : undefined), { sprint });
}
