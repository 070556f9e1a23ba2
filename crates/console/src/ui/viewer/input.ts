// Input on a canvas beside the camera's: clicks, movements over it, and keys.

import type { OrbitControls } from "three/addons/controls/OrbitControls.js";

/** A press that moves farther turns the camera and picks nothing. */
const CLICK_PX = 5;
const [TURN, STEP_PX, ZOOM] = [Math.PI / 12, 40, 0.8];

export interface Heard {
  /** At a point of the canvas, in pixels of the page. */
  click: (x: number, y: number) => void;
  /** Null when the pointer has left, or moves the camera. */
  hover: (at: { x: number; y: number } | null) => void;
  /** Enter: what is in the middle is meant. */
  enter: () => void;
  escape: () => void;
}

/** Listens until the returned function is called. */
export function listen(canvas: HTMLCanvasElement, controls: OrbitControls, heard: Heard): () => void {
  const end = new AbortController();
  const on = <Name extends keyof HTMLElementEventMap>(name: Name, run: (event: HTMLElementEventMap[Name]) => void) =>
    canvas.addEventListener(name, run, { signal: end.signal });
  const pressed = new Set<number>();
  let begun: { x: number; y: number } | null = null;
  on("pointerdown", ({ pointerId, button, offsetX: x, offsetY: y }) => {
    pressed.add(pointerId);
    begun = button === 0 && pressed.size === 1 ? { x, y } : null;
  });
  on("pointermove", ({ offsetX: x, offsetY: y }) => {
    if (begun && Math.hypot(x - begun.x, y - begun.y) > CLICK_PX) begun = null;
    heard.hover(pressed.size === 0 ? { x, y } : null);
  });
  on("pointerup", ({ pointerId }) => {
    pressed.delete(pointerId);
    if (begun) heard.click(begun.x, begun.y);
    begun = null;
  });
  on("pointercancel", ({ pointerId }) => {
    pressed.delete(pointerId);
    begun = null;
  });
  on("pointerleave", () => heard.hover(null));
  on("keydown", (event) => {
    const move = event.ctrlKey || event.metaKey || event.altKey ? undefined : movesOf(controls, heard)[keyOf(event)];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  });
  return () => end.abort();
}

const keyOf = ({ key, shiftKey }: KeyboardEvent) => (shiftKey && key.startsWith("Arrow") ? `Shift+${key}` : key);

function movesOf(controls: OrbitControls, { enter, escape }: Heard): Record<string, (() => void) | undefined> {
  return {
    ArrowLeft: () => controls.rotateLeft(TURN), ArrowRight: () => controls.rotateLeft(-TURN),
    ArrowUp: () => controls.rotateUp(TURN), ArrowDown: () => controls.rotateUp(-TURN),
    "Shift+ArrowLeft": () => controls.pan(STEP_PX, 0), "Shift+ArrowRight": () => controls.pan(-STEP_PX, 0),
    "Shift+ArrowUp": () => controls.pan(0, STEP_PX), "Shift+ArrowDown": () => controls.pan(0, -STEP_PX),
    "+": () => controls.dollyIn(ZOOM), "=": () => controls.dollyIn(ZOOM), "-": () => controls.dollyOut(ZOOM),
    Enter: enter, Escape: escape,
  };
}
