// The page: what one scene looks like with every contact model.

import { REVISION } from "three";
import { chart, type Chart, type Curve } from "./chart";
import { readData, type Data, type Model, type Series } from "./data";
import { html, prose, swatch } from "./dom";
import { withUnit } from "./format";
import { accountColor, hueStyle, looks as looksOf, onGround } from "./look";
import { replayPart } from "./replay";
import { accountsOf, stack, stackRange } from "./stack";
import { refinementTables, tablePart } from "./table";

interface Drawn {
  element: HTMLElement;
  draw: () => void;
}

const data = readData();
const looks = looksOf(data.models);
const names = data.models.map((model) => model.name);
const ran = data.models.filter((model) => model.runs && model.series);
const visible = new Set(ran.map((model) => model.name));
const drawn: Drawn[] = [];

function section(id: string, title: string, ...children: (Node | string)[]): HTMLElement {
  return html("section", { id, "aria-labelledby": `${id}-title` }, html("h2", { id: `${id}-title` }, title), ...children);
}

function header(data: Data): HTMLElement {
  const facts = [`${data.steps} steps of ${withUnit(data.dt, "s")}`, `${withUnit(data.time, "s")} in all`];
  // A page of `run --report` has one run, and compares it with nothing.
  const single = data.models.length === 1 && !data.models[0]!.reference;
  if (single) facts.push(data.models[0]!.name);
  else facts.push(`${data.models.length} ways to run it`, `reference: ${data.reference}`);
  const kicker = single ? "Huygens · one run" : "Huygens · contact models compared";
  return html("header", {}, html("p", { class: "kicker" }, kicker), html("h1", {}, data.scene), html("p", { class: "facts" }, facts.join(" · ")));
}

function findings(data: Data): HTMLElement {
  const items = data.findings.map((sentence) => html("li", {}, prose(sentence.replace(/-(?=\d)/g, "−"), names)));
  return section("findings", "What this shows", html("ul", { class: "findings" }, ...items));
}

/** Which models the plots show: a button each. */
function legend(models: Model[]): HTMLElement {
  const list = html("div", { class: "legend", role: "group", "aria-label": "Models in the plots" });
  for (const model of models) {
    const button = html("button", { type: "button", "aria-pressed": "true" }, swatch(looks.get(model.name)!), model.name);
    button.addEventListener("click", () => {
      if (visible.has(model.name)) visible.delete(model.name);
      else visible.add(model.name);
      button.setAttribute("aria-pressed", String(visible.has(model.name)));
      drawn.forEach((one) => one.draw());
    });
    list.append(button);
  }
  return list;
}

function overTime(spec: Omit<Chart, "curves" | "over">, of: (series: Series) => number[]): HTMLElement[] {
  const curves: Curve[] = ran
    .map((model) => ({ name: model.name, look: looks.get(model.name)!, x: model.series!.time, y: of(model.series!) }))
    .filter((curve) => curve.y.length > 0);
  if (curves.length === 0) return [];
  const one = chart({ ...spec, over: { unit: "s", name: "time" }, curves }, () => visible);
  drawn.push(one);
  return [one.element];
}

function plots(): HTMLElement {
  const grid = html(
    "div",
    { class: "grid" },
    ...overTime({ title: "Place, off the reference", note: "Root mean square over all bodies.", unit: "m", log: true }, (s) => s.position),
    ...overTime({ title: "Velocity, off the reference", note: "Root mean square over all bodies.", unit: "m/s", log: true }, (s) => s.velocity),
    ...overTime({ title: "Overlap", note: "The deepest of all contacts.", unit: "m" }, (s) => s.penetration),
    ...overTime({ title: "Residual", note: "Natural map: how far the step is from the law; 0 is not drawn.", unit: "", log: true }, (s) => s.natural_map),
    ...overTime({ title: "Time per step", note: "Wall time on one thread.", unit: "s", log: true }, (s) => s.seconds_per_step.map((x, i) => (i === 0 ? Number.NaN : x))),
    ...overTime({ title: "Energy", note: "Kinetic plus potential, less that at the start.", unit: "J" }, (s) => s.energy.map((e) => e - s.energy[0]!)),
  );
  return section("plots", "Over time", legend(ran), grid);
}

