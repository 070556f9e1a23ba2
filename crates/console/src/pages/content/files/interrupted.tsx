// The uploads that a reload or a failure has interrupted: the same file resumes them, or they are forgotten.

import { useSignal } from "@preact/signals";
import { forgetUpload, interrupted } from "../../../api/content/uploads";
import { uploadsTo } from "../../../model/content/uploads";
import { text } from "../../../text";
import { Button } from "../../../ui/button";

export function Interrupted({ place }: { place: string }) {
  const forgotten = useSignal(0);
  // Read again when an upload has begun or ended, or was forgotten.
  void [forgotten.value, uploadsTo(place).map(({ state }) => state).join()];
  const all = interrupted(place);
  if (all.length === 0) return null;
  return (
    <ul class="interrupted">
      {all.map((one) => (
        <li key={one.url}>
          <span dir="auto">{text.files.interrupted(one.name)}</span>
          <Button name={text.files.forget} kind="plain" onClick={() => {
            void forgetUpload(place, one);
            forgotten.value += 1;
          }} />
        </li>
      ))}
    </ul>
  );
}
