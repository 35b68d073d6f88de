// A figure: axes, zoom and cursor by uPlot; curves, cells and marks painted by one code for screen, PNG and SVG.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { css, css_gradient, curve_colour, curve_dash, is_dark, map_colour, on_theme, set_size, type ColourMap } from "./colours";
import { button, download, file_name, make, when_seen } from "./dom";
import { show, with_unit } from "./numbers";
import { CanvasPainter, SvgPainter, text_width, type Painter } from "./painter";

export interface Scale {
  title: string;
  unit: string;
  log?: boolean;
  names?: string[]; // of 0, 1, 2 …
  ticks?: number[]; // instead of round ones
  from?: number; // always seen
  to?: number;
}
export interface Curve {
  label: string;
  x: Float64Array;
  y: Float64Array;
  colour?: number; // of the set; absent: by its place
  grey?: boolean; // to compare with: thin, grey, not for the cursor
  dash?: number[];
  dots?: boolean;
  start?: boolean; // a dot where it begins
  cloud?: boolean; // points that no line joins
  bars?: boolean; // from zero, at categories
  hollow?: (i: number) => boolean; // points ringed
  note?: (i: number) => string; // more about a point
}
export interface Mark {
  x: number;
  y: number;
  label: string;
}
/** Colours over the plane: what is at (x, y); -1: nothing. */
export interface Cells {
  n: number;
  at: (x: number, y: number) => number;
  colour: (i: number) => string | null;
  value: (i: number) => string;
  centre: (i: number) => [number, number];
  limits: [number, number, number, number]; // x0 x1 y0 y1
  write?: boolean; // values into the cells
  size?: [number, number]; // of a cell
  legend: { map: ColourMap; low: number; high: number; title: string; unit: string; log: boolean } | { words: Map<string, string> };
}
export interface Spec {
  name: string;
  title: string;
  of: string; // for names of files
  x: Scale;
  y: Scale;
  curves: Curve[];
  marks?: Mark[];
  cells?: Cells;
  equal?: boolean; // scales
  height?: number;
  pick?: (curve: number, point: number) => void;
  pick_hint?: string;
  moved?: (x0: number, x1: number) => void; // its x scale, by the user
}

interface View {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}
/** Where things are, in pixels. */
interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
  px: (x: number) => number;
  py: (y: number) => number;
}
interface Colours {
  ink: string;
  quiet: string;
  grid: string;
  paper: string;
  dark: boolean;
}

const theme = (dark: boolean): Colours =>
  dark
    ? { ink: "#e4e9f0", quiet: "#a2adba", grid: "#303a47", paper: "#171c23", dark }
    : { ink: "#1d2733", quiet: "#5b6775", grid: "#e3e7ec", paper: "#ffffff", dark };
const axis_title = (scale: Scale): string => (scale.unit === "" ? scale.title : `${scale.title} [${scale.unit}]`);

/** Those on the page. */
export const all_figures: Figure[] = [];

export class Figure {
  readonly element: HTMLElement;
  readonly spec: Spec;
  private readonly host = make("div", { class: "plot" });
  private readonly tip = make("div", { class: "tip", hidden: true });
  private readonly legend = make("div", { class: "legend" });
  private plot?: uPlot;
  private full: View;
  view: View;
  private visible: boolean[];
  private rising: boolean[];
  private at: { curve: number; point: number } | null = null;
  private readonly spoken = make("div", { class: "unseen", role: "status" });

  constructor(spec: Spec) {
    this.spec = spec;
    // of very many curves the first few; the others wait in the legend
    const many = spec.curves.filter((curve) => !curve.grey).length > 14;
    this.visible = spec.curves.map((curve, k) => curve.grey === true || !many || k < 8);
    this.rising = spec.curves.map((curve) => is_rising(curve.x));
    this.full = this.limits();
    this.view = { ...this.full };
    this.element = make("figure", { class: "figure", "data-figure": spec.name },
      make("figcaption", {}, make("h3", {}, spec.title), make("span", { class: "gap" }),
        button("⟲", "Whole range (double click, 0)", () => this.reset(), { "aria-label": "Whole range" }),
        button("PNG", "Download as PNG", () => this.save_png()),
        button("SVG", "Download as SVG", () => download(`${this.file()}.svg`, this.svg(), "image/svg+xml"))),
      this.host, this.legend, this.spoken);
    this.host.style.height = `${spec.height ?? 300}px`;
    this.host.tabIndex = 0;
    this.host.setAttribute("role", "group");
    this.host.setAttribute("aria-label", `${spec.title}. Arrow keys move along the curves${spec.pick ? ", Enter " + (spec.pick_hint ?? "picks") : ""}, + and − zoom, 0 shows all.`);
    this.host.addEventListener("keydown", (event) => this.key(event));
    this.make_legend();
    all_figures.push(this);
    when_seen(this.element, () => this.start());
  }

