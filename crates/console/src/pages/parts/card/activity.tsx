// The activity of a card: its comments, its history as sentences, and the field for another comment.

import { useSignal } from "@preact/signals";
import type { Comment, HistoryRow } from "../../../api/planning/cards";
import { newKey } from "../../../api/persist";
import { draftOf } from "../../../api/storage";
import type { Activity } from "../../../model/planning/activity";
import type { CardAttachments } from "../../../model/planning/card-attachments";
import { cardHref } from "../../../model/planning/card-name";
import { namesOf } from "../../../model/planning/card-sprint";
import { sentence, type Names } from "../../../model/planning/history-words";
import type { Mentionable } from "../../../model/planning/mention-list";
import type { OpenCard } from "../../../model/planning/open-card";
import { pastHref } from "../../../model/planning/past";
import { text } from "../../../text";
import { Avatar } from "../../../ui/avatar";
import { Button } from "../../../ui/button";
import { Markdown } from "../../../ui/markdown";
import { dayOf, Time } from "../../../ui/time";
import { Mentions, type MentionPlace } from "../mentions";
import { AttachedFile } from "./attached-file";
import { Editor } from "./editor";
import { mentionsOf } from "./kind-pickers";

interface ActivityProps {
  card: OpenCard;
  activity: Activity;
  attachments: CardAttachments;
  /** The id of the caller. */
  me: string;
}

export function ActivityList({ card, activity, attachments, me }: ActivityProps) {
  const names: Names = { ...namesOf(card), day: dayOf };
  const key = useSignal(newKey());
  const mentions = mentionsOf(card);
  const people = card.around.value.members;
  const place = `/projects/${card.path.projectId}/cards/${card.path.cardId}/comments`;
  const add = async (said: string) => {
    await activity.add(said, key.peek());
    key.value = newKey();
  };
  return (
    <section>
      <h3>{text.card.activity}</h3>
      <ol class="activity">
        {activity.entries.value.map((entry) => (entry.kind === "comment"
          ? <CommentView key={entry.id} comment={entry.comment} activity={activity} me={me} place={place}
            mentions={mentions} people={people} attachments={attachments} />
          : <EventView key={entry.id} row={entry.row} names={names}
            href={cardHref(card.path.projectId, { id: card.path.cardId })} />))}
      </ol>
      <p class="failure" role="alert">{activity.failure.value}</p>
      <Editor label={text.card.comment} action={text.card.comments} draft={draftOf(me, place)} people={people}
        attachments={attachments} send={add} />
    </section>
  );
}

interface CommentProps {
  comment: Comment;
  activity: Activity;
  me: string;
  place: string;
  mentions: MentionPlace;
  people: readonly Mentionable[];
  attachments: CardAttachments;
}

function CommentView({ comment, activity, me, place, mentions, people, attachments }: CommentProps) {
  const isEdited = useSignal(false);
  const { id, authorId, authorDisplayName: author, createdAt, updatedAt, body } = comment;
  return (
    <li class="comment" data-comment={id}>
      <div class="comment-head">
        <Avatar name={author} of={authorId} decorative />
        <strong dir="auto">{author}</strong>
        <span class="soft"><Time iso={createdAt} /></span>
        {updatedAt !== createdAt && <span class="soft">{text.card.edited}</span>}
        {authorId === me && (
          <span class="comment-acts">
            <Button name={text.card.editComment} icon="pencil" kind="plain small" quiet
              onClick={() => { isEdited.value = true; }} />
            <Button name={text.card.deleteComment} icon="bin" kind="plain small" quiet
              onClick={() => activity.delete(comment)} />
          </span>
        )}
      </div>
      {isEdited.value
        ? <Editor label={text.card.editComment} action={text.board.save} value={body}
          draft={draftOf(me, `${place}/${id}`)} people={people} attachments={attachments}
          close={() => { isEdited.value = false; }} send={(said) => activity.change(comment, said)} />
        : <Markdown source={body} words={(said) => <Mentions said={said} place={mentions} />}
          files={(file) => <AttachedFile file={file} attachments={attachments} />} />}
    </li>
  );
}

/** A line of the history. It leads to the card as this change left it. */
function EventView({ row, names, href }: { row: HistoryRow; names: Names; href: string }) {
  const said = sentence(row, names);
  if (said === null) return null;
  const actor = names.person(row.actor.userId);
  return (
    <li class="event">
      <Avatar name={actor} of={row.actor.userId} decorative />
      <span dir="auto">
        <strong><bdi>{actor}</bdi></strong>
        {`${row.actor.sessionId ? ` ${text.card.byAgent}` : ""} ${said}`}
      </span>
      <a class="soft" href={pastHref(href, row.occurredAt)} title={text.past.card}>
        <Time iso={row.occurredAt} /><span class="unseen">{` ${text.past.card}`}</span>
      </a>
    </li>
  );
}
