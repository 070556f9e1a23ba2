// A session's status as a word with a colour.

import { text } from "../../text";
import { StateMark } from "../../ui/state-mark";

export const SessionStatus = ({ status }: { status: string }) => (
  <StateMark state={status} name={text.sessions.statuses[status] ?? status} />
);
