// Scales and ticks.

import { brief, power } from "./format";

export interface Axis {
  low: number;
  high: number;
  log: boolean;
  ticks: { at: number; text: string }[];
}

/** Round numbers that cover a range. */
export function linear(low: number, high: number, wanted: number): Axis {
  if (!(high > low)) {
    const pad = Math.abs(low) > 0 ? Math.abs(low) * 0.1 : 1;
    low -= pad;
    high += pad;
  }
  const rough = (high - low) / Math.max(1, wanted);
  const base = 10 ** Math.floor(Math.log10(rough));
  const step = base * ([1, 2, 5, 10].find((m) => m * base >= rough * 0.999) ?? 10);
  const first = Math.floor(low / step + 1e-9) * step;
  const last = Math.ceil(high / step - 1e-9) * step;
  const ticks = [];
  for (let i = 0; i <= Math.round((last - first) / step); i++) {
    const at = first + i * step;
    ticks.push({ at, text: brief(Math.abs(at) < step * 1e-9 ? 0 : Number(at.toPrecision(12))) });
  }
  return { low: first, high: last, log: false, ticks };
}

/** Powers of ten that cover a range. */
export function decades(low: number, high: number, wanted: number): Axis {
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(Math.log10(high) - 1e-9));
  const every = Math.max(1, Math.ceil((last - first) / Math.max(1, wanted)));
  const ticks = [];
  for (let e = first; e <= last; e += every) ticks.push({ at: 10 ** e, text: power(e) });
  return { low: 10 ** first, high: 10 ** last, log: true, ticks };
}

/** Share of the way from the low to the high end. */
export function share(axis: Axis, x: number): number {
  if (!axis.log) return (x - axis.low) / (axis.high - axis.low);
  return Math.log(x / axis.low) / Math.log(axis.high / axis.low);
}
