// From plots of the data to figures.
import { css, curve_dash, map_colour, set_size, word_colours, type ColourMap } from "./colours";
import type { Axis, Column, Plot, Table } from "./data";
import { make, plain } from "./dom";
import { Figure, type Cells, type Curve, type Scale } from "./figure";
import { column_length, doubles, is_text, show, with_unit } from "./numbers";

export interface Source {
  plot: Plot;
  table: Table;
  run: string; // before labels when several runs are drawn together; else ""
  index: number; // of the run: its curves are dashed its own way
  of?: string; // before labels of what was drawn alone: "rod_M"
}

/**
 * The paths of many points belong into one picture, and so do their hodographs: "rod_M: trajectory", "rod_P1: trajectory" become
 * curves of "Trajectory". Units that were chosen for each alone become that of the largest.
 */
export function merged(sources: Source[]): Source[][] {
  const result: Source[][] = [];
  const together = new Map<string, Source[]>();
  for (const source of sources) {
    const { plot, table } = source;
    const cut = plot.title.lastIndexOf(": ");
    if (plot.kind !== "trajectory" || cut < 0) {
      result.push([source]);
      continue;
    }
    const what = plot.title.slice(cut + 2), of = plot.title.slice(0, plot.title.indexOf(": "));
    const key = JSON.stringify([what, find(table, plot.x.column)?.unit, find(table, plot.y[0]?.column ?? "")?.unit]);
    const same = together.get(key);
    const named: Source = { ...source, plot: { ...plot, name: what.replaceAll(" ", "_"), title: what[0].toUpperCase() + what.slice(1) }, of };
    if (same === undefined) {
      together.set(key, [named]);
      result.push(together.get(key)!);
    } else same.push(named);
  }
  for (const group of together.values()) {
    const shortened = (axis: Axis): Axis => ({ ...axis, title: group.length > 1 ? axis.title.split(" ").pop()! : axis.title });
    const coarsest = group.reduce((a, b) => (Math.abs(b.plot.x.scale) < Math.abs(a.plot.x.scale) ? b : a)).plot;
    for (const source of group)
      source.plot = {
        ...source.plot, x: { ...shortened(source.plot.x), unit: coarsest.x.unit, scale: coarsest.x.scale },
        y: source.plot.y.map((axis) => ({ ...shortened(axis), unit: coarsest.y[0].unit, scale: coarsest.y[0].scale })),
      };
  }
  // paths first: they show best what moves
  return [...result.filter((group) => group[0].plot.kind === "trajectory"), ...result.filter((group) => group[0].plot.kind !== "trajectory")];
}

const find = (table: Table, name: string): Column | undefined => table.columns.find((column) => column.name === name);

/** Values of an axis as they are shown; of text the places in its list of names. */
function values_of(table: Table, axis: Axis): { values: Float64Array; names?: string[] } {
  const column = find(table, axis.column);
  if (column === undefined) return { values: new Float64Array(0) };
  if (is_text(column.values)) {
    const names = [...new Set(column.values)];
    const place = new Map(names.map((name, i) => [name, i]));
    return { values: Float64Array.from(column.values, (name) => place.get(name)!), names };
  }
  const values = doubles(column.values);
  return { values: axis.scale === 1 ? values : values.map((value) => value * axis.scale) };
}
const scale_of = (axis: Axis): Scale => ({ title: axis.title, unit: axis.unit, log: axis.log === true });

/** Rows of each curve, in the order in which they first come. */
function groups(table: Table, by: string[] | undefined): { label: string; rows: number[] | null }[] {
  const columns = (by ?? []).map((name) => find(table, name)).filter((column) => column !== undefined);
  if (columns.length === 0) return [{ label: "", rows: null }];
  const texts = columns.map((column) => {
    if (is_text(column.values)) return (row: number) => (column.values as string[])[row];
    const values = doubles(column.values);
    const name = column.name.replaceAll("_", " ");
    return (row: number) => `${name} ${with_unit(values[row], column.unit)}`;
  });
  const found = new Map<string, number[]>();
  const n = Math.max(0, ...columns.map(column_length));
  for (let row = 0; row < n; ++row) {
    const label = texts.map((text) => text(row)).filter((text) => text !== "").join(", ");
    const rows = found.get(label);
    if (rows === undefined) found.set(label, [row]);
    else rows.push(row);
  }
  return [...found].map(([label, rows]) => ({ label, rows }));
}
const chosen = (values: Float64Array, rows: number[] | null): Float64Array => (rows === null ? values : Float64Array.from(rows, (row) => values[row]));
const join = (...parts: string[]): string => parts.filter((part) => part !== "").join(", ");

