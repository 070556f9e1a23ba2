// The tools above a project's files: uploads, folders, commits, the branch, and the way to its changes.

import { useRef } from "preact/hooks";
import { projectHref } from "../../../model/content/project";
import { sendFiles } from "../../../model/content/uploads";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { BranchMenu } from "../../parts/branch";
import { askClone, askCommit, askCreate } from "./asks";
import type { FilesView } from "./view";

export function Tools({ view }: { view: FilesView }) {
  const { files } = view;
  const { project, branch, branches } = files.opened;
  const picker = useRef<HTMLInputElement>(null);
  const changes = files.changes.value;
  const take = (input: HTMLInputElement) => {
    const chosen = [...input.files ?? []].map((file) => ({ file, path: file.name }));
    void sendFiles(files.target, chosen, files.folder.peek());
    input.value = "";
  };
  return (
    <div class="tools">
      <input ref={picker} type="file" multiple hidden aria-label={text.files.upload}
        onChange={(event) => take(event.currentTarget)} />
      <Button name={text.files.upload} icon="upload" kind="primary" onClick={() => picker.current?.click()} />
      <Button name={text.files.folder} icon="folder" onClick={() => askCreate(view, files.folder.peek(), true)} />
      <Button name={text.files.commit} icon="commit" disabled={!changes?.hasChanges} onClick={() => askCommit(view)} />
      <BranchMenu branches={branches} chosen={branch} choose={(now) => open(projectHref(project, "", now))} />
      <Button name={text.files.clone} icon="copy" kind="plain" onClick={() => askClone(project, branch)} />
      <a class="changes" href={projectHref(project, "/changes", branch)}>
        {changes?.hasChanges ? text.files.changes(changes.totalObjectChanges) : text.files.clean}
      </a>
    </div>
  );
}
