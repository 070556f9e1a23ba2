// The choices of a bill's page: those in the address, the columns that the browser keeps, and the keys.

import { signal, useSignalEffect, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { BomGrouping, BomView } from "../../../api/content/bom";
import type { Bill } from "../../../model/content/bill";
import { columnsOf, OFFERED, type BillColumns } from "../../../model/content/bill-columns";
import { tellFailure } from "../../../model/messages";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { open, search, setParameters } from "../../../ui/address";

export interface BillView {
  bill: Bill;
  /** Properties that can be chosen: those that all bills offer, and those that were shown since the page opened. */
  offered: Signal<readonly string[]>;
}

const columnsKey = (project: string) => `bom-columns:${project}`;

/** The choices in the address, and the columns that the browser keeps for a project. */
export function addressChoice(project: string): { view: BomView; by: BomGrouping; columns: BillColumns } {
  const now = search.peek();
  return {
    view: now.get("view") === "flat" ? "flat" : "indented",
    by: now.get("by") === "geometry" ? "geometry" : "definition",
    columns: columnsOf(localStorage.getItem(columnsKey(project))),
  };
}

export function useBillView(bill: Bill): BillView {
  const view = useMemo(() => ({ bill, offered: signal(known(OFFERED, bill.columns.peek())) }), [bill]);
  // What is shown is kept, also if the page is left before the answer comes.
  useSignalEffect(() => localStorage.setItem(columnsKey(bill.opened.project.id), JSON.stringify(bill.columns.value)));
  const parameters = search.value;
  useEffect(() => {
    const { view: form, by } = addressChoice(bill.opened.project.id);
    if (form !== bill.view.peek() || by !== bill.by.peek()) bill.choose({ view: form, by }).catch(tellFailure);
  }, [parameters]);
  useActions(() => {
    const group = text.bom.title;
    const step = (by: number) => () => {
      document.querySelector<HTMLElement>(".bom-page .grid")?.focus({ preventScroll: true });
      bill.step(by);
    };
    return [
      { name: text.bom.next, key: "j", group, run: step(1) },
      { name: text.bom.previous, key: "k", group, run: step(-1) },
      { name: text.bom.opens, key: "Enter", group },
      { name: text.bom.folds, key: "Arrow", shownKey: "← →", group },
      { name: text.bom.find, key: "f", group, icon: "search",
        run: () => document.querySelector<HTMLElement>(".bom-page .search input")?.focus() },
    ];
  });
  return view;
}

const known = (offered: readonly string[], { properties }: BillColumns) => [...new Set([...offered, ...properties])];

export const chooseForm = (form: BomView) => setParameters({ view: form === "flat" ? form : null });
export const chooseGrouping = (by: BomGrouping) => setParameters({ by: by === "geometry" ? by : null });

/** Opens the bill of another object, or of the project, in the same form. */
export function chooseRoot(root: string | null): void {
  const now = new URL(location.href);
  if (root) now.searchParams.set("root", root);
  else now.searchParams.delete("root");
  open(now.pathname + now.search);
}

export async function chooseColumns({ bill, offered }: BillView, columns: BillColumns): Promise<void> {
  offered.value = known(offered.peek(), columns);
  await bill.choose({ columns }).catch(tellFailure);
}