function common_title(titles: string[]): string {
  if (new Set(titles).size <= 1) return titles[0] ?? "";
  // "displacement of A", "displacement of B": what they share in front
  const words = titles.map((title) => title.split(" "));
  const shared: string[] = [];
  for (let i = 0; words.every((w) => w[i] !== undefined && w[i] === words[0][i]); ++i) shared.push(words[0][i]);
  return shared.join(" ").replace(/[ ,]+(of|at|in)?$/, "");
}

// "Coordinates of the joints: angle": what is drawn of the table
const part_of = (title: string): string => (title.includes(": ") ? title.slice(title.lastIndexOf(": ") + 2) : "");

function curves_of(sources: Source[], axis_of: (plot: Plot) => Axis[]): { curves: Curve[]; names?: string[] } {
  const found: { curve: Curve; key: string; index: number }[] = [];
  let names: string[] | undefined;
  for (const { plot, table, run, index, of } of sources) {
    const x = values_of(table, plot.x);
    names ??= x.names;
    const axes = axis_of(plot);
    const all = groups(table, plot.group);
    for (const axis of axes) {
      const y = values_of(table, axis).values;
      for (const group of all) {
        const named = axes.length > 1 || (all.length === 1 && group.label === "" && run === "" && of === undefined);
        const key = join(plain(of ?? ""), named ? axis.title : "", group.label);
        const label = join(run, key) || axis.title;
        found.push({ key, index, curve: { label, x: chosen(x.values, group.rows), y: chosen(y, group.rows) } });
      }
    }
  }
  // of several runs: what has one name has one colour, and stands together
  if (found.some(({ index }) => index > 0)) {
    const keys = [...new Set(found.map(({ key }) => key))];
    found.sort((a, b) => keys.indexOf(a.key) - keys.indexOf(b.key) || a.index - b.index);
    for (const { curve, key, index } of found) (curve.colour = keys.length > 1 ? keys.indexOf(key) : index), (curve.dash = curve_dash(set_size * index));
  }
  return { curves: found.map(({ curve }) => curve), names };
}

export function figures(sources: Source[], of: string): { element: HTMLElement; figures: Figure[] } {
  const { plot } = sources[0];
  const { name } = plot;
  const title = plain(plot.title);
  const base = { name, title, of };
  if (plot.kind === "map") {
    const made = sources.map((source) => {
      const cells = cells_of(source);
      return new Figure({ ...base, name: join(name, source.run), title: join(title, source.run), curves: [], cells: cells.cells, x: cells.x, y: cells.y, height: 300 });
    });
    return { element: made.length === 1 ? made[0].element : make("div", { class: "beside" }, ...made.map((figure) => figure.element)), figures: made };
  }
  if (plot.kind === "response") {
    const upper = curves_of(sources, (p) => p.y.slice(0, 1)), lower = curves_of(sources, (p) => (p.phase === undefined ? [] : [p.phase]));
    const both: Figure[] = [];
    both.push(new Figure({ ...base, curves: upper.curves, x: scale_of(plot.x), y: scale_of(plot.y[0]), height: 330, moved: (a, b) => both[1]?.follow(a, b) }));
    if (plot.phase !== undefined)
      both.push(new Figure({ ...base, name: `${name}_phase`, title: `${title}: phase`, curves: lower.curves, x: scale_of(plot.x), y: scale_of(plot.phase), height: 252, moved: (a, b) => both[0].follow(a, b) }));
    return { element: make("div", { class: "stack tall" }, ...both.map((figure) => figure.element)), figures: both };
  }
  const { curves, names } = curves_of(sources, (p) => p.y);
  const units = new Set(plot.y.map((axis) => axis.unit));
  const y: Scale = { ...scale_of(plot.y[0]), title: common_title(plot.y.map((axis) => axis.title)) || part_of(plot.title), unit: units.size === 1 ? plot.y[0].unit : "" };
  const x: Scale = { ...scale_of(plot.x), names };
  if (plot.kind === "convergence") {
    x.log = y.log = true;
    for (const curve of curves) {
      curve.dots = true;
      const order = observed_order(curve.x, curve.y);
      if (order !== null) curve.label += ` (order ${order.toFixed(2)})`;
    }
  }
  // a path is a history; other points of a plane, as multipliers, are not joined
  if (plot.kind === "trajectory") for (const curve of curves) sources[0].table.history ? (curve.start = true) : (curve.cloud = true);
  if (plot.kind === "bars") for (const curve of curves) curve.bars = true;
  else if (names !== undefined) for (const curve of curves) (curve.dots = true);
  else if (curves.every((curve) => curve.x.length < 40) && plot.kind !== "trajectory") for (const curve of curves) curve.dots = true;
  if (plot.kind === "bars" && names === undefined) {
    // bars at numbers: the numbers are their names
    const all = [...new Set(curves.flatMap((curve) => [...curve.x]))].sort((a, b) => a - b);
    x.names = all.map((value) => show(value, 4));
    for (const curve of curves) curve.x = curve.x.map((value) => all.indexOf(value));
  }
  // a few places on a logarithmic scale are named themselves
  const places = [...new Set(curves.flatMap((curve) => [...curve.x]))].filter((value) => value > 0).sort((a, b) => a - b);
  if (x.log && places.length <= 8) x.ticks = places;
  const figure = new Figure({ ...base, curves, x, y, equal: plot.kind === "trajectory" });
  return { element: figure.element, figures: [figure] };
}

