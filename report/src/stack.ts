// Energy by account, stacked: what was brought in above the zero line, what was lost below it; their sum is the change of energy.

import { linear, share } from "./axis";
import type { Model } from "./data";
import { html, svg, swatch } from "./dom";
import { unitFor, withUnit } from "./format";
import { accountColor, type Look } from "./look";

const HEIGHT = 190;
const MARGIN = { left: 52, right: 10, top: 8, bottom: 26 };

/** Names of all accounts that matter somewhere, the largest first. */
export function accountsOf(models: Model[]): string[] {
  const size = new Map<string, number>();
  for (const model of models) {
    for (const [name, values] of Object.entries(model.series?.ledger ?? {})) {
      const largest = values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      size.set(name, Math.max(size.get(name) ?? 0, largest));
    }
  }
  const most = Math.max(0, ...size.values());
  return [...size.entries()].filter(([, x]) => x > 1e-9 * most).sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

/** The lowest and the highest stack of all models, so that all are drawn alike. */
export function stackRange(models: Model[], accounts: string[]): [number, number] {
  let low = 0;
  let high = 0;
  for (const model of models) {
    const series = model.series;
    if (!series) continue;
    series.time.forEach((_, i) => {
      let above = 0;
      let below = 0;
      for (const name of accounts) {
        const x = series.ledger[name]?.[i] ?? 0;
        if (x > 0) above += x;
        else below += x;
      }
      low = Math.min(low, below);
      high = Math.max(high, above);
    });
  }
  return [low, high];
}

export function stack(model: Model, look: Look, accounts: string[], extent: [number, number]): { element: HTMLElement; draw: () => void } {
  const plot = html("div", { class: "plot" });
  const element = html("figure", { class: "stack" }, html("figcaption", {}, swatch(look), html("b", { class: "model" }, model.name)), plot);
  const draw = () => plot.replaceChildren(picture(model, accounts, extent, plot.clientWidth || 300));
  return { element, draw };
}

function picture(model: Model, accounts: string[], extent: [number, number], width: number): SVGElement {
  const series = model.series!;
  const inner = { w: width - MARGIN.left - MARGIN.right, h: HEIGHT - MARGIN.top - MARGIN.bottom };
  const unit = unitFor(Math.max(-extent[0], extent[1]), "J");
  const yAxis = linear(extent[0] / unit.factor, extent[1] / unit.factor, 4);
  const end = series.time[series.time.length - 1] ?? 1;
  const px = (x: number) => MARGIN.left + (end > 0 ? inner.w * (x / end) : 0);
  const py = (y: number) => MARGIN.top + inner.h * (1 - share(yAxis, y / unit.factor));
  const told = accounts
    .map((name) => [name, series.ledger[name]?.at(-1) ?? 0] as const)
    .filter(([, x]) => x !== 0)
    .map(([name, x]) => `${name} ${withUnit(x, "J")}`);
  const root = svg("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": `${model.name}: ${told.join(", ") || "no energy moved"}` });
  for (const tick of yAxis.ticks) {
    const y = py(tick.at * unit.factor);
    root.append(
      svg("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y, y2: y, class: tick.at === 0 ? "zero" : "grid" }),
      svg("text", { x: MARGIN.left - 6, y: y + 4, "text-anchor": "end" }, tick.text),
    );
  }
  const above = series.time.map(() => 0);
  const below = series.time.map(() => 0);
  for (const name of accounts) {
    const values = series.ledger[name];
    if (!values) continue;
    // An account may change sides: its gains lie above, its losses below.
    for (const [base, keep] of [[above, (x: number) => Math.max(0, x)], [below, (x: number) => Math.min(0, x)]] as const) {
      if (!values.some((x) => keep(x) !== 0)) continue;
      const inside = series.time.map((t, i) => `${px(t).toFixed(1)} ${py(base[i]!).toFixed(1)}`);
      values.forEach((x, i) => (base[i]! += keep(x)));
      const outside = series.time.map((t, i) => `${px(t).toFixed(1)} ${py(base[i]!).toFixed(1)}`);
      root.append(svg("path", { d: `M${inside.join("L")}L${outside.reverse().join("L")}Z`, fill: accountColor(name), class: "area" }, svg("title", {}, name)));
    }
  }
  const start = series.energy[0] ?? 0;
  const change = series.energy.map((e, i) => `${px(series.time[i]!).toFixed(1)} ${py(e - start).toFixed(1)}`);
  root.append(svg("path", { d: `M${change.join("L")}`, class: "sum" }));
  root.append(
    svg("text", { x: MARGIN.left, y: HEIGHT - 6, class: "muted" }, `[${unit.name}]`),
    svg("text", { x: width - MARGIN.right, y: HEIGHT - 6, "text-anchor": "end", class: "muted" }, `0 to ${withUnit(end, "s")}`),
  );
  return root;
}
