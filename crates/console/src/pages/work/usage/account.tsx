// The cost of the caller's agents.

import { text } from "../../../text";
import { usePlace } from "../../../ui/place";
import { accountPlace } from "../../parts/people-place";
import { UsageReport } from "./usage";

export default function AccountUsagePage() {
  usePlace(accountPlace("/account/usage", text.usage.title), []);
  return <UsageReport of={{ kind: "account" }} />;
}
