// Where two pictures of one size differ: each pixel, and the regions around those that are near each other.

/** A picture's pixels: red, green, blue and opacity of each, row by row. */
export interface Pixels {
  width: number;
  height: number;
  data: ArrayLike<number>;
}

export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PictureDifference {
  /** 1 for each pixel that differs. */
  differing: Uint8Array;
  /** The share of such pixels. */
  share: number;
  /** From top to bottom. */
  regions: Region[];
}

/** Steps of a colour that nobody sees: those of compression and of soft edges. */
const TOLERANCE = 24;
/** Edge of the squares that are joined to regions. */
const CELL = 16;
/** More regions than these are one. */
const MOST = 200;

/** The difference of two pictures on white paper. What only one of them has is compared with the paper. */
export function pictureDifference(before: Pixels, after: Pixels): PictureDifference {
  const { width, height } = after;
  const differing = new Uint8Array(width * height);
  const [columns, rows] = [Math.ceil(width / CELL), Math.ceil(height / CELL)];
  const cells = new Uint8Array(columns * rows);
  let count = 0;
  for (let at = 0; at < differing.length; at += 1) {
    if (!differs(before.data, after.data, at * 4)) continue;
    differing[at] = 1;
    count += 1;
    cells[Math.floor(Math.floor(at / width) / CELL) * columns + Math.floor((at % width) / CELL)] = 1;
  }
  const joined = joinedCells(cells, columns).map((region): Region => {
    const [x, y] = [region.x * CELL, region.y * CELL];
    const within = (cells: number, size: number) => Math.min(cells * CELL, size);
    return { x, y, width: within(region.width, width - x), height: within(region.height, height - y) };
  });
  return { differing, share: differing.length === 0 ? 0 : count / differing.length,
    regions: joined.length <= MOST ? joined : [{ x: 0, y: 0, width, height }] };
}

function differs(before: ArrayLike<number>, after: ArrayLike<number>, at: number): boolean {
  for (let channel = 0; channel < 3; channel += 1) {
    if (Math.abs(onPaper(before, at, channel) - onPaper(after, at, channel)) > TOLERANCE) return true;
  }
  return false;
}

function onPaper(data: ArrayLike<number>, at: number, channel: number): number {
  const opacity = (data[at + 3] ?? 0) / 255;
  return (data[at + channel] ?? 0) * opacity + 255 * (1 - opacity);
}

/** The boxes around cells that touch each other, also by a corner. */
function joinedCells(cells: Uint8Array, columns: number): Region[] {
  const [left, found] = [cells.slice(), [] as Region[]];
  for (let first = 0; first < left.length; first += 1) {
    if (!left[first]) continue;
    left[first] = 0;
    const waiting = [first];
    let [x, y, right, bottom] = [columns, Infinity, 0, 0];
    for (let cell = waiting.pop(); cell !== undefined; cell = waiting.pop()) {
      const [column, row] = [cell % columns, Math.floor(cell / columns)];
      [x, y, right, bottom] = [Math.min(x, column), Math.min(y, row), Math.max(right, column), Math.max(bottom, row)];
      for (const near of around(cell, column, columns)) {
        if (!left[near]) continue;
        left[near] = 0;
        waiting.push(near);
      }
    }
    found.push({ x, y, width: right - x + 1, height: bottom - y + 1 });
  }
  return found;
}

/** The cells around one, without those of the other side of the picture. Cells outside of it are no cells. */
const around = (cell: number, column: number, columns: number) => [-columns, 0, columns].flatMap((row) => [
  ...(column > 0 ? [cell + row - 1] : []), cell + row, ...(column < columns - 1 ? [cell + row + 1] : [])]);

/** The later picture in pale grey, with the pixels that differ in a colour. */
export function markedPixels({ data, width, height }: Pixels, { differing }: PictureDifference,
  [red, green, blue]: readonly [number, number, number]): Uint8ClampedArray<ArrayBuffer> {
  const marked = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < differing.length; at += 1) {
    const grey = 0.3 * onPaper(data, at * 4, 0) + 0.59 * onPaper(data, at * 4, 1) + 0.11 * onPaper(data, at * 4, 2);
    const pale = 170 + grey / 3;
    marked.set(differing[at] ? [red, green, blue, 255] : [pale, pale, pale, 255], at * 4);
  }
  return marked;
}
