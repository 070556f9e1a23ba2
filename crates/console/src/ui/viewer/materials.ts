// The materials of all passes. They share their uniforms, so a colour or a plane is set once.

import { AlwaysStencilFunc, Color, DoubleSide, InvertStencilOp, KeepStencilOp, NotEqualStencilFunc, ShaderMaterial,
  Vector4, type ShaderMaterialParameters, type Texture } from "three";
import { CORNERS, DOT_CORNERS, DOTS, EDGES, FACES, HATCHING, PASSES, PLANE_CORNERS } from "./shaders";

/** Nothing is cut. */
export const NO_SECTION = [0, 0, 0, 1] as const;
const GHOST_OPACITY = "0.13";
/** Tones that a view has. Ghosts of the last one are as those without a tone. */
const TONES = 5;
const CORNER_DEFINES = { GHOST_OPACITY, TONED_GHOST_OPACITY: "0.3", TONES };

export interface Uniforms {
  parts: { value: Texture | null };
  /** The direction of a plane, and its distance from the origin; what lies beyond is cut off. */
  section: { value: Vector4 };
  plain: { value: Color };
  edge: { value: Color };
  accent: { value: Color };
  ground: { value: Color };
  /** The colours of tones, and that of ways. */
  tones: { value: readonly Color[] };
  way: { value: Color };
  /** Pixels of the screen in one of the page. */
  pixels: { value: number };
  /** Diameter of a dot in pixels of the screen. */
  size: { value: number };
}

export const uniforms = (): Uniforms => ({ parts: { value: null }, section: { value: new Vector4(...NO_SECTION) },
  plain: { value: new Color() }, edge: { value: new Color() }, accent: { value: new Color() },
  ground: { value: new Color() }, tones: { value: Array.from({ length: TONES }, () => new Color()) },
  way: { value: new Color() }, pixels: { value: 1 }, size: { value: 8 } });

export type Materials = ReturnType<typeof materialsOf>;

export function materialsOf(shared: Uniforms) {
  const faces = (pass: keyof typeof PASSES, options: ShaderMaterialParameters = {}) => shader(shared, CORNERS, FACES, {
    defines: { PASS: PASSES[pass], ...CORNER_DEFINES }, side: DoubleSide, ...options });
  const edges = (pass: keyof typeof PASSES, opacity: number, options: ShaderMaterialParameters = {}) =>
    shader({ ...shared, opacity: { value: opacity } }, CORNERS, EDGES, { transparent: opacity < 1,
      defines: { PASS: PASSES[pass], ...CORNER_DEFINES }, depthWrite: opacity === 1, ...options });
  return {
    /** Pushed back, so that edges are seen on their faces. */
    solid: faces("solid", { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }),
    clear: faces("clear", { transparent: true, depthWrite: false }),
    /**
     * Turns a bit for each face in the line of sight. Beyond a cut an odd number of them is left where the plane goes
     * through material, whichever way the faces were wound.
     */
    count: faces("count", { colorWrite: false, depthWrite: false, depthTest: false, stencilWrite: true,
      stencilFunc: AlwaysStencilFunc, stencilZPass: InvertStencilOp, stencilFail: KeepStencilOp,
      stencilZFail: KeepStencilOp, stencilWriteMask: 1 }),
    cap: shader(shared, PLANE_CORNERS, HATCHING, { side: DoubleSide, stencilWrite: true, stencilRef: 0,
      stencilFunc: NotEqualStencilFunc, stencilFuncMask: 1 }),
    edges: edges("solid", 1),
    clearEdges: edges("clear", 0.22),
    /** Edges of selected parts, seen through others. */
    selectedEdges: edges("selected", 0.7, { depthTest: false }),
    dots: shader(shared, DOT_CORNERS, DOTS, { depthTest: false }),
    lines: shader(shared, PLANE_CORNERS, lineIn("accent"), { depthTest: false }),
    ways: shader(shared, PLANE_CORNERS, lineIn("way"), { depthTest: false }),
  };
}

const lineIn = (color: "accent" | "way") => /* glsl */ `
  uniform vec3 ${color};
  void main() {
    gl_FragColor = vec4(${color}, 1.0);
    #include <colorspace_fragment>
  }
`;

function shader(shared: object, vertexShader: string, fragmentShader: string, options: ShaderMaterialParameters) {
  const own = shared as ShaderMaterial["uniforms"];
  return new ShaderMaterial({ uniforms: own, vertexShader, fragmentShader, ...options });
}
