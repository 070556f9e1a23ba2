// The content of a card's panel: its fields, what it is related to, and its activity.

import { useComputed, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Activity } from "../../../model/planning/activity";
import { CardAttachments } from "../../../model/planning/card-attachments";
import { CardFamily } from "../../../model/planning/card-family";
import { cardHref } from "../../../model/planning/card-name";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { MenuButton } from "../../../ui/menu";
import { openMenu } from "../../../ui/menu-state";
import { copyAndTell } from "../copied";
import { ActivityList } from "./activity";
import { takesFiles } from "./attachments";
import { Description } from "./description";
import { ParentLink, ParentValue } from "./children";
import { CustomFacts } from "./custom-fields";
import { DayField } from "./day-field";
import { EffortField, NameField } from "./fields";
import { columnMenu, openCardMenu } from "./menus";
import { Sections } from "./sections";
import { AssigneesValue, ColumnValue, ObjectsValue, PriorityValue, SprintValue, TagsValue, TypeValue } from "./values";

export interface CardPanelProps {
  card: OpenCard;
  /** The id of the caller. */
  me: string;
  /** Closes the panel; a page of its own has nothing to close. */
  close?: () => void;
  /** Leaves a card that is gone. */
  gone: () => void;
  /** True while the name is to be edited. */
  editing?: Signal<boolean>;
}

export function CardPanel({ card, me, close, gone, editing }: CardPanelProps) {
  const activity = useMemo(() => new Activity(card), [card]);
  const family = useMemo(() => new CardFamily(card), [card]);
  const attachments = useMemo(() => new CardAttachments(card), [card]);
  useEffect(() => family.follow(), [family]);
  const head = useComputed(() => card.now.value.historyHeadId);
  // Each change of the card has an entry in its history.
  useEffect(() => activity.later(), [activity, head.value]);
  return (
    <article class="card-panel" data-panel={card.path.cardId} {...takesFiles(attachments)}>
      <PanelHead card={card} close={close} gone={gone} />
      <h2 class="unseen">{text.card.title}</h2>
      <ParentLink card={card} family={family} />
      <NameField card={card} {...(editing ? { editing } : {})} />
      <Facts card={card} family={family} />
      <Description card={card} attachments={attachments} me={me} />
      <Sections card={card} family={family} attachments={attachments} />
      <ActivityList card={card} activity={activity} attachments={attachments} me={me} />
    </article>
  );
}

function Facts({ card, family }: { card: OpenCard; family: CardFamily }) {
  return (
    <dl class="card-fields">
      <Fact label={text.card.column}><Values><ColumnValue card={card} /></Values></Fact>
      {card.around.value.sprints.size > 0 && (
        <Fact label={text.card.sprint}><Values><SprintValue card={card} /></Values></Fact>
      )}
      <Fact label={text.card.assignees}><Values><AssigneesValue card={card} /></Values></Fact>
      <Fact label={text.card.priority}><Values><PriorityValue card={card} /></Values></Fact>
      <Fact label={text.card.type}><Values><TypeValue card={card} /></Values></Fact>
      <Fact label={text.card.tags}><Values><TagsValue card={card} /></Values></Fact>
      <Fact label={text.board.effort}><EffortField card={card} /></Fact>
      <Fact label={text.card.start}><DayField card={card} name="start_date" label={text.card.start} /></Fact>
      <Fact label={text.board.due}><DayField card={card} name="deadline" label={text.board.due} /></Fact>
      <Fact label={text.card.parent}><Values><ParentValue card={card} family={family} /></Values></Fact>
      <Fact label={text.card.objects}><Values><ObjectsValue card={card} /></Values></Fact>
      <CustomFacts card={card} />
    </dl>
  );
}

const Values = ({ children }: { children: ComponentChildren }) => <div class="values">{children}</div>;

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return <><dt>{label}</dt><dd>{children}</dd></>;
}

function PanelHead({ card, close, gone }: Pick<CardPanelProps, "card" | "gone"> & { close: (() => void) | undefined }) {
  const isOpen = card.now.value.card.is_open;
  const { projectId, cardId } = card.path;
  const state = useRef<HTMLButtonElement>(null);
  const choose = () => {
    const { board } = card.context;
    if (board && state.current) openMenu(state.current, columnMenu(board, cardId));
  };
  return (
    <div class="panel-head">
      <Button name={isOpen ? text.card.closes : text.card.reopens} icon={isOpen ? "check" : undefined} kind="small"
        controlRef={state} onClick={() => card.setOpen(!isOpen, choose)} />
      <CopyableKey of={card.now.value.card.key} />
      <span class="gap" />
      {close && (
        <a class="button plain small" href={cardHref(projectId, card.now.value.card)} title={text.card.page}
          aria-label={text.card.page}><Icon name="expand" /></a>
      )}
      <Button name={text.card.copyLink} icon="copy" kind="plain small" quiet
        onClick={() => copyAndTell(location.href)} />
      <MenuButton name={text.files.actions} icon="dots" kind="plain small" quiet
        options={() => openCardMenu(card, gone)} />
      {close && <Button name={text.close} icon="close" kind="plain small" quiet onClick={close} />}
    </div>
  );
}

/** The key of the card; a press copies it. */
function CopyableKey({ of: key }: { of: string | null }) {
  if (!key) return null;
  return <Button name={key} label={`${text.card.copyKey}: ${key}`} kind="plain small card-key"
    onClick={() => copyAndTell(key)} />;
}