function energy(): HTMLElement {
  const accounts = accountsOf(ran);
  if (accounts.length === 0) return html("div");
  const extent = stackRange(ran, accounts);
  const grid = html("div", { class: "grid stacks" });
  for (const model of ran) {
    const one = stack(model, looks.get(model.name)!, accounts, extent);
    drawn.push(one);
    grid.append(one.element);
  }
  const key = html("p", { class: "key" });
  for (const name of accounts) key.append(html("span", {}, html("i", { style: `background:${accountColor(name)}` }), name));
  key.append(html("span", {}, html("i", { class: "line" }), "change of energy: their sum"));
  return section("energy", "Energy by account", html("p", { class: "about" }, "What each account brought since the start lies above zero, what it took below."), key, grid);
}

function refinement(data: Data): HTMLElement[] {
  const refined = data.refinement;
  if (!refined) return [];
  const charts = ["driver", "energy_change"].flatMap((quantity) => {
    const curves: Curve[] = refined.models.flatMap((model) => {
      const trend = model.trends.find((trend) => trend.quantity === quantity);
      return trend ? [{ name: model.name, look: looks.get(model.name)!, x: refined.dt, y: trend.values }] : [];
    });
    if (curves.length === 0) return [];
    const title = quantity === "driver" ? "Work of the drivers" : "Change of energy";
    const one = chart({ title, note: "What converges is level at the left.", unit: "J", over: { unit: "s", name: "length of a step", log: true }, points: true, curves }, () => visible);
    drawn.push(one);
    return [one.element];
  });
  const about = html("p", { class: "about" }, "The same scene again with shorter steps. What is right at one length of step only by luck does not settle.");
  return [section("steps", "With shorter steps", about, html("div", { class: "grid" }, ...charts), refinementTables(refined, looks, data.reference))];
}

function laws(data: Data): HTMLElement {
  const list = html("dl", { class: "laws" });
  const told = new Set<string>();
  for (const model of data.models) {
    if (told.has(model.solver)) continue;
    told.add(model.solver);
    const own = data.models.filter((other) => other.solver === model.solver);
    list.append(html("dt", {}, ...own.map((other) => html("span", { class: "name" }, swatch(looks.get(other.name)!), html("b", { class: "model" }, other.name)))), html("dd", {}, model.law));
  }
  return section("laws", "The laws", list);
}

function source(data: Data): HTMLElement[] {
  const over = data.settings.length ? [html("p", { class: "about" }, `With ${data.settings.join(" ")} put over it.`)] : [];
  return [
    section("scene", "The scene", ...over, html("pre", { tabindex: "0" }, data.source)),
    html("footer", {}, html("p", {}, `Made by huygens ${data.version} (${data.platform}) with \`huygens compare ${data.scene} --report\`. Replay: three.js r${REVISION}. The page asks for nothing from the network.`)),
  ];
}

function lookOfPage(): void {
  const style = html("style");
  style.textContent = hueStyle();
  document.head.append(style);
}

function build(): void {
  lookOfPage();
  const main = document.getElementById("page")!;
  main.append(header(data), findings(data), section("replay", "Replay", replayPart(data, looks)), plots(), energy(), ...refinement(data));
  main.append(section("table", "The table", html("p", { class: "about" }, html("span", { class: "best" }, "★ smallest"), " and ", html("span", { class: "worst" }, "▽ largest"), " of a column, where they differ by more than round-off."), tablePart(data, looks)), laws(data), ...source(data));
  const all = () => drawn.forEach((one) => one.draw());
  all();
  let width = main.clientWidth;
  new ResizeObserver(() => {
    if (main.clientWidth === width) return;
    width = main.clientWidth;
    all();
  }).observe(main);
  window.addEventListener("beforeprint", all);
  onGround(all);
  document.documentElement.dataset["ready"] = "true";
}

build();

