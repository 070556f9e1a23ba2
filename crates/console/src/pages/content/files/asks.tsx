// Questions on a page of files: names of objects, deletions, commits, and the address for Git.

import { newKey } from "../../../api/persist";
import type { ProjectRecord } from "../../../api/content/projects";
import { tell } from "../../../model/messages";
import { text } from "../../../text";
import { ask } from "../../../ui/dialog";
import { Field } from "../../../ui/form";
import { copyAndTell } from "../../parts/copied";
import type { FilesView } from "./view";

const nameIn = (form: FormData) => String(form.get("name")).trim();

export function askRename({ files }: FilesView, id: string): void {
  ask({
    title: text.files.rename,
    action: text.files.rename,
    cancel: text.cancel,
    fields: <Field label={text.files.name} name="name" value={files.nameOf(id)} required />,
    // The new name is shown at once; a refusal is told.
    async send(form) { void files.rename(id, nameIn(form)); },
  });
}

export function askCreate({ files, choose }: FilesView, parent: string, isFolder: boolean): void {
  const key = newKey();
  const what = isFolder ? text.files.folder : text.files.object;
  ask({
    title: text.files.makesIn(what, files.nameOf(parent)),
    action: text.files.makes,
    cancel: text.cancel,
    fields: <>
      <Field label={isFolder ? text.files.folderName : text.files.name} name="name" required />
      {!isFolder && <Field label={text.files.type} name="type" value="Part" required />}
    </>,
    async send(form) {
      choose(await files.create(nameIn(form), isFolder ? "Folder" : String(form.get("type")), parent, key));
    },
  });
}

export function askDelete({ files, choose }: FilesView, id: string): void {
  const { gone, lost } = files.lossOf(id);
  ask({
    title: text.files.deletes(files.nameOf(id)),
    action: text.files.delete,
    cancel: text.cancel,
    danger: true,
    fields: <>
      {gone > 1 && <p>{text.files.goes(gone - 1)}</p>}
      {lost > 0 && <p class="loss">{text.files.lost(lost, gone)}</p>}
      {lost < gone && <p>{text.files.stays(gone - lost)}</p>}
    </>,
    async send() {
      const isShown = files.tree.isBelow(files.tree.selected.peek() ?? "", id);
      files.delete(id);
      if (isShown) choose(null);
    },
  });
}

export function askCommit({ files }: FilesView): void {
  const key = newKey();
  const said = text.files.changes(files.changes.peek()?.totalObjectChanges ?? 0);
  ask({
    title: text.files.commits,
    action: text.files.commit,
    cancel: text.cancel,
    fields: <>
      <p class="help" dir="auto">{text.files.commitsTo(said, files.opened.branch)}</p>
      <Field label={text.files.message} name="message" required rows={3} />
    </>,
    async send(form) {
      tell(text.files.committed(await files.commit(String(form.get("message")), key)));
    },
  });
}

export function askClone({ ownerSlug, projectSlug, defaultBranch }: ProjectRecord, branch: string): void {
  const name = branch === defaultBranch ? projectSlug : `${projectSlug}--${encodeURIComponent(branch)}`;
  const address = `${location.origin}/git/${ownerSlug}/${name}.git`;
  ask({
    title: text.files.clone,
    action: text.files.cloneAddress,
    cancel: text.cancel,
    fields: <>
      <p class="help">{text.files.cloneHelp}</p>
      <pre class="code clone" tabIndex={0}>{`git clone ${address}`}</pre>
    </>,
    send: () => copyAndTell(address),
  });
}
