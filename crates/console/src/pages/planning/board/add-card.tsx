// The field for a new card of a column, below its last card.

import type { BoardColumn } from "../../../api/planning/boards";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { CardField } from "../../parts/new-card";
import type { BoardView } from "./view";

export function AddCard({ column, view }: { column: BoardColumn; view: BoardView }) {
  const { board, opened, adding, href } = view;
  const id = column.status.id;
  const show = () => { adding.value = id; };
  return (
    <div class="add">
      {adding.value === id ? (
        <CardField opened={opened} draft={`${href}/statuses/${id}/cards`} end={() => { adding.value = ""; }}
          add={(project, card, key) => board.add(id, project, card, key)} />
      ) : <Button name={text.board.add} icon="plus" kind="plain" onClick={show} />}
    </div>
  );
}
