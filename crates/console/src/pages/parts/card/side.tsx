// The open card beside a board, a table or a backlog: `?card=` in the address names it.

import { useSignal, type Signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { findByKey } from "../../../api/planning/cards";
import { ApiError, reasonOf } from "../../../api/errors";
import { cardOf as cardOfEvent, type StreamEvent } from "../../../api/events";
import { isReached } from "../../../api/persist";
import { tell, tellFailure } from "../../../model/messages";
import type { CardContext } from "../../../model/planning/card-around";
import { cardHref, isKey, isNamed, nameOf, type NamedCard } from "../../../model/planning/card-name";
import { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { open, search, setParameters } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { isComposing } from "../../../ui/keys";
import { Separator, useKeptWidth } from "../../../ui/separator";
import { CardKey } from "../card-marks";
import type { CardPanelProps } from "./panel";

export const openCardName = () => search.value.get("card") ?? "";
export const isOpenCard = (card: NamedCard) => isNamed(card, openCardName());
export const openCard = (card: NamedCard) => setParameters({ card: nameOf(card) }, { push: true });
export const closeCard = () => setParameters({ card: null }, { push: true });

/** A card as a page knows it before it is read. */
export interface KnownCard extends NamedCard {
  name: string;
  project_id: string;
}

export interface CardSideProps {
  /** The card that an address names. */
  cardOf: (name: string) => KnownCard | undefined;
  context: CardContext;
  /** The id of the caller. */
  me: string;
  /** Tells events of the page's stream, until the returned function is called. */
  listen: (heard: (event: StreamEvent) => void) => () => void;
  /** Gives the focus back to the card in the page. */
  focus: (card: string) => void;
  /** True while the name of the card that opens is to be edited. */
  editing?: Signal<boolean>;
}

const [WIDTH_PX, LEAST_PX, MOST_PX] = [520, 360, 960];
const READY_MS = 1000;
/** The panel isn't needed for a page that opens, but before a card is chosen. */
const panelModule = () => import("./panel");

export function CardSide(props: CardSideProps) {
  const aside = useRef<HTMLElement>(null);
  const width = useKeptWidth("panel", WIDTH_PX);
  const name = openCardName();
  const known = name ? props.cardOf(name) : undefined;
  const last = useRef<KnownCard | undefined>(undefined);
  const isShown = Boolean(name && (known ?? last.current));
  if (known || !name) last.current = known;
  useEffect(() => {
    const timer = setTimeout(() => void panelModule().catch(() => {}), READY_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => { if (name && !isShown) void findElsewhere(name, props.cardOf).catch(tellFailure); }, [name]);
  useLayoutEffect(() => {
    if (!isShown) return;
    // Not the first button: a second Enter would press it.
    aside.current?.focus();
    aside.current?.scrollTo(0, 0);
    const id = last.current?.id ?? name;
    return () => {
      const active = document.activeElement;
      if (!openCardName() && (active === document.body || aside.current?.contains(active))) props.focus(id);
    };
  }, [isShown ? name : ""]);
  useEscape(isShown);
  return (
    <aside ref={aside} class="panel" hidden={!isShown} tabIndex={-1} aria-label={text.card.title}
      style={{ "--panel-width": `${width.value}px` }}>
      <Separator label={text.card.width} name="panel" width={width} usual={WIDTH_PX} least={LEAST_PX} most={MOST_PX}
        fromEnd />
      {isShown && last.current && <Opening key={name} id={known?.id ?? name} known={last.current} {...props} />}
    </aside>
  );
}

/** Finds a card by a key that the page doesn't know: a former one of a card that it shows, or that of another card. */
async function findElsewhere(name: string, cardOf: CardSideProps["cardOf"]): Promise<void> {
  const card = isKey(name) ? await findByKey(name) : undefined;
  if (openCardName() !== name) return;
  if (card && cardOf(card.id)) setParameters({ card: nameOf(card) });
  else if (card) open(cardHref(card.project_id, card), { replace: true });
  else tell(text.errors.hidden, { bad: true });
}

/** Closes the panel by Escape, unless the key is about something above it. */
function useEscape(isShown: boolean): void {
  useEffect(() => {
    if (!isShown) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || isComposing(event)) return;
      const isAbove = event.target instanceof Element && event.target.closest("[popover], .add, .filters");
      if (!isAbove && !document.querySelector("dialog[open]")) closeCard();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isShown]);
}

interface Opened {
  card: OpenCard;
  Panel: ComponentType<CardPanelProps>;
}

/** The card as the page knows it, and the rest once it is read. */
function Opening({ id, known, context, me, listen, editing }: CardSideProps & { id: string; known: KnownCard }) {
  const opened = useSignal<Opened | null>(null);
  const failure = useSignal<unknown>(null);
  const turn = useSignal(0);
  const again = () => { turn.value += 1; };
  useEffect(() => {
    let isLeft = false;
    failure.value = null;
    Promise.all([panelModule(), OpenCard.open({ projectId: known.project_id, cardId: id }, context)]).then(
      ([{ CardPanel: Panel }, card]) => { if (!isLeft) opened.value = { card, Panel }; },
      (error: unknown) => { if (!isLeft) failure.value = error; });
    return () => { isLeft = true; };
  }, [turn.value]);
  useEffect(() => listen((event) => {
    const card = opened.peek()?.card;
    if (event.type !== "card.deleted" || cardOfEvent(event) !== id) {
      if (card?.isAbout(event)) card.later();
      return;
    }
    tell(text.card.isGone(known.name));
    closeCard();
  }), []);
  // A card that couldn't be read while the service was away is read once it is back.
  const isBack = isReached.value && failure.value instanceof ApiError && failure.value.status === 0;
  useEffect(() => { if (isBack) again(); }, [isBack]);
  if (opened.value) {
    const { card, Panel } = opened.value;
    return <Panel card={card} me={me} close={closeCard} gone={closeCard} {...(editing ? { editing } : {})} />;
  }
  return <Outline known={known} failure={failure.value} again={again} />;
}

function Outline({ known, failure, again }: { known: KnownCard; failure: unknown; again: () => void }) {
  const isHidden = failure instanceof ApiError && failure.status === 404;
  return (
    <article class="card-panel">
      <div class="panel-head">
        <span class="gap" />
        <Button name={text.close} icon="close" kind="plain small" quiet onClick={closeCard} />
      </div>
      <CardKey of={known.key} />
      <h2 class="card-name" dir="auto">{known.name}</h2>
      {failure === null ? <p class="soft waits" role="status">{text.card.opens}</p> : (
        <>
          <p class="failure" role="alert">{isHidden ? text.errors.hidden : reasonOf(failure)}</p>
          <div><Button name={text.errors.again} onClick={again} /></div>
        </>
      )}
    </article>
  );
}
