// The shaders of faces and edges. Each corner reads the state of its object from a texture, and leaves the picture if a
// pass doesn't draw its kind.

/** Passes over the same geometry. */
export const PASSES = { solid: 0, clear: 1, count: 2, selected: 3 } as const;

export const CORNERS = /* glsl */ `
  attribute vec4 row0, row1, row2, tint;
  attribute float object;
  uniform sampler2D parts;
  uniform vec3 plain, tones[TONES];
  varying vec3 vPlace, vNormal;
  varying vec4 vColor;
  varying float vSelected;

  void main() {
    int number = int(object + 0.5), width = textureSize(parts, 0).x;
    vec4 part = texelFetch(parts, ivec2(number % width, number / width), 0);
    int bits = int(part.w + 0.5), tone = bits >> 3;
    bool hidden = (bits & 1) != 0, ghost = (bits & 2) != 0, selected = (bits & 4) != 0;
    bool clear = ghost || (tone == 0 && tint.a > 0.0 && tint.a < 1.0);
    #if PASS == 1
      bool drawn = clear;
    #elif PASS == 3
      bool drawn = selected;
    #else
      bool drawn = !clear;
    #endif
    vec4 corner = vec4(position, 1.0);
    vec3 placed = vec3(dot(row0, corner), dot(row1, corner), dot(row2, corner)) + part.xyz;
    vPlace = placed;
    vNormal = vec3(dot(cross(row1.xyz, row2.xyz), normal), dot(cross(row2.xyz, row0.xyz), normal),
      dot(cross(row0.xyz, row1.xyz), normal));
    vColor = tint.a == 0.0 ? vec4(plain, 1.0) : vec4(pow(tint.rgb, vec3(2.2)), tint.a);
    if (tone > 0) vColor = vec4(tones[min(tone, TONES) - 1], 1.0);
    if (ghost) vColor.a = tone > 0 && tone < TONES ? TONED_GHOST_OPACITY : GHOST_OPACITY;
    vSelected = selected ? 1.0 : 0.0;
    gl_Position = drawn && !hidden ? projectionMatrix * viewMatrix * vec4(placed, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  }
`;

const CUT = /* glsl */ `
  uniform vec4 section;
  uniform vec3 accent;
  varying vec3 vPlace, vNormal;
  varying vec4 vColor;
  varying float vSelected;
`;

/** Faces are lit from the camera's side, whichever way they were wound: files are seldom right about that. */
export const FACES = /* glsl */ `
  ${CUT}
  void main() {
    if (dot(vPlace, section.xyz) > section.w) discard;
    vec3 across = cross(dFdx(vPlace), dFdy(vPlace));
    vec3 normal = normalize(mat3(viewMatrix) * (dot(vNormal, vNormal) > 0.0 ? vNormal : across));
    if (normal.z < 0.0) normal = -normal;
    float light = 0.34 + 0.12 * normal.y + 0.5 * max(0.0, dot(normal, normalize(vec3(-0.45, 0.65, 0.75))))
      + 0.16 * max(0.0, dot(normal, normalize(vec3(0.7, -0.1, 0.5))));
    float gloss = 0.1 * pow(max(0.0, dot(normal, normalize(vec3(-0.25, 0.35, 1.0)))), 40.0);
    vec3 color = mix(vColor.rgb, accent, 0.86 * vSelected);
    vec3 glow = 0.1 * vSelected * accent;
    gl_FragColor = vec4(color * light + gloss + glow, mix(vColor.a, max(vColor.a, 0.4), vSelected));
    #include <colorspace_fragment>
  }
`;

export const EDGES = /* glsl */ `
  ${CUT}
  uniform vec3 edge;
  uniform float opacity;
  void main() {
    if (dot(vPlace, section.xyz) > section.w) discard;
    gl_FragColor = vec4(mix(edge, accent, vSelected), opacity);
    #include <colorspace_fragment>
  }
`;

export const PLANE_CORNERS = /* glsl */ `
  void main() {
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }
`;

/** The hatching of a cut through material. */
export const HATCHING = /* glsl */ `
  uniform vec3 plain, edge;
  uniform float pixels;
  void main() {
    float line = abs(fract((gl_FragCoord.x + gl_FragCoord.y) / (7.0 * pixels)) - 0.5) * 7.0 * pixels;
    gl_FragColor = vec4(mix(edge, plain * 0.8, 0.45 + 0.55 * smoothstep(0.5, 1.2, line)), 1.0);
    #include <colorspace_fragment>
  }
`;

/** Round dots of marks. */
export const DOT_CORNERS = /* glsl */ `
  uniform float size;
  void main() {
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = size;
  }
`;

export const DOTS = /* glsl */ `
  uniform vec3 accent, ground;
  void main() {
    float away = length(gl_PointCoord - 0.5) * 2.0;
    if (away > 1.0) discard;
    gl_FragColor = vec4(away > 0.65 ? ground : accent, 1.0);
    #include <colorspace_fragment>
  }
`;
