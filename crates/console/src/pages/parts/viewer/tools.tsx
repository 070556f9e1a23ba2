// The tools above a view in space.

import { text } from "../../../text";
import { BusyButton } from "../../../ui/busy-button";
import { Button, type ButtonProps } from "../../../ui/button";
import { MenuButton } from "../../../ui/menu";
import { KEYS, VIEWS } from "./actions";
import type { OpenView } from "./open-view";

export function ViewerTools({ open }: { open: OpenView }) {
  const { view, state, picture } = open;
  const isShown = state.value === "shown";
  const hasCurrent = isShown && view.current.value !== undefined;
  const words = text.view3d;
  return (
    <div class="viewer-tools" role="group" aria-label={words.tools}>
      <MenuButton name={words.view} label={words.view} icon="part" kind="plain" disabled={!isShown}
        options={() => viewMenu(open)} />
      <Tool name={words.fit} icon="fit" shortcut={KEYS.fit} disabled={!isShown} onClick={() => view.fit()} />
      <Gap />
      <Tool name={words.hide} icon="hidden" shortcut={KEYS.hide} disabled={!hasCurrent}
        pressed={view.isCurrent("hidden")} onClick={() => view.toggleHidden()} />
      <Tool name={words.isolate} icon="isolate" shortcut={KEYS.isolate} disabled={!hasCurrent}
        pressed={hasCurrent && view.isolated.value === view.current.value} onClick={() => view.toggleIsolated()} />
      <Tool name={words.ghost} icon="ghost" shortcut={KEYS.ghost} disabled={!hasCurrent}
        pressed={view.isCurrent("ghost")} onClick={() => view.toggleGhost()} />
      <Tool name={words.showAll} icon="visible" shortcut={KEYS.all} disabled={!isShown || !view.isPartial.value}
        onClick={() => view.showAll()} />
      <Gap />
      <Tool name={words.explode} icon="explode" shortcut={KEYS.explode} disabled={!isShown}
        pressed={view.isExploding.value} onClick={() => view.toggleExploded()} />
      <Tool name={words.section} icon="section" shortcut={KEYS.section} disabled={!isShown}
        pressed={view.section.value !== null} onClick={() => view.toggleSection()} />
      <Tool name={words.measure} icon="ruler" shortcut={KEYS.measure} disabled={!isShown}
        pressed={view.isMeasuring.value} onClick={() => view.toggleMeasuring()} />
      {picture && <><Gap /><BusyButton name={words.picture} icon="picture" kind="plain" quiet disabled={!isShown}
        run={picture} /></>}
    </div>
  );
}

interface ToolProps extends ButtonProps {
  shortcut: string;
}

/** A tool that shows its icon; its name and its key are on hover. */
function Tool({ name, shortcut, ...button }: ToolProps) {
  return <Button {...button} name={name} shortcut={shortcut} kind="plain" quiet />;
}

const Gap = () => <span class="gap" aria-hidden="true" />;

function viewMenu({ view }: OpenView) {
  const words = text.view3d;
  return { label: words.view, entries: () => [
    ...VIEWS.map((direction, at) => ({ name: words.views[direction], key: String(at + 1), part: "directions",
      run: () => view.look(direction) })),
    { name: words.fit, key: KEYS.fit, part: "fit", run: () => view.fit() },
    ...(view.current.value === undefined ? []
      : [{ name: words.zoom, key: KEYS.zoom, part: "fit", run: () => view.fit("selected") }]),
  ] };
}