  // ---- limits
  private limits(): View {
    const { x, y, curves, cells, marks } = this.spec;
    const view: View = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
    const reach = (xv: number, yv: number) => {
      if (Number.isFinite(xv) && !(x.log && xv <= 0)) (view.x0 = Math.min(view.x0, xv)), (view.x1 = Math.max(view.x1, xv));
      if (Number.isFinite(yv) && !(y.log && yv <= 0)) (view.y0 = Math.min(view.y0, yv)), (view.y1 = Math.max(view.y1, yv));
    };
    curves.forEach((curve, k) => {
      if (curve.grey || !this.visible[k]) return;
      for (let i = 0; i < curve.x.length; ++i) if (Number.isFinite(curve.x[i]) && Number.isFinite(curve.y[i])) reach(curve.x[i], curve.y[i]);
      if (curve.bars && !y.log) reach(NaN, 0);
    });
    marks?.forEach((mark) => reach(mark.x, mark.y));
    if (cells !== undefined) reach(cells.limits[0], cells.limits[2]), reach(cells.limits[1], cells.limits[3]);
    for (const value of [x.from, x.to]) if (value !== undefined) reach(value, NaN);
    for (const value of [y.from, y.to]) if (value !== undefined) reach(NaN, value);
    if (!(view.x0 <= view.x1)) (view.x0 = x.log ? 1 : 0), (view.x1 = x.log ? 10 : 1);
    if (!(view.y0 <= view.y1)) (view.y0 = y.log ? 1 : 0), (view.y1 = y.log ? 10 : 1);
    if (cells === undefined) {
      const roomy = (a: number, b: number, log: boolean, room: number): [number, number] => {
        if (log) {
          const more = Math.max((b / a) ** room, a === b ? 3 : 1.02);
          return [a / more, b * more];
        }
        const more = (b - a) * room || Math.abs(a) * 0.1 || 1;
        return [a - more, b + more];
      };
      const only_lines = !curves.some((curve) => curve.dots || curve.bars);
      if (x.names !== undefined) (view.x0 = -0.5), (view.x1 = x.names.length - 0.5);
      else if (!only_lines || this.spec.equal || view.x0 === view.x1) [view.x0, view.x1] = roomy(view.x0, view.x1, x.log === true, 0.04);
      const [low, high] = [view.y0, view.y1];
      [view.y0, view.y1] = roomy(low, high, y.log === true, 0.06);
      if (!y.log && low >= 0 && view.y0 < 0 && !this.spec.equal) view.y0 = 0; // nothing is below zero
    }
    return view;
  }

  private equalize(view: View): View {
    if (!this.spec.equal || this.plot === undefined) return view;
    const { width, height } = this.plot.bbox;
    const scale = Math.max((view.x1 - view.x0) / width, (view.y1 - view.y0) / height);
    const x = (view.x0 + view.x1) / 2, y = (view.y0 + view.y1) / 2;
    return { x0: x - (scale * width) / 2, x1: x + (scale * width) / 2, y0: y - (scale * height) / 2, y1: y + (scale * height) / 2 };
  }

  // ---- life
  private start(): void {
    const { x, y } = this.spec;
    const ticks = (scale: Scale) => (_: uPlot, splits: (number | null)[]) =>
      splits.map((value) => {
        if (value === null) return "";
        if (scale.names !== undefined) return Number.isInteger(value) ? (scale.names[value] ?? "") : "";
        return show(value, 8);
      });
    const axis = (scale: Scale, is_x: boolean): uPlot.Axis => ({
      stroke: () => theme(is_dark()).quiet,
      grid: { stroke: () => theme(is_dark()).grid, width: 1, show: scale.names === undefined },
      ticks: { stroke: () => theme(is_dark()).grid, width: 1, size: 5 },
      font: "12px system-ui, 'DejaVu Sans', sans-serif",
      labelFont: "12px system-ui, 'DejaVu Sans', sans-serif",
      label: axis_title(scale),
      labelSize: 20,
      labelGap: 0,
      values: ticks(scale),
      space: is_x ? 60 : 34,
      ...splits_of(scale),
      ...(is_x ? { size: 28 } : { size: (_: uPlot, values: string[] | null) => Math.max(30, 14 + Math.max(0, ...(values ?? []).map((value) => text_width(String(value ?? ""), 12)))) }),
    });
    const scale = (of: Scale, low: () => number, high: () => number): uPlot.Scale => ({
      time: false,
      distr: of.log ? 3 : 1,
      range: () => [low(), high()],
    });
    const options: uPlot.Options = {
      width: this.host.clientWidth || 400,
      height: this.spec.height ?? 300,
      legend: { show: false },
      padding: [8, 14, 0, 0],
      scales: { x: scale(x, () => this.view.x0, () => this.view.x1), y: scale(y, () => this.view.y0, () => this.view.y1) },
      axes: [axis(x, true), axis(y, false)],
      series: [{}, { show: true, points: { show: false }, paths: () => null }],
      cursor: { drag: { x: true, y: true, uni: 24, setScale: false }, points: { show: false }, bind: { dblclick: () => () => (this.reset(), null) } },
      hooks: {
        draw: [(plot) => this.draw_on(plot)],
        setCursor: [() => this.hover()],
        setSelect: [(plot) => this.zoom_to(plot)],
      },
    };
    this.plot = new uPlot(options, [[this.view.x0, this.view.x1], [null, null]], this.host);
    this.plot.over.append(this.tip);
    this.plot.over.addEventListener("mouseleave", () => this.point_at(null));
    let down = { x: 0, y: 0 };
    this.plot.over.addEventListener("mousedown", (event) => (down = { x: event.clientX, y: event.clientY }));
    this.plot.over.addEventListener("click", (event) => {
      if (Math.hypot(event.clientX - down.x, event.clientY - down.y) < 4) this.pick();
    });
    new ResizeObserver(() => {
      if (this.host.clientWidth < 40) return;
      this.plot!.setSize({ width: this.host.clientWidth, height: this.host.clientHeight || (this.spec.height ?? 300) });
      this.show_view(this.view);
    }).observe(this.host);
    on_theme(() => (this.make_legend(), this.plot?.redraw(false, true)));
    if (this.spec.equal) this.show_view(this.full);
  }

