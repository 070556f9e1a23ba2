// The mark of what is shown of the past, and the way to another moment and back to now.

import { momentTyped, sayMoment, typedMoment } from "../../model/planning/past";
import { text } from "../../text";
import { setParameters } from "../../ui/address";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { Field } from "../../ui/form";
import { Icon } from "../../ui/icon";

/** Says that a page shows the past and can't be changed. */
export function PastBanner({ at }: { at: string }) {
  return (
    <div class="past-banner" role="status">
      <Icon name="history" />
      <span><strong>{text.past.asOf(sayMoment(at))}</strong> <span class="soft">{text.past.readOnly}</span></span>
      <Button name={text.past.another} kind="small" onClick={() => askMoment(at)} />
      <Button name={text.past.now} kind="small primary" onClick={() => setParameters({ at: null }, { push: true })} />
    </div>
  );
}

/** Asks for a moment, and shows the page as of then. The moment stands in the address. */
export function askMoment(at: string = new Date().toISOString()): void {
  ask({
    title: text.past.title, action: text.past.show, cancel: text.cancel,
    fields: <Field label={text.past.moment} name="moment" type="datetime-local" step="1" required
      value={typedMoment(at)} help={text.past.momentHelp} />,
    send: async (form) => setParameters({ at: momentTyped(String(form.get("moment"))) }, { push: true }),
  });
}
