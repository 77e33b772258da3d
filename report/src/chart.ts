// Curves over time, or over the length of a step: drawn in real pixels, so that the text keeps its size on every screen.

import { decades, linear, share, type Axis } from "./axis";
import { html, svg } from "./dom";
import { brief, unitFor, withUnit } from "./format";
import type { Look } from "./look";

export interface Curve {
  name: string;
  look: Look;
  x: number[];
  y: (number | null)[];
}

export interface Chart {
  title: string;
  note: string;
  /** Unit of the values and of what they are drawn over. */
  unit: string;
  over: { unit: string; name: string; log?: boolean };
  log?: boolean;
  points?: boolean;
  curves: Curve[];
}

const HEIGHT = 240;
const MARGIN = { left: 56, right: 14, top: 12, bottom: 44 };

/** The range of numbers that pass a test. */
function range(values: Iterable<number | null>, keep: (x: number) => boolean): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const x of values) {
    if (x === null || !Number.isFinite(x) || !keep(x)) continue;
    low = Math.min(low, x);
    high = Math.max(high, x);
  }
  return low <= high ? [low, high] : null;
}

function axisOf(extent: [number, number], log: boolean, wanted: number, zero: boolean): Axis {
  const [low, high] = extent;
  if (log) return decades(Math.max(low, high * 1e-16), high, wanted);
  return linear(zero ? Math.min(0, low) : low, zero ? Math.max(0, high) : high, wanted);
}

/** A figure with its title; `draw` fits it to the width that it has. */
export function chart(spec: Chart, visible: () => Set<string>): { element: HTMLElement; draw: () => void } {
  const plot = html("div", { class: "plot" });
  const readout = html("div", { class: "readout", "aria-live": "off" });
  const element = html("figure", { class: "chart" }, html("figcaption", {}, html("h3", {}, spec.title), html("p", {}, spec.note)), plot, readout);
  const draw = () => {
    const shown = spec.curves.filter((curve) => visible().has(curve.name));
    plot.replaceChildren(picture(spec, shown, plot.clientWidth || 340, readout));
  };
  return { element, draw };
}

function picture(spec: Chart, curves: Curve[], width: number, readout: HTMLElement): SVGElement {
  const inner = { w: Math.max(80, width - MARGIN.left - MARGIN.right), h: HEIGHT - MARGIN.top - MARGIN.bottom };
  const positive = (x: number) => !spec.log || x > 0;
  const ys = range(curves.flatMap((curve) => curve.y), positive);
  const xs = range(curves.flatMap((curve) => curve.x), () => true);
  const root = svg("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": summary(spec, curves) });
  if (!ys || !xs) {
    root.append(svg("text", { x: MARGIN.left, y: HEIGHT / 2, class: "muted" }, curves.length ? "Nothing to draw: all values are zero." : "No model is chosen."));
    return root;
  }
  // The unit belongs to the drawing, the values stay in SI.
  const unit = spec.log ? { factor: 1, name: spec.unit } : unitFor(Math.max(Math.abs(ys[0]), Math.abs(ys[1])), spec.unit);
  const time = spec.over.log ? { factor: 1, name: spec.over.unit } : unitFor(xs[1], spec.over.unit);
  const yAxis = axisOf([ys[0] / unit.factor, ys[1] / unit.factor], spec.log ?? false, 5, !spec.points);
  const xAxis = spec.over.log
    ? { low: xs[0], high: xs[1], log: true, ticks: [...spec.curves[0]!.x].sort((a, b) => a - b).map((at) => ({ at, text: withUnit(at, spec.over.unit) })) }
    : { ...linear(xs[0] / time.factor, xs[1] / time.factor, Math.max(2, Math.floor(inner.w / 80))), low: xs[0] / time.factor, high: xs[1] / time.factor };
  const px = (x: number) => MARGIN.left + inner.w * share(xAxis, x / time.factor);
  const py = (y: number) => MARGIN.top + inner.h * (1 - share(yAxis, y / unit.factor));
  frame(root, spec, { xAxis, yAxis, inner, names: [time.name, unit.name] });
  for (const curve of curves) root.append(line(spec, curve, px, py));
  follow(root, { spec, curves, px, inner }, readout);
  return root;
}

