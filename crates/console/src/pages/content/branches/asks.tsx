// Questions about branches: a new one, and the end of one.

import { ApiError } from "../../../api/errors";
import { newKey } from "../../../api/persist";
import type { ProjectRecord } from "../../../api/content/projects";
import type { Branches } from "../../../model/content/branches";
import { projectHref } from "../../../model/content/project";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { ask } from "../../../ui/dialog";
import { Field } from "../../../ui/form";
import { Select } from "../../../ui/picker";
import { confirm } from "../../parts/confirm";

export function askBranch(project: ProjectRecord, branches: Branches): void {
  const key = newKey();
  ask({
    title: text.branches.create,
    action: text.branches.makes,
    cancel: text.cancel,
    fields: <>
      <Field label={text.branches.name} name="name" required />
      <Select label={text.branches.from} name="from" value={project.defaultBranch}
        choices={branches.all.peek().map(({ name }) => ({ value: name, name }))} />
    </>,
    async send(form) {
      const made = await branches.create(String(form.get("name")).trim(), String(form.get("from")), key)
        .catch((error: unknown) => { throw aboutName(error); });
      open(projectHref(project, "", made));
    },
  });
}

/** Of a new branch, only the name can be taken: the refusal stands beside that field. */
function aboutName(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== "BRANCH_CONFLICT") return error;
  const { message } = error;
  return Object.assign(new Error(message), { issues: [{ path: "name", rule: "", message }], say: () => message });
}

export function askDelete(branches: Branches, name: string): void {
  confirm({
    title: text.branches.deletes(name),
    action: text.branches.delete,
    says: text.branches.deleteHelp,
    async send() { branches.delete(name); },
  });
}
