// The pointer: what is pressed must stay where it is until it is released, or its click would be lost.

let isPressed = false;
/** @type {(() => void)[]} */
let waiting = [];

function release() {
  isPressed = false;
  // The click follows the release.
  setTimeout(() => {
    for (const proceed of waiting.splice(0)) proceed();
  });
}

addEventListener("pointerdown", () => { isPressed = true; }, { capture: true });
for (const end of ["pointerup", "pointercancel", "dragend", "blur"]) addEventListener(end, release, { capture: true });

/** Waits until no pointer is pressed. @returns {Promise<void>} */
export function released() {
  return isPressed ? new Promise((proceed) => { waiting.push(proceed); }) : Promise.resolve();
}
