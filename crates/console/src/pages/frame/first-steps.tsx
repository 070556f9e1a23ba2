// The strip of a person's first three steps. It goes away when they are done, or when the person says so.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { endSteps, isDone, lookAtSteps, steps } from "../../model/first-steps";
import { tellFailure } from "../../model/messages";
import { isUploading } from "../../model/content/uploads";
import { text } from "../../text";
import { open } from "../../ui/address";
import { BusyButton } from "../../ui/busy-button";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { confirm } from "../parts/confirm";

export function FirstSteps({ path }: { path: string }) {
  // A reading that fails shows what was known.
  useEffect(() => void lookAtSteps(path).catch(() => {}), [path, isUploading.value]);
  const now = steps.value;
  if (!now) return null;
  const { project, hasFile, board } = now;
  return (
    <section class="steps" aria-label={text.begin.steps}>
      <ol>
        <Step isDone>{text.begin.project}</Step>
        <Step isDone={hasFile}>
          {hasFile ? text.begin.file : <a href={`/projects/${project}`}>{text.begin.addFile}</a>}
        </Step>
        <Step isDone={board !== ""}>
          {board ? <a href={board}>{text.begin.board}</a>
            : <BusyButton name={text.begin.makeBoard} icon="board" run={() => makeBoard(project).catch(tellFailure)} />}
        </Step>
      </ol>
      <Button name={isDone(now) ? text.begin.done : text.begin.hide} kind="plain" onClick={endSteps} />
    </section>
  );
}

function Step({ isDone: done, children }: { isDone: boolean; children: ComponentChildren }) {
  return <li class={done ? "done" : ""}><Icon name={done ? "done" : "open"} />{children}</li>;
}

/** Makes the board, after a question where the project moves for it. */
async function makeBoard(project: string): Promise<void> {
  const { makeFirstBoard, newOwner } = await import("../../model/planning/first-board");
  const owner = await newOwner(project);
  const send = async () => open(await makeFirstBoard(project, owner));
  if (!owner) return send();
  confirm({ title: text.begin.makeBoard, says: text.begin.moves(owner.name), action: text.board.makesTeam,
    danger: false, send });
}