  private show_view(view: View): void {
    if (this.plot === undefined) return void (this.view = view);
    this.view = this.equalize(view);
    this.plot.batch(() => {
      this.plot!.setScale("x", { min: this.view.x0, max: this.view.x1 });
      this.plot!.setScale("y", { min: this.view.y0, max: this.view.y1 });
    });
  }
  reset(): void {
    this.show_view({ ...this.full });
    this.spec.moved?.(this.view.x0, this.view.x1);
  }
  /** From another figure with the same x. */
  follow(x0: number, x1: number): void {
    this.show_view({ ...this.view, x0, x1 });
  }
  private zoom_to(plot: uPlot): void {
    const { left, top, width, height } = plot.select;
    if (width < 3 && height < 3) return;
    const view = { ...this.view };
    if (width > 3) (view.x0 = plot.posToVal(left, "x")), (view.x1 = plot.posToVal(left + width, "x"));
    if (height > 3) (view.y1 = plot.posToVal(top, "y")), (view.y0 = plot.posToVal(top + height, "y"));
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.show_view(view);
    this.spec.moved?.(this.view.x0, this.view.x1);
  }
  zoom(by: number): void {
    const around = (a: number, b: number, log: boolean): [number, number] => {
      if (log) {
        const middle = Math.sqrt(a * b), half = Math.sqrt(b / a) ** by;
        return [middle / half, middle * half];
      }
      return [(a + b) / 2 - ((b - a) / 2) * by, (a + b) / 2 + ((b - a) / 2) * by];
    };
    const [x0, x1] = around(this.view.x0, this.view.x1, this.spec.x.log === true);
    const [y0, y1] = around(this.view.y0, this.view.y1, this.spec.y.log === true);
    this.show_view({ x0, x1, y0, y1 });
    this.spec.moved?.(this.view.x0, this.view.x1);
  }

