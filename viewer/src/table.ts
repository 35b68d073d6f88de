// A table that sorts, copies and downloads. Rows are made as they come into view, so it may have a million.
import type { Table } from "./data";
import { button, download, file_name, make } from "./dom";
import { column_length, doubles, is_text, show } from "./numbers";

const row_height = 26; // px, as in the style
const rows_at_once = 60;
const tallest = 8_000_000; // px; browsers cut off taller elements

export interface RowAction {
  title: string;
  call: (row: number) => void;
  applies: (row: number) => boolean;
}

type Cell = (row: number) => string;
interface Shown {
  title: string;
  unit: string;
  is_text: boolean;
  cell: Cell; // as shown
  whole: Cell; // all digits, as in the file
  compare: (a: number, b: number) => number;
}

function shown(column: Table["columns"][number]): Shown {
  const head = { title: column.name.replaceAll("_", " "), unit: column.unit };
  if (is_text(column.values)) {
    const values = column.values;
    const cell = (row: number) => values[row] ?? "";
    return { ...head, is_text: true, cell, whole: cell, compare: (a, b) => cell(a).localeCompare(cell(b), "en", { numeric: true }) };
  }
  const values = doubles(column.values);
  const digits = digits_of(values);
  const last = (value: number) => (Number.isNaN(value) ? Infinity : value); // no number: at the end
  return {
    ...head,
    is_text: false,
    cell: (row) => show(values[row], digits),
    whole: (row) => (Number.isNaN(values[row]) ? "" : String(values[row])),
    compare: (a, b) => {
      const first = last(values[a]), second = last(values[b]);
      return first < second ? -1 : first > second ? 1 : 0;
    },
  };
}

/** Six, or as many as tell neighbours of a rising column apart. */
function digits_of(values: Float64Array): number {
  const n = values.length;
  if (n < 3) return 6;
  for (let i = 1; i < n; ++i) if (!(values[i] > values[i - 1])) return 6;
  const step = (values[n - 1] - values[0]) / (n - 1);
  return Math.max(6, Math.min(12, Math.ceil(Math.log10(Math.max(Math.abs(values[0]), Math.abs(values[n - 1])) / step)) + 1));
}

const quoted = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const heading = (column: { name: string; unit: string }): string => (column.unit === "" ? column.name : `${column.name} [${column.unit}]`);

export function to_text(table: Table, order: ArrayLike<number>, separator: "," | "\t"): string {
  const columns = table.columns.map(shown);
  const clean = separator === "," ? quoted : (text: string) => text.replace(/[\t\n\r]+/g, " ");
  const lines = [table.columns.map((column) => clean(heading(column))).join(separator)];
  for (let i = 0; i < order.length; ++i) lines.push(columns.map((column) => clean(column.whole(order[i]))).join(separator));
  return lines.join("\n") + "\n";
}

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // pages opened from disk may not be allowed that
    const area = make("textarea", { style: "position:fixed;opacity:0", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export function table_view(table: Table, of: string, action?: RowAction): HTMLElement {
  const columns = table.columns.map(shown);
  const n_rows = table.columns.length === 0 ? 0 : Math.max(...table.columns.map(column_length));
  let order = Uint32Array.from({ length: n_rows }, (_, i) => i);
  let sorted = -1, falling = false;

  const body = make("tbody");
  const heads = columns.map((column, i) => {
    const sort = make("button", { type: "button", class: "sort", click: () => sort_by(i) }, make("span", {}, column.title),
      column.unit === "" ? null : make("span", { class: "unit" }, `[${column.unit}]`));
    return make("th", { scope: "col", "aria-sort": "none", class: column.is_text ? "text" : "number" }, sort);
  });
  const grid = make("table", { "aria-rowcount": n_rows + 1 },
    make("caption", { class: "unseen" }, table.title),
    make("thead", {}, make("tr", {}, ...(action === undefined ? [] : [make("th", { scope: "col", class: "act" }, make("span", { class: "unseen" }, action.title))]), ...heads)),
    body);
  const scroller = make("div", { class: "rows", tabindex: 0, role: "region", "aria-label": table.title }, grid);
  const virtual = n_rows > 4 * rows_at_once;

  // Of very long tables the height is a scale model of the rows.
  const full_height = Math.min(n_rows * row_height, tallest);
  const row_of = (top: number): number => {
    const room = full_height - (scroller.clientHeight || 400);
    const last = n_rows - Math.floor((scroller.clientHeight || 400) / row_height);
    return full_height < tallest || room <= 0 ? Math.floor(top / row_height) : Math.floor((top / room) * last);
  };
  let drawn_from = -1;

  function row(place: number): HTMLTableRowElement {
    const index = order[place];
    const cells = columns.map((column) => make("td", { class: column.is_text ? "text" : "number", title: column.is_text ? undefined : column.whole(index) }, column.cell(index)));
    if (action !== undefined)
      cells.unshift(make("td", { class: "act" }, action.applies(index) ? button("▶", `${action.title} ${columns[0].cell(index)}`, () => action.call(index), { class: "play", "aria-label": `${action.title} ${columns[0].cell(index)}` }) : null));
    return make("tr", { "aria-rowindex": place + 2 }, ...cells);
  }
  function spacer(height: number): HTMLTableRowElement {
    return make("tr", { class: "spacer", "aria-hidden": "true" }, make("td", { colspan: columns.length + (action ? 1 : 0), style: `height:${height}px` }));
  }
  function draw(again = false): void {
    if (!virtual) {
      if (again || drawn_from < 0) body.replaceChildren(...Array.from({ length: n_rows }, (_, i) => row(i)));
      drawn_from = 0;
      return;
    }
    const first = Math.max(0, Math.min(n_rows - rows_at_once, row_of(scroller.scrollTop) - 15));
    if (!again && Math.abs(first - drawn_from) < 10 && first !== 0) return;
    drawn_from = first;
    const above = full_height < tallest ? first * row_height : Math.max(0, Math.min(full_height - rows_at_once * row_height, scroller.scrollTop - 15 * row_height));
    const rows = Array.from({ length: Math.min(rows_at_once, n_rows - first) }, (_, i) => row(first + i));
    body.replaceChildren(spacer(above), ...rows, spacer(Math.max(0, full_height - above - rows.length * row_height)));
  }
  function sort_by(column: number): void {
    // rising, falling, as it was
    if (sorted !== column) (sorted = column), (falling = false);
    else if (!falling) falling = true;
    else sorted = -1;
    order = Uint32Array.from({ length: n_rows }, (_, i) => i);
    if (sorted >= 0) {
      const compare = columns[sorted].compare;
      order.sort((a, b) => (falling ? compare(b, a) : compare(a, b)) || a - b);
    }
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== sorted ? "none" : falling ? "descending" : "ascending"));
    draw(true);
  }

  scroller.addEventListener("scroll", () => draw());
  draw();
  const said = make("span", { class: "quiet", role: "status" });
  const copy_button = button("Copy", "Copy as tab-separated text, all digits", async () => {
    said.textContent = (await copy(to_text(table, order, "\t"))) ? "copied" : "could not copy";
    setTimeout(() => (said.textContent = ""), 2500);
  });
  const save = button("CSV", "Download as CSV, all digits", () => download(`${file_name(of, table.name)}.csv`, to_text(table, order, ","), "text/csv"));
  return make("div", { class: "table", "data-table": table.name },
    make("div", { class: "bar" }, make("span", { class: "quiet" }, `${n_rows.toLocaleString("en")} ${n_rows === 1 ? "row" : "rows"}`), said, make("span", { class: "gap" }), copy_button, save),
    scroller);
}
