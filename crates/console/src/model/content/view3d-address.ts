// A view in the address of its page, so that a link opens the same view of the same parts. Objects are named by the
// ends of their ids: numbers change with the file, and whole ids would make long links.

import { DIRECTIONS, HOME, type Camera, type Mark, type Section, type Vector, type View3d } from "./view3d";

/** Names of the parameters. */
export const PARAMETERS = ["view", "hide", "ghost", "only", "explode", "section", "measure"] as const;
type Parameters = Record<(typeof PARAMETERS)[number], string | null>;

/** Letters of an id that stand for it: the last group of a UUID, which is random. */
const TAIL = 12;
/** Objects that a list in a link names at most. A browser, a chat or a mail may cut a longer link. */
const MOST = 100;
const AXES = "xyz";
const [BETWEEN, ITEMS] = ["_", "*"];

const NOTHING = Object.fromEntries(PARAMETERS.map((name) => [name, null])) as Parameters;

/** The parameters of a view; null where it is as it opens. */
export function parametersOf(view: View3d): Parameters {
  const { tree, hidden, ghosts, isolated, exploded, section, marks, camera } = view;
  const tails = (numbers: Iterable<number>) =>
    [...numbers].slice(0, MOST).map((number) => tailOf(tree.idOf(number))).join(BETWEEN) || null;
  const own = { ...NOTHING, hide: tails(hidden.value), ghost: tails(ghosts.value),
    only: isolated.value === null ? null : tailOf(tree.idOf(isolated.value)),
    explode: exploded.value > 0 ? short(exploded.value) : null,
    section: section.value && writeSection(section.value),
    measure: marks.value.map((mark) => writeMark(mark, tailOf(tree.idOf(mark.object)))).join(ITEMS) || null };
  const isHome = camera.value.focus === "all" && camera.value.azimuth === HOME.azimuth
    && camera.value.elevation === HOME.elevation;
  const isAll = isHome && Object.values(own).every((value) => value === null);
  // The shape's own name comes first: parameters that another shape has left in the address are not for this one.
  return { ...own, view: isAll ? null : [nameOf(view), writeCamera(camera.value)].join(BETWEEN) };
}

/** Takes over the view of an address, if it is one of this shape. */
export function openAt(view: View3d, search: URLSearchParams): void {
  const read = (name: keyof Parameters) => search.get(name) ?? "";
  const [name, ...camera] = read("view").split(BETWEEN);
  if (name !== nameOf(view)) return;
  const numbers = new Map(view.tree.table.ids.map((id, number) => [tailOf(id), number]));
  const objects = (listed: string) => new Set(listed.split(BETWEEN).flatMap((tail) => numbers.get(tail) ?? []));
  view.camera.value = readCamera(camera);
  view.hidden.value = objects(read("hide"));
  view.ghosts.value = objects(read("ghost"));
  view.isolated.value = numbers.get(read("only")) ?? null;
  view.exploded.value = Math.min(1, Math.max(0, Number(read("explode")) || 0));
  view.isExploding.value = view.exploded.value > 0;
  view.section.value = readSection(read("section"));
  view.marks.value = read("measure").split(ITEMS).flatMap((written) => readMark(written, numbers) ?? []).slice(0, 2);
  view.isMeasuring.value = view.marks.value.length > 0;
}

const tailOf = (id: string | null) => (id ?? "").slice(-TAIL);
/** A shape is named by its first object. */
const nameOf = ({ tree }: View3d) => tailOf(tree.idOf(tree.order[0] ?? 0));
/** A number with as many digits as a view needs. */
const short = (value: number) => String(Number(value.toPrecision(5)));
const numbersOf = (parts: readonly string[]) =>
  (parts.every((part) => part !== "" && Number.isFinite(Number(part))) ? parts.map(Number) : []);
const vectorOf = (numbers: readonly number[], from: number): Vector | undefined => {
  const [x, y, z] = numbers.slice(from, from + 3);
  return x === undefined || y === undefined || z === undefined ? undefined : [x, y, z];
};

function writeCamera({ azimuth, elevation, focus }: Camera): string {
  const named = Object.entries(DIRECTIONS).find(([, [turn, raised]]) => turn === azimuth && raised === elevation)?.[0];
  const direction = named ? [named] : [short(azimuth), short(elevation)];
  const shown = focus === "all" ? [] : focus === "selected" ? [focus] : [...focus.target, focus.radius].map(short);
  return [...direction, ...shown].join(BETWEEN);
}

function readCamera(parts: readonly string[]): Camera {
  const [first = "", ...others] = parts;
  const named = Object.entries(DIRECTIONS).find(([name]) => name === first)?.[1];
  const [azimuth, elevation] = named ?? numbersOf(parts.slice(0, 2));
  if (azimuth === undefined || elevation === undefined) return HOME;
  const shown = named ? others : others.slice(1);
  const numbers = numbersOf(shown);
  const [target, radius] = [vectorOf(numbers, 0), numbers[3]];
  if (shown[0] === "selected") return { azimuth, elevation, focus: "selected" };
  return { azimuth, elevation, focus: target && radius !== undefined && radius > 0 ? { target, radius } : "all" };
}

const writeSection = ({ axis, offset, isFlipped }: Section) =>
  [AXES[axis], short(offset), ...(isFlipped ? ["flip"] : [])].join(BETWEEN);

function readSection(written: string): Section | null {
  const [axis = "", offset = "", flip] = written.split(BETWEEN);
  const [at] = numbersOf([offset]);
  if (axis.length !== 1 || !AXES.includes(axis) || at === undefined) return null;
  return { axis: AXES.indexOf(axis), offset: Math.min(1, Math.max(0, at)), isFlipped: flip === "flip" };
}

/** A mark without its line, which is drawn while it is made. */
function writeMark({ kind, at, direction, length, diameter }: Mark, tail: string): string {
  const numbers = kind === "edge" ? [...at, length ?? 0, diameter ?? 0, ...direction ?? []]
    : [...at, ...direction ?? []];
  return [kind, tail, ...numbers.map(short)].join(BETWEEN);
}

function readMark(written: string, numbers: ReadonlyMap<string, number>): Mark | undefined {
  const [kind, tail = "", ...rest] = written.split(BETWEEN);
  const [object, values] = [numbers.get(tail), numbersOf(rest)];
  const at = vectorOf(values, 0);
  if (object === undefined || !at) return undefined;
  const direction = vectorOf(values, kind === "edge" ? 5 : 3);
  const turned = direction ? { direction } : {};
  if (kind === "point") return { kind, object, at };
  if (kind === "face") return { kind, object, at, ...turned };
  const [length, diameter] = values.slice(3, 5);
  if (kind !== "edge" || length === undefined) return undefined;
  return { kind, object, at, length, ...(diameter ? { diameter } : {}), ...turned };
}
