// The navigation of the present place, at the left of its content.

import { text } from "../../text";
import type { Action } from "../../ui/actions";
import { open } from "../../ui/address";
import { Icon } from "../../ui/icon";
import { place } from "../../ui/place";

/** Second strokes of the keys that go to a page, by its icon. */
const STROKES: Record<string, string> = {
  files: "f",
  bill: "o",
  changes: "c",
  history: "h",
  branch: "r",
  package: "k",
  agent: "a",
  chart: "u",
  settings: ",",
  board: "b",
  table: "t",
  backlog: "l",
  sprint: "s",
  people: "m",
};

export function Navigation() {
  const { navigation } = place.value;
  return (
    <nav class="side" aria-label={text.frame.navigation} hidden={navigation.length === 0}>
      <ul class="places">
        {navigation.map(({ name, href, icon, here }) => (
          <li key={href}>
            <a href={href} title={name} aria-current={here ? "page" : undefined}>
              <Icon name={icon} />
              <span dir="auto">{name}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The actions that go to the pages of the navigation. The first of several boards has the key. */
export function navigationActions(): Action[] {
  const taken = new Set<string>();
  return place.value.navigation.map(({ name, href, icon }) => {
    const stroke = taken.has(icon) ? undefined : STROKES[icon];
    taken.add(icon);
    return {
      name: text.palette.goTo(name),
      icon,
      group: text.palette.places,
      run: () => open(href),
      ...(stroke ? { key: `g ${stroke}` } : {}),
    };
  });
}
