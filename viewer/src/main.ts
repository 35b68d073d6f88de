// The page that a run leaves behind: reads its data, lays out what there is.
import type { Report, Run } from "./data";
import { tell_theme } from "./colours";
import { compare_view, run_names } from "./compare";
import { add, button, make } from "./dom";
import { all_figures } from "./figure";
import { run_view } from "./run";
import type { SceneView } from "./scene";
import "./style.css";

interface View {
  element: HTMLElement;
  scenes: SceneView[];
}
const page = document.getElementById("page")!;

function start(report: Report): void {
  const runs = report.runs;
  const names = run_names(runs);
  const views = new Map<number, View>(); // -1: side by side
  const several = runs.length > 1;
  document.title = several ? `${runs.length} runs, Elodyn` : `${runs[0]?.title || runs[0]?.name || "Report"}, Elodyn`;

  const body = make("main", { id: "main", tabindex: -1 });
  const contents = make("nav", { class: "contents", "aria-label": "Contents" });
  const title = make("h1"), subtitle = make("p", { class: "quiet" });
  const themes = ["auto", "light", "dark"];
  let theme = 0;
  const theme_button = button("◐", "", () => set_theme((theme + 1) % 3), { class: "small" });
  function set_theme(next: number): void {
    theme = next;
    if (theme === 0) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = themes[theme];
    theme_button.title = `Colours: ${themes[theme]}`;
    theme_button.setAttribute("aria-label", theme_button.title);
    tell_theme();
  }

  const tabs = several ? [-1, ...runs.keys()].map((i) => button(i < 0 ? "Side by side" : names[i], "", () => open(i), { "aria-pressed": "false", "data-run": i })) : [];
  function open(index: number): View {
    all_figures.length = 0;
    let view = views.get(index);
    if (view === undefined) {
      view = index < 0 ? compare_view(runs) : run_view(runs[index], `run${index}-`);
      views.set(index, view);
    }
    body.replaceChildren(view.element);
    const run: Run | undefined = runs[index];
    title.textContent = run === undefined ? `${runs.length} runs side by side` : run.title || run.name;
    subtitle.textContent = run === undefined ? runs.map((one) => one.title || one.name).join(" · ") : run.name === run.title ? "" : run.name;
    tabs.forEach((tab) => tab.setAttribute("aria-pressed", String(Number(tab.dataset.run) === index)));
    contents.replaceChildren(...[...view.element.querySelectorAll<HTMLElement>("section[id]")].map((section) => {
      const link = make("a", { href: `#${section.id}` }, section.dataset.title ?? "");
      return link;
    }));
    Object.assign((window as any).elodyn ?? {}, { view });
    return view;
  }
  add(page, make("a", { class: "skip", href: "#main" }, "To the results"),
    make("header", {}, make("div", {}, title, subtitle), make("span", { class: "gap" }), theme_button),
    several ? make("div", { class: "tabs runs" }, ...tabs) : null, contents, body);
  (window as any).elodyn = { report, figures: all_figures }; // for tests and the curious
  if (runs.length === 0) add(body, make("p", {}, "There are no results here."));
  else open(several ? -1 : 0);
  set_theme(0);
  Object.assign((window as any).elodyn, { open, ready: true });
}

const text = document.getElementById("data")!.textContent ?? "";
try {
  const report = JSON.parse(text) as Report;
  if (report.version !== 1) throw new Error(`its version is ${String(report.version)}, this page reads version 1`);
  start(report);
} catch (error) {
  add(page, make("h1", {}, "The data of this page could not be read"), make("p", {}, error instanceof Error ? error.message : String(error)));
  console.error(error);
}
