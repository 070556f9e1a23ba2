// The caller's calendar feeds.

import type { CalendarFeed } from "../../../api/planning/calendars";
import { Calendars } from "../../../model/people/calendars";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { Button } from "../../../ui/button";
import { Entries, Entry } from "../../../ui/entries";
import { usePlace } from "../../../ui/place";
import { Time } from "../../../ui/time";
import { PageState } from "../../parts/page-state";
import { accountPlace } from "../../parts/people-place";
import { askCalendar } from "./calendar-dialogs";

export default function CalendarsPage() {
  usePlace(accountPlace("/account/calendars", text.calendars.title), []);
  return (
    <PageState read={() => Calendars.open()} keys={[]}>
      {(calendars) => <Opened calendars={calendars} />}
    </PageState>
  );
}

function Opened({ calendars }: { calendars: Calendars }) {
  const add = () => askCalendar(calendars);
  useActions(() => [{ name: text.calendars.add, icon: "plus", group: text.calendars.title, run: add }]);
  return (
    <div class="page">
      <div class="heading">
        <h1>{text.calendars.title}</h1>
        <Button name={text.calendars.add} icon="plus" kind="primary" onClick={add} />
      </div>
      <p class="lead">{text.calendars.lead}</p>
      <Entries label={text.calendars.title} empty={text.calendars.none}>
        {calendars.shown.value.map((feed) => <FeedEntry key={feed.id} calendars={calendars} feed={feed} />)}
      </Entries>
    </div>
  );
}

function FeedEntry({ calendars, feed }: { calendars: Calendars; feed: CalendarFeed }) {
  const { name, lastFetchedAt } = feed;
  const fetched = lastFetchedAt ? <>{text.calendars.fetched} <Time iso={lastFetchedAt} /></> : text.calendars.unfetched;
  return (
    <Entry name={name} icon="calendar" below={<><span dir="auto">{calendars.says(feed)}</span> · {fetched}</>}>
      <Button name={text.calendars.revoke} kind="bad" onClick={() => calendars.revoke(feed)} />
    </Entry>
  );
}
