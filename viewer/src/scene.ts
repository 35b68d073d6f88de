// Bodies in space: shapes that swing, motions that are played.
//
// Points are texels: the vertex shader fetches place and displacement of a point by its number, so that triangles, outlines and
// axes share one copy, and a frame of a motion is one upload. A mode is drawn at x + s Re((re + i im) e^{iφ}).
import {
  BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DataTexture, DoubleSide, FloatType, GLSL3, Group, InstancedBufferAttribute,
  InstancedBufferGeometry, LineSegments, Mesh, MeshBasicMaterial, NearestFilter, OrthographicCamera, Points, Quaternion, RawShaderMaterial, RGBAFormat,
  Scene as World, Vector3, WebGLRenderer, type IUniform, type Object3D,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { css_gradient, curve_colour, is_dark, map_colour, on_theme, type ColourMap } from "./colours";
import type { Scene, Shape } from "./data";
import { button, download, file_name, make, plain as unquoted, select } from "./dom";
import { indices, show, singles, with_unit } from "./numbers";

const no_value = 3e38; // in the textures; drawn plain
const row_bits = 11; // points in a row of a texture: 2048

const fetching = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
uniform sampler2D place0, place1, shape_re, shape_im;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform float size, between;
uniform vec2 phase;      // cos φ, sin φ
uniform int colouring;   // 0 plain, 1 displacement, 2 values that swing, 3 values that do not
vec4 texel(sampler2D of, int i) { return texelFetch(of, ivec2(i & ${(1 << row_bits) - 1}, i >> ${row_bits}), 0); }
vec3 displacement(int i) { return texel(shape_re, i).xyz * phase.x - texel(shape_im, i).xyz * phase.y; }
vec3 point(int i) { return mix(texel(place0, i).xyz, texel(place1, i).xyz, between) + size * displacement(i); }
float value(int i) {
  if (colouring == 1) return length(displacement(i));
  if (texel(place0, i).w > 1e37) return 3e38; // no value
  if (colouring == 2) return texel(shape_re, i).w * phase.x - texel(shape_im, i).w * phase.y;
  return mix(texel(place0, i).w, texel(place1, i).w, between);
}
`;
const colouring_code = /* glsl */ `
uniform sampler2D colours;
uniform vec3 plain;
uniform int colouring;
uniform vec2 range;
vec3 colour_of(float v) {
  if (colouring == 0) return plain;
  if (v > 1e37) return plain;
  return texture(colours, vec2(clamp((v - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0) * 0.996 + 0.002, 0.5)).rgb;
}
`;
const faces_vertex = fetching + /* glsl */ `
out vec3 seen;
out float shade;
void main() {
  vec4 at = modelViewMatrix * vec4(point(gl_VertexID), 1.0);
  seen = at.xyz;
  shade = colouring == 0 ? 0.0 : value(gl_VertexID);
  gl_Position = projectionMatrix * at;
}`;
const faces_fragment = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
in vec3 seen;
in float shade;
out vec4 result;
${colouring_code}
void main() {
  vec3 normal = normalize(cross(dFdx(seen), dFdy(seen)));
  if (normal.z < 0.0) normal = -normal;
  float light = 0.62 + 0.38 * max(dot(normal, normalize(vec3(0.3, 0.5, 0.8))), 0.0);
  result = vec4(colour_of(shade) * light, 1.0);
}`;
const lines_vertex = fetching + /* glsl */ `
uniform float rest;   // 1: undeformed
void main() {
  vec3 at = rest > 0.5 ? texel(place0, gl_VertexID).xyz : point(gl_VertexID);
  gl_Position = projectionMatrix * modelViewMatrix * vec4(at, 1.0);
  gl_PointSize = 9.0;
}`;
const lines_fragment = /* glsl */ `
precision highp float;
uniform vec4 ink;
out vec4 result;
void main() { result = ink; }`;
/** A segment is a strip of pixels: one instance each, corners by the number of the vertex. */
const strips_vertex = fetching + /* glsl */ `
in vec3 position;
in vec2 ends;
uniform vec2 window;
uniform float width;
out float shade;
void main() {
  int a = int(ends.x + 0.5), b = int(ends.y + 0.5);
  vec4 p = projectionMatrix * modelViewMatrix * vec4(point(a), 1.0);
  vec4 q = projectionMatrix * modelViewMatrix * vec4(point(b), 1.0);
  vec2 along = (q.xy - p.xy) * window;
  float far = length(along);
  along = far > 1e-6 ? along / far : vec2(1.0, 0.0);
  vec4 at = position.x < 0.5 ? p : q;
  at.xy += (vec2(-along.y, along.x) * position.y + along * (position.x - 0.5) * 0.8) * width / window;
  at.z -= 2e-4;
  shade = colouring == 0 ? 0.0 : value(position.x < 0.5 ? a : b);
  gl_Position = at;
}`;
const strips_fragment = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
in float shade;
out vec4 result;
${colouring_code}
void main() { result = vec4(colour_of(shade), 1.0); }`;

type Uniforms = { [name: string]: IUniform };
/** What is chosen to be seen: one of the shapes, or the motion in time. */
type Choice = { shape: Shape } | { frames: true };
interface Colouring {
  title: string;
  unit: string;
  index: number; // field of the scene, or colour of the frames; -1: displacement; -2: none
}

export interface SceneView {
  element: HTMLElement;
  scene: Scene;
  choose: (index: number) => void; // of the choices
  choices: { label: string; shape?: Shape }[];
  chosen: () => number;
  freeze: (phase: number) => void; // stands still there; of a motion the share of its time
  draw: () => void;
  place: (point: number) => number[]; // where it is now
  project: (point: number) => number[]; // in pixels of the canvas
  canvas: HTMLCanvasElement;
}

const parts_colour = (i: number, n: number): Color => new Color(n === 1 ? (is_dark() ? "#7f93aa" : "#8fa3b8") : curve_colour(i, is_dark()));

export function scene_view(scene: Scene, of: string): SceneView {
  // ---- points of all parts in turn
  const points = scene.parts.map((part) => singles(part.points));
  const first: number[] = [];
  let n_points = 0;
  for (const of_part of points) first.push(n_points), (n_points += of_part.length / 3);
  const texture_rows = Math.max(1, Math.ceil(n_points / (1 << row_bits)));
  const texture = (): { data: Float32Array; texture: DataTexture } => {
    const data = new Float32Array(4 * texture_rows << row_bits);
    const made = new DataTexture(data, 1 << row_bits, texture_rows, RGBAFormat, FloatType);
    made.minFilter = made.magFilter = NearestFilter;
    made.needsUpdate = true;
    return { data, texture: made };
  };
  const place0 = texture(), place1 = texture(), re = texture(), im = texture();
  const colour_data = new Uint8Array(256 * 4);
  const colours = new DataTexture(colour_data, 256, 1, RGBAFormat);

  const put = (to: Float32Array, part: number, from: ArrayLike<number>, offset = 0): void => {
    const n = points[part].length / 3;
    for (let i = 0, k = 4 * first[part], j = offset; i < n; ++i, k += 4, j += 3) (to[k] = from[j]), (to[k + 1] = from[j + 1]), (to[k + 2] = from[j + 2]);
  };
  const rest = (): void => {
    points.forEach((of_part, part) => (put(place0.data, part, of_part), put(place1.data, part, of_part)));
  };
  rest();

  // ---- what may be chosen
  const frames = scene.frames;
  const times = frames === undefined ? new Float32Array(0) : singles(frames.times);
  const all: Choice[] = [...(frames !== undefined && times.length > 0 ? [{ frames: true as const }] : []), ...scene.shapes.map((shape) => ({ shape }))];
  const choices = all.map((choice) => ("shape" in choice ? { label: unquoted(choice.shape.title), shape: choice.shape } : { label: `motion, ${show(times[0], 4)} to ${show(times[times.length - 1], 4)} s` }));
  let chosen = 0;
  let colourings: Colouring[] = [];
  let colouring = 0;
  let map: ColourMap = "viridis";
  let range: [number, number] = [0, 1];

  // ---- size of the scene, over the whole motion
  const low = new Vector3(Infinity, Infinity, Infinity), high = new Vector3(-Infinity, -Infinity, -Infinity);
  const box_of = (from: ArrayLike<number>, start: number, end: number) => {
    for (let i = start; i + 2 < end; i += 3) {
      if (!Number.isFinite(from[i])) continue;
      low.x = Math.min(low.x, from[i]), high.x = Math.max(high.x, from[i]);
      low.y = Math.min(low.y, from[i + 1]), high.y = Math.max(high.y, from[i + 1]);
      low.z = Math.min(low.z, from[i + 2]), high.z = Math.max(high.z, from[i + 2]);
    }
  };
  points.forEach((of_part, part) => {
    const moving = frames === undefined ? new Float32Array(0) : singles(frames.points[part] ?? []);
    if (moving.length === 0) box_of(of_part, 0, of_part.length);
    else box_of(moving, 0, moving.length);
  });
  frames?.trails.forEach((trail) => box_of(singles(trail.points), 0, singles(trail.points).length));
  if (!(low.x <= high.x)) low.set(0, 0, 0), high.set(1, 1, 1);
  const centre = low.clone().add(high).multiplyScalar(0.5);
  const extent = high.clone().sub(low).length() || 1;
  // What lies in the plane and moves in it is seen from above.
  const reach_of = (k: number): number => Math.max(0, ...scene.shapes.slice(0, 4).flatMap((shape) => shape.displacements.map((f) => {
    const field = scene.fields[f];
    let largest = 0;
    if (field?.size === 3) for (const values of [singles(field.re), field.im === undefined ? new Float32Array(0) : singles(field.im)]) for (let i = k; i < values.length; i += 3) largest = Math.max(largest, Math.abs(values[i]) || 0);
    return largest;
  })));
  const is_thin = high.z - low.z < 0.25 * extent && high.z - low.z <= Math.min(high.x - low.x, high.y - low.y) + 0.02 * extent;
  const flat = is_thin && reach_of(2) <= 0.1 * Math.max(reach_of(0), reach_of(1));

  // ---- the page around it
  const canvas = make("canvas", { "aria-label": `${scene.title}, three-dimensional view`, role: "img" });
  const stage = make("div", { class: "stage", tabindex: 0, role: "group", "aria-label": "View: arrow keys turn, + and − zoom, 0 fits, x y z i look along the axes, space plays" }, canvas);
  const legend = make("div", { class: "legend3d" });
  const reading = make("div", { class: "reading", hidden: true });
  const clock = make("div", { class: "clock" });
  const triad = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  triad.setAttribute("class", "triad");
  triad.setAttribute("viewBox", "-40 -40 80 80");
  triad.setAttribute("aria-hidden", "true");
  stage.append(legend, reading, clock, triad);

  let renderer: WebGLRenderer;
  try {
    renderer = new WebGLRenderer({ canvas, antialias: true });
  } catch {
    const element = make("figure", { class: "figure scene" }, make("figcaption", {}, make("h3", {}, scene.title)),
      make("p", { class: "quiet" }, "This browser offers no WebGL: bodies are not drawn. Plots and tables work."));
    const nothing = () => undefined;
    return { element, scene, choose: nothing, choices, chosen: () => 0, freeze: nothing, draw: nothing, place: () => [], project: () => [], canvas };
  }
  renderer.setPixelRatio(Math.min(2, devicePixelRatio));
  const world = new World();
  const camera = new OrthographicCamera(-1, 1, 1, -1, -1, 1);
  camera.up.set(0, 0, 1);
  const controls = new OrbitControls(camera, canvas);
  controls.addEventListener("change", () => ask());

  // ---- materials
  const shared: Uniforms = {
    place0: { value: place0.texture }, place1: { value: place1.texture }, shape_re: { value: re.texture }, shape_im: { value: im.texture },
    size: { value: 0 }, between: { value: 0 }, phase: { value: [1, 0] }, colouring: { value: 0 }, colours: { value: colours }, range: { value: [0, 1] },
    window: { value: [1, 1] }, width: { value: 3 },
  };
  const material = (vertexShader: string, fragmentShader: string, own: Uniforms, more = {}) =>
    new RawShaderMaterial({ glslVersion: GLSL3, vertexShader, fragmentShader, uniforms: { ...shared, ...own }, side: DoubleSide, ...more });
  const bodies = new Group(), outlines = new Group(), ghosts = new Group(), arrows = new Group(), trails = new Group();
  world.add(ghosts, bodies, outlines, trails, arrows);
  const drawn = <T extends Object3D>(object: T): T => ((object.frustumCulled = false), object);
  const plain: { value: Color; part: number }[] = [];
  const ink = { value: [0, 0, 0, 0.3] }, ghost_ink = { value: [0.5, 0.5, 0.5, 0.45] };
  const outline = material(lines_vertex, lines_fragment, { ink, rest: { value: 0 } }, { transparent: true });
  const ghost = material(lines_vertex, lines_fragment, { ink: ghost_ink, rest: { value: 1 } }, { transparent: true, depthWrite: false });
  const all_positions = new BufferAttribute(new Float32Array(3 * n_points), 3); // only counted: places come from the textures
  const numbered = (part: number, of_part: Uint32Array): BufferGeometry => {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", all_positions);
    geometry.setIndex(new BufferAttribute(of_part.map((i) => i + first[part]), 1));
    return geometry;
  };
  scene.parts.forEach((part, k) => {
    const colour = { value: parts_colour(k, scene.parts.length), part: k };
    plain.push(colour);
    const triangles = indices(part.triangles), edges = indices(part.edges), segments = indices(part.segments);
    if (triangles.length > 0)
      bodies.add(drawn(new Mesh(numbered(k, triangles), material(faces_vertex, faces_fragment, { plain: colour }, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }))));
    if (edges.length > 0) {
      outlines.add(drawn(new LineSegments(numbered(k, edges), outline)));
      ghosts.add(drawn(new LineSegments(numbered(k, edges), ghost)));
    }
    if (segments.length > 0) {
      const strip = new InstancedBufferGeometry();
      strip.setAttribute("position", new BufferAttribute(new Float32Array([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0]), 3));
      strip.setIndex([0, 1, 2, 0, 2, 3]);
      const ends = Float32Array.from(segments, (i) => i + first[k]);
      strip.setAttribute("ends", new InstancedBufferAttribute(ends, 2));
      strip.instanceCount = ends.length / 2;
      bodies.add(drawn(new Mesh(strip, material(strips_vertex, strips_fragment, { plain: colour, width: { value: triangles.length > 0 ? 1.6 : 3.5 } }))));
      if (edges.length === 0) ghosts.add(drawn(new LineSegments(numbered(k, segments), ghost)));
    }
    if (triangles.length + segments.length + edges.length === 0 && points[k].length > 0)
      bodies.add(drawn(new Points(numbered(k, Uint32Array.from({ length: points[k].length / 3 }, (_, i) => i)), material(lines_vertex, lines_fragment, { ink, rest: { value: 0 } }))));
  });

  // ---- arrows and trails of a motion
  // forces and moments have colours and scales of their own
  const arrow_units = [...new Set((frames?.arrows ?? []).map((arrow) => arrow.unit))];
  const arrow_colour = (unit: string): string => [["#d55e00", "#7b3fa0", "#00735c"], ["#ff8a3c", "#c79cf0", "#4fd1ab"]][is_dark() ? 1 : 0][Math.min(2, arrow_units.indexOf(unit))];
  const arrow_shapes = (frames?.arrows ?? []).map((arrow) => {
    const material = new MeshBasicMaterial({ depthTest: false, transparent: true });
    const shaft = new Mesh(new CylinderGeometry(0.011 * extent * 0.4, 0.011 * extent * 0.4, 1, 10), material);
    const head = new Mesh(new ConeGeometry(0.013 * extent, 0.035 * extent, 16), material);
    const value = singles(arrow.value);
    let largest = 0;
    for (let i = 0; i + 2 < value.length; i += 3) largest = Math.max(largest, Math.hypot(value[i], value[i + 1], value[i + 2]) || 0);
    shaft.renderOrder = head.renderOrder = 3;
    arrows.add(drawn(shaft), drawn(head));
    return { arrow, at: singles(arrow.at), value, largest, shaft, head };
  });
  // One scale for what has one unit.
  const largest_of = (unit: string): number => Math.max(1e-300, ...arrow_shapes.filter((shape) => shape.arrow.unit === unit).map((shape) => shape.largest));
  const trail_lines = (frames?.trails ?? []).map((trail, k) => {
    const path = singles(trail.points);
    const n = path.length / 3;
    const geometry = (): InstancedBufferGeometry => {
      const strip = new InstancedBufferGeometry();
      strip.setAttribute("position", new BufferAttribute(new Float32Array([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0]), 3));
      strip.setIndex([0, 1, 2, 0, 2, 3]);
      strip.setAttribute("from", new InstancedBufferAttribute(path.slice(0, 3 * Math.max(0, n - 1)), 3));
      strip.setAttribute("to", new InstancedBufferAttribute(path.slice(3), 3));
      strip.instanceCount = Math.max(0, n - 1);
      return strip;
    };
    const colour = { value: new Color() };
    const line = (alpha: number, width: number) =>
      new RawShaderMaterial({
        glslVersion: GLSL3, side: DoubleSide, transparent: true, depthWrite: false,
        uniforms: { window: shared.window, width: { value: width }, colour, alpha: { value: alpha } },
        vertexShader: `precision highp float; in vec3 position, from, to; uniform mat4 modelViewMatrix, projectionMatrix; uniform vec2 window; uniform float width;
void main() { vec4 p = projectionMatrix * modelViewMatrix * vec4(from, 1.0), q = projectionMatrix * modelViewMatrix * vec4(to, 1.0);
  vec2 along = (q.xy - p.xy) * window; float far = length(along); along = far > 1e-6 ? along / far : vec2(1.0, 0.0);
  vec4 at = position.x < 0.5 ? p : q; at.xy += vec2(-along.y, along.x) * position.y * width / window; gl_Position = at; }`,
        fragmentShader: `precision highp float; uniform vec3 colour; uniform float alpha; out vec4 result; void main() { result = vec4(colour, alpha); }`,
      });
    const whole = drawn(new Mesh(geometry(), line(0.3, 1)));
    const done_geometry = geometry();
    const done = drawn(new Mesh(done_geometry, line(0.95, 1.8)));
    trails.add(whole, done);
    return { trail, done: done_geometry, colour, k };
  });

  // ---- state of the play
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let playing = !calm, speed = 1, phase = 0, amplitude = 0.1, time_share = 0, arrow_size = 1;
  let largest = 1; // displacement of the shape
  let shown_frame = -1;
  let picked = -1; // point
  const choice = (): Choice | undefined => all[chosen];
  const is_motion = (): boolean => choice() !== undefined && "frames" in choice()!;
  const shape = (): Shape | undefined => {
    const now = choice();
    return now !== undefined && "shape" in now ? now.shape : undefined;
  };
  const swings = (): boolean => shape()?.kind === "mode" || shape()?.kind === "buckling" || shape()?.kind === "operating";

  // ---- loading a choice
  function load(index: number): void {
    chosen = index;
    shown_frame = -1;
    re.data.fill(0);
    im.data.fill(0);
    rest();
    const now = shape();
    colourings = [];
    if (now !== undefined) {
      largest = 0;
      for (const f of now.displacements) {
        const field = scene.fields[f];
        if (field === undefined || field.size !== 3) continue;
        put(re.data, field.part, singles(field.re));
        if (field.im !== undefined) put(im.data, field.part, singles(field.im));
      }
      for (let i = 0; i < 4 * n_points; i += 4) largest = Math.max(largest, largest_over_cycle(re.data, im.data, i));
      if (now.displacements.length > 0) colourings.push({ title: now.kind === "mode" || now.kind === "buckling" ? "displacement, relative" : "displacement", unit: now.kind === "mode" || now.kind === "buckling" ? "" : "m", index: -1 });
      // fields of one name colour all parts together
      const named = new Map<string, number>();
      for (const f of now.colours) {
        const field = scene.fields[f];
        if (field !== undefined && !named.has(field.name)) named.set(field.name, f), colourings.push({ title: field.title, unit: field.unit, index: f });
      }
      if (now.kind === "static" || now.kind === "operating") phase = now.kind === "static" ? Math.PI : 0;
      if (now.kind === "static") playing = false;
      else if (!calm && frozen === null) playing = true;
    } else if (is_motion()) {
      largest = 0;
      frames!.colours.forEach((colour, i) => colourings.push({ title: colour.title, unit: colour.unit, index: i }));
      if (!calm && frozen === null) playing = true;
    } else {
      const named = new Set<string>();
      scene.fields.forEach((field, f) => {
        if (field.size === 1 && !named.has(field.name)) named.add(field.name), colourings.push({ title: field.title, unit: field.unit, index: f });
      });
    }
    colourings.push({ title: "bodies", unit: "", index: -2 });
    colour_select.replaceChildren(...colourings.map((entry, i) => new Option(entry.index === -2 ? "plain" : entry.title, String(i))));
    choose_colour(0);
    for (const [f, texture] of [[0, place0], [1, place1], [2, re], [3, im]] as const) void f, (texture.texture.needsUpdate = true);
    if (shape_select.selectedIndex !== index) shape_select.selectedIndex = index;
    for (const control of [phase_row, size_row]) control.hidden = now === undefined || now.displacements.length === 0;
    time_row.hidden = !is_motion();
    arrow_row.hidden = !is_motion() || arrow_shapes.length === 0;
    ghost_box.parentElement!.hidden = is_motion();
    arrows.visible = trails.visible = is_motion();
    play_button.hidden = all.length === 0 || (now !== undefined && now.displacements.length === 0);
    speed_label.hidden = play_button.hidden;
    show_play();
    tell();
    ask();
  }

  function choose_colour(index: number): void {
    colouring = index;
    const entry = colourings[index];
    map = cividis_box.checked ? "cividis" : "viridis";
    range = [0, 1];
    if (entry.index === -2) shared.colouring.value = 0;
    else if (entry.index === -1) {
      shared.colouring.value = 1;
      range = [0, largest || 1];
    } else if (is_motion()) {
      shared.colouring.value = 3;
      range = range_of(frames!.colours[entry.index].values.map((values) => magnitudes(singles(values), frames!.colours[entry.index].size)));
    } else {
      const field = scene.fields[entry.index];
      const same = (shape()?.colours ?? scene.fields.map((_, f) => f)).map((f) => scene.fields[f]).filter((other) => other !== undefined && other.name === field.name);
      const swing = same.some((other) => other.im !== undefined) && swings();
      shared.colouring.value = swing ? 2 : 3;
      for (let i = 3; i < 4 * n_points; i += 4) place0.data[i] = place1.data[i] = no_value, re.data[i] = im.data[i] = 0;
      for (const other of same) {
        const real = magnitudes(singles(other.re), other.size), imaginary = other.im === undefined ? undefined : magnitudes(singles(other.im), other.size);
        for (let i = 0, k = 4 * first[other.part] + 3; i < real.length; ++i, k += 4) {
          if (Number.isNaN(real[i])) continue;
          place0.data[k] = place1.data[k] = re.data[k] = real[i];
          im.data[k] = imaginary?.[i] ?? 0;
        }
      }
      range = range_of(same.map((other) => magnitudes(singles(other.re), other.size)));
      if (swing) {
        let reach = 0;
        for (let i = 3; i < 4 * n_points; i += 4) reach = Math.max(reach, Math.hypot(re.data[i], im.data[i]));
        range = [-reach, reach];
      }
      for (const texture of [place0, place1, re, im]) texture.texture.needsUpdate = true;
    }
    if (range[0] < 0 && range[1] > 0 && entry.index >= 0) {
      // both signs: zero in the middle
      map = "diverging";
      const reach = Math.max(range[1], -range[0]);
      range = [-reach, reach];
    }
    shown_frame = -1;
    shared.range.value = range;
    for (let i = 0; i < 256; ++i) colour_data.set([...map_colour(map, i / 255), 255], 4 * i);
    colours.needsUpdate = true;
    if (colour_select.selectedIndex !== index) colour_select.selectedIndex = index;
    show_legend();
    show_reading();
    ask();
  }

  function show_legend(): void {
    const entry = colourings[colouring];
    legend.hidden = entry === undefined || entry.index === -2;
    if (legend.hidden) return;
    const relative = entry.index === -1 && entry.unit === "";
    const ends = relative ? [0, 1] : range;
    const levels = [1, 0.75, 0.5, 0.25, 0].map((t) => make("span", {}, show(ends[0] + t * (ends[1] - ends[0]), 3)));
    legend.replaceChildren(make("div", { class: "title" }, entry.unit === "" ? entry.title : `${entry.title} [${entry.unit}]`),
      make("div", { class: "ramp" }, make("i", { style: `--up:${css_gradient(map, "to top")};--right:${css_gradient(map, "to right")}` }), make("div", { class: "levels" }, ...levels)));
  }

  // ---- a frame of a motion
  function load_frame(frame: number): void {
    if (frame === shown_frame) return;
    shown_frame = frame;
    const next = Math.min(frame + 1, times.length - 1);
    const entry = colourings[colouring];
    scene.parts.forEach((_, part) => {
      const moving = singles(frames!.points[part] ?? []);
      const n = points[part].length;
      if (moving.length >= (next + 1) * n) {
        put(place0.data, part, moving, frame * n);
        put(place1.data, part, moving, next * n);
      }
      if (entry.index >= 0) {
        const colour = frames!.colours[entry.index];
        const values = magnitudes(singles(colour.values[part] ?? []), colour.size);
        const of_part = n / 3;
        for (let i = 0, k = 4 * first[part] + 3; i < of_part; ++i, k += 4) {
          const here = values[frame * of_part + i], there = values[next * of_part + i];
          const known = here === here && there === there && here !== undefined && there !== undefined;
          place0.data[k] = known ? here : no_value;
          place1.data[k] = known ? there : no_value;
        }
      }
    });
    place0.texture.needsUpdate = place1.texture.needsUpdate = true;
  }
  const up = new Vector3(0, 1, 0), from_up = new Quaternion(), direction = new Vector3();
  function pose(): void {
    if (!is_motion()) {
      const still = shape()?.kind === "static";
      const [c, s] = still ? [(1 - Math.cos(phase)) / 2, 0] : [Math.cos(phase), Math.sin(phase)];
      shared.phase.value = [c, s];
      shared.between.value = 0;
      shared.size.value = factor();
      return;
    }
    const time = times[0] + time_share * (times[times.length - 1] - times[0]);
    let frame = 0;
    for (let step = 1 << 30; step > 0; step >>= 1) if (frame + step < times.length - 1 && times[frame + step] <= time) frame += step;
    if (frame === 0 && times.length < 2) frame = 0;
    load_frame(frame);
    const next = Math.min(frame + 1, times.length - 1);
    const between = next === frame ? 0 : Math.min(1, Math.max(0, (time - times[frame]) / (times[next] - times[frame])));
    shared.between.value = between;
    shared.size.value = 0;
    shared.phase.value = [1, 0];
    for (const { arrow, at, value, shaft, head } of arrow_shapes) {
      const mixed = (of: Float32Array, k: number) => of[3 * frame + k] * (1 - between) + of[3 * next + k] * between;
      direction.set(mixed(value, 0), mixed(value, 1), mixed(value, 2));
      const size = direction.length();
      shaft.visible = head.visible = forces_box.checked && size > 0 && Number.isFinite(size);
      if (!shaft.visible) continue;
      const length = (0.18 * extent * arrow_size * size) / largest_of(arrow.unit);
      const scale = Math.min(1, length / (0.05 * extent)); // short ones keep their form
      direction.normalize();
      from_up.setFromUnitVectors(up, direction);
      const root = new Vector3(mixed(at, 0), mixed(at, 1), mixed(at, 2));
      const body = Math.max(1e-9, length - 0.035 * extent * scale);
      shaft.quaternion.copy(from_up);
      head.quaternion.copy(from_up);
      shaft.scale.set(scale, body, scale);
      shaft.position.copy(root).addScaledVector(direction, body / 2);
      head.scale.setScalar(scale);
      head.position.copy(root).addScaledVector(direction, body + 0.0175 * extent * scale);
    }
    for (const { done } of trail_lines) done.instanceCount = Math.max(0, Math.min(frame + 1, times.length - 1));
  }
  const factor = (): number => (largest > 0 ? (amplitude * extent) / largest : 0);

  // ---- the camera
  const view_size = { width: 1, height: 1 };
  const directions: { [name: string]: [number, number, number] } = {
    x: [1, 0, 0], y: [0, -1, 0], z: [0, -1e-4, 1], iso: [0.62, -0.65, 0.48],
  };
  function look(name: string): void {
    camera.position.copy(centre).add(new Vector3(...directions[name]).normalize().multiplyScalar(3 * extent));
    controls.target.copy(centre);
    fit();
  }
  function fit(): void {
    // Turned as it is: what the points reach to the sides and up, with the shape at its largest.
    const back = camera.position.clone().sub(controls.target).normalize();
    controls.target.copy(centre);
    camera.position.copy(centre).addScaledVector(back, 3 * extent);
    camera.lookAt(centre);
    camera.updateMatrixWorld();
    const right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0), above = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
    let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
    const reach = (x: number, y: number, z: number) => {
      const a = x * right.x + y * right.y + z * right.z, b = x * above.x + y * above.y + z * above.z;
      (x0 = Math.min(x0, a)), (x1 = Math.max(x1, a)), (y0 = Math.min(y0, b)), (y1 = Math.max(y1, b));
    };
    if (frames !== undefined) for (const x of [low.x, high.x]) for (const y of [low.y, high.y]) for (const z of [low.z, high.z]) reach(x, y, z);
    if (!is_motion() || frames === undefined) {
      (x0 = y0 = Infinity), (x1 = y1 = -Infinity);
      const s = factor();
      points.forEach((of_part, part) => {
        for (let i = 0, k = 4 * first[part]; i < of_part.length; i += 3, k += 4)
          for (const sign of s === 0 ? [0] : [-s, s]) reach(of_part[i] + sign * re.data[k], of_part[i + 1] + sign * re.data[k + 1], of_part[i + 2] + sign * re.data[k + 2]);
      });
    }
    const middle = new Vector3().addScaledVector(right, (x0 + x1) / 2).addScaledVector(above, (y0 + y1) / 2).addScaledVector(back, centre.dot(back));
    controls.target.copy(middle);
    camera.position.copy(middle).addScaledVector(back, 3 * extent);
    const width = Math.max(x1 - x0, 1e-9 * extent), height = Math.max(y1 - y0, 1e-9 * extent);
    // beside the legend
    const is_narrow = view_size.width <= 480;
    const aside = legend.hidden || is_narrow ? 0 : Math.min(legend.offsetWidth, view_size.width / 3);
    const above_it = legend.hidden || !is_narrow ? 0 : legend.offsetHeight;
    const room = is_motion() && arrow_shapes.length > 0 ? 0.74 : 0.86;
    camera.zoom = Math.min(((view_size.width - aside) * room) / width, ((view_size.height - above_it) * room) / height, view_size.height / (0.02 * extent));
    const shift = right.multiplyScalar(aside / 2 / camera.zoom).addScaledVector(above, above_it / 2 / camera.zoom);
    controls.target.add(shift);
    camera.position.add(shift);
    camera.near = -10 * extent;
    camera.far = 20 * extent;
    camera.updateProjectionMatrix();
    controls.update();
    ask();
  }
  function resize(): void {
    const width = stage.clientWidth, height = stage.clientHeight;
    if (width < 10 || height < 10) return;
    const before = view_size.width;
    view_size.width = width;
    view_size.height = height;
    renderer.setSize(width, height, false);
    camera.left = -width / 2;
    camera.right = width / 2;
    camera.top = height / 2;
    camera.bottom = -height / 2;
    shared.window.value = [width / 2, height / 2];
    camera.updateProjectionMatrix();
    if (Math.abs(before - width) > 40) fit();
    draw();
  }

  // ---- drawing, only when something changed
  let asked = false, in_sight = false, last_time = 0;
  let frozen: number | null = null;
  function ask(): void {
    if (asked) return;
    asked = true;
    requestAnimationFrame(step);
  }
  function step(now: number): void {
    asked = false;
    if (!in_sight) return;
    const passed = Math.min(0.1, (now - last_time) / 1000);
    last_time = now;
    const runs = playing && frozen === null && all.length > 0;
    if (runs) {
      if (is_motion()) {
        const duration = motion_seconds();
        time_share += (passed * speed) / duration;
        if (time_share > 1) time_share %= 1;
        scrubber.value = String(time_share);
      } else {
        phase = (phase + passed * speed * 2 * Math.PI * 0.7) % (2 * Math.PI);
        phase_slider.value = String(phase);
      }
    }
    draw();
    if (runs) ask();
  }
  /** As long as it lasts, if that can be watched. */
  const motion_seconds = (): number => Math.min(20, Math.max(4, times[times.length - 1] - times[0]));
  function draw(): void {
    pose();
    renderer.setClearColor(is_dark() ? 0x12161c : 0xf6f8fa, 1);
    renderer.render(world, camera);
    draw_triad();
    show_clock();
    if (picked >= 0) move_pin();
  }
  function draw_triad(): void {
    const parts: SVGElement[] = [];
    const axes: [string, Vector3, string][] = [["x", new Vector3(1, 0, 0), "#d55e00"], ["y", new Vector3(0, 1, 0), "#009e73"], ["z", new Vector3(0, 0, 1), is_dark() ? "#5ab0ee" : "#0072b2"]];
    const turn = camera.matrixWorldInverse;
    for (const [name, axis, colour] of axes.map((a) => [a[0], a[1].transformDirection(turn), a[2]] as [string, Vector3, string]).sort((a, b) => a[1].z - b[1].z)) {
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      for (const [key, value] of [["x2", axis.x * 24], ["y2", -axis.y * 24], ["stroke", colour]] as const) line.setAttribute(key, String(value));
      parts.push(line);
      if (Math.hypot(axis.x, axis.y) < 0.12) continue;
      const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      for (const [key, value] of [["x", axis.x * 33], ["y", -axis.y * 33 + 4], ["fill", colour]] as const) text.setAttribute(key, String(value));
      text.textContent = name;
      parts.push(text);
    }
    triad.replaceChildren(...parts);
  }
  function show_clock(): void {
    if (is_motion()) {
      const time = times[0] + time_share * (times[times.length - 1] - times[0]);
      clock.textContent = `t = ${show(time, 4)} s`;
      time_text.textContent = clock.textContent;
    } else clock.textContent = "";
  }

  // ---- picking a point
  const pin = make("div", { class: "pin", hidden: true });
  stage.append(pin);
  function now_at(point: number, to: Vector3): Vector3 {
    const k = 4 * point, s = shared.size.value as number, f = shared.between.value as number;
    const [c, d] = shared.phase.value as [number, number];
    const one = (j: number) => place0.data[k + j] * (1 - f) + place1.data[k + j] * f + s * (re.data[k + j] * c - im.data[k + j] * d);
    return to.set(one(0), one(1), one(2));
  }
  function pick_at(x: number, y: number): void {
    const at = new Vector3();
    const near: { point: number; far: number; depth: number }[] = [];
    for (let point = 0; point < n_points; ++point) {
      now_at(point, at).project(camera);
      const far = Math.hypot(((at.x + 1) / 2) * view_size.width - x, ((1 - at.y) / 2) * view_size.height - y);
      if (far < 16) near.push({ point, far, depth: at.z });
    }
    // of points about as near the one in front
    const nearest = Math.min(...near.map((one) => one.far));
    const found = near.filter((one) => one.far < nearest + 3).sort((a, b) => a.depth - b.depth)[0];
    choose_point(found?.point ?? -1);
  }
  function choose_point(point: number): void {
    picked = point;
    if (point >= 0) point_box.value = String(point);
    show_reading();
    ask();
  }
  function part_of(point: number): number {
    let part = first.length - 1;
    while (part > 0 && (first[part] > point || points[part].length === 0)) --part;
    return part;
  }
  function show_reading(): void {
    reading.hidden = pin.hidden = picked < 0 || picked >= n_points;
    if (reading.hidden) return;
    const part = part_of(picked), own = picked - first[part];
    const rows: [string, string][] = [];
    const triple = (a: ArrayLike<number>, i: number) => `${show(a[i], 4)}, ${show(a[i + 1], 4)}, ${show(a[i + 2], 4)}`;
    const now = shape();
    if (!is_motion()) rows.push(["x, y, z [m]", triple(points[part], 3 * own)]);
    if (now !== undefined) {
      const scale = now.kind === "mode" || now.kind === "buckling" ? 1 / (largest || 1) : 1;
      const k = 4 * picked;
      const complex = im.data.subarray(k, k + 3).some((value) => value !== 0);
      const title = scale !== 1 || now.kind === "mode" ? "displacement, relative" : "displacement [m]";
      rows.push([title, [0, 1, 2].map((j) => show(scale * (complex ? Math.hypot(re.data[k + j], im.data[k + j]) : re.data[k + j]), 4)).join(", ")]);
      if (complex) rows.push(["phase [°]", [0, 1, 2].map((j) => show((Math.atan2(im.data[k + j], re.data[k + j]) * 180) / Math.PI, 4)).join(", ")]);
    }
    if (is_motion()) {
      rows.push(["x, y, z [m]", ((at) => [at.x, at.y, at.z].map((v) => show(v, 4)).join(", "))(now_at(picked, new Vector3()))]);
      for (const colour of frames!.colours) {
        const values = magnitudes(singles(colour.values[part] ?? []), colour.size);
        const value = values[shown_frame * (points[part].length / 3) + own];
        if (value !== undefined) rows.push([colour.title, with_unit(value, colour.unit)]);
      }
    } else
      for (const f of now?.colours ?? scene.fields.map((_, i) => i)) {
        const field = scene.fields[f];
        if (field === undefined || field.part !== part) continue;
        const real = magnitudes(singles(field.re), field.size)[own];
        const size = field.im === undefined ? real : Math.hypot(real, magnitudes(singles(field.im), field.size)[own]);
        rows.push([field.title, with_unit(size, field.unit)]);
      }
    reading.replaceChildren(make("div", { class: "first" }, `${scene.parts[part].name}, point ${own}`, button("×", "Close", () => choose_point(-1), { class: "close" })),
      make("dl", {}, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
  }
  function move_pin(): void {
    const at = now_at(picked, new Vector3()).project(camera);
    pin.style.left = `${((at.x + 1) / 2) * view_size.width}px`;
    pin.style.top = `${((1 - at.y) / 2) * view_size.height}px`;
    if (is_motion() && !playing) show_reading();
  }
  let press = { x: 0, y: 0 };
  canvas.addEventListener("pointerdown", (event) => (press = { x: event.clientX, y: event.clientY }));
  canvas.addEventListener("pointerup", (event) => {
    if (Math.hypot(event.clientX - press.x, event.clientY - press.y) > 4) return;
    const box = canvas.getBoundingClientRect();
    pick_at(event.clientX - box.left, event.clientY - box.top);
  });
  // the wheel scrolls the page until the view is in use
  controls.enableZoom = false;
  stage.addEventListener("focusin", () => (controls.enableZoom = true));
  stage.addEventListener("focusout", () => (controls.enableZoom = false));
  canvas.addEventListener("pointerdown", () => stage.focus({ preventScroll: true }));

  stage.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== stage) return;
    const turn = (around: Vector3, angle: number) => {
      const arm = camera.position.clone().sub(controls.target).applyAxisAngle(around, angle);
      camera.position.copy(controls.target).add(arm);
      controls.update();
      ask();
    };
    const side = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const zoom = (by: number) => ((camera.zoom *= by), camera.updateProjectionMatrix(), ask());
    const keys: { [key: string]: () => void } = {
      ArrowLeft: () => turn(camera.up, -0.1), ArrowRight: () => turn(camera.up, 0.1), ArrowUp: () => turn(side, -0.1), ArrowDown: () => turn(side, 0.1),
      "+": () => zoom(1.2), "=": () => zoom(1.2), "-": () => zoom(1 / 1.2), "0": fit, x: () => look("x"), y: () => look("y"), z: () => look("z"), i: () => look("iso"),
      " ": () => play(!playing), Escape: () => choose_point(-1),
    };
    const call = keys[event.key];
    if (call === undefined) return;
    event.preventDefault();
    call();
  });

  // ---- controls
  function play(on: boolean): void {
    playing = on;
    frozen = null;
    show_play();
    show_reading();
    ask();
  }
  function show_play(): void {
    play_button.textContent = playing ? "❚❚" : "▶";
    play_button.setAttribute("aria-label", playing ? "Pause" : "Play");
    play_button.title = playing ? "Pause (space)" : "Play (space)";
  }
  function tell(): void {
    size_text.textContent = largest > 0 && shape() !== undefined ? (swings() && shape()!.kind !== "operating" ? `${Math.round(100 * amplitude)} % of size` : `× ${show(factor(), 3)}`) : "";
  }
  const slider = (label: string, from: number, to: number, step: number, value: number, change: (value: number) => void): HTMLInputElement => {
    const input = make("input", { type: "range", min: from, max: to, step, "aria-label": label, value });
    input.addEventListener("input", () => (change(Number(input.value)), ask()));
    return input;
  };
  const check = (label: string, on: boolean, change: () => void): HTMLInputElement => {
    const input = make("input", { type: "checkbox" });
    input.checked = on;
    input.addEventListener("change", () => (change(), ask()));
    make("label", { class: "check" }, input, label);
    return input;
  };
  const shape_select = select("What is shown", choices.length > 0 ? choices.map((entry) => entry.label) : ["at rest"], 0, (i) => load(i));
  shape_select.classList.add("wide");
  const colour_select = select("Colour", [], 0, (i) => choose_colour(i));
  const play_button = button("▶", "Play", () => play(!playing), { class: "play" });
  const speed_slider = slider("Speed of the animation", -2, 2, 0.1, 0, (value) => (speed = 2 ** value));
  const speed_label = make("label", { class: "slide" }, "speed", speed_slider);
  const size_text = make("output");
  const size_row = make("label", { class: "slide told" }, "amplitude", slider("Amplitude", 0, 0.4, 0.005, amplitude, (value) => ((amplitude = value), tell())), size_text);
  const phase_slider = slider("Phase", 0, 6.2832, 0.01, 0, (value) => ((phase = value), (playing = false), show_play()));
  const phase_row = make("label", { class: "slide" }, "phase", phase_slider);
  const scrubber = slider("Time", 0, 1, 0.0005, 0, (value) => ((time_share = value), (playing = false), (frozen = null), show_play(), show_reading()));
  const time_text = make("output", { class: "time" });
  const time_row = make("label", { class: "slide scrub" }, "time", scrubber, time_text);
  const arrow_row = make("label", { class: "slide" }, "forces", slider("Length of the arrows", 0, 3, 0.05, 1, (value) => (arrow_size = value)));
  const outline_box = check("outlines", true, () => (outlines.visible = outline_box.checked));
  const ghost_box = check("undeformed", true, () => (ghosts.visible = ghost_box.checked && !is_motion()));
  const forces_box = check("forces", true, () => undefined);
  const trails_box = check("trails", true, () => (trails.visible = trails_box.checked && is_motion()));
  const cividis_box = check("cividis", false, () => choose_colour(colouring));
  cividis_box.parentElement!.title = "Another map of colours, for any colour vision";
  const point_box = make("input", { type: "number", min: 0, max: Math.max(0, n_points - 1), "aria-label": "Number of a point", placeholder: "point" });
  point_box.addEventListener("change", () => choose_point(point_box.value === "" ? -1 : Math.max(0, Math.min(n_points - 1, Math.round(Number(point_box.value))))));

  function picture(): void {
    draw();
    const scale = canvas.width / view_size.width;
    const whole = make("canvas", { width: canvas.width, height: canvas.height });
    const context = whole.getContext("2d")!;
    context.drawImage(canvas, 0, 0);
    context.scale(scale, scale);
    const text_colour = is_dark() ? "#e4e9f0" : "#1d2733";
    context.fillStyle = text_colour;
    context.font = "13px system-ui, 'DejaVu Sans', sans-serif";
    context.fillText([scene.title, choices[chosen]?.label ?? "", clock.textContent ?? ""].filter((text) => text !== "").join(" · "), 12, 22);
    if (!legend.hidden) {
      const x = view_size.width - 92, height = 140;
      for (let i = 0; i < height; ++i) {
        context.fillStyle = `rgb(${map_colour(map, 1 - i / (height - 1)).join(",")})`;
        context.fillRect(x, 50 + i, 14, 1.5);
      }
      context.fillStyle = text_colour;
      const entry = colourings[colouring];
      const ends = entry.index === -1 && entry.unit === "" ? [0, 1] : range;
      context.textAlign = "right";
      context.fillText(entry.unit === "" ? entry.title : `${entry.title} [${entry.unit}]`, view_size.width - 12, 40);
      context.textAlign = "left";
      for (const t of [1, 0.5, 0]) context.fillText(show(ends[0] + t * (ends[1] - ends[0]), 3), x + 20, 50 + (1 - t) * height + 4);
    }
    whole.toBlob((blob) => blob !== null && download(`${file_name(of, scene.name)}.png`, blob));
  }

  const caption = make("figcaption", {}, make("h3", {}, unquoted(scene.title)), make("span", { class: "gap" }),
    ...["x", "y", "z", "iso"].map((name) => button(name, name === "iso" ? "Look from a corner" : `Look along ${name}`, () => look(name), { class: "small" })),
    button("fit", "Fit into the view", fit, { class: "small" }), button("PNG", "Download a picture", picture, { class: "small" }));
  const labelled = (box: HTMLInputElement): HTMLElement => box.parentElement!;
  const keys = make("div", { class: "legend" }, ...(scene.parts.length > 1 && scene.parts.length <= 16 ? scene.parts.map((part, k) => make("span", { class: "key", "data-part": k }, make("i", {}), part.name)) : []));
  const trail_keys = make("div", { class: "legend" }, ...trail_lines.map(({ trail, k }) => make("span", { class: "key", "data-trail": k }, make("i", { class: "line" }), trail.name)));
  const arrow_keys = make("div", { class: "legend" }, ...arrow_units.map((unit) => {
    const strongest = arrow_shapes.filter((shape) => shape.arrow.unit === unit).reduce((a, b) => (b.largest > a.largest ? b : a));
    return make("span", { class: "key" }, make("i", { class: "line" }), `at most ${with_unit(strongest.largest, unit, 4)} (${strongest.arrow.title || strongest.arrow.name})`);
  }));
  const element = make("figure", { class: "figure scene", "data-scene": scene.name }, caption,
    make("div", { class: "bar" }, choices.length > 1 ? shape_select : make("span", { class: "quiet" }, choices[0]?.label ?? ""), make("label", {}, "colour ", colour_select)),
    stage,
    make("div", { class: "bar controls" }, play_button, time_row, phase_row, size_row, arrow_row, speed_label),
    make("div", { class: "bar controls" }, labelled(outline_box), labelled(ghost_box),
      ...(arrow_shapes.length > 0 ? [labelled(forces_box)] : []), ...(trail_lines.length > 0 ? [labelled(trails_box)] : []), labelled(cividis_box),
      make("label", { class: "check" }, "point ", point_box)),
    keys, trail_lines.length > 0 ? trail_keys : null, arrow_units.length > 0 ? arrow_keys : null);

  // many lines must not cover what they outline
  const n_edges = scene.parts.reduce((sum, part) => sum + indices(part.edges).length / 2, 0);
  const thin = Math.max(0.04, Math.min(1, Math.sqrt(3000 / Math.max(1, n_edges))));
  function paint_theme(): void {
    const dark = is_dark();
    ink.value = dark ? [0, 0, 0, 0.45 * thin] : [0.08, 0.12, 0.16, 0.3 * thin];
    ghost_ink.value = dark ? [0.75, 0.8, 0.85, 0.35 * thin] : [0.35, 0.4, 0.45, 0.4 * thin];
    plain.forEach((colour) => colour.value.copy(parts_colour(colour.part, scene.parts.length)).convertLinearToSRGB());
    trail_lines.forEach(({ colour, k }) => colour.value.set(curve_colour(k + 1, dark)).convertLinearToSRGB());
    arrow_shapes.forEach(({ arrow, shaft }) => (shaft.material as MeshBasicMaterial).color.set(arrow_colour(arrow.unit)));
    arrow_keys.querySelectorAll<HTMLElement>("i").forEach((i, k) => (i.style.background = arrow_colour(arrow_units[k])));
    keys.querySelectorAll<HTMLElement>("[data-part] i").forEach((i, k) => (i.style.background = `#${parts_colour(k, scene.parts.length).getHexString()}`));
    trail_keys.querySelectorAll<HTMLElement>("[data-trail] i").forEach((i, k) => (i.style.background = curve_colour(k + 1, dark)));
    ask();
  }
  on_theme(paint_theme);
  paint_theme();
  new ResizeObserver(resize).observe(stage);
  new IntersectionObserver((entries) => {
    in_sight = entries[entries.length - 1].isIntersecting;
    if (in_sight) ask();
  }).observe(stage);

  controls.target.copy(centre);
  camera.position.copy(centre).add(new Vector3(...directions[flat ? "z" : "iso"]).normalize().multiplyScalar(3 * extent));
  load(0);
  ghosts.visible = !is_motion();

  return {
    element, scene, choices, canvas, draw,
    place: (point) => now_at(point, new Vector3()).toArray(),
    project: (point) => {
      const at = now_at(point, new Vector3()).project(camera);
      return [((at.x + 1) / 2) * view_size.width, ((1 - at.y) / 2) * view_size.height];
    },
    chosen: () => chosen,
    choose: (index) => (load(index), (ghosts.visible = ghost_box.checked && !is_motion()), (trails.visible = trails_box.checked && is_motion()), fit()),
    freeze: (at) => {
      frozen = at;
      playing = false;
      if (is_motion()) (time_share = at), (scrubber.value = String(at));
      else (phase = at), (phase_slider.value = String(at));
      show_play();
      draw();
    },
  };
}