  // ---- the pointer and keys
  private hover(): void {
    const plot = this.plot!;
    const { left, top } = plot.cursor;
    if (left === undefined || top === undefined || left < 0 || top < 0) return;
    this.point_at(this.nearest(left, top), left, top);
  }
  private nearest(left: number, top: number): { curve: number; point: number } | null {
    const plot = this.plot!;
    if (this.spec.cells !== undefined && this.spec.curves.length === 0) {
      const point = this.spec.cells.at(plot.posToVal(left, "x"), plot.posToVal(top, "y"));
      return point < 0 ? null : { curve: -1, point };
    }
    let best = 40 * 40, found = null;
    this.spec.curves.forEach((curve, k) => {
      if (curve.grey || !this.visible[k]) return;
      let from = 0, to = curve.x.length;
      if (this.rising[k]) {
        from = lower_bound(curve.x, plot.posToVal(left - 40, "x"));
        to = lower_bound(curve.x, plot.posToVal(left + 40, "x")) + 1;
      }
      for (let i = from; i < Math.min(to, curve.x.length); ++i) {
        const x = plot.valToPos(curve.x[i], "x") - left, y = plot.valToPos(curve.y[i], "y") - top;
        // Along a curve x counts more: between points of steep curves the nearest is the one above or below.
        const far = curve.bars ? x * x + y * y * 0.01 : x * x + y * y;
        if (far < best) (best = far), (found = { curve: k, point: i });
      }
    });
    return found;
  }
  private about(curve: number, point: number): string[] {
    const { x, y, cells } = this.spec;
    const one = (scale: Scale, value: number) => (scale.names === undefined ? with_unit(value, scale.unit) : (scale.names[value] ?? ""));
    if (curve < 0) {
      const [cx, cy] = cells!.centre(point);
      return [cells!.value(point), `${x.title}: ${one(x, cx)}`, `${y.title}: ${one(y, cy)}`];
    }
    const of = this.spec.curves[curve];
    const lines = [of.label, `${x.title}: ${one(x, of.x[point])}`, `${y.title}: ${one(y, of.y[point])}`];
    const note = of.note?.(point) ?? "";
    if (note !== "") lines.push(...note.split("\n"));
    return lines;
  }
  private point_at(at: { curve: number; point: number } | null, left?: number, top?: number): void {
    this.at = at;
    const plot = this.plot!;
    if (at === null) {
      this.tip.hidden = true;
      plot.over.querySelector(".here")?.remove();
      plot.over.style.cursor = "";
      return;
    }
    const [x, y] = at.curve < 0 ? this.spec.cells!.centre(at.point) : [this.spec.curves[at.curve].x[at.point], this.spec.curves[at.curve].y[at.point]];
    const px = at.curve < 0 && left !== undefined ? left : plot.valToPos(x, "x");
    const py = at.curve < 0 && top !== undefined ? top : plot.valToPos(y, "y");
    const lines = this.about(at.curve, at.point);
    this.tip.replaceChildren(...lines.filter((line) => line !== "").map((line, i) => make("div", { class: i === 0 ? "first" : "" }, line)));
    if (this.spec.pick !== undefined && at.curve >= 0) this.tip.append(make("div", { class: "hint" }, `click: ${this.spec.pick_hint ?? "pick"}`));
    this.tip.hidden = false;
    const { clientWidth: width, clientHeight: height } = plot.over;
    this.tip.style.left = px > width / 2 ? "" : `${px + 12}px`;
    this.tip.style.right = px > width / 2 ? `${width - px + 12}px` : "";
    this.tip.style.top = py > height / 2 ? "" : `${py + 8}px`;
    this.tip.style.bottom = py > height / 2 ? `${height - py + 8}px` : "";
    let here = plot.over.querySelector<HTMLElement>(".here");
    if (here === null) plot.over.append((here = make("div", { class: "here" })));
    here.style.left = `${px}px`;
    here.style.top = `${py}px`;
    plot.over.style.cursor = this.spec.pick !== undefined && at.curve >= 0 ? "pointer" : "";
  }
  private pick(): void {
    if (this.at !== null && this.at.curve >= 0) this.spec.pick?.(this.at.curve, this.at.point);
  }
  private key(event: KeyboardEvent): void {
    if (this.plot === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { curves } = this.spec;
    const seen = curves.map((_, k) => k).filter((k) => this.visible[k] && !curves[k].grey && curves[k].x.length > 0);
    const move = (along: number, across: number) => {
      if (seen.length === 0) return;
      if (this.at === null || this.at.curve < 0) this.at = { curve: seen[0], point: 0 };
      else {
        const place = seen.indexOf(this.at.curve);
        const curve = seen[(place + across + seen.length) % seen.length];
        this.at = { curve, point: Math.max(0, Math.min(curves[curve].x.length - 1, this.at.point + along)) };
      }
      this.point_at(this.at);
      this.spoken.textContent = this.about(this.at.curve, this.at.point).join(", ");
    };
    if (event.key === "ArrowRight") move(event.shiftKey ? 10 : 1, 0);
    else if (event.key === "ArrowLeft") move(event.shiftKey ? -10 : -1, 0);
    else if (event.key === "ArrowUp") move(0, -1);
    else if (event.key === "ArrowDown") move(0, 1);
    else if (event.key === "Enter") this.pick();
    else if (event.key === "+" || event.key === "=") this.zoom(0.7);
    else if (event.key === "-") this.zoom(1 / 0.7);
    else if (event.key === "0") this.reset();
    else if (event.key === "Escape") this.point_at(null);
    else return;
    event.preventDefault();
  }

  // ---- legend
  private colour(k: number, dark = is_dark()): string {
    const curve = this.spec.curves[k];
    const place = curve.colour ?? k;
    // bars have no dashes to tell them apart
    return curve.grey ? theme(dark).quiet : curve_colour(place, dark) + (curve.bars && place >= set_size ? "88" : "");
  }
  private dash(k: number): number[] {
    const curve = this.spec.curves[k];
    return curve.grey ? [5, 4] : (curve.dash ?? curve_dash(k));
  }
  private make_legend(): void {
    const { curves, cells } = this.spec;
    this.legend.replaceChildren();
    if (cells !== undefined) {
      if ("words" in cells.legend)
        for (const [word, colour] of cells.legend.words) this.legend.append(make("span", { class: "key" }, make("i", { style: `background:${colour}` }), word));
      else {
        const { map, low, high, title, unit } = cells.legend;
        this.legend.append(make("span", { class: "scale" }, `${title}${unit === "" ? "" : ` [${unit}]`}`, make("b", {}, show(low, 4)), make("i", { style: `background:${css_gradient(map, "to right")}` }), make("b", {}, show(high, 4))));
      }
    }
    if (curves.filter((curve) => !curve.grey).length < 2) return;
    curves.forEach((curve, k) => {
      if (curve.grey) return;
      const dash = this.dash(k);
      const line = curve.bars || dash.length === 0 ? this.colour(k) : `repeating-linear-gradient(90deg,${this.colour(k)} 0 ${dash[0]}px,transparent ${dash[0]}px ${dash[0] + dash[1]}px)`;
      const toggle = make("button", { type: "button", class: "key", "aria-pressed": String(this.visible[k]), title: "show or hide; with Shift only this one" }, make("i", { class: "line", style: `background:${line}` }), curve.label);
      toggle.addEventListener("click", (event) => {
        if (event.shiftKey) {
          const alone = this.visible.every((seen, j) => curves[j].grey || seen === (j === k));
          this.visible = curves.map((other, j) => other.grey === true || alone || j === k);
        } else this.visible[k] = !this.visible[k];
        this.make_legend();
        const whole = (Object.keys(this.view) as (keyof View)[]).every((k) => Math.abs(this.view[k] - this.full[k]) <= 1e-9 * Math.abs(this.full[k]));
        this.full = this.limits();
        if (whole || this.spec.equal) this.reset();
        this.plot?.redraw(false, true);
      });
      this.legend.append(toggle);
    });
    const n = curves.filter((curve) => !curve.grey).length;
    if (n <= 6) return;
    const all = this.visible.every((seen) => seen);
    this.legend.append(button(all ? "none" : `all ${n}`, "Show or hide all curves", () => {
      this.visible = curves.map((curve) => curve.grey === true || !all);
      this.make_legend();
      this.full = this.limits();
      this.reset();
      this.plot?.redraw(false, true);
    }, { class: "key all" }));
  }

  // ---- painting
  private draw_on(plot: uPlot): void {
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = plot.bbox;
    const context = plot.ctx;
    context.save();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const frame: Frame = {
      left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio,
      px: (x) => left / ratio + plot.valToPos(x, "x"),
      py: (y) => top / ratio + plot.valToPos(y, "y"),
    };
    this.paint(new CanvasPainter(context), frame, theme(is_dark()));
    context.restore();
  }

  private paint(painter: Painter, frame: Frame, colours: Colours): void {
    const { curves, cells, marks, x: x_scale, y: y_scale } = this.spec;
    const safe_x = (x: number) => (x_scale.log && x <= 0 ? NaN : frame.px(x));
    const safe_y = (y: number) => (y_scale.log && y <= 0 ? NaN : frame.py(y));
    painter.within(frame.left, frame.top, frame.width, frame.height, () => {
      if (cells !== undefined) this.paint_cells(painter, frame, cells);
      const n_bars = curves.filter((curve, k) => curve.bars && this.visible[k]).length;
      let bar = 0;
      curves.forEach((curve, k) => {
        if (!this.visible[k]) return;
        const colour = this.colour(k, colours.dark);
        if (curve.bars) {
          const width = Math.min(60, (0.8 * frame.width) / (this.view.x1 - this.view.x0) / n_bars);
          const base = y_scale.log ? frame.top + frame.height : frame.py(0);
          for (let i = 0; i < curve.x.length; ++i) {
            const y = safe_y(curve.y[i]);
            if (!Number.isNaN(y)) painter.box(frame.px(curve.x[i]) + (bar - n_bars / 2) * width, Math.min(y, base), width - 1, Math.abs(base - y), colour);
          }
          ++bar;
          return;
        }
        if (!curve.cloud) painter.line(thinned(curve, this.rising[k], this.view, frame, safe_x, safe_y), { colour, width: curve.grey ? 1 : 1.8, dash: this.dash(k) });
        const few = curve.x.length <= frame.width / 5;
        for (let i = 0; i < curve.x.length; ++i) {
          const ringed = curve.hollow?.(i) === true;
          const alone = Number.isNaN(curve.y[i - 1] ?? NaN) && Number.isNaN(curve.y[i + 1] ?? NaN);
          if (!(ringed || curve.cloud || (curve.dots && few) || (alone && !curve.grey))) continue;
          const x = safe_x(curve.x[i]), y = safe_y(curve.y[i]);
          if (Number.isNaN(x) || Number.isNaN(y)) continue;
          if (ringed) painter.dot(x, y, 4, colours.paper, { colour, width: 1.5 });
          else painter.dot(x, y, curve.cloud ? 4 : curve.dots ? 3 : 2.5, colour, null);
        }
        if (curve.start && curve.x.length > 0) painter.dot(safe_x(curve.x[0]), safe_y(curve.y[0]), 3, colour, null);
        if (curve.grey) this.name_line(painter, frame, colours, curve);
      });
    });
    if (marks !== undefined) this.paint_marks(painter, frame, colours, marks);
  }

  /** The name of a grey line where it leaves the picture. */
  private name_line(painter: Painter, frame: Frame, colours: Colours, curve: Curve): void {
    for (let i = curve.x.length - 1; i > 0; --i) {
      const x0 = frame.px(curve.x[i - 1]), y0 = frame.py(curve.y[i - 1]), x1 = frame.px(curve.x[i]), y1 = frame.py(curve.y[i]);
      const right = frame.left + frame.width - 4, top = frame.top + 12;
      if (x0 > right || (y0 < top && y1 < top)) continue;
      let x = Math.min(x1, right), y = y0 + ((y1 - y0) * (x - x0)) / (x1 - x0 || 1);
      if (y < top) (x = x0 + ((x1 - x0) * (top - y0)) / (y1 - y0 || 1)), (y = top);
      if (x > frame.left + 20 && y > frame.top && y < frame.top + frame.height) painter.text(curve.label, x - 3, y - 3, colours.quiet, 11, "end");
      return;
    }
  }

  /** Labels only where there is room; the cursor and the table beside tell the rest. */
  private paint_marks(painter: Painter, frame: Frame, colours: Colours, marks: Mark[]): void {
    const taken: [number, number, number, number][] = [];
    const free = (box: [number, number, number, number]) =>
      box[0] >= frame.left && box[2] <= frame.left + frame.width && box[1] >= frame.top && box[3] <= frame.top + frame.height &&
      !taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1]);
    const places = marks.map((mark) => ({ x: frame.px(mark.x), y: frame.py(mark.y), label: mark.label }))
      .filter((p) => p.x >= frame.left - 1 && p.x <= frame.left + frame.width + 1 && p.y >= frame.top - 1 && p.y <= frame.top + frame.height + 1);
    for (const p of places) {
      painter.dot(p.x, p.y, 4.5, colours.ink, { colour: colours.paper, width: 1.5 });
      taken.push([p.x - 6, p.y - 6, p.x + 6, p.y + 6]);
    }
    for (const p of places) {
      const width = text_width(p.label, 11);
      const tries: [number, number][] = [[9, -5], [9, 13], [-width - 9, -5], [-width - 9, 13], [-width / 2, -11], [-width / 2, 20], [9, -20], [9, 28]];
      for (const [dx, dy] of tries) {
        const box: [number, number, number, number] = [p.x + dx - 2, p.y + dy - 11, p.x + dx + width + 2, p.y + dy + 3];
        if (!free(box)) continue;
        taken.push(box);
        painter.box(box[0], box[1], box[2] - box[0], box[3] - box[1], colours.dark ? "rgba(23,28,35,.8)" : "rgba(255,255,255,.8)");
        painter.text(p.label, p.x + dx, p.y + dy, colours.ink, 11);
        break;
      }
    }
  }

  private paint_cells(painter: Painter, frame: Frame, cells: Cells): void {
    const width = Math.max(1, Math.round(frame.width)), height = Math.max(1, Math.round(frame.height));
    const canvas = make("canvas", { width, height });
    const context = canvas.getContext("2d")!;
    const picture = context.createImageData(width, height);
    const pixels = new Uint32Array(picture.data.buffer);
    const known = new Map<number, number>();
    const colour_of = (i: number): number => {
      if (i < 0) return 0;
      let colour = known.get(i);
      if (colour === undefined) {
        const [r, g, b] = channels(cells.colour(i));
        known.set(i, (colour = r < 0 ? 0 : (0xff000000 | (b << 16) | (g << 8) | r) >>> 0));
      }
      return colour;
    };
    const value = (from: number, to: number, part: number, log: boolean) => (log ? from * (to / from) ** part : from + (to - from) * part);
    const xs = Float64Array.from({ length: width }, (_, i) => value(this.view.x0, this.view.x1, (i + 0.5) / width, this.spec.x.log === true));
    for (let j = 0; j < height; ++j) {
      const y = value(this.view.y1, this.view.y0, (j + 0.5) / height, this.spec.y.log === true);
      for (let i = 0; i < width; ++i) pixels[j * width + i] = colour_of(cells.at(xs[i], y));
    }
    context.putImageData(picture, 0, 0);
    painter.image(canvas, frame.left, frame.top, frame.width, frame.height);
    if (!cells.write || cells.size === undefined || cells.n > 1000) return;
    const wide = Math.abs(frame.px(cells.size[0]) - frame.px(0)), tall = Math.abs(frame.py(cells.size[1]) - frame.py(0));
    if (wide < 30 || tall < 15) return;
    for (let i = 0; i < cells.n; ++i) {
      const [x, y] = cells.centre(i);
      const [r, g, b] = channels(cells.colour(i));
      if (r >= 0) painter.text(cells.value(i).replace(/^.*: /, "").slice(0, 5), frame.px(x), frame.py(y) + 4, 0.3 * r + 0.6 * g + 0.1 * b > 130 ? "#111" : "#fff", 11, "middle");
    }
  }

  // ---- files
  private file(): string {
    return file_name(this.spec.of, this.spec.name);
  }
  /** As on the screen, on white, with title, axes and legend. */
  private paint_whole(make_painter: (width: number, height: number) => Painter): Painter {
    if (this.plot === undefined) this.start();
    const plot = this.plot!;
    const colours = theme(false);
    const legend = this.spec.curves.map((curve, k) => ({ label: curve.label, k })).filter(({ k }) => this.visible[k] && !this.spec.curves[k].grey);
    const keys = legend.length > 1 ? legend : [];
    const scale_legend = this.spec.cells?.legend;
    const width = 800;
    const rows: { label: string; k: number; x: number; row: number }[] = [];
    let x = 70, row = 0;
    for (const { label, k } of keys) {
      const needs = text_width(label, 12) + 46;
      if (x + needs > width - 10 && x > 70) (x = 70), ++row;
      rows.push({ label, k, x, row });
      x += needs;
    }
    const below = keys.length > 0 ? (row + 1) * 18 + 8 : scale_legend !== undefined ? 30 : 0;
    const frame_height = 400;
    const y_axis = plot.axes[1] as any, x_axis = plot.axes[0] as any;
    const y_ticks: [number, string][] = (y_axis._splits ?? []).map((v: number, i: number) => [v, String(y_axis._values?.[i] ?? "")]);
    const x_ticks: [number, string][] = (x_axis._splits ?? []).map((v: number, i: number) => [v, String(x_axis._values?.[i] ?? "")]);
    const left = 34 + Math.max(24, ...y_ticks.map(([, text]) => text_width(text, 12)));
    const top = 40;
    let frame_width = width - left - 24;
    let tall = frame_height;
    if (this.spec.equal) tall = Math.min(700, (frame_width * (this.view.y1 - this.view.y0)) / (this.view.x1 - this.view.x0));
    const map = (value: number, from: number, to: number, log: boolean) => (log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from));
    const x_log = this.spec.x.log === true, y_log = this.spec.y.log === true;
    if (this.spec.equal && tall === 700) frame_width = (700 * (this.view.x1 - this.view.x0)) / (this.view.y1 - this.view.y0);
    const frame: Frame = {
      left, top, width: frame_width, height: tall,
      px: (v) => left + frame_width * map(v, this.view.x0, this.view.x1, x_log),
      py: (v) => top + tall * (1 - map(v, this.view.y0, this.view.y1, y_log)),
    };
    const height = top + tall + 52 + below;
    const painter = make_painter(width, height);
    painter.box(0, 0, width, height, colours.paper);
    painter.text(this.spec.title, left, 24, colours.ink, 15, "start", 0, true);
    const inside = (v: number, a: number, b: number) => v >= a - 1e-9 * Math.abs(b - a) && v <= b + 1e-9 * Math.abs(b - a);
    for (const [v, text] of x_ticks) {
      if (!inside(v, this.view.x0, this.view.x1)) continue;
      if (this.spec.x.names === undefined) painter.line([frame.px(v), top, frame.px(v), top + tall], { colour: colours.grid });
      painter.text(text, frame.px(v), top + tall + 17, colours.quiet, 12, "middle");
    }
    for (const [v, text] of y_ticks) {
      if (!inside(v, this.view.y0, this.view.y1)) continue;
      if (this.spec.y.names === undefined) painter.line([left, frame.py(v), left + frame_width, frame.py(v)], { colour: colours.grid });
      painter.text(text, left - 7, frame.py(v) + 4, colours.quiet, 12, "end");
    }
    this.paint(painter, frame, colours);
    painter.line([left, top, left + frame_width, top, left + frame_width, top + tall, left, top + tall, left, top], { colour: colours.quiet });
    painter.text(axis_title(this.spec.x), left + frame_width / 2, top + tall + 38, colours.ink, 12.5, "middle");
    painter.text(axis_title(this.spec.y), 16, top + tall / 2, colours.ink, 12.5, "middle", -90);
    for (const { label, k, x: at, row: line } of rows) {
      const y = top + tall + 58 + line * 18;
      painter.line([at, y - 4, at + 22, y - 4], { colour: this.colour(k, false), width: 2.4, dash: this.dash(k) });
      painter.text(label, at + 28, y, colours.ink, 12);
    }
    if (scale_legend !== undefined) {
      const y = top + tall + 50;
      let at = left;
      if ("words" in scale_legend)
        for (const [word, colour] of scale_legend.words) {
          painter.box(at, y, 12, 12, colour);
          painter.text(word, at + 17, y + 11, colours.ink, 12);
          at += 34 + text_width(word, 12);
        }
      else {
        const title = `${scale_legend.title}${scale_legend.unit === "" ? "" : ` [${scale_legend.unit}]`}   ${show(scale_legend.low, 4)}`;
        painter.text(title, at, y + 11, colours.ink, 12);
        at += text_width(title, 12) + 8;
        for (let i = 0; i < 120; ++i) painter.box(at + i, y, 1.5, 12, css(map_colour(scale_legend.map, i / 119)));
        painter.text(show(scale_legend.high, 4), at + 128, y + 11, colours.ink, 12);
      }
    }
    return painter;
  }
  svg(): string {
    return (this.paint_whole((width, height) => new SvgPainter(width, height)) as SvgPainter).document();
  }
  private save_png(): void {
    const canvas = make("canvas");
    this.paint_whole((width, height) => {
      canvas.width = 2 * width;
      canvas.height = 2 * height;
      const context = canvas.getContext("2d")!;
      context.scale(2, 2);
      return new CanvasPainter(context);
    });
    canvas.toBlob((blob) => blob !== null && download(`${this.file()}.png`, blob));
  }
}

