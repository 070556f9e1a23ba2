// The canvas of a view. Three is loaded where it is shown; a browser without WebGL loads nothing.

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Hierarchy, ViewEvents, ViewSignals } from "./view";
import type { OpenViewer } from "./viewer";

export interface ViewerCanvasProps {
  label: string;
  /** Id of the element that says how to use it. */
  describedBy: string;
  /** A GLB file; null until it has arrived. Three is loaded meanwhile. */
  shape: ArrayBuffer | null;
  hierarchy: Hierarchy;
  signals: ViewSignals;
  events: ViewEvents;
  viewer: RefObject<OpenViewer | null>;
}

export function ViewerCanvas({ label, describedBy, shape, hierarchy, signals, events, viewer }: ViewerCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const given = useRef(shape);
  given.current = shape;
  const show = () => {
    if (!viewer.current || !given.current) return;
    try {
      viewer.current.show(given.current);
    } catch {
      events.failed("unreadable");
    }
  };
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("webgl2", { antialias: true, stencil: true, alpha: false });
    if (!element || !context) return events.failed("none");
    let isLeft = false;
    void import("./viewer").then(({ openViewer }) => {
      if (isLeft) return;
      viewer.current = openViewer(element, context, hierarchy, signals, events);
      show();
    }).catch(() => { if (!isLeft) events.failed("unloaded"); });
    return () => {
      isLeft = true;
      viewer.current?.close();
      viewer.current = null;
    };
  }, []);
  useEffect(show, [shape]);
  return <canvas ref={canvas} class="viewer-canvas" tabIndex={0} role="application" aria-label={label}
    aria-describedby={describedBy} />;
}
