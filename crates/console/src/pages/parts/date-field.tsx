// A day of a form, with the console's words.

import { today as todayHere } from "../../model/planning/due";
import { text } from "../../text";
import { DatePicker, type DatePickerProps } from "../../ui/date-picker";

type Given = Omit<DatePickerProps, "words" | "today"> & { today?: string };

/** `today` is the person's day, unless the page has a zone of its own. */
export function DateField({ today = todayHere(), ...rest }: Given) {
  return <DatePicker words={text.dates} today={today} {...rest} />;
}
