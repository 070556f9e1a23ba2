// Forms of a sprint: its fields, its start and its completion.

import { newKey } from "../../api/persist";
import type { Sprint, SprintReport } from "../../api/planning/sprints";
import type { Proposal } from "../../model/planning/new-sprint";
import { fieldsOf, type SprintDays, type SprintFields, type SprintModel } from "../../model/planning/sprint";
import type { Sprints } from "../../model/planning/sprints";
import { dayIn } from "../../model/planning/zone";
import { text } from "../../text";
import { addDays } from "../../ui/calendar";
import { ask } from "../../ui/dialog";
import { Field } from "../../ui/form";
import { Select } from "../../ui/picker";
import { DateField } from "./date-field";

/** The length that a sprint without days is offered with. */
const USUAL_DAYS = 14;

interface DaysProps {
  days: SprintDays;
  zone: string;
  required?: boolean;
}

function Days({ days: { start, end }, zone, required = false }: DaysProps) {
  const shared = { required, today: dayIn(zone, Date.now()) };
  return (
    <>
      <div class="form-row">
        <DateField label={text.sprints.start} name="startDate" value={start} {...shared} />
        <DateField label={text.sprints.end} name="endDate" value={end} {...shared} />
      </div>
      <p class="help">{text.sprints.zone(zone)}</p>
    </>
  );
}

interface FieldsProps {
  fields: SprintFields | Proposal;
  zone: string;
  required?: boolean;
}

function Fields({ fields, zone, required = false }: FieldsProps) {
  return (
    <>
      <Field label={text.sprints.name} name="name" value={fields.name} required />
      <Field label={text.sprints.goal} name="description" rows={4} help={text.sprints.goalHelp}
        value={"description" in fields ? fields.description : ""} />
      <Days days={fields} zone={zone} required={required} />
    </>
  );
}

function given(form: FormData): SprintFields {
  const of = (name: string) => String(form.get(name) ?? "");
  return { name: of("name"), description: of("description"), start: of("startDate"), end: of("endDate") };
}

/** Asks for a new sprint, proposed with the next name and days. */
export function askNewSprint(sprints: Sprints, zone: string, done: (sprint: Sprint) => void): void {
  const key = newKey();
  ask({
    title: text.sprints.create,
    action: text.sprints.creates,
    cancel: text.cancel,
    fields: <Fields fields={sprints.propose(zone)} zone={zone} />,
    send: async (form) => done(await sprints.create(given(form), key)),
  });
}

export function askChange(model: SprintModel, sprint: Sprint, zone: string): void {
  const before = fieldsOf(sprint, zone);
  ask({
    title: text.sprints.edit,
    action: text.sprints.save,
    cancel: text.cancel,
    fields: <Fields fields={before} zone={zone} required={sprint.status === "active"} />,
    send: (form) => model.save(before, given(form)),
  });
}

/** `isBeside` is true while another sprint is active. */
export function askStart(model: SprintModel, sprint: Sprint, zone: string, isBeside: boolean): void {
  const before = fieldsOf(sprint, zone);
  const start = before.start || dayIn(zone, Date.now());
  const days = { start, end: before.end || addDays(start, USUAL_DAYS - 1) };
  ask({
    title: text.sprints.starts,
    action: text.sprints.starts,
    cancel: text.cancel,
    fields: (
      <>
        <p>{text.sprints.startLead}</p>
        <Days days={days} zone={zone} required />
        {isBeside && (
          <label class="check">
            <input type="checkbox" name="concurrent" />
            <span>{text.sprints.concurrent}</span>
          </label>
        )}
      </>
    ),
    send: (form) => model.start(before, given(form), form.has("concurrent")),
  });
}

/** `others` can take the open cards. */
export function askComplete(model: SprintModel, report: SprintReport, others: readonly Sprint[]): void {
  const open = report.carried_over.total.cards;
  const targets = [
    { value: "backlog", name: text.sprints.toBacklog },
    ...others.map(({ id, name }) => ({ value: id, name: text.sprints.toSprint(name) })),
    { value: "keep", name: text.sprints.keep },
  ];
  ask({
    title: text.sprints.completes,
    action: text.sprints.completes,
    cancel: text.cancel,
    fields: (
      <>
        <p>{text.sprints.completeLead(report.done.total.cards, open)}</p>
        {open > 0 && <Select label={text.sprints.openCards} name="target" choices={targets} />}
      </>
    ),
    send: (form) => model.complete(form.has("target") ? String(form.get("target")) : null),
  });
}