/** Slope of the last two points that have numbers; mesh sizes give positive orders, numbers of elements too. */
function observed_order(x: Float64Array, y: Float64Array): number | null {
  const good = [...x.keys()].filter((i) => x[i] > 0 && y[i] > 0);
  if (good.length < 2) return null;
  const [a, b] = good.slice(-2);
  return x[a] === x[b] ? null : Math.abs(Math.log(y[b] / y[a]) / Math.log(x[b] / x[a]));
}

/** Cells of a grid, uneven or not; of points strewn about, the nearest one. */
function cells_of({ plot, table }: Source): { cells: Cells; x: Scale; y: Scale } {
  const x = values_of(table, plot.x), y = values_of(table, plot.y[0]);
  const n = Math.min(x.values.length, y.values.length);
  const sorted = (values: Float64Array) => Float64Array.from(new Set(values.subarray(0, n))).sort().filter((value) => !Number.isNaN(value));
  const xs = sorted(x.values), ys = sorted(y.values);
  const logs = [plot.x.log === true, plot.y[0].log === true];
  const borders = (at: Float64Array, log: boolean): Float64Array => {
    const half = at.length > 1 ? null : Math.abs(at[0] ?? 1) * 0.5 || 0.5;
    const result = new Float64Array(at.length + 1);
    const middle = (a: number, b: number) => (log ? Math.sqrt(a * b) : (a + b) / 2);
    for (let i = 1; i < at.length; ++i) result[i] = middle(at[i - 1], at[i]);
    if (at.length > 0) {
      result[0] = half !== null ? at[0] - half : log ? (at[0] * at[0]) / result[1] : 2 * at[0] - result[1];
      result[at.length] = half !== null ? at[0] + half : log ? at[at.length - 1] ** 2 / result[at.length - 1] : 2 * at[at.length - 1] - result[at.length - 1];
    }
    return result;
  };
  const place = (edges: Float64Array, value: number): number => {
    if (!(value >= edges[0] && value <= edges[edges.length - 1])) return -1;
    let low = 0, high = edges.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (edges[middle] <= value) low = middle;
      else high = middle;
    }
    return low;
  };
  const x_edges = borders(xs, logs[0]), y_edges = borders(ys, logs[1]);
  let at: Cells["at"];
  const is_grid = xs.length * ys.length <= 1.5 * n && n <= 1.5 * xs.length * ys.length;
  let limits: Cells["limits"] = [x_edges[0], x_edges[xs.length], y_edges[0], y_edges[ys.length]];
  if (is_grid) {
    const row = new Int32Array(xs.length * ys.length).fill(-1);
    for (let i = 0; i < n; ++i) {
      const a = place(x_edges, x.values[i]), b = place(y_edges, y.values[i]);
      if (a >= 0 && b >= 0) row[b * xs.length + a] = i;
    }
    at = (px, py) => {
      const a = place(x_edges, px), b = place(y_edges, py);
      return a < 0 || b < 0 ? -1 : row[b * xs.length + a];
    };
  } else {
    limits = [xs[0], xs[xs.length - 1], ys[0], ys[ys.length - 1]];
    at = nearest_point(x.values, y.values, n, limits);
  }
  const centre = (i: number): [number, number] => [x.values[i], y.values[i]];
  const size: [number, number] | undefined = is_grid && xs.length > 1 && ys.length > 1 ? [xs[1] - xs[0], ys[1] - ys[0]] : undefined;
  const described = (axis: Axis, found: string[] | undefined, at: Float64Array): Scale => ({
    ...scale_of(axis), names: found, ...(is_grid && at.length <= 12 && found === undefined ? { ticks: [...at] } : {}),
  });
  const axes = { x: described(plot.x, x.names, xs), y: described(plot.y[0], y.names, ys) };
  const z_axis = plot.z ?? plot.y[1] ?? plot.y[0];
  const column = find(table, z_axis.column);
  if (column !== undefined && is_text(column.values)) {
    const words = column.values;
    const colours = word_colours([...new Set(words)].sort());
    return { ...axes, cells: { n, at, centre, limits, colour: (i) => colours.get(words[i]) ?? null, value: (i) => words[i], legend: { words: colours } } };
  }
  const z = values_of(table, z_axis).values;
  let low = Infinity, high = -Infinity;
  for (const value of z) if (Number.isFinite(value) && !(z_axis.log && value <= 0)) (low = Math.min(low, value)), (high = Math.max(high, value));
  if (!(low <= high)) (low = 0), (high = 1);
  let map: ColourMap = "viridis";
  if (low < 0 && high > 0 && !z_axis.log) (map = "diverging"), (high = Math.max(high, -low)), (low = -high);
  if (z_axis.log) low = Math.max(low, high * 1e-6); // six decades
  const is_share = low >= 0 && low < 0.5 && high <= 1.0000001 && high > 0.5 && z_axis.unit === "";
  if (is_share) (low = 0), (high = 1);
  const part = (value: number) => (high === low ? 0.5 : z_axis.log ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low));
  return {
    ...axes,
    cells: {
      n, at, centre, limits, size,
      colour: (i) => (Number.isNaN(z[i]) ? null : css(map_colour(map, part(z[i])))),
      value: (i) => `${z_axis.title}: ${n <= 1000 && is_share ? z[i].toFixed(3) : with_unit(z[i], z_axis.unit)}`,
      write: is_share,
      legend: { map, low, high, title: z_axis.title, unit: z_axis.unit, log: z_axis.log === true },
    },
  };
}

