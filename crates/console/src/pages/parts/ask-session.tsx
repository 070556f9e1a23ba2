// The form that opens a session with an agent.

import { newKey } from "../../api/persist";
import { createSession, readModels, readToolServers, type Effect, type Model } from "../../api/work/sessions";
import { tellFailure } from "../../model/messages";
import { placeOf, type OpenedProject } from "../../model/content/project";
import { text } from "../../text";
import { open } from "../../ui/address";
import { Checks } from "../../ui/checks";
import { ask } from "../../ui/dialog";
import { Field } from "../../ui/form";
import { Select } from "../../ui/picker";

const EFFECTS: readonly Effect[] = ["read", "write", "destroy", "sendOut"];
const TOOLBOXES = ["project", "cards", "files", "code"];
/** Choices from which on their menu has a field to find one. */
const MANY = 8;

/** Asks for a session on a project, and goes to it. */
export function askSession(opened: OpenedProject): void {
  void askWith(opened).catch(tellFailure);
}

async function askWith(opened: OpenedProject): Promise<void> {
  const { project, organizations } = opened;
  const [models, servers] = await Promise.all([readModels(), readToolServers(project.id)]);
  const isOrganization = organizations.some(({ id }) => id === project.ownerId);
  const boxes = [...TOOLBOXES, ...(isOrganization ? ["teams"] : []), ...servers];
  const once = newKey();
  ask({
    title: text.sessions.create,
    action: text.sessions.opens,
    cancel: text.cancel,
    fields: <Fields opened={opened} models={models} boxes={boxes} />,
    send: async (form) => {
      const [prompt, budget] = [String(form.get("prompt") ?? "").trim(), String(form.get("budget") ?? "").trim()];
      const toolboxes = form.getAll("toolbox").map(String);
      const model = form.get("model");
      const session = await createSession(placeOf(project, String(form.get("branch"))), {
        autoApprove: form.getAll("effect") as Effect[],
        ...(prompt ? { prompt } : {}),
        ...(model ? { model: String(model) } : {}),
        ...(toolboxes.length === boxes.length ? {} : { toolboxes }),
        // The service says what is wrong with a budget that is no number.
        ...(budget ? { budget: { credits: budget as unknown as number } } : {}),
      }, once);
      open(`/projects/${project.id}/sessions/${session}`);
    },
  });
}

interface FieldsProps {
  opened: OpenedProject;
  models: readonly Model[];
  boxes: readonly string[];
}

function Fields({ opened: { project, branches }, models, boxes }: FieldsProps) {
  const find = branches.length > MANY ? { find: text.branches.find } : {};
  return (
    <>
      <Field label={text.sessions.prompt} name="prompt" rows={3} help={text.sessions.promptHelp} />
      <div class="form-row">
        <Select label={text.branches.branch} name="branch" value={project.defaultBranch} {...find}
          choices={branches.map(({ name }) => ({ value: name, name }))} />
        <Select label={text.sessions.model} name="model" choices={models.map(({ id, provider }) => (
          { value: id, name: text.sessions.modelOf(id, provider) }))} />
      </div>
      <Checks label={text.sessions.approve} help={text.sessions.approveHelp} name="effect" ticked={["read", "write"]}
        choices={EFFECTS.map((effect) => ({ value: effect, name: text.sessions.effects[effect] ?? effect }))} />
      <details class="more">
        <summary>{text.sessions.moreOptions}</summary>
        <div class="form">
          <Checks label={text.sessions.toolboxes} help={text.sessions.toolboxesHelp} name="toolbox" ticked={boxes}
            choices={boxes.map((box) => ({ value: box, name: text.sessions.toolboxNames[box] ?? box }))} />
        </div>
      </details>
      <Field label={text.sessions.budget} name="budget" help={text.sessions.budgetHelp} />
    </>
  );
}
