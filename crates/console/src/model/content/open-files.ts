// The files of a branch, followed live: others' edits and commits, and the uploads of this tab.

import { effect } from "@preact/signals";
import { projectEvents } from "../../api/content/projects";
import { watch, type Watch } from "../../api/watch";
import { CardLinks } from "../planning/card-links";
import { Files } from "./files";
import { PreviewEvents } from "./preview-events";
import { openProject } from "./project";
import { isEnded, uploads, type Upload } from "./uploads";

export interface OpenFiles {
  files: Files;
  links: CardLinks;
  previews: PreviewEvents;
  live: Watch;
  close: () => void;
}

interface ChangeData {
  branch?: string;
  changed?: string[];
  sha256?: string;
}

export async function openFiles(id: string, branch: string | null): Promise<OpenFiles> {
  const opened = await openProject(id, branch);
  const files = new Files(opened);
  await files.load();
  const previews = new PreviewEvents();
  const live = watch(projectEvents(id), () => files.load(), ({ type, data }) => {
    const { branch: where, changed, sha256 } = (data.data ?? {}) as ChangeData;
    if (type === "preview.finished" && sha256) previews.finished(sha256);
    if ((type !== "objects.changed" && type !== "commit.created") || (where && where !== opened.branch)) return false;
    const shown = files.shown.peek();
    if (shown && changed?.includes(shown.id)) void files.refresh();
    return true;
  });
  const endings = [followUploads(files), previews.follow(live.state)];
  return { files, links: new CardLinks(id), previews, live, close: () => {
    live.stop();
    for (const end of endings) end();
  } };
}

/**
 * Shows the last object that this tab has uploaded to the branch, unless the person has turned to something else
 * since the uploads began.
 */
export function followUploads(files: Files): () => void {
  let begun: { selected: string | null } | null = null;
  return effect(() => {
    const mine = uploads.value.filter(({ target }) => target.place === files.place);
    const isUnderWay = mine.some((upload) => !isEnded(upload));
    if (isUnderWay) begun ??= { selected: files.tree.selected.peek() };
    else if (begun) {
      const { selected } = begun;
      begun = null;
      void finish(files, mine, selected);
    }
  });
}

async function finish(files: Files, mine: readonly Upload[], before: string | null): Promise<void> {
  const last = mine.findLast(({ state }) => state === "done");
  if (!last) return;
  await files.load();
  if (files.tree.selected.peek() !== before) return;
  const made = last.replaces ? last.parent : last.object;
  if (made && made === before) await files.refresh();
  else if (made) files.arrived.value = made;
}
