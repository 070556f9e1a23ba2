// A view of a shape in space: its tools, the canvas, and panels for what is cut, apart or measured. Until the shape is
// drawn, and where the browser can't draw it, it shows its children: the thumbnail.

import { batch, effect, useSignal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";
import { openAt, parametersOf } from "../../../model/content/view3d-address";
import type { PartTable } from "../../../model/content/view3d-tree";
import { View3d, type Shades, type Way } from "../../../model/content/view3d";
import { text } from "../../../text";
import { useActions } from "../../../ui/actions";
import { addressWith, search, setParameters } from "../../../ui/address";
import type { ViewEvents } from "../../../ui/viewer/view";
import type { OpenViewer } from "../../../ui/viewer/viewer";
import { ViewerCanvas } from "../../../ui/viewer/viewer-canvas";
import { viewerActions } from "./actions";
import { Axes } from "./axes";
import type { OpenView, ViewerState } from "./open-view";
import { Panels } from "./panels";
import { ViewerTools } from "./tools";

/** Time after which the address follows a view: browsers allow few changes a second. */
const FOLLOW_MS = 400;

export interface ViewerProps {
  /** Name of the file or object that is shown. */
  name: string;
  /** The file's GLB; null until it has arrived. */
  shape: ArrayBuffer | null;
  /** The objects of the file, by the numbers that the GLB has for them. They stay as long as the view is open. */
  objects: PartTable;
  /** Unit of the file: a symbol, or a name as in the file. */
  unit: string;
  /** Id of the selected object. */
  selected: ReadonlySignal<string | null>;
  onSelect: (id: string | null) => void;
  /** The marks of a comparison on the objects. Such a view isn't kept in the address. */
  compared?: { shades: ReadonlySignal<Shades>; ways: ReadonlySignal<readonly Way[]> };
  /** Takes a picture of the view, for example for a card, with the address that opens the same view. */
  onPicture?: (picture: Blob, address: string) => unknown;
  children?: ComponentChildren;
}

export function Viewer(props: ViewerProps) {
  const { name, shape, objects, unit, selected, onSelect, compared, onPicture, children } = props;
  const view = useView(objects, selected, compared);
  const state = useSignal<ViewerState>("waiting");
  const viewer = useRef<OpenViewer>(null);
  const select = useRef(onSelect);
  select.current = onSelect;
  const picture = async () => {
    const made = await viewer.current?.picture();
    // The address follows a view late.
    if (made) await onPicture?.(made, addressWith(parametersOf(view)));
  };
  const open: OpenView = { view, state, unit, select: onSelect, picture: onPicture && picture };
  const events = useMemo(() => eventsOf(view, state, (id) => select.current(id)), []);
  const id = useId();
  useActions(() => viewerActions(open));
  const now = state.value;
  return (
    <section class="viewer" aria-label={text.view3d.title} aria-live="off" data-state={now}>
      <ViewerTools open={open} />
      <div class={view.isMeasuring.value ? "viewer-stage measures" : "viewer-stage"}>
        <ViewerCanvas label={text.view3d.shows(name)} describedBy={id} shape={shape} hierarchy={view.tree}
          signals={view} events={events} viewer={viewer} />
        <p id={id} class="unseen">{text.view3d.help}</p>
        <span class="crosshair" aria-hidden="true" />
        {now === "shown" ? <><Axes view={view} /><Panels open={open} /></> : <Instead state={now}>{children}</Instead>}
      </div>
      <Selected view={view} />
    </section>
  );
}

/** The view of an address, which it follows from then on; or that of a comparison, which it follows instead. */
function useView(objects: PartTable, selected: ReadonlySignal<string | null>, compared: ViewerProps["compared"]) {
  const view = useMemo(() => {
    const made = new View3d(objects, selected);
    if (compared) take(made, compared);
    else openAt(made, search.peek());
    return made;
  }, []);
  useEffect(() => {
    if (compared) return effect(() => take(view, compared));
    const place = location.pathname;
    let timer = 0;
    const end = effect(() => {
      const parameters = parametersOf(view);
      clearTimeout(timer);
      timer = window.setTimeout(() => { if (location.pathname === place) setParameters(parameters); }, FOLLOW_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, []);
  return view;
}

function take(view: View3d, { shades, ways }: NonNullable<ViewerProps["compared"]>): void {
  const [now, lines] = [shades.value, ways.value];
  batch(() => {
    view.shades.value = now;
    view.ways.value = lines;
  });
}

function eventsOf(view: View3d, state: Signal<ViewerState>, select: (id: string | null) => void): ViewEvents {
  return {
    pick: (object) => {
      if (view.isMeasuring.peek()) view.marks.value = [];
      else select(object === null ? null : view.tree.idOf(object));
    },
    mark: (mark) => view.mark(mark),
    shown: (facts) => batch(() => {
      view.facts.value = facts;
      state.value = "shown";
    }),
    failed: (failure) => { state.value = failure; },
    returned: () => { state.value = "shown"; },
  };
}

/** The thumbnail, and why there is no more. */
function Instead({ state, children }: { state: Exclude<ViewerState, "shown">; children: ComponentChildren }) {
  return (
    <div class="viewer-instead">
      {children}
      {state === "waiting" ? <p class="soft loading" role="status">{text.loading}</p>
        : <p class="viewer-note" role="status">{text.view3d.failures[state]}</p>}
    </div>
  );
}

/** Tells screen readers what is selected, and how it is shown. */
function Selected({ view }: { view: View3d }) {
  const current = view.current.value;
  const states = text.view3d.states;
  const shown = [...view.isCurrent("hidden") ? [states.hidden] : [], ...view.isCurrent("ghost") ? [states.ghost] : [],
    ...current !== undefined && view.isolated.value === current ? [states.isolated] : []];
  return (
    <p class="unseen" role="status">
      {current !== undefined && text.view3d.selected(view.tree.nameOf(current), shown)}
    </p>
  );
}
