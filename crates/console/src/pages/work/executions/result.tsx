// The output of an execution, as it comes.

import { isOpen, type Executions, type KnownExecution } from "../../../model/work/executions";
import { text } from "../../../text";
import { BusyButton } from "../../../ui/busy-button";
import { useFollowEnd } from "../../../ui/follow-end";
import { useFrameValue } from "../../../ui/frame-value";
import { Icon } from "../../../ui/icon";
import { StateMark } from "../../../ui/state-mark";
import { Duration } from "./duration";

export function Result({ executions }: { executions: Executions }) {
  const one = executions.current.value;
  const output = useFrameValue(executions.output).value;
  const { scroller, onScroll } = useFollowEnd([output]);
  const words = output || (!one ? text.executions.noResult : isOpen(one) ? "" : text.executions.silent);
  return (
    <section class="output-place" aria-label={text.executions.output}>
      <Head executions={executions} one={one} />
      <div ref={scroller} class={output ? "output" : "output soft"} tabIndex={0} role="log"
        aria-label={text.executions.output} onScroll={onScroll}>{words}</div>
      <p class="failure">{one?.failure ? one.failure.message : one?.truncated ? text.executions.cut : ""}</p>
    </section>
  );
}

function Head({ executions, one }: { executions: Executions; one: KnownExecution | undefined }) {
  if (!one) return <div class="output-head"><h2>{text.executions.output}</h2></div>;
  const { executionId, objectId, state = "" } = one;
  return (
    <div class="output-head">
      <Icon name="code" />
      <h2 dir="auto">{executions.nameOf(objectId)}</h2>
      <ExecutionState state={state} />
      <span class="soft"><Duration one={one} /></span>
      {isOpen(one) && <BusyButton name={text.executions.stop} icon="stop" kind="halt"
        run={() => executions.stop(executionId)} />}
    </div>
  );
}

export const ExecutionState = ({ state }: { state: string }) => (
  <StateMark state={state} name={text.executions.states[state] ?? state} />
);
