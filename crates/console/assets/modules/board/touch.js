// Moving a card by touch: a long press lifts it, and the board scrolls where the finger is at its edge.

const LIFT_MS = 350;
const SLIP_PX = 8;
const EDGE_PX = 48;
const STEP_PX = 12;

/**
 * @param {HTMLElement} board
 * @param {{ signal: AbortSignal, cardOf: (event: Event) => HTMLElement | null,
 *   lit: (x: number, y: number) => HTMLElement | null, drop: (card: HTMLElement, x: number, y: number) => void }} options
 */
export function touch(board, { signal, cardOf, lit, drop }) {
  /** @type {HTMLElement | null} */
  let card = null;
  /** @type {HTMLElement | null} */
  let ghost = null;
  let [timer, frame, x, y, startX, startY] = [0, 0, 0, 0, 0, 0];

  function lift() {
    if (!card) return;
    const { left, top, width } = card.getBoundingClientRect();
    ghost = /** @type {HTMLElement} */ (card.cloneNode(true));
    ghost.classList.add("ghost");
    ghost.removeAttribute("data-card");
    ghost.setAttribute("aria-hidden", "true");
    for (const [name, value] of [["left", left], ["top", top], ["width", width]]) {
      ghost.style.setProperty(String(name), `${value}px`);
    }
    document.body.append(ghost);
    card.classList.add("dragged");
    navigator.vibrate?.(10);
    follow();
  }

  // The columns scroll sideways, and the cards of a column up and down.
  function follow() {
    if (!ghost) return;
    ghost.style.setProperty("translate", `${x - startX}px ${y - startY}px`);
    const column = lit(x, y);
    const step = (/** @type {number} */ at, /** @type {number} */ low, /** @type {number} */ high) =>
      (at < low + EDGE_PX ? -STEP_PX : at > high - EDGE_PX ? STEP_PX : 0);
    board.scrollBy(step(x, 0, innerWidth), 0);
    const list = column?.querySelector(".cards");
    const bounds = list?.getBoundingClientRect();
    if (list && bounds) list.scrollBy(0, step(y, bounds.top, bounds.bottom));
    frame = requestAnimationFrame(follow);
  }

  /** @param {boolean} dropped */
  function end(dropped) {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    const lifted = ghost;
    ghost?.remove();
    ghost = null;
    card?.classList.remove("dragged");
    card?.setAttribute("draggable", "true");
    if (lifted && card && dropped) drop(card, x, y);
    card = null;
    return lifted !== null;
  }

  board.addEventListener("touchstart", (event) => {
    end(false);
    card = event.touches.length === 1 ? cardOf(event) : null;
    if (!card) return;
    // The browser would begin a drag of its own.
    card.setAttribute("draggable", "false");
    [x, y] = [event.touches[0].clientX, event.touches[0].clientY];
    [startX, startY] = [x, y];
    timer = window.setTimeout(lift, LIFT_MS);
  }, { signal, passive: true });
  board.addEventListener("touchmove", (event) => {
    [x, y] = [event.touches[0].clientX, event.touches[0].clientY];
    if (ghost) event.preventDefault();
    else if (Math.hypot(x - startX, y - startY) > SLIP_PX) end(false);
  }, { signal, passive: false });
  board.addEventListener("touchend", (event) => {
    if (end(true)) event.preventDefault();
  }, { signal });
  board.addEventListener("touchcancel", () => void end(false), { signal });
  board.addEventListener("contextmenu", (event) => {
    if (card) event.preventDefault();
  }, { signal });
}
