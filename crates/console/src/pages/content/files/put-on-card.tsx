// Puts a picture of a view on a card of the project: one that is there, or a new one about what is seen.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { reasonOf } from "../../../api/errors";
import { newKey } from "../../../api/persist";
import { PictureOnCard, type TakenPicture } from "../../../model/content/picture-on-card";
import { tell } from "../../../model/messages";
import type { CardLinks } from "../../../model/planning/card-links";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { Field } from "../../../ui/form";
import { Icon } from "../../../ui/icon";
import type { MenuEntry } from "../../../ui/menu-state";
import { pickCard } from "../../parts/card/kind-pickers";
import { makeCard } from "../../parts/make-card";

export interface OfferedPicture extends TakenPicture {
  project: string;
  /** Id of the object that a new card is about. */
  object: string;
  links: CardLinks;
}

export function PutOnCard({ offered, done }: { offered: OfferedPicture; done: () => void }) {
  const { project, object, name, links } = offered;
  const picture = useMemo(() => new PictureOnCard(offered), []);
  const isSending = useSignal(false);
  const failure = useSignal("");
  const put = async (cardId: string) => {
    isSending.value = true;
    try {
      await picture.put({ projectId: project, cardId });
    } finally {
      isSending.value = false;
    }
    done();
    tell(text.shape.isOnCard, { act: { name: text.files.openCard,
      run: () => open(`/projects/${project}/cards/${cardId}`) } });
  };
  const fail = (error: unknown) => { failure.value = reasonOf(error); };
  const create: MenuEntry = { name: text.files.newCardAbout(name), lead: <Icon name="plus" />, run: () => {
    // A repeat makes no second card.
    const key = newKey();
    ask({
      title: text.files.newCardAbout(name), action: text.files.newCard, cancel: text.cancel,
      fields: <Field label={text.board.name} name="name" required />,
      send: async (form) => put(await makeCard(project, { name: String(form.get("name")) }, key, (card, again) =>
        links.create(object, card, again))),
    });
  } };
  const choose = (anchor: Element) => pickCard(anchor, {
    label: text.shape.toCard, project, first: [create], hides: () => false,
    choose: ({ id }) => put(id).catch(fail),
  });
  return (
    <>
      <p class="failure" role="alert">{failure.value}</p>
      <Button name={text.shape.toCard} icon="task" popup="menu" disabled={isSending.value}
        onClick={(event) => {
          failure.value = "";
          void choose(event.currentTarget).catch(fail);
        }} />
    </>
  );
}
