// What the program puts into the page. SI units and radians; the page converts for people (rpm, Hz).

/** Little-endian binary in base64 above ten thousand points, plain numbers below. NaN is null in plain numbers. */
export type Numbers = (number | null)[] | { f32: string } | { f64: string };
export type Indices = number[] | { u32: string };

export interface Column {
  name: string; // snake_case
  unit: string; // "" for none
  values: Numbers | string[];
}

export interface Table {
  name: string;
  title: string;
  history: boolean; // many rows, for plots
  columns: Column[];
}

/** First thing to read: what an engineer asks of the run. */
export interface Verdict {
  level: "good" | "note" | "warning" | "bad";
  title: string; // "Lowest frequency"
  value: string; // "44.81 Hz"; "" if there is none
  text: string; // what it is of, or what failed and what to try
}

/** A node of the model tree: materials, sections, bodies, joints, motions, loads, analyses. */
export interface Item {
  name: string;
  kind: string; // "body", "material", ""
  value: string; // "210 GPa"; "" for a group
  items: Item[];
}

export interface Axis {
  column: string;
  title: string;
  unit: string; // as shown
  scale: number; // shown = value in SI × scale
  log?: boolean;
}

/**
 * How a table is drawn.
 * lines: y over x, a curve for each y, or for each value of `group`
 * response: magnitude over phase; y = the magnitude column, `phase` the phase column, a curve for each `group`
 * trajectory: y over x with equal scales (trajectories, hodographs)
 * map: colours of `z` over the grid of x and y (stability map, waterfall, MAC)
 * convergence: errors over mesh size, both axes logarithmic
 */
export interface Plot {
  name: string;
  title: string;
  kind: "lines" | "response" | "trajectory" | "map" | "convergence" | "bars";
  table: string;
  x: Axis;
  y: Axis[];
  z?: Axis;
  phase?: Axis;
  group?: string[]; // columns whose values tell curves apart
}

export interface Branch {
  label: string;
  kind: string;
  whirl: string;
  omega: (number | null)[];
  growth: (number | null)[];
}
export interface Campbell {
  frame: "rotating" | "fixed";
  body: string;
  speeds: number[]; // rad/s
  branches: Branch[];
  critical_speeds: { speed: number; order: number; branch: number; label: string }[];
  error_bound: number;
}

export interface Mode {
  number: number;
  body: string;
  omega: number;
  hz: number;
  growth: number;
  label: string;
}

/** Something with points: a body, its section swept along it. Fields and frames count points through all parts in turn. */
export interface Part {
  name: string;
  points: Numbers; // x y z of each, m, world axes
  segments: Indices; // pairs: axes of beams, links
  triangles: Indices; // triples
  edges: Indices; // pairs: outlines of elements
}

export interface Field {
  name: string;
  title: string;
  unit: string;
  part: number;
  size: 1 | 3;
  re: Numbers;
  im?: Numbers; // displacement = Re((re + i im) e^{iφ})
}

export interface Shape {
  title: string; // "mode 1, 44.81 Hz, bending"
  kind: "mode" | "static" | "buckling" | "operating";
  displacements: number[]; // fields of size 3, one for each part that moves
  colours: number[]; // fields that can colour it besides the displacement
  mode?: number; // number of the mode in results.modes
  omega?: number;
  growth?: number;
  campbell?: { branch: number; speed: number }; // index of the branch, index of the speed
}

export interface Arrow {
  name: string; // "joint B"
  title: string; // "force in joint B"
  unit: string;
  at: Numbers; // x y z of each frame
  value: Numbers; // x y z of each frame
}

export interface Trail {
  name: string; // "rod.M2"
  points: Numbers; // x y z of each frame
}

/** A motion in time: parts are rigid or not, their points are given at each frame. */
export interface Frames {
  times: Numbers;
  points: Numbers[]; // of each part, frame by frame: x y z of each point; [] for a part that stands still
  colours: { name: string; title: string; unit: string; size: 1 | 3; values: Numbers[] }[]; // of each part, frame by frame
  arrows: Arrow[];
  trails: Trail[];
}

export interface Scene {
  name: string;
  title: string;
  parts: Part[];
  fields: Field[];
  shapes: Shape[];
  frames?: Frames;
}

export interface Run {
  name: string; // directory or file
  title: string;
  status: string; // "ok" or what went wrong
  message: string;
  warnings: string[];
  verdicts: Verdict[];
  model: Item[];
  modes: Mode[];
  campbell?: Campbell;
  tables: Table[];
  plots: Plot[];
  scenes: Scene[];
  timings: { [name: string]: number };
  provenance: { [name: string]: unknown };
  files: string[]; // beside the page
}

export interface Report {
  version: 1;
  runs: Run[]; // several: side by side
}