/** Where ticks are, if not left to uPlot: names, given places, powers of ten with 2 and 5 between where few. */
function splits_of(scale: Scale): Partial<uPlot.Axis> {
  const filter = (_: uPlot, splits: number[]) => splits;
  if (scale.names !== undefined) return { filter, splits: (u, i, low, high) => every(scale.names!.map((_, k) => k).filter((k) => k >= low && k <= high), u, i, Math.max(...scale.names!.map((name) => text_width(name, 12)))) };
  if (scale.ticks !== undefined) return { filter, splits: (u, i, low, high) => every(scale.ticks!.filter((tick) => tick >= low && tick <= high), u, i) };
  if (!scale.log) return {};
  return {
    filter,
    splits: (u, axis, low, high) => {
      const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
      const room = Math.max(2, Math.floor((axis === 0 ? u.bbox.width / 64 : u.bbox.height / 26) / uPlot.pxRatio));
      const with_steps = (steps: number[], each: number): number[] => {
        const result: number[] = [];
        for (let decade = Math.ceil(first / each) * each; decade <= last; decade += each)
          for (const step of steps) {
            const value = Number(`${step}e${decade}`);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) result.push(value);
          }
        return result;
      };
      for (const steps of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5]]) {
        const result = with_steps(steps, 1);
        if (result.length <= room) return result;
      }
      for (let each = 1; ; ++each) {
        const result = with_steps([1], each);
        if (result.length <= room) return result;
      }
    },
  };
}
/** No more than there is room for. */
function every(ticks: number[], u: uPlot, axis: number, widest = 32): number[] {
  const room = Math.max(2, Math.floor((axis === 0 ? u.bbox.width / (widest + 12) : u.bbox.height / 18) / uPlot.pxRatio));
  const each = Math.ceil(ticks.length / room);
  return ticks.filter((_, i) => i % each === 0);
}

