// The Campbell diagram: frequencies of branches over the speed, lines of excitation, critical speeds.
import { curve_dash, set_size } from "./colours";
import type { Campbell, Table } from "./data";
import { Figure, type Curve } from "./figure";
import { show, to_hz, to_rpm } from "./numbers";

/** Growth beyond round-off: unstable. */
const is_growing = (growth: number | null | undefined, omega: number | null | undefined): boolean =>
  typeof growth === "number" && growth > 1e-6 * Math.max(1, Math.abs(omega ?? 0));

export function campbell_figure(campbell: Campbell, of: string, title: string, pick?: (branch: number, speed: number) => void): Figure {
  const speeds = Float64Array.from(campbell.speeds, (speed) => speed * to_rpm);
  const number = (values: (number | null)[]) => Float64Array.from(values, (value) => value ?? NaN);
  const labels = [...new Set(campbell.branches.map((branch) => branch.label))];
  const curves: Curve[] = campbell.branches.map((branch) => {
    const colour = labels.indexOf(branch.label);
    const note = (i: number): string => {
      const lines = [join_words(branch.kind, branch.whirl === "" || branch.whirl === "none" ? "" : `${branch.whirl} whirl`)];
      const growth = branch.growth[i];
      if (is_growing(growth, branch.omega[i])) lines.push(`grows: ${show(growth)} 1/s`);
      else if (typeof growth === "number" && growth < 0) lines.push(`decay: ${show(-growth)} 1/s`);
      return lines.filter((line) => line !== "").join("\n");
    };
    return {
      label: branch.label, x: speeds, y: number(branch.omega).map((omega) => omega * to_hz), colour: colour % set_size,
      dash: curve_dash(colour), note, dots: campbell.speeds.length <= 40, hollow: (i) => is_growing(branch.growth[i], branch.omega[i]),
    };
  });
  const highest = Math.max(0, ...curves.flatMap((curve) => [...curve.y].filter(Number.isFinite)));
  const met = campbell.critical_speeds.map((critical) => critical.order);
  const orders = new Set<number>(met.length > 0 ? met : [1]);
  const last = Math.max(...speeds.map(Math.abs), 0);
  for (const order of [...orders].filter((value) => value > 0).sort((a, b) => a - b)) {
    const first = Math.min(...speeds);
    const x = first < 0 ? Float64Array.from([first, 0, last]) : Float64Array.from([first, last]);
    curves.push({ label: `${show(order, 4)}×`, x, y: x.map((rpm) => (order * Math.abs(rpm)) / 60), grey: true });
  }
  const marks = campbell.critical_speeds.map((critical) => ({
    x: critical.speed * to_rpm, y: Math.abs(critical.order * critical.speed) * to_hz, label: `${show(critical.speed * to_rpm, 5)} rpm`,
  }));
  return new Figure({
    name: "campbell", of, title, height: 430,
    x: { title: "speed", unit: "rpm" },
    y: { title: `frequency, ${campbell.frame} frame`, unit: "Hz", from: 0, to: highest },
    curves, marks, pick: pick === undefined ? undefined : (curve, point) => pick(curve, point), pick_hint: "plays this mode",
  });
}
const join_words = (...words: string[]): string => words.filter((word) => word !== "").join(", ");

export function critical_table(campbell: Campbell): Table {
  const of = campbell.critical_speeds;
  return {
    name: "campbell_critical_speeds", title: "Critical speeds", history: false,
    columns: [
      { name: "speed", unit: "rpm", values: of.map((critical) => critical.speed * to_rpm) },
      { name: "order", unit: "", values: of.map((critical) => critical.order) },
      { name: "frequency", unit: "Hz", values: of.map((critical) => Math.abs(critical.order * critical.speed) * to_hz) },
      { name: "branch", unit: "", values: of.map((critical) => critical.label || String(critical.branch)) },
    ],
  };
}
