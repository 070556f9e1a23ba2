// The begin of an import or of its trial. The address leads to it.

import type { CardImports } from "../../../model/planning/card-imports";
import { setParameters } from "../../../ui/address";

export async function begin(imports: CardImports, isTrial: boolean): Promise<void> {
  setParameters({ import: await imports.begin(isTrial) });
}
