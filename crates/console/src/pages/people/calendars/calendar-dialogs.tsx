// The dialog that makes a calendar feed, and the one that shows its address once.

import type { IssuedCalendarFeed } from "../../../api/planning/calendars";
import { newKey } from "../../../api/persist";
import type { Calendars } from "../../../model/people/calendars";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { Checks } from "../../../ui/checks";
import { ask, openDialog } from "../../../ui/dialog";
import { Field } from "../../../ui/form";
import { Select } from "../../../ui/picker";
import { Copied } from "../../parts/copied";

/** Asks for a new feed's name and content, and shows its address. */
export function askCalendar(calendars: Calendars): void {
  const once = newKey();
  const words = text.calendars;
  ask({
    title: words.add,
    action: words.makes,
    cancel: text.cancel,
    fields: (
      <>
        <Field label={words.name} name="name" required help={words.nameHelp} />
        <Select label={words.content} name="place" value="" find={words.find}
          choices={[{ value: "", name: words.all }, ...calendars.places]} />
        <Checks label={words.limit} name="mine" ticked={[]} help={words.mineHelp}
          choices={[{ value: "mine", name: words.mine }]} />
      </>
    ),
    send: async (form) => {
      const [name, place] = [String(form.get("name")), String(form.get("place"))];
      showOnce(await calendars.create(name, place, form.get("mine") === "mine", once));
    },
  });
}

function showOnce({ feed, url }: IssuedCalendarFeed): void {
  const title = text.calendars.made(feed.name);
  openDialog(
    (close) => (
      <div class="form">
        <h2>{title}</h2>
        <p class="warned">{text.calendars.once}</p>
        <Copied label={text.calendars.address} value={url} />
        <p class="help">{text.calendars.subscribe}</p>
        <div class="actions"><Button name={text.keys.kept} kind="primary" onClick={close} /></div>
      </div>
    ),
    { label: title },
  );
}
