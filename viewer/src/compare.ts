// Several runs side by side: verdicts and frequencies in one table, curves of one name in one figure, scenes next to each other.
import type { Column, Mode, Plot, Run, Table } from "./data";
import { campbell_figure } from "./campbell";
import { add, make } from "./dom";
import { figures, merged, type Source } from "./plots";
import { scene_panel, verdict_card } from "./run";
import type { SceneView } from "./scene";
import { table_view } from "./table";

/** Names that tell the runs apart, in short. */
export function run_names(runs: Run[]): string[] {
  const short = runs.map((run) => run.name.replace(/\/+$/, "").split("/").pop()!.replace(/\.(out|toml)$/, "") || run.title);
  return short.map((name, i) => (short.indexOf(name) !== i || short.lastIndexOf(name) !== i ? `${name} (${i + 1})` : name));
}

function verdict_table(runs: Run[], names: string[]): Table {
  const titles = [...new Set(runs.flatMap((run) => run.verdicts.map((verdict) => verdict.title)))];
  const column = (run: Run): string[] => titles.map((title) => {
    const verdict = run.verdicts.find((candidate) => candidate.title === title);
    return verdict === undefined ? "–" : verdict.value === "" ? verdict.text : verdict.value;
  });
  return { name: "verdicts", title: "Verdicts", history: false, columns: [{ name: "what", unit: "", values: titles }, ...runs.map((run, i): Column => ({ name: names[i], unit: "", values: column(run) }))] };
}

function frequency_table(runs: Run[], names: string[]): Table | null {
  const key = (mode: Mode) => `${mode.body} ${mode.number}`;
  const keys = [...new Set(runs.flatMap((run) => run.modes.map(key)))];
  if (keys.length === 0) return null;
  const of = (run: Run, name: string) => run.modes.find((mode) => key(mode) === name);
  const columns: Column[] = [{ name: "mode", unit: "", values: keys }];
  runs.forEach((run, i) => {
    columns.push({ name: names[i], unit: "Hz", values: keys.map((name) => of(run, name)?.hz ?? null) });
    if (i === 0) return;
    columns.push({ name: `${names[i]} − ${names[0]}`, unit: "%", values: keys.map((name) => {
      const a = of(runs[0], name)?.hz, b = of(run, name)?.hz;
      return a === undefined || b === undefined || a === 0 ? null : 100 * (b / a - 1);
    }) });
  });
  return { name: "frequencies", title: "Frequencies", history: false, columns };
}

const like = (a: Plot, b: Plot): boolean => a.name === b.name && a.kind === b.kind && a.x.unit === b.x.unit && a.y[0]?.unit === b.y[0]?.unit;

export function compare_view(runs: Run[]): { element: HTMLElement; scenes: SceneView[] } {
  const names = run_names(runs);
  const element = make("div", { class: "run" });
  const section = (name: string, title: string, ...children: (Node | null)[]) => add(element, make("section", { id: `compare-${name}`, "data-title": title }, make("h2", {}, title), ...children));
  section("verdicts", "Verdicts side by side", table_view(verdict_table(runs, names), "compare"),
    ...runs.flatMap((run, i) => {
      const bad = run.verdicts.filter((verdict) => verdict.level === "bad" || verdict.level === "warning");
      return bad.length === 0 ? [] : [make("h3", {}, names[i]), make("ul", { class: "cards" }, ...bad.map(verdict_card))];
    }));
  const frequencies = frequency_table(runs, names);
  if (frequencies !== null) section("frequencies", "Frequencies side by side", table_view(frequencies, "compare"));

  const panels = runs.map((run) => scene_panel(run));
  if (panels.some((_, i) => runs[i].scenes.length > 0))
    section("shapes", "Shapes and motion side by side", make("div", { class: "pair" }, ...panels.flatMap((panel, i) => (runs[i].scenes.length === 0 ? [] : [make("div", {}, make("h3", { class: "of" }, names[i]), panel.element)]))));
  const campbells = runs.flatMap((run, i) => (run.campbell === undefined ? [] : [campbell_figure(run.campbell, run.name, `Campbell diagram, ${names[i]}`).element]));
  if (campbells.length > 0) section("campbell", "Campbell diagrams side by side", make("div", { class: "plots" }, ...campbells));

  const drawn: Source[][] = [];
  runs.forEach((run, i) => {
    const sources = run.plots.flatMap((plot): Source[] => {
      const table = run.tables.find((candidate) => candidate.name === plot.table);
      return table === undefined ? [] : [{ plot, table, run: names[i], index: i }];
    });
    for (const group of merged(sources)) {
      const same = drawn.find((others) => like(others[0].plot, group[0].plot));
      if (same === undefined) drawn.push(group);
      else same.push(...group);
    }
  });
  if (drawn.length > 0) section("plots", "Plots together", make("div", { class: "plots" }, ...drawn.map((sources) => figures(sources, "compare").element)));
  return { element, get scenes() { return panels.flatMap((panel) => panel.scenes); } };
}
