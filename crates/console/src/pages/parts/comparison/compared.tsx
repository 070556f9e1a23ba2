// Two commits compared, with a button for more of a long list.

import type { Compared } from "../../../model/content/comparison";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import { ComparisonList } from "./comparison";

export function ComparedList({ compared }: { compared: Compared }) {
  const comparison = compared.comparison.value;
  return (
    <div class="compared">
      {comparison.entries.length === 0 ? <p class="soft">{text.versions.same}</p>
        : <ComparisonList comparison={comparison} />}
      {comparison.isPart && <Button name={text.files.more} onClick={() => compared.more().catch(tellFailure)} />}
    </div>
  );
}
