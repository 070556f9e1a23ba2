// Cards that mention the caller, and questions of agents that wait for the caller. Without any, nothing is shown.

import { useSignal } from "@preact/signals";
import type { Home } from "../../model/home";
import { text } from "../../text";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icon";
import { Time } from "../../ui/time";
import { CardTitle } from "../parts/card-marks";

/** Cards that are shown before the person asks for the others. */
const FIRST = 5;

export function Mentioned({ home }: { home: Home }) {
  const isWhole = useSignal(false);
  const all = home.mentioned.value;
  if (all.length === 0) return null;
  return (
    <section aria-labelledby="mentioned" class="home-cards">
      <h2 id="mentioned">{text.home.mentioned}</h2>
      <ul class="rows">
        {(isWhole.value ? all : all.slice(0, FIRST)).map(({ card, mentionedAt }) => (
          <li key={card.id}>
            <a class="row home-row" href={home.hrefOf(card)}>
              <Icon name="page" />
              <CardTitle of={card.key} name={card.name} />
              <span class="soft where" dir="auto">{home.boardOf(card)?.name}</span>
              <span class="soft"><Time iso={mentionedAt} /></span>
            </a>
          </li>
        ))}
      </ul>
      {!isWhole.value && all.length > FIRST && (
        <Button name={text.projects.more} label={text.home.moreMentioned} kind="plain"
          onClick={() => { isWhole.value = true; }} />
      )}
    </section>
  );
}

export function Questions({ home }: { home: Home }) {
  const questions = home.questions.value;
  if (questions.length === 0) return null;
  return (
    <section aria-labelledby="questions" class="home-cards">
      <h2 id="questions">{text.home.questions}</h2>
      <ul class="rows">
        {questions.map(({ id, projectId, sessionId, tool, requestedAt }) => (
          <li key={id}>
            <a class="row home-row" href={`/projects/${projectId}/sessions/${sessionId}`}>
              <Icon name="agent" />
              <span class="name" dir="auto">{tool}</span>
              <span class="soft where" dir="auto">
                {home.projects.value.find((project) => project.id === projectId)?.name}
              </span>
              <span class="soft"><Time iso={requestedAt} /></span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