/** Of an ellipse of a point: its half axis. */
function largest_over_cycle(re: Float32Array, im: Float32Array, k: number): number {
  let rr = 0, ii = 0, ri = 0;
  for (let j = k; j < k + 3; ++j) (rr += re[j] * re[j]), (ii += im[j] * im[j]), (ri += re[j] * im[j]);
  const result = Math.sqrt((rr + ii) / 2 + Math.hypot((rr - ii) / 2, ri));
  return Number.isFinite(result) ? result : 0;
}
const sizes = new WeakMap<Float32Array, Float32Array>();
function magnitudes(values: Float32Array, size: 1 | 3): Float32Array {
  if (size === 1) return values;
  let result = sizes.get(values);
  if (result === undefined) {
    result = new Float32Array(values.length / 3);
    for (let i = 0; i < result.length; ++i) result[i] = Math.hypot(values[3 * i], values[3 * i + 1], values[3 * i + 2]);
    sizes.set(values, result);
  }
  return result;
}
function range_of(all: Float32Array[]): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const values of all) for (const value of values) if (Number.isFinite(value)) (low = Math.min(low, value)), (high = Math.max(high, value));
  if (!(low <= high)) return [0, 1];
  if (low > 0 && low < 0.5 * high) low = 0;
  return low === high ? [low - (Math.abs(low) * 1e-3 || 1), high + (Math.abs(high) * 1e-3 || 1)] : [low, high];
}
