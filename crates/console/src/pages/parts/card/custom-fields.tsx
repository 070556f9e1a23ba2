// The custom fields of a card among its facts, each by its type.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { CustomField } from "../../../api/planning/custom-fields";
import { chooseValue, valueDraft } from "../../../model/planning/card-values";
import { chosenOf, fieldsOfCard, isActive, isAddress, MOST_LETTERS, sayValue }
  from "../../../model/planning/custom-fields";
import { namesOf } from "../../../model/planning/card-sprint";
import { tellFailure } from "../../../model/messages";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { Button } from "../../../ui/button";
import { dayOf } from "../../../ui/time";
import { DayChooser } from "./day-field";
import { draftKeys, Refusal } from "./fields";
import { pickValue } from "./value-pickers";
import { Add } from "./values";

interface ValueProps {
  card: OpenCard;
  field: CustomField;
  /** The id of the help, where there is some. */
  help: string | undefined;
}

/** The fields of the card's project; nothing where it has none. */
export function CustomFacts({ card }: { card: OpenCard }) {
  const fields = fieldsOfCard(card.around.value.fields, card.now.value.card.fields);
  return <>{fields.map((field) => <CustomFact key={field.id} card={card} field={field} />)}</>;
}

function CustomFact({ card, field }: Omit<ValueProps, "help">) {
  const { id, name, description } = field;
  const help = description ? `help-${id}` : undefined;
  return (
    <>
      <dt class="custom" title={description || undefined} dir="auto">
        {isActive(field) ? name : text.fields.archivedOne(name)}
      </dt>
      <dd data-field={id}>
        <CustomValue card={card} field={field} help={help} />
        {help && <span id={help} class="unseen">{description}</span>}
      </dd>
    </>
  );
}

function CustomValue(props: ValueProps) {
  if (!isActive(props.field)) return <ArchivedValue {...props} />;
  switch (props.field.type) {
    case "choice": case "user": return <ChosenValue {...props} />;
    case "choices": return <OptionsValue {...props} />;
    case "date": return <DayValue {...props} />;
    case "url": return <LinkValue {...props} />;
    case "number": return <NumberValue {...props} />;
    default: return <TextValue {...props} />;
  }
}

/** The draft of a field. It outlives a change of the definition while somebody types. */
const useValueDraft = ({ card, field }: ValueProps) => useMemo(() => valueDraft(card, field), [card, field.id]);

const said = (card: OpenCard, field: CustomField) => {
  const value = card.now.value.card.fields[field.id];
  return value === undefined ? "" : sayValue(field, value, { ...namesOf(card), day: dayOf });
};

const pickOf = ({ card, field }: ValueProps) => (anchor: Element) => pickValue(anchor, { field,
  value: () => card.now.value.card.fields[field.id], set: (value) => chooseValue(card, field.id, value) });

function TextValue(props: ValueProps) {
  const { field: { id, name, is_required: isRequired }, help } = props;
  const draft = useValueDraft(props);
  // With Shift, Enter begins a line.
  const onKey = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    if (event.key !== "Enter" || !event.shiftKey) draftKeys(event, draft);
  };
  return (
    <>
      <textarea id={`field-card-${id}`} class="quiet-input value-text" rows={1} aria-label={name}
        aria-describedby={help} aria-required={isRequired} maxLength={MOST_LETTERS} placeholder={text.fields.none}
        dir="auto" value={draft.value.value} onInput={(event) => draft.type(event.currentTarget.value)}
        onBlur={() => void draft.leave()} onKeyDown={onKey} />
      <Refusal draft={draft} />
    </>
  );
}

