// The data of each object for shaders and picking: how far it is moved, and its state. It is one texture, so a change
// of state touches no geometry.

import { DataTexture, FloatType, RGBAFormat } from "three";
import type { PartStates } from "./view";

/** Objects in a row of the texture. */
const WIDTH = 1024;
/** Bits of the fourth number of an object. Above them is its tone. */
export const [HIDDEN, GHOST, SELECTED, TONE] = [1, 2, 4, 8];

export class PartData {
  /** Four numbers for each object: its offset and its bits. */
  readonly numbers: Float32Array;
  readonly texture: DataTexture;
  /** There are ghosts, and selected objects. */
  hasGhosts = false;
  hasSelected = false;
  /** How far from the origin anything is drawn; 1 while all is in place. */
  reach = 1;

  /** Data of `count` objects, and of occurrences without one. */
  constructor(count: number) {
    const rows = Math.ceil((count + 1) / WIDTH);
    const numbers = new Float32Array(WIDTH * rows * 4);
    this.numbers = numbers;
    this.texture = new DataTexture(numbers, WIDTH, rows, RGBAFormat, FloatType);
    this.texture.needsUpdate = true;
  }

  write({ hidden, ghost, selected, tone }: PartStates, offsets: Float32Array): void {
    this.hasGhosts = false;
    this.hasSelected = false;
    this.reach = 1;
    const { numbers } = this;
    for (let object = 0; object < hidden.length && object * 4 < numbers.length; object += 1) {
      let far = 0;
      for (let side = 0; side < 3; side += 1) {
        const offset = offsets[object * 3 + side] ?? 0;
        numbers[object * 4 + side] = offset;
        far += offset * offset;
      }
      this.reach = Math.max(this.reach, 1 + Math.sqrt(far));
      const bits = (hidden[object] ? HIDDEN : 0) + (ghost[object] ? GHOST : 0) + (selected[object] ? SELECTED : 0);
      numbers[object * 4 + 3] = bits + TONE * (tone?.[object] ?? 0);
      this.hasGhosts ||= (bits & (HIDDEN | GHOST)) === GHOST;
      this.hasSelected ||= (bits & (HIDDEN | SELECTED)) === SELECTED;
    }
    this.texture.needsUpdate = true;
  }

  /** Those of an object's bits that are asked for. */
  bits(object: number, asked: number): number {
    return (this.numbers[object * 4 + 3] ?? 0) & asked;
  }

  /** The offset of an object along an axis. */
  offset(object: number, side: number): number {
    return this.numbers[object * 4 + side] ?? 0;
  }

  dispose(): void {
    this.texture.dispose();
  }
}
