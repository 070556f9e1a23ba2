// The place in a column that a height means.

/**
 * The other cards of a column, and the place among them that a height means. Cards are in order, so few are
 * measured.
 */
export function placeIn(list: HTMLElement, y: number, lifted: unknown) {
  const isOther = (one: Element) => one.getAttribute("data-item") !== lifted;
  const others = [...list.querySelectorAll("[data-item]")].filter(isOther);
  let [at, end] = [0, 0];
  // Cards of a screen that isn't seen have no true place.
  for (const screen of list.querySelectorAll(".screen")) {
    if (end > 0 && screen.getBoundingClientRect().top > y) break;
    [at, end] = [end, end + [...screen.children].filter(isOther).length];
  }
  while (at < end) {
    const middle = (at + end) >> 1;
    const { top = 0, height = 0 } = others[middle]?.getBoundingClientRect() ?? {};
    if (y < top + height / 2) end = middle;
    else at = middle + 1;
  }
  return { others, at };
}