function NumberValue(props: ValueProps) {
  const { field: { id, name, unit, is_required: isRequired }, help } = props;
  const draft = useValueDraft(props);
  return (
    <>
      <div class="values">
        <input id={`field-card-${id}`} class="quiet-input value-number" inputMode="decimal" autocomplete="off"
          aria-label={unit ? `${name}, ${unit}` : name} aria-describedby={help} aria-required={isRequired}
          placeholder={text.fields.none} value={draft.value.value}
          onInput={(event) => draft.type(event.currentTarget.value)} onBlur={() => void draft.leave()}
          onKeyDown={(event) => draftKeys(event, draft)} />
        {unit && <span class="soft" aria-hidden="true">{unit}</span>}
      </div>
      <Refusal draft={draft} />
    </>
  );
}

function DayValue(props: ValueProps) {
  const { field: { id, name, is_required: isRequired }, help } = props;
  return <DayChooser draft={useValueDraft(props)} id={`field-card-${id}`} label={name} none={text.fields.none}
    describedBy={help} isRequired={isRequired} />;
}

/** An option or a person. */
function ChosenValue(props: ValueProps) {
  const { card, field, help } = props;
  const now = said(card, field);
  const name = now || text.fields.none;
  const [id] = chosenOf(card.now.value.card.fields[field.id]);
  const pick = pickOf(props);
  return (
    <div class="values">
      <Button name={name} label={`${field.name}: ${name}`} describedBy={help} popup="menu"
        lead={now && field.type === "user" ? <Avatar name={now} of={id} decorative /> : null}
        kind={now ? "plain small chooser" : "plain small chooser unset"}
        onClick={(event) => pick(event.currentTarget).catch(tellFailure)} />
    </div>
  );
}

function OptionsValue(props: ValueProps) {
  const { card, field } = props;
  const nameOf = (id: string) => field.options.find((option) => option.id === id)?.name ?? text.fields.goneOption;
  return (
    <div class="values">
      {chosenOf(card.now.value.card.fields[field.id]).map((id) => (
        <span key={id} class="tag value-option"><span dir="auto">{nameOf(id)}</span></span>
      ))}
      <Add name={text.fields.addTo(field.name)} describedBy={props.help} pick={pickOf(props)} />
    </div>
  );
}

/** An address: a link, and a field to change it. */
function LinkValue(props: ValueProps) {
  const { card, field: { id, name, is_required: isRequired }, help } = props;
  const draft = useValueDraft(props);
  const isEdited = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => { if (isEdited.value) input.current?.focus(); }, [isEdited.value]);
  const address = String(card.now.value.card.fields[id] ?? "");
  const leave = async () => { if (await draft.leave()) isEdited.value = false; };
  if (address && !isEdited.value) {
    return (
      <div class="values">
        <span class="tag"><Address address={address} /></span>
        <Button name={text.fields.editOf(name)} icon="pencil" kind="plain small" quiet describedBy={help}
          onClick={() => { isEdited.value = true; }} />
      </div>
    );
  }
  return (
    <>
      <input ref={input} id={`field-card-${id}`} type="url" class="quiet-input value-text" autocomplete="off"
        aria-label={name} aria-describedby={help} aria-required={isRequired} maxLength={MOST_LETTERS}
        placeholder={text.fields.none} value={draft.value.value}
        onInput={(event) => draft.type(event.currentTarget.value)} onBlur={() => void leave()}
        onKeyDown={(event) => draftKeys(event, draft)} />
      <Refusal draft={draft} saved={() => { isEdited.value = false; }} />
    </>
  );
}

function Address({ address }: { address: string }) {
  if (!isAddress(address)) return <span dir="auto">{address}</span>;
  return <a href={address} target="_blank" rel="noopener noreferrer nofollow ugc" dir="auto">{address}</a>;
}

/** The value of an archived field, which can be cleared alone. */
function ArchivedValue({ card, field, help }: ValueProps) {
  return (
    <div class="values">
      <span class="tag"><span dir="auto">{said(card, field)}</span></span>
      <Button name={text.fields.clears(field.name)} icon="close" kind="plain small" quiet describedBy={help}
        onClick={() => chooseValue(card, field.id, null)} />
    </div>
  );
}
