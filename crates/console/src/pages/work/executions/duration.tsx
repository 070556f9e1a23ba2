// How long an execution took, or takes until now.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { KnownExecution } from "../../../model/work/executions";
import { text } from "../../../text";

const TICK_MS = 1000;

export function Duration({ one: { startedAt, endedAt } }: { one: KnownExecution }) {
  const now = useSignal(Date.now());
  const runs = Boolean(startedAt) && !endedAt;
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => { now.value = Date.now(); }, TICK_MS);
    return () => clearInterval(timer);
  }, [runs]);
  if (!startedAt) return null;
  const end = endedAt ? Date.parse(endedAt) : now.value;
  return <>{text.sessions.seconds(Math.max(0, (end - Date.parse(startedAt)) / 1000))}</>;
}
