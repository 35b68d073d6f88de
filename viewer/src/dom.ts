// Makes elements. Text goes in as text, never as markup: what comes from the data cannot run.

type Attributes = { [name: string]: string | number | boolean | ((event: any) => void) | undefined };
export type Child = Node | string | null | undefined;

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name === "value" && "value" in element) (element as HTMLInputElement).value = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, ...children);
  return element;
}

export function add(parent: Element, ...children: Child[]): void {
  for (const child of children) if (child !== null && child !== undefined) parent.append(child);
}

/** Names between back quotes as code. */
export function rich(text: string): Node[] {
  return text.split("`").map((part, i, all) => (i % 2 === 1 && i + 1 < all.length ? make("code", {}, part) : document.createTextNode(i % 2 === 1 ? "`" + part : part)));
}
export const plain = (text: string): string => text.replace(/`([^`]*)`/g, "$1");

export function button(label: string, title: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return make("button", { type: "button", title, click, ...attributes }, label);
}

export function select(label: string, options: string[], chosen: number, change: (index: number) => void): HTMLSelectElement {
  const element = make("select", { "aria-label": label, title: label });
  options.forEach((option, i) => element.append(new Option(option, String(i), false, i === chosen)));
  element.addEventListener("change", () => change(element.selectedIndex));
  return element;
}

export function download(name: string, content: Blob | string, type = "text/plain"): void {
  const url = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A name that every file system takes. */
export const file_name = (...parts: string[]): string =>
  parts.map((part) => part.replace(/[^\p{L}\p{N}._-]+/gu, "_").replace(/^[_.]+|_+$/g, "")).filter((part) => part !== "").join("_") || "elodyn";

/** Calls once when the element comes near the window. */
export function when_seen(element: Element, call: () => void): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      call();
    },
    { rootMargin: "400px" },
  );
  observer.observe(element);
}
