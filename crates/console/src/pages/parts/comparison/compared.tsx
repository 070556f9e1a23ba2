// Two commits compared: designs in space, and all objects in a list, with a button for more of a long one.

import { useSignal } from "@preact/signals";
import type { Compared } from "../../../model/content/comparison";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { BillDifferences } from "./bill";
import { ComparisonList } from "./comparison";
import { DesignScenes } from "./scene";

export function ComparedList({ compared }: { compared: Compared }) {
  const comparison = compared.comparison.value;
  const picked = useSignal<string | null>(null);
  return (
    <div class="compared">
      <BillDifferences comparison={comparison} />
      <DesignScenes compared={compared} picked={picked} />
      {comparison.entries.length === 0 ? <p class="soft">{text.versions.same}</p>
        : <ComparisonList comparison={comparison} picked={picked} />}
      {comparison.isPart && <Button name={text.files.more} onClick={() => compared.more().catch(tellFailure)} />}
    </div>
  );
}