function nearest_point(x: Float64Array, y: Float64Array, n: number, [x0, x1, y0, y1]: Cells["limits"]): Cells["at"] {
  const side = Math.max(1, Math.min(256, Math.floor(Math.sqrt(n / 2))));
  const width = x1 - x0 || 1, height = y1 - y0 || 1;
  const buckets: number[][] = Array.from({ length: side * side }, () => []);
  const cell = (value: number, from: number, size: number) => Math.max(0, Math.min(side - 1, Math.floor(((value - from) / size) * side)));
  for (let i = 0; i < n; ++i) if (!Number.isNaN(x[i]) && !Number.isNaN(y[i])) buckets[cell(y[i], y0, height) * side + cell(x[i], x0, width)].push(i);
  return (px, py) => {
    if (px < x0 || px > x1 || py < y0 || py > y1) return -1;
    const a = cell(px, x0, width), b = cell(py, y0, height);
    let best = Infinity, found = -1;
    for (let ring = 0; ring < side; ++ring) {
      for (let j = Math.max(0, b - ring); j <= Math.min(side - 1, b + ring); ++j)
        for (let i = Math.max(0, a - ring); i <= Math.min(side - 1, a + ring); ++i) {
          if (Math.max(Math.abs(i - a), Math.abs(j - b)) !== ring) continue;
          for (const point of buckets[j * side + i]) {
            const far = ((x[point] - px) / width) ** 2 + ((y[point] - py) / height) ** 2;
            if (far < best) (best = far), (found = point);
          }
        }
      if (found >= 0 && best <= (ring / side) ** 2) break;
    }
    return found;
  };
}

