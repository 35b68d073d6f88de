// Reads the arrays of the data and writes numbers for people.
import type { Column, Indices, Numbers } from "./data";

function bytes(base64: string): ArrayBuffer {
  const text = atob(base64);
  const result = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) result[i] = text.charCodeAt(i);
  return result.buffer;
}

// Arrays are decoded when first looked at, and once.
const decoded = new WeakMap<object, Float64Array | Float32Array | Uint32Array>();
function once<T extends Float64Array | Float32Array | Uint32Array>(of: object, decode: () => T): T {
  let result = decoded.get(of);
  if (result === undefined) decoded.set(of, (result = decode()));
  return result as T;
}

/** For tables and plots; NaN where there is no number. */
export function doubles(numbers: Numbers): Float64Array {
  return once(numbers, () => {
    if (Array.isArray(numbers)) return Float64Array.from(numbers, (value) => value ?? NaN);
    return "f64" in numbers ? new Float64Array(bytes(numbers.f64)) : Float64Array.from(new Float32Array(bytes(numbers.f32)));
  });
}

const decoded_single = new WeakMap<object, Float32Array>();
/** For the scene. */
export function singles(numbers: Numbers): Float32Array {
  let result = decoded_single.get(numbers);
  if (result === undefined) {
    if (Array.isArray(numbers)) result = Float32Array.from(numbers, (value) => value ?? NaN);
    else result = "f32" in numbers ? new Float32Array(bytes(numbers.f32)) : Float32Array.from(new Float64Array(bytes(numbers.f64)));
    decoded_single.set(numbers, result);
  }
  return result;
}

export function indices(numbers: Indices): Uint32Array {
  return once(numbers, () => (Array.isArray(numbers) ? Uint32Array.from(numbers) : new Uint32Array(bytes(numbers.u32))));
}

export const is_text = (values: Column["values"]): values is string[] => Array.isArray(values) && typeof values[0] === "string";

export function column_length(column: Column): number {
  return is_text(column.values) ? column.values.length : doubles(column.values as Numbers).length;
}

/** Six digits, no more than needed; "–" for no number. */
export function show(value: number | null | undefined, digits = 6): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-4 ? value.toExponential(digits - 1) : value.toPrecision(digits);
  // 1.50000e+7 -> 1.5e7
  const [mantissa, exponent] = text.split("e");
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return (exponent === undefined ? short : `${short}e${Number(exponent)}`).replace("-", "−").replace("e-", "e−");
}

export const with_unit = (value: number, unit: string, digits = 6): string => (unit === "" ? show(value, digits) : `${show(value, digits)} ${unit}`);
export const to_rpm = 30 / Math.PI;
export const to_hz = 1 / (2 * Math.PI);
