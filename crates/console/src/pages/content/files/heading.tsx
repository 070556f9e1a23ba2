// The name of the selected object, and what can be done with it.

import { useRef } from "preact/hooks";
import { download } from "../../../api/content/downloads";
import { sessionOf } from "../../../api/content/grants";
import type { FileRef, ProjectObject, TreeNode } from "../../../api/content/objects";
import { tellFailure } from "../../../model/messages";
import { fileNameOf } from "../../../model/content/media";
import { projectHref } from "../../../model/content/project";
import { productOf } from "../../../model/content/tree";
import { replaceFile } from "../../../model/content/uploads";
import { text } from "../../../text";
import { open } from "../../../ui/address";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { saveBlob } from "../../../ui/save";
import { iconOf } from "../../parts/object-icon";
import { askDelete, askRename } from "./asks";
import { askMove } from "./move";
import type { FilesView } from "./view";

interface HeadingProps {
  node: TreeNode | ProjectObject;
  object: ProjectObject | null;
  view: FilesView;
}

export function ObjectHeading({ node, object, view }: HeadingProps) {
  const { files } = view;
  const { id, name, file } = node;
  const product = productOf(files.nodeOf(id) ?? { name });
  const picker = useRef<HTMLInputElement>(null);
  const language = String(object?.data.language);
  const runs = node.type === "Code" && Object.hasOwn(text.executions.languages, language);
  const replaces = file && node.type !== "Page";
  const { project, branch } = files.opened;
  return (
    <div class="heading">
      <Icon name={iconOf(node)} />
      <div class="names">
        <h2 dir="auto">{name}</h2>
        {product && <span class="beside" dir="auto" title={product}>{product}</span>}
      </div>
      <input ref={picker} type="file" hidden aria-label={text.files.replace} data-replace onChange={(event) => {
        const [chosen] = event.currentTarget.files ?? [];
        if (chosen) void replaceFile(files.target, chosen, id);
        // The same file, saved again, is another choice.
        event.currentTarget.value = "";
      }} />
      {files.holders.value.has(id) && <a class="button" href={projectHref(project, "/bom", branch, { root: id })}>
        <Icon name="bill" /><span>{text.bom.title}</span>
      </a>}
      {runs && <Button name={text.files.run} icon="run" onClick={() => run(view, id)} />}
      {file && <Button name={text.files.save} icon="download"
        onClick={() => save(files.place, id, { name, file })} />}
      {replaces && <Button name={text.files.replace} icon="upload" onClick={() => picker.current?.click()} />}
      <Button name={text.files.rename} onClick={() => askRename(view, id)} />
      <Button name={text.files.move} onClick={() => askMove(view, id)} />
      <Button name={text.files.delete} onClick={() => askDelete(view, id)} />
    </div>
  );
}

/** Saves an object's file, as it is or as a commit has it. */
export function save(place: string, id: string, of: { name: string; file: FileRef }, commit?: string | null) {
  return download(place, id, of.file.extension, commit)
    .then((blob) => saveBlob(blob, fileNameOf(of)), tellFailure);
}

/** Opens the page that runs code, with an object chosen, in the session of this tab. */
async function run({ files: { opened, place } }: FilesView, id: string): Promise<void> {
  try {
    open(`/projects/${opened.project.id}/sessions/${await sessionOf(place)}/executions?object=${id}`);
  } catch (error) {
    tellFailure(error);
  }
}
