// Colours that people with any colour vision can tell apart.

/** Curves and parts: Okabe and Ito's set, without yellow, which is hard to see on white. */
const light_set = ["#0072b2", "#d55e00", "#009e73", "#b3548f", "#c98700", "#3a9fd6", "#555555", "#7a5c00"];
const dark_set = ["#5ab0ee", "#ff8a3c", "#33c79b", "#e59ac6", "#f0b83c", "#8fd3ff", "#bbbbbb", "#c8b14a"];

export const is_dark = (): boolean => {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
};
export const set_size = light_set.length;
export const curve_colour = (i: number, dark = is_dark()): string => (dark ? dark_set : light_set)[i % set_size];
/** Beyond the colours, dashes tell curves apart. */
export const curve_dash = (i: number): number[] => [[], [7, 4], [2, 3], [9, 3, 2, 3]][Math.floor(i / set_size) % 4];

export type Rgb = [number, number, number];
const rgb = (hex: string): Rgb => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)) as Rgb;

export type ColourMap = "viridis" | "cividis" | "diverging";
const stops: Record<ColourMap, Rgb[]> = {
  viridis: ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"].map(rgb),
  cividis: ["#00204d", "#00336f", "#39486b", "#575c6d", "#707173", "#8a8779", "#a69d75", "#c4b56c", "#e4cf5b", "#ffea46"].map(rgb),
  diverging: ["#1f4e8c", "#5b8fc4", "#a9c8e3", "#efefef", "#f0c38e", "#d98a3a", "#8f4a0b"].map(rgb),
};

export function map_colour(map: ColourMap, t: number): Rgb {
  const table = stops[map];
  const place = Math.min(1, Math.max(0, t)) * (table.length - 1);
  const i = Math.min(table.length - 2, Math.floor(place));
  const part = place - i;
  return [0, 1, 2].map((k) => Math.round(table[i][k] * (1 - part) + table[i + 1][k] * part)) as Rgb;
}
export const css = (colour: Rgb): string => `rgb(${colour.join(",")})`;
export const css_gradient = (map: ColourMap, towards: string): string =>
  `linear-gradient(${towards},${stops[map].map(css).join(",")})`;

/** Words of a map: what is sound is blue and calm, what is not stands out. */
const known_words: { [word: string]: string } = {
  stable: "#4f93c9", neutral: "#a9c8e3", divergence: "#d55e00", flutter: "#7b3294", unstable: "#d55e00",
};
const other_words = ["#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#999999", "#7a5c00"];
export function word_colours(words: string[]): Map<string, string> {
  let next = 0;
  return new Map(words.map((word) => [word, known_words[word.toLowerCase()] ?? other_words[next++ % other_words.length]]));
}

// Redraws what is painted in the colours of the theme.
const listeners = new Set<() => void>();
export const on_theme = (call: () => void): void => void listeners.add(call);
export const tell_theme = (): void => listeners.forEach((call) => call());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell_theme);