function is_rising(x: Float64Array): boolean {
  for (let i = 1; i < x.length; ++i) if (!(x[i] >= x[i - 1])) return false;
  return true;
}
function lower_bound(values: Float64Array, value: number): number {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Pixels of a curve; of long ones the lowest and highest of each column of pixels, which look the same. */
function thinned(curve: Curve, rising: boolean, view: View, frame: Frame, px: (x: number) => number, py: (y: number) => number): number[] {
  const points: number[] = [];
  const n = curve.x.length;
  if (!rising || n < 4 * frame.width) {
    for (let i = 0; i < n; ++i) points.push(px(curve.x[i]), py(curve.y[i]));
    return points;
  }
  const from = Math.max(0, lower_bound(curve.x, view.x0) - 1), to = Math.min(n, lower_bound(curve.x, view.x1) + 2);
  let column = NaN, low = 0, high = 0, first = 0, last = 0, x = 0;
  const flush = () => {
    if (!Number.isNaN(column)) points.push(x, first, x, low, x, high, x, last);
  };
  for (let i = from; i < to; ++i) {
    const at = px(curve.x[i]), y = py(curve.y[i]);
    if (Number.isNaN(y)) {
      flush();
      column = NaN;
      points.push(NaN, NaN);
    } else if (Math.floor(at) === column) {
      low = Math.min(low, y);
      high = Math.max(high, y);
      last = y;
    } else {
      flush();
      column = Math.floor(at);
      x = at;
      low = high = first = last = y;
    }
  }
  flush();
  return points;
}

const channel_cache = new Map<string, [number, number, number]>();
function channels(colour: string | null): [number, number, number] {
  if (colour === null) return [-1, -1, -1];
  let result = channel_cache.get(colour);
  if (result === undefined) {
    result = colour.startsWith("#")
      ? [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)) as [number, number, number]
      : (colour.match(/\d+/g)!.slice(0, 3).map(Number) as [number, number, number]);
    channel_cache.set(colour, result);
  }
  return result;
}
