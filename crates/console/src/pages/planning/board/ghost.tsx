// The card that a finger has lifted, where the finger is.

import type { Board } from "../../../model/planning/board";
import { CardFacts } from "../../parts/card-facts";
import { CardKey } from "../../parts/card-marks";
import { lifted } from "./touch";

export function Ghost({ board }: { board: Board }) {
  const now = lifted.value;
  const card = now && board.card(now.id);
  if (!now || !card) return null;
  const { left, top, width } = now;
  return (
    <div class="card ghost" aria-hidden="true" style={{ left: `${left}px`, top: `${top}px`, width: `${width}px` }}>
      <CardKey of={card.key} />
      <span class="name" dir="auto">{card.name}</span>
      <CardFacts card={card} />
    </div>
  );
}
