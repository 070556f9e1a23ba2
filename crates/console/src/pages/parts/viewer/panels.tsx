// Panels over a view, for its settings while parts are apart, cut or measured.

import type { ComponentChildren } from "preact";
import { AXES, measuresOf, placeOf } from "../../../model/content/view3d-measure";
import type { Section, View3d } from "../../../model/content/view3d";
import { text } from "../../../text";
import { Button } from "../../../ui/button";
import type { OpenView } from "./open-view";

export function Panels({ open: { view, unit } }: { open: OpenView }) {
  const section = view.section.value;
  return (
    <div class="viewer-panels">
      {view.isExploding.value && (
        <Panel name={text.view3d.explode} close={() => view.toggleExploded()}>
          <Slider label={text.view3d.apart} value={view.exploded.value} says={percent(view.exploded.value)}
            set={(value) => { view.exploded.value = value; }} />
        </Panel>
      )}
      {section && (
        <Panel name={text.view3d.section} close={() => view.toggleSection()}>
          <SectionFields view={view} section={section} unit={unit} />
        </Panel>
      )}
      {view.isMeasuring.value && (
        <Panel name={text.view3d.measure} close={() => view.toggleMeasuring()}>
          <Measures view={view} unit={unit} />
        </Panel>
      )}
    </div>
  );
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

function Panel({ name, close, children }: { name: string; close: () => void; children: ComponentChildren }) {
  return (
    <div class="viewer-panel" role="group" aria-label={name}>
      <div class="viewer-panel-head">
        <span>{name}</span>
        <Button name={text.view3d.ends(name)} icon="close" kind="plain" quiet onClick={close} />
      </div>
      {children}
    </div>
  );
}

interface SliderProps {
  label: string;
  value: number;
  /** The value in words. */
  says: string;
  set: (value: number) => void;
}

function Slider({ label, value, says, set }: SliderProps) {
  return (
    <label class="viewer-slider">
      <span class="unseen">{label}</span>
      <input type="range" min={0} max={1} step={0.005} value={value} aria-valuetext={says}
        onInput={(event) => set(event.currentTarget.valueAsNumber)} />
      <output>{says}</output>
    </label>
  );
}

function SectionFields({ view, section, unit }: { view: View3d; section: Section; unit: string }) {
  const facts = view.facts.value;
  const place = facts ? placeOf(section, facts, unit) : "";
  return (
    <>
      <div class="viewer-choices">
        <div class="switch" role="group" aria-label={text.view3d.axis}>
          {AXES.map((name, axis) => (
            <button key={name} type="button" aria-pressed={section.axis === axis}
              onClick={() => view.cutAlong(axis)}>{name}</button>
          ))}
        </div>
        <Button name={text.view3d.flip} icon="flip" kind="plain" pressed={section.isFlipped}
          onClick={() => view.cut({ isFlipped: !section.isFlipped })} />
      </div>
      <Slider label={text.view3d.offset} value={section.offset} says={place} set={(offset) => view.cut({ offset })} />
    </>
  );
}

function Measures({ view, unit }: { view: View3d; unit: string }) {
  const [marks, facts] = [view.marks.value, view.facts.value];
  const measures = facts ? measuresOf(marks, facts, unit) : [];
  return (
    <div role="status">
      {measures.length > 0 && (
        <dl class="viewer-measures">
          {measures.flatMap(({ name, value }) =>
            [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
        </dl>
      )}
      {marks.length < 2 && (
        <p class="soft">{marks.length === 0 ? text.view3d.measureFirst : text.view3d.measureNext}</p>
      )}
    </div>
  );
}
