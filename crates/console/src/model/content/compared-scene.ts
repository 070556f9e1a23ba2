// Two versions of a design in one scene: which part stands out in which tone, what stays as a ghost, and the ways of
// the parts that moved. The objects of the new version come first, and those of the old one after them.

import type { Entry } from "./compared-entry";
import type { Shades, Way } from "./view3d";
import { PartTree, type PartTable } from "./view3d-tree";

/** The changes of a part, in the order of the view's tones, whose numbers begin with 1. */
export const TONES = ["added", "moved", "changed", "deleted", "same"] as const;
export type Tone = (typeof TONES)[number];

type SceneEntry = Pick<Entry, "objectId" | "change" | "aspects">;

export interface ComparedScene {
  table: PartTable;
  tones: readonly Tone[];
  /** 1 for objects that are drawn as ghosts, and for those that aren't drawn. */
  ghost: Uint8Array;
  hidden: Uint8Array;
  ways: readonly Way[];
  /** Parts of each tone. */
  counts: Readonly<Record<Tone, number>>;
  /** 1 for objects of the old version that are drawn. */
  isKept: Uint8Array;
}

/** An object of one side. */
interface Told {
  tone: Tone;
  /** It stands elsewhere, or something around it does. */
  isMoved: boolean;
  /** The old shape is worth seeing beside the new one. */
  hasOther: boolean;
}

/**
 * The scene of a design whose objects differ by these entries. An object without an id isn't part of its side. A side
 * without objects doesn't have the design: all of the other side is added or deleted.
 */
export function comparedScene(base: PartTable, head: PartTable, entries: readonly SceneEntry[]): ComparedScene {
  const known = new Map(entries.map((entry) => [entry.objectId, entry]));
  const [before, after] = [new PartTree(base), new PartTree(head)];
  const now = toldOf(after, known, before.count === 0 ? "added" : null);
  const old = toldOf(before, known, after.count === 0 ? "deleted" : null);
  const [heads, total] = [head.ids.length, head.ids.length + base.ids.length];
  const tones = [...now, ...old].map(({ tone }) => tone);
  // What belongs to no object is the last one, and stays as it is.
  const [ghost, hidden] = [new Uint8Array(total + 1).fill(1, total), new Uint8Array(total + 1)];
  const isKept = Uint8Array.from(old, ({ tone, hasOther }, at) => {
    const isThere = base.ids[at] !== "";
    return isThere && (tone === "deleted" || (hasOther && after.numberOf(base.ids[at] ?? "") !== undefined)) ? 1 : 0;
  });
  now.forEach(({ tone }, at) => {
    ghost[at] = tone === "same" ? 1 : 0;
    hidden[at] = head.ids[at] === "" ? 1 : 0;
  });
  old.forEach(({ tone }, at) => {
    ghost[heads + at] = tone === "deleted" ? 0 : 1;
    hidden[heads + at] = isKept[at] ? 0 : 1;
  });
  return { tones, ghost, hidden, isKept, ways: waysOf(before, after, known),
    counts: countsOf([{ tree: after, told: now, isOld: false }, { tree: before, told: old, isOld: true }]),
    table: { ids: [...head.ids, ...base.ids], names: [...head.names, ...base.names],
      parents: [...head.parents, ...before.parents].map((parent, at) =>
        (at < heads ? parent : parentOf(before, after, old, at - heads))) } };
}

/** How the scene is shown while some tones are filtered out. */
export function shadesOf({ tones, ghost, hidden }: ComparedScene, off: ReadonlySet<Tone>): Shades {
  return { ghost, tone: Uint8Array.from(ghost, (_, at) => 1 + TONES.indexOf(tones[at] ?? "same")),
    hidden: hidden.map((isHidden, at) => (isHidden || off.has(tones[at] ?? "same") ? 1 : 0)) };
}

const hasWay = ({ aspects = [] }: SceneEntry) => aspects.includes("moved") || aspects.includes("relocated");

/** The objects of a side; all of one tone where the other side lacks the design. */
function toldOf(tree: PartTree, known: ReadonlyMap<string, SceneEntry>, whole: Tone | null): Told[] {
  const told: Told[] = Array.from({ length: tree.count }, (): Told =>
    ({ tone: whole ?? "same", isMoved: false, hasOther: false }));
  if (whole) return told;
  for (const number of tree.order) {
    const parent = tree.parents[number] ?? -1;
    const entry = known.get(tree.idOf(number) ?? "");
    // A file may be in another folder: that moves nothing in space.
    const isMoved = parent >= 0 && ((told[parent]?.isMoved ?? false) || (entry !== undefined && hasWay(entry)));
    const tone = toneOf(entry, isMoved);
    const isOther = entry?.aspects?.some((aspect) => aspect === "shape" || aspect === "content") ?? false;
    told[number] = { tone, isMoved, hasOther: isMoved || isOther };
  }
  return told;
}

function toneOf(entry: SceneEntry | undefined, isMoved: boolean): Tone {
  const change = entry?.change;
  if (change === "added" || change === "deleted") return change;
  const isOnlyElsewhere = (entry?.aspects ?? []).every((aspect) => aspect === "moved" || aspect === "relocated");
  if (!isOnlyElsewhere) return "changed";
  return isMoved ? "moved" : "same";
}

/** A way for each object that moved in its assembly. What moved with its assembly has none of its own. */
function waysOf(before: PartTree, after: PartTree, known: ReadonlyMap<string, SceneEntry>): Way[] {
  return [...after.order].flatMap((to) => {
    const entry = known.get(after.idOf(to) ?? "");
    const from = before.numberOf(after.idOf(to));
    const isPlaced = (after.parents[to] ?? -1) >= 0 && entry?.change === "modified" && hasWay(entry);
    return isPlaced && from !== undefined ? [{ from: after.count + from, to }] : [];
  });
}

/**
 * The parent of an old object: the old one as long as that is drawn in its old place, else the present one, so that
 * parts that move apart do it together.
 */
function parentOf(before: PartTree, after: PartTree, old: readonly Told[], number: number): number {
  const parent = before.parents[number] ?? -1;
  if (parent < 0) return after.numberOf(before.idOf(number)) ?? -1;
  const { tone, isMoved } = old[parent] ?? { tone: "same", isMoved: false };
  return tone === "deleted" || isMoved ? after.count + parent
    : after.numberOf(before.idOf(parent)) ?? after.count + parent;
}

interface Counted {
  tree: PartTree;
  told: readonly Told[];
  isOld: boolean;
}

/** Counts the parts: objects with no other ones inside. Old ones count if they are gone. */
function countsOf(sides: readonly Counted[]): Record<Tone, number> {
  const counts: Record<Tone, number> = { same: 0, added: 0, moved: 0, changed: 0, deleted: 0 };
  for (const { tree, told, isOld } of sides) {
    const holders = new Set(tree.parents);
    told.forEach(({ tone }, number) => {
      const isCounted = !holders.has(number) && tree.idOf(number) !== "" && isOld === (tone === "deleted");
      if (isCounted) counts[tone] += 1;
    });
  }
  return counts;
}
