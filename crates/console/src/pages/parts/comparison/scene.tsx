// The differences of a design in space: what was added, moved, changed and deleted, and the rest as ghosts. A part that
// is picked is picked in the list, and the other way round.

import { useComputed, useSignal, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ComparedDesign } from "../../../model/content/compared-designs";
import { comparedScene, shadesOf, TONES, type ComparedScene, type Tone } from "../../../model/content/compared-scene";
import { ComparedShape, type Versions, type VersionShape } from "../../../model/content/compared-shape";
import type { Compared } from "../../../model/content/comparison";
import type { PartTable } from "../../../model/content/view3d-tree";
import { text } from "../../../text";
import { InlineSelect } from "../../../ui/inline-select";
import { useLoaded } from "../../../ui/loaded";
import { UnreadableShape } from "../../../ui/viewer/glb";
import { joined, partsIn } from "../../../ui/viewer/glb-join";

export interface SceneProps {
  compared: Compared;
  /** The object that is picked, in the list or in the scene. */
  picked: Signal<string | null>;
}

export function DesignScenes({ compared, picked }: SceneProps) {
  const chosen = useSignal("");
  const designs = compared.designs.value;
  const design = designs.find(({ owner }) => owner === chosen.value) ?? designs[0];
  if (!design) return null;
  return (
    <section class="compared-scene" aria-label={text.versions.scene.title}>
      {designs.length > 1 && (
        <InlineSelect label={text.versions.scene.design} value={design.owner}
          choices={designs.map(({ owner, name }) => ({ value: owner, name }))}
          onChange={(owner) => { chosen.value = owner; }} />
      )}
      <DesignScene key={design.owner} design={design} compared={compared} picked={picked} />
    </section>
  );
}

function DesignScene({ design, compared, picked }: SceneProps & { design: ComparedDesign }) {
  const open = useMemo(() => new ComparedShape(design), []);
  useEffect(() => {
    void open.open();
    return () => open.close();
  }, []);
  const viewer = useLoaded(() => import("../viewer/viewer"), []).state.value;
  const { failure, shapes } = open;
  if (failure.value !== null) {
    return <p class="soft" role="status">
      {failure.value ? text.versions.scene.failed(failure.value) : text.versions.scene.none}</p>;
  }
  if (!shapes.value || viewer.state !== "there") {
    return <div class="viewer"><div class="viewer-tools" /><div class="viewer-stage"><div class="viewer-instead">
      <p class="soft loading" role="status">{viewer.state === "refused" ? text.view3d.failures.unloaded : text.loading}
      </p></div></div></div>;
  }
  const [base, head] = shapes.value;
  const { entries } = compared.comparison.value;
  // The view keeps its objects: more of them, or more entries, are another view.
  return <Space key={`${base?.ids.length} ${head?.ids.length} ${entries.length}`} Viewer={viewer.value.Viewer}
    design={design} shapes={shapes} compared={compared} picked={picked} />;
}

interface SpaceProps extends SceneProps {
  design: ComparedDesign;
  shapes: ReadonlySignal<Versions | null>;
  Viewer: typeof import("../viewer/viewer").Viewer;
}

function Space(props: SpaceProps) {
  const { shapes, compared } = props;
  const scene = useMemo(() => readable(() => sceneOf(shapes.peek(), compared)), []);
  return scene ? <Shown {...props} scene={scene} />
    : <p class="soft" role="status">{text.versions.scene.failed("")}</p>;
}

function Shown({ design, shapes, scene, compared, picked, Viewer }: SpaceProps & { scene: ComparedScene }) {
  const off = useSignal<ReadonlySet<Tone>>(new Set());
  const shades = useComputed(() => shadesOf(scene, off.value));
  const ways = useComputed(() => scene.ways.filter(({ to }) => !off.value.has(scene.tones[to] ?? "same")));
  const now = shapes.value;
  const glb = useMemo(() => now && readable(() => joinedOf(now, scene)), [now]);
  return (
    <>
      <Viewer name={text.versions.scene.of(design.name)} shape={glb} objects={scene.table}
        unit={(now?.[1] ?? now?.[0])?.unit ?? ""}
        selected={picked} onSelect={(id) => { picked.value = id || null; }} compared={{ shades, ways }} />
      <Legend scene={scene} off={off} />
      <p class="soft">{helpOf(design)}</p>
      {compared.comparison.value.isPart && <p class="soft">{text.versions.scene.part}</p>}
    </>
  );
}

function helpOf({ base, head }: ComparedDesign): string {
  const { help, added, deleted } = text.versions.scene;
  return base && head ? help : head ? added : deleted;
}

/** The value that is read of a file; null if it can't be read. */
function readable<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableShape) return null;
    throw error;
  }
}

/** The scene of what is there. The nodes of a file tell which objects are in which. */
function sceneOf(shapes: Versions | null, compared: Compared): ComparedScene {
  const { entries, nameOf } = compared.comparison.peek();
  const tableOf = ({ glb, ids }: VersionShape): PartTable => {
    const { parents, names } = partsIn(glb, ids.length);
    return { ids, parents, names: ids.map((id, at) => nameOf(id) ?? names[at] ?? "") };
  };
  const [base, head] = (shapes ?? []).map((shape) => (shape ? tableOf(shape) : NOTHING));
  return comparedScene(base ?? NOTHING, head ?? NOTHING, entries);
}

const NOTHING: PartTable = { ids: [], parents: [], names: [] };

/** One version is a file of its own already: its objects have the numbers of the scene. */
function joinedOf([base, head]: Versions, { isKept }: ComparedScene): ArrayBuffer | null {
  if (!base || !head) return (base ?? head)?.glb ?? null;
  return joined(head.glb, base.glb, { heads: head.ids.length, bases: base.ids.length, isKept });
}

const SIGNS: Record<Tone, string> = { added: "+", moved: "→", changed: "~", deleted: "−", same: "=" };

/** The tones with their parts, each of which can be hidden. */
function Legend({ scene: { counts }, off }: { scene: ComparedScene; off: Signal<ReadonlySet<Tone>> }) {
  const toggle = (tone: Tone) => {
    const now = new Set(off.value);
    if (!now.delete(tone)) now.add(tone);
    off.value = now;
  };
  return (
    <div class="scene-legend">
      <div role="group" aria-label={text.versions.scene.legend}>
        {TONES.map((tone) => (
          <button key={tone} type="button" class={`button tone-${tone}`} disabled={counts[tone] === 0}
            aria-pressed={!off.value.has(tone)} onClick={() => toggle(tone)}>
            <span class="sign" aria-hidden="true">{SIGNS[tone]}</span>
            <span class="tone-name">{text.versions.scene.tones[tone]}</span>{" "}
            <span class="count">{counts[tone].toLocaleString()}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
