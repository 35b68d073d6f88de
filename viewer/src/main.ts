import type { Report } from "./data";
import { make, add } from "./dom";
import "./style.css";

const report = JSON.parse(document.getElementById("data")!.textContent!) as Report;
const page = document.getElementById("page")!;
document.title = report.runs[0]?.title ?? "Elodyn report";
for (const run of report.runs) {
  add(page, make("h1", {}, run.title), make("p", {}, `${run.status} ${run.message}`));
  for (const verdict of run.verdicts) add(page, make("p", { class: "verdict" }, `${verdict.title}: ${verdict.value} ${verdict.text}`));
}
(window as any).elodyn = { ready: true, report };
