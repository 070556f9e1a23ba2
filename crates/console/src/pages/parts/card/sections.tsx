// The sections of a card below its description: its checklist, its sub-cards, its relations and its files. Sections
// without content are buttons that begin them.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { CardAttachments } from "../../../model/planning/card-attachments";
import type { CardFamily } from "../../../model/planning/card-family";
import { CardRelations } from "../../../model/planning/card-relations";
import { Checklist } from "../../../model/planning/checklist";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { AttachButton, AttachmentsSection } from "./attachments";
import { ChecklistSection } from "./checklist";
import { ChildrenSection } from "./children";
import { CommitsSection } from "./commits";
import { RelationsSection } from "./relations";
import { Add } from "./values";
import { pickRelation } from "./kind-pickers";

interface SectionsProps {
  card: OpenCard;
  family: CardFamily;
  attachments: CardAttachments;
}

export function Sections({ card, family, attachments }: SectionsProps) {
  const checklist = useMemo(() => new Checklist(card), [card]);
  const relations = useMemo(() => new CardRelations(card), [card]);
  const begun = useSignal<"checklist" | "children" | "">("");
  useEffect(() => checklist.follow(), [checklist]);
  const end = () => { begun.value = ""; };
  const { indexCard } = card.now.value;
  const hasLines = checklist.items.value.length > 0 || indexCard.checklist.total > 0;
  const hasChildren = family.progress.value.total > 0;
  const hasFiles = attachments.files.value.length + attachments.sent.value.length > 0;
  const hasRelations = relations.groups.value.length > 0;
  const begin = (what: "checklist" | "children") => () => { begun.value = what; };
  return (
    <>
      {(hasLines || begun.value === "checklist") && (
        <ChecklistSection checklist={checklist} isBegun={begun.value === "checklist"} end={end} />
      )}
      {(hasChildren || begun.value === "children") && (
        <ChildrenSection card={card} family={family} isBegun={begun.value === "children"} end={end} />
      )}
      {hasRelations && <RelationsSection card={card} relations={relations} />}
      <AttachmentsSection attachments={attachments} />
      <CommitsSection card={card} />
      <div class="card-adds">
        {!hasLines && <Button name={text.checklist.begin} icon="checklist" kind="plain small"
          onClick={begin("checklist")} />}
        {!hasChildren && <Button name={text.card.addChild} icon="children" kind="plain small"
          onClick={begin("children")} />}
        {!hasRelations && (
          <Add name={text.card.addRelation} icon="relation" isQuiet={false}
            pick={async (anchor) => pickRelation(anchor, card, relations)} />
        )}
        {!hasFiles && <AttachButton attachments={attachments} isQuiet={false} />}
      </div>
    </>
  );
}
