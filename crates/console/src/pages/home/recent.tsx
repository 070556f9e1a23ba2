// The person's latest places and cards: places that they opened in this tab, and cards that they wrote or have.

import type { Home } from "../../model/home";
import { recentPlaces } from "../../model/recent";
import { text } from "../../text";
import { Time } from "../../ui/time";
import { CardTitle } from "../parts/card-marks";
import { Thumbnail } from "../parts/thumbnail";

const PLACES = 5;
const MOST = 8;

export function Recent({ home }: { home: Home }) {
  const places = recentPlaces().slice(0, PLACES);
  const opened = new Set(places.map(({ href }) => href));
  const touched = home.touched.value;
  const cards = (touched ?? []).filter((card) => !opened.has(home.hrefOf(card))).slice(0, MOST - places.length);
  return (
    <section aria-labelledby="recent" class="home-recent">
      <h2 id="recent">{text.home.recent}</h2>
      {touched && places.length + cards.length === 0 && <p class="soft">{text.home.noRecent}</p>}
      <ul class="rows">
        {places.map(({ name, href, where, icon, pictured, cardKey }) => (
          <li key={href}>
            <a class="row home-row" href={href}>
              <Thumbnail of={pictured} icon={icon} px={20} />
              <CardTitle of={cardKey} name={name} />
              <span class="soft" dir="auto">{where}</span>
            </a>
          </li>
        ))}
        {cards.map((card) => (
          <li key={card.id}>
            <a class="row home-row" href={home.hrefOf(card)}>
              <Thumbnail of={undefined} icon={card.is_open ? "page" : "check"} px={20} />
              <CardTitle of={card.key} name={card.name} />
              <span class="soft"><Time iso={card.updated_at} /></span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
