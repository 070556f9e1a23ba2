// An import or a trial: how far it is, its numbers, where its cards are, and what it changed or left out.

import { useEffect, useRef } from "preact/hooks";
import type { ImportRecord } from "../../../api/planning/imports";
import { tellFailure } from "../../../model/messages";
import { isRunning, type CardImports } from "../../../model/planning/card-imports";
import type { OpenCardImports } from "../../../model/planning/open-card-imports";
import { text } from "../../../text";
import { BusyButton } from "../../../ui/busy-button";
import { begin } from "./begin";
import { Notes } from "./notes";

/** Steps of what a screen reader is told. */
const TOLD_PERCENT = 10;
const COUNTS = ["issues", "comments", "relations", "boards", "sprints", "created", "existing"] as const;
/** Only exports of this service have them. */
const RARE: readonly string[] = ["boards", "sprints"];

interface OutcomeProps extends OpenCardImports {
  imports: CardImports;
  shown: ImportRecord;
}

export function Outcome({ opened, imports, shown, mayWrite }: OutcomeProps) {
  const { id, tool, isDryRun, state } = shown;
  const heading = useRef<HTMLHeadingElement>(null);
  // What a person has begun is read to them; what they come back to isn't.
  useEffect(() => { if (imports.begun.peek() === id) heading.current?.focus(); }, [id]);
  const name = (isDryRun ? text.imports.trial : text.imports.import)(text.imports.tools[tool]);
  return (
    <section class="import-outcome" aria-labelledby="outcome">
      <div class="heading">
        <h2 id="outcome" ref={heading} tabIndex={-1}>{name}</h2>
        {mayWrite && imports.isTried.value && <BusyButton name={text.imports.action} kind="primary"
          run={() => begin(imports, false).catch(tellFailure)} />}
      </div>
      <State shown={shown} isTried={imports.isTried.value} />
      <dl class="figures">
        {COUNTS.filter((count) => shown.counts[count] > 0 || !RARE.includes(count)).map((count) => (
          <div key={count}>
            <dt>{count === "created" && isDryRun ? text.imports.toCreate : text.imports.counts[count]}</dt>
            <dd>{shown.counts[count].toLocaleString()}</dd>
          </div>
        ))}
      </dl>
      {!isDryRun && !isRunning(shown) && <Cards opened={opened} />}
      <Notes key={state} organization={imports.organization} shown={shown} />
    </section>
  );
}

function State({ shown, isTried }: { shown: ImportRecord; isTried: boolean }) {
  const { isDryRun, state, failure, done, total } = shown;
  if (isDryRun) return <p>{text.imports.trialSays}{!isTried && ` ${text.imports.trialOver}`}</p>;
  const percent = Math.floor((100 * done) / Math.max(1, total) / TOLD_PERCENT) * TOLD_PERCENT;
  const code = failure ?? "";
  const says = state === "running" ? text.imports.percent(percent) : state === "finished" ? text.imports.finished
    : text.imports.failed(text.imports.failures[code] ?? text.imports.failure(code));
  return (
    <>
      {state === "running" && <progress max={Math.max(1, total)} value={done} aria-labelledby="outcome" />}
      {state === "running" && <p>{text.imports.running(done, total)}</p>}
      <p role="status" class={state === "running" ? "unseen" : state === "failed" ? "failure" : undefined}>{says}</p>
    </>
  );
}

/** The places in which the cards can be seen. */
function Cards({ opened: { project, teams } }: Pick<OpenCardImports, "opened">) {
  if (teams.length === 0) {
    return <p>{text.imports.noBoard} <a href={`/projects/${project.id}/settings`}>{text.imports.toSettings}</a></p>;
  }
  return (
    <>
      <p>{text.imports.onBoards}</p>
      <div class="sets">
        {teams.map(({ id, name }) => (
          <a key={id} class="button" dir="auto" href={`/orgs/${project.ownerId}/teams/${id}/backlog`}>
            {text.imports.toBacklog(name)}
          </a>
        ))}
      </div>
    </>
  );
}
