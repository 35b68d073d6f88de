// The page of one run: verdict, what moves, plots, tables, model, where it comes from.
import type { Item, Mode, Run, Shape, Table, Verdict } from "./data";
import { campbell_figure, critical_table } from "./campbell";
import { add, button, make, plain, rich } from "./dom";
import { figures, merged, type Source } from "./plots";
import { show, to_rpm } from "./numbers";
import { scene_view, type SceneView } from "./scene";
import { table_view } from "./table";

const signs: Record<Verdict["level"], [string, string]> = { good: ["✓", "good"], note: ["i", "note"], warning: ["!", "warning"], bad: ["✕", "failed"] };

export function verdict_card(verdict: Verdict): HTMLElement {
  const [sign, word] = signs[verdict.level] ?? signs.note;
  return make("li", { class: `card ${verdict.level}` },
    make("div", { class: "head" }, make("span", { class: "sign", "aria-hidden": "true" }, sign), make("span", { class: "unseen" }, `${word}: `), verdict.title),
    verdict.value === "" ? null : make("div", { class: "value" }, verdict.value),
    verdict.text === "" ? null : make("div", { class: "text" }, ...rich(verdict.text)));
}

/** A tree by nested lists that open and close; arrows and Enter work as everywhere. */
export function tree(items: Item[], depth = 0): HTMLElement {
  return make("ul", { class: "tree" }, ...items.map((item) => {
    const head: Node[] = [make("span", { class: "name" }, item.name)];
    if (item.kind !== "") head.push(make("span", { class: "kind" }, item.kind));
    if (item.value !== "") head.push(make("span", { class: "value" }, item.value));
    if (item.items.length === 0) return make("li", { class: "leaf" }, ...head);
    const open = depth === 0 && item.items.length <= 12;
    const details = make("details", { open }, make("summary", {}, ...head));
    // long groups are made when they are opened
    const fill = () => details.childElementCount === 1 && add(details, tree(item.items, depth + 1));
    if (open) fill();
    else details.addEventListener("toggle", fill, { once: true });
    return make("li", {}, details);
  }));
}

export function modes_table(modes: Mode[]): Table {
  const bodies = new Set(modes.map((mode) => mode.body));
  return {
    name: "modes", title: "Modes", history: false,
    columns: [
      { name: "mode", unit: "", values: modes.map((mode) => mode.number) },
      ...(bodies.size > 1 ? [{ name: "body", unit: "", values: modes.map((mode) => mode.body) }] : []),
      { name: "frequency", unit: "Hz", values: modes.map((mode) => mode.hz) },
      { name: "omega", unit: "rad/s", values: modes.map((mode) => mode.omega) },
      { name: "growth", unit: "1/s", values: modes.map((mode) => mode.growth) },
      { name: "kind", unit: "", values: modes.map((mode) => mode.label) },
    ],
  };
}

export interface RunView {
  element: HTMLElement;
  scenes: SceneView[]; // those that have been opened
  play_mode: (number: number, body?: string) => string;
  play_branch: (branch: number, speed: number) => string;
}

/** Scenes share one place; each is made when it is first looked at. */
export function scene_panel(run: Run): { element: HTMLElement; scenes: SceneView[]; show: (index: number) => SceneView } {
  const place = make("div");
  const made = new Map<number, SceneView>();
  const scenes: SceneView[] = [];
  const tabs = run.scenes.map((scene, i) => button(plain(scene.title || scene.name), "", () => void display(i), { "aria-pressed": "false" }));
  function display(index: number): SceneView {
    let view = made.get(index);
    if (view === undefined) {
      view = scene_view(run.scenes[index], run.name);
      made.set(index, view);
      scenes.push(view);
    }
    if (place.firstChild !== view.element) place.replaceChildren(view.element);
    tabs.forEach((tab, i) => tab.setAttribute("aria-pressed", String(i === index)));
    return view;
  }
  const element = make("div", { class: "scenes" }, tabs.length > 1 ? make("div", { class: "tabs" }, ...tabs) : null, place);
  if (run.scenes.length > 0) display(0);
  return { element, scenes, show: display };
}

