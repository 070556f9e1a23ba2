// The commits whose messages name a card, each with a link to its page.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { CardCommit } from "../../../api/content/versions";
import { CardCommits } from "../../../model/planning/card-commits";
import type { OpenCard } from "../../../model/planning/open-card";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Icon } from "../../../ui/icon";
import { Time } from "../../../ui/time";

/** Commits that are shown before the person asks for the others. */
const FIRST = 5;

export function CommitsSection({ card }: { card: OpenCard }) {
  const model = useMemo(() => new CardCommits(card), [card]);
  const isWhole = useSignal(false);
  useEffect(() => model.follow(), [model]);
  const commits = model.commits.value;
  if (commits.length === 0) return null;
  return (
    <section aria-labelledby="card-commits">
      <div class="section-head"><h3 id="card-commits">{text.card.commits}</h3></div>
      <ul class="related card-commits">
        {(isWhole.value ? commits : commits.slice(0, FIRST)).map((commit) => (
          <CommitRow key={commit.commitHash} commit={commit} project={card.path.projectId} />
        ))}
      </ul>
      {!isWhole.value && commits.length > FIRST && (
        <Button name={text.files.more} kind="plain small" onClick={() => { isWhole.value = true; }} />
      )}
    </section>
  );
}

function CommitRow({ commit, project }: { commit: CardCommit; project: string }) {
  const { commitHash: hash, message, author, committedAt, closes } = commit;
  return (
    <li>
      <a href={`/projects/${project}/commits/${hash}`}>
        <Icon name="commit" />
        <code class="soft">{text.versions.short(hash)}</code>
        <span class="name" dir="auto">{message}</span>
      </a>
      {closes && <span class="stands closing"><Icon name="check" /> {text.card.closesIt}</span>}
      <span class="soft stands" dir="auto">{author.name}</span>
      <span class="soft stands"><Time iso={committedAt} /></span>
    </li>
  );
}