function frame(root: SVGElement, spec: Chart, at: { xAxis: Axis; yAxis: Axis; inner: { w: number; h: number }; names: [string, string] }): void {
  const { xAxis, yAxis, inner } = at;
  const bottom = MARGIN.top + inner.h;
  for (const tick of yAxis.ticks) {
    const y = MARGIN.top + inner.h * (1 - share(yAxis, tick.at));
    root.append(
      svg("line", { x1: MARGIN.left, x2: MARGIN.left + inner.w, y1: y, y2: y, class: tick.at === 0 ? "zero" : "grid" }),
      svg("text", { x: MARGIN.left - 8, y: y + 4, "text-anchor": "end" }, tick.text),
    );
  }
  let free = -Infinity;
  for (const tick of xAxis.ticks.filter((tick) => tick.at >= xAxis.low * 0.999999 && tick.at <= xAxis.high * 1.000001)) {
    const x = MARGIN.left + inner.w * share(xAxis, tick.at);
    root.append(svg("line", { x1: x, x2: x, y1: bottom, y2: bottom + 4, class: "grid" }));
    const half = tick.text.length * 3.6;
    if (x - half < free) continue;
    free = x + half + 8;
    root.append(svg("text", { x, y: bottom + 18, "text-anchor": "middle" }, tick.text));
  }
  const name = spec.over.log ? spec.over.name : `${spec.over.name} [${at.names[0]}]`;
  root.append(svg("text", { x: MARGIN.left + inner.w, y: HEIGHT - 6, "text-anchor": "end", class: "muted" }, name));
  if (at.names[1]) root.append(svg("text", { x: 0, y: HEIGHT - 6, class: "muted" }, `[${at.names[1]}]`));
}

function line(spec: Chart, curve: Curve, px: (x: number) => number, py: (y: number) => number): SVGElement {
  const group = svg("g", { style: `color:${curve.look.color}` });
  const drawn = (i: number): boolean => {
    const y = curve.y[i];
    return curve.x[i] !== undefined && typeof y === "number" && Number.isFinite(y) && !(spec.log && y <= 0);
  };
  let path = "";
  curve.y.forEach((_, i) => {
    if (!drawn(i)) return;
    const [x, y] = [px(curve.x[i]!).toFixed(1), py(curve.y[i]!).toFixed(1)];
    path += `${drawn(i - 1) ? "L" : "M"}${x} ${y}`;
    // A point that stands alone has no line.
    const alone = !drawn(i - 1) && !drawn(i + 1);
    if (spec.points || alone) group.append(svg("circle", { cx: x, cy: y, r: 3.5, fill: "currentColor" }));
  });
  group.append(svg("path", { d: path, fill: "none", stroke: "currentColor", "stroke-width": 1.8, "stroke-dasharray": curve.look.dash, "stroke-linejoin": "round" }));
  return group;
}

/** A line under the pointer, and the values there. */
function follow(
  root: SVGElement,
  at: { spec: Chart; curves: Curve[]; px: (x: number) => number; inner: { w: number; h: number } },
  readout: HTMLElement,
): void {
  const { spec, curves, px } = at;
  const cursor = svg("line", { y1: MARGIN.top, y2: MARGIN.top + at.inner.h, class: "cursor", visibility: "hidden" });
  root.append(cursor);
  const longest = curves.reduce((a, b) => (b.x.length > a.x.length ? b : a));
  const show = (event: PointerEvent) => {
    const x = event.clientX - root.getBoundingClientRect().left;
    let best = 0;
    longest.x.forEach((value, i) => {
      if (Math.abs(px(value) - x) < Math.abs(px(longest.x[best]!) - x)) best = i;
    });
    const where = longest.x[best]!;
    cursor.setAttribute("x1", String(px(where)));
    cursor.setAttribute("x2", String(px(where)));
    cursor.setAttribute("visibility", "visible");
    readout.replaceChildren(html("span", { class: "when" }, `${spec.over.name} ${withUnit(where, spec.over.unit)}`));
    for (const curve of curves) {
      const y = curve.y[best];
      if (y === null || y === undefined || curve.x[best] === undefined) continue;
      const value = spec.unit ? withUnit(y, spec.unit) : brief(y);
      readout.append(html("span", { class: "value", style: `--c:${curve.look.color}` }, `${curve.name} `, html("b", {}, value)));
    }
  };
  const hide = () => {
    cursor.setAttribute("visibility", "hidden");
    readout.replaceChildren();
  };
  root.addEventListener("pointermove", show as EventListener);
  root.addEventListener("pointerdown", show as EventListener);
  root.addEventListener("pointerleave", hide);
}

function summary(spec: Chart, curves: Curve[]): string {
  const ends = curves.map((curve) => {
    const last = [...curve.y].reverse().find((y) => y !== null);
    return `${curve.name} ends at ${last === undefined || last === null ? "nothing" : withUnit(last, spec.unit)}`;
  });
  return `${spec.title}. ${ends.join("; ")}.`;
}