export function run_view(run: Run, prefix: string): RunView {
  const section = (name: string, title: string, ...children: (Node | null)[]): HTMLElement =>
    make("section", { id: `${prefix}${name}`, "data-title": title, "aria-label": title }, make("h2", {}, title), ...children);
  const element = make("div", { class: "run" });
  const said = make("p", { class: "said", role: "status" });

  // ---- verdict
  const failed = run.status !== "ok";
  // what is bad comes first
  const is_bad = (verdict: Verdict): number => Number(verdict.level === "bad");
  const cards = [...run.verdicts].sort((a, b) => is_bad(b) - is_bad(a)).map(verdict_card);
  if (failed && !run.verdicts.some((verdict) => verdict.level === "bad")) cards.unshift(verdict_card({ level: "bad", title: run.status, value: "", text: run.message }));
  add(element, section("verdict", "Verdict",
    cards.length > 0 ? make("ul", { class: "cards" }, ...cards) : make("p", { class: "quiet" }, "Nothing to judge was computed."),
    failed && run.message !== "" && run.verdicts.some((verdict) => verdict.level === "bad") && !run.verdicts.some((verdict) => verdict.text.includes(run.message)) ? make("pre", { class: "message" }, ...rich(run.message)) : null,
    run.warnings.length > 0 ? make("ul", { class: "warnings" }, ...run.warnings.map((warning) => make("li", {}, ...rich(warning)))) : null));

  // ---- what moves, beside the Campbell diagram
  const panel = scene_panel(run);
  const find_shape = (fits: (shape: Shape) => number): { scene: number; shape: number; cost: number } | null => {
    let best: { scene: number; shape: number; cost: number } | null = null;
    run.scenes.forEach((scene, i) => scene.shapes.forEach((shape, j) => {
      const cost = fits(shape);
      if (cost < Infinity && (best === null || cost < best.cost)) best = { scene: i, shape: j, cost };
    }));
    return best;
  };
  const play = (found: { scene: number; shape: number } | null, what: string, near: string): string => {
    if (found === null) said.textContent = `${what}: no shape was stored`;
    else {
      const view = panel.show(found.scene);
      const wanted = run.scenes[found.scene].shapes[found.shape];
      view.choose(view.choices.findIndex((choice) => choice.shape === wanted));
      said.textContent = `Shown: ${wanted.title}${near}`;
      const box = view.element.getBoundingClientRect();
      if (box.bottom < 80 || box.top > innerHeight - 80) view.element.scrollIntoView({ block: "center", behavior: "smooth" });
    }
    return said.textContent ?? "";
  };
  const play_mode = (number: number, body?: string): string => {
    const mode = run.modes.find((candidate) => candidate.number === number && (body === undefined || candidate.body === body));
    const own = (scene: number) => body === undefined || new Set(run.modes.map((m) => m.body)).size < 2 || run.scenes[scene].name.includes(body);
    let found: { scene: number; shape: number } | null = null;
    run.scenes.forEach((scene, i) => scene.shapes.forEach((shape, j) => {
      if (found === null && shape.kind === "mode" && shape.mode === number && shape.campbell === undefined && own(i)) found = { scene: i, shape: j };
    }));
    return play(found ?? find_shape((shape) => (shape.mode === number ? 0 : Infinity)), `mode ${number}${mode ? ` of ${mode.body}` : ""}`, "");
  };
  const play_branch = (branch: number, speed: number): string => {
    const campbell = run.campbell!;
    const of = (index: number) => `${show(campbell.speeds[index] * to_rpm, 5)} rpm`;
    const found = find_shape((shape) => (shape.campbell?.branch === branch ? Math.abs(campbell.speeds[shape.campbell.speed] - campbell.speeds[speed]) : Infinity));
    const near = found !== null && found.cost > 0 ? `, the nearest to ${of(speed)} whose shape was stored` : "";
    return play(found, `${campbell.branches[branch].label} at ${of(speed)}`, near);
  };
  const has_branches = run.scenes.some((scene) => scene.shapes.some((shape) => shape.campbell !== undefined));
  const campbell = run.campbell === undefined ? undefined
    : campbell_figure(run.campbell, run.name, `Campbell diagram${run.campbell.body === "" ? "" : ` of ${run.campbell.body}`}`, has_branches ? play_branch : undefined);
  const sources = run.plots.flatMap((plot): Source[] => {
    const table = run.tables.find((candidate) => candidate.name === plot.table);
    return table === undefined ? [] : [{ plot, table, run: "", index: 0 }];
  });
  const plots = merged(sources).map((group) => ({
    of: group[0].plot.kind === "trajectory" ? "Paths and hodographs" : group[0].table.title || group[0].table.name,
    element: figures(group, run.name).element,
  }));
  const mode_action = run.scenes.some((scene) => scene.shapes.some((shape) => shape.kind === "mode"))
    ? { title: "Show mode", call: (row: number) => void play_mode(run.modes[row].number, run.modes[row].body), applies: (row: number) => run.scenes.some((scene) => scene.shapes.some((shape) => shape.mode === run.modes[row].number)) }
    : undefined;
  // beside what moves: what is chosen from
  const beside: Node[] = [];
  const modes_beside = run.modes.length > 0 && mode_action !== undefined;
  if (campbell !== undefined) beside.push(campbell.element);
  if (modes_beside) beside.push(make("h3", {}, "Modes"), table_view(modes_table(run.modes), run.name, mode_action));
  while (run.scenes.length > 0 && beside.length < 2 && plots.length > 0) beside.push(plots.shift()!.element);
  if (run.scenes.length > 0 || campbell !== undefined) {
    const critical = run.campbell !== undefined && run.campbell.critical_speeds.length > 0 ? table_view(critical_table(run.campbell), run.name) : null;
    const bound = run.campbell !== undefined && run.campbell.error_bound > 0 ? make("p", { class: "quiet" }, `Relative error of the frequencies at most ${show(run.campbell.error_bound, 3)}.`) : null;
    add(element, section("shapes", run.scenes.length > 0 ? "Shapes and motion" : "Campbell diagram",
      make("div", { class: "pair" }, run.scenes.length > 0 ? panel.element : null, beside.length === 0 ? null : make("div", { class: "stack" }, ...beside, critical, bound)), said));
  }
  // ---- plots, by table if there are many
  const tables: HTMLElement[] = [];
  const folded = (title: string, open: boolean, build: () => HTMLElement): HTMLElement => {
    const details = make("details", { class: "folded", open }, make("summary", {}, ...rich(title)));
    const fill = () => details.childElementCount === 1 && add(details, build());
    if (open) fill();
    else details.addEventListener("toggle", fill, { once: true });
    return details;
  };
  if (plots.length > 8) {
    const groups = [...new Set(plots.map((plot) => plot.of))];
    add(element, section("plots", "Plots", ...groups.map((of, i) => folded(of, i < 3, () => make("div", { class: "plots" }, ...plots.filter((plot) => plot.of === of).map((plot) => plot.element))))));
  } else if (plots.length > 0) add(element, section("plots", "Plots", make("div", { class: "plots" }, ...plots.map((plot) => plot.element))));

  // ---- tables
  if (run.modes.length > 0 && !modes_beside) tables.push(folded("Modes", true, () => table_view(modes_table(run.modes), run.name, mode_action)));
  let open = 0;
  for (const table of run.tables) if (!(table.name === "modes" && run.modes.length > 0)) tables.push(folded(table.title || table.name, !table.history && ++open <= 4, () => table_view(table, run.name)));
  if (tables.length > 0) add(element, section("tables", "Tables", make("div", { class: "tables" }, ...tables)));

  // ---- model and origin
  if (run.model.length > 0) add(element, section("model", "Model", tree(run.model)));
  const facts = (values: { [name: string]: unknown }): HTMLElement =>
    make("dl", { class: "facts" }, ...Object.entries(values).filter(([, value]) => value !== "" && !(Array.isArray(value) && value.length === 0)).flatMap(([name, value]) => [make("dt", {}, name.replaceAll("_", " ")), make("dd", {}, typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : JSON.stringify(value))]));
  const timings = Object.fromEntries(Object.entries(run.timings).map(([name, seconds]) => [name, `${show(seconds, 3)} s`]));
  if (Object.keys(run.provenance).length + Object.keys(timings).length + run.files.length > 0) add(element, section("origin", "Where it comes from",
    facts(run.provenance),
    Object.keys(timings).length > 0 ? make("h3", {}, "Time it took") : null, Object.keys(timings).length > 0 ? facts(timings) : null,
    run.files.length > 0 ? make("h3", {}, "Files beside this page") : null,
    run.files.length > 0 ? make("ul", { class: "files" }, ...run.files.map((file) => make("li", {}, make("a", { href: "./" + file.split("/").map(encodeURIComponent).join("/") }, file)))) : null));
  return { element, scenes: panel.scenes, play_mode, play_branch };
}
