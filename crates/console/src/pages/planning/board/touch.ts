// Moving a card by touch: a long press lifts it, and the board scrolls where the finger is at its edge.

import { signal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { BoardLanes } from "../../../model/planning/board-lanes";
import type { Cell } from "../../../model/planning/lanes";
import { placeIn } from "./place-in";

const LIFT_MS = 350;
const SLIP_PX = 8;
const EDGE_PX = 48;
const STEP_PX = 12;

/** The card under a finger, and where it is drawn. */
export interface Lifted {
  id: string;
  left: number;
  top: number;
  width: number;
  /** The place and the height at which the card would land. */
  over: (Cell & { y: number }) | null;
}

export const lifted: Signal<Lifted | null> = signal(null);
/** A finger is on a card: the browser begins no drag of its own. */
export const isTouched = { current: false };

const step = (at: number, low: number, high: number) =>
  (at < low + EDGE_PX ? -STEP_PX : at > high - EDGE_PX ? STEP_PX : 0);
/** The cell at a point, with the element of its cards. */
function cellAt(x: number, y: number): (Cell & { list: HTMLElement | null }) | null {
  const place = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-column]");
  const { column, lane } = place?.dataset ?? {};
  return place && column ? { column, lane, list: place.querySelector<HTMLElement>(".cards") } : null;
}

class TouchDrag {
  readonly #columns: HTMLElement;
  readonly #lanes: BoardLanes;
  #card: HTMLElement | null = null;
  #timer = 0;
  #frame = 0;
  #at = { x: 0, y: 0 };
  #from = { x: 0, y: 0 };

  constructor(columns: HTMLElement, lanes: BoardLanes) {
    this.#columns = columns;
    this.#lanes = lanes;
  }

  start(event: TouchEvent): void {
    this.end(false);
    const [touch, another] = event.touches;
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-card]") : null;
    if (!touch || another || !target) return;
    this.#card = target;
    isTouched.current = true;
    this.#at = { x: touch.clientX, y: touch.clientY };
    this.#from = this.#at;
    this.#timer = window.setTimeout(() => this.#lift(), LIFT_MS);
  }

  move(event: TouchEvent): void {
    const [touch] = event.touches;
    if (!touch || !this.#card) return;
    this.#at = { x: touch.clientX, y: touch.clientY };
    if (lifted.peek()) event.preventDefault();
    else if (Math.hypot(this.#at.x - this.#from.x, this.#at.y - this.#from.y) > SLIP_PX) this.end(false);
  }

  /** Puts the card down. Answers whether one was lifted. */
  end(isDropped: boolean): boolean {
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    const [card, was] = [this.#card, lifted.peek()];
    [this.#card, isTouched.current] = [null, false];
    lifted.value = null;
    if (!isDropped || !card || !was) return was !== null;
    // Where the finger left, which the last frame may not have seen.
    const { x, y } = this.#at;
    const cell = cellAt(x, y);
    if (cell?.list) this.#lanes.move(was.id, cell, placeIn(cell.list, y, was.id).at);
    return was !== null;
  }

  hasCard(): boolean {
    return this.#card !== null;
  }

  #lift(): void {
    if (!this.#card) return;
    const { left, top, width } = this.#card.getBoundingClientRect();
    lifted.value = { id: this.#card.dataset.card ?? "", left, top, width, over: null };
    navigator.vibrate?.(10);
    this.#follow({ left, top });
  }

  // The columns scroll sideways, and the cards of a column up and down; lanes scroll both ways.
  #follow(begun: { left: number; top: number }): void {
    const now = lifted.peek();
    if (!now) return;
    const { x, y } = this.#at;
    const cell = cellAt(x, y);
    lifted.value = { ...now, left: begun.left + x - this.#from.x, top: begun.top + y - this.#from.y,
      over: cell && { column: cell.column, lane: cell.lane, y } };
    this.#columns.scrollBy(step(x, 0, innerWidth), 0);
    const scrolled = cell?.lane === undefined ? cell?.list : this.#columns;
    const bounds = scrolled?.getBoundingClientRect();
    if (scrolled && bounds) scrolled.scrollBy(0, step(y, bounds.top, bounds.bottom));
    this.#frame = requestAnimationFrame(() => this.#follow(begun));
  }
}

/** Lets cards of the columns be moved by touch. */
export function useTouch(columns: RefObject<HTMLElement | null>, lanes: BoardLanes): void {
  useEffect(() => {
    const element = columns.current;
    if (!element) return;
    const drag = new TouchDrag(element, lanes);
    const ended = new AbortController();
    const { signal: until } = ended;
    element.addEventListener("touchstart", (event) => drag.start(event), { signal: until, passive: true });
    element.addEventListener("touchmove", (event) => drag.move(event), { signal: until, passive: false });
    element.addEventListener("touchend", (event) => { if (drag.end(true)) event.preventDefault(); }, { signal: until });
    element.addEventListener("touchcancel", () => void drag.end(false), { signal: until });
    element.addEventListener("contextmenu", (event) => { if (drag.hasCard()) event.preventDefault(); },
      { signal: until });
    return () => {
      drag.end(false);
      ended.abort();
    };
  }, [lanes]);
}
