// The table: one part for each section, a line for each model, the best and the worst of a column marked.

import type { Data, Refinement } from "./data";
import { html, swatch } from "./dom";
import { brief, minus, withUnit } from "./format";
import type { Look } from "./look";

const ABOUT: Record<string, string> = {
  "Difference from the reference":
    "Root mean square over the mass of every body, so that turning counts; max is that of one body at one time.",
  Energy: "Created is what contact brought in those steps in which it should only take. The throughput is what gravity, drivers and the start put into motion.",
  "Energy by account": "What each account brought in the whole run; losses are negative. Unexplained is what is left over: round-off.",
  "Overlap and drift": "Drift is how far bodies move in the last quarter of the run that should rest: in the reference they do, and they lie where it has them.",
  "Residuals of the law": "How far the worst step is from hard contact with Coulomb friction; 0 is exact. A velocity bias is no part of that law.",
  Cost: "The median step on one thread, without the time that the residuals take.",
};

function nameCell(name: string, look: Look | undefined, reference: boolean): HTMLElement {
  const cell = html("th", { scope: "row" });
  if (look) cell.append(swatch(look));
  cell.append(html("span", { class: "model" }, name));
  if (reference) cell.append(html("span", { class: "tag" }, "reference"));
  return cell;
}

export function tablePart(data: Data, looks: Map<string, Look>): HTMLElement {
  const part = html("div", {});
  const sections = [...new Set(data.table.map((column) => column.section))];
  for (const section of sections) {
    const columns = data.table.filter((column) => column.section === section);
    const head = html("tr", {}, html("th", { scope: "col" }, "model"), ...columns.map((column) => html("th", { scope: "col" }, column.title)));
    const rows = data.models.map((model, i) => {
      const row = html("tr", {}, nameCell(model.name, looks.get(model.name), model.reference));
      if (!model.runs) {
        row.append(html("td", { class: "reason", colspan: String(columns.length) }, `cannot run this scene: ${model.reason ?? ""}`));
        return row;
      }
      for (const column of columns) {
        const cell = column.cells[i]!;
        const text = minus(cell.text);
        if (cell.mark === "") row.append(html("td", {}, text));
        else {
          const sign = cell.mark === "best" ? "★" : "▽";
          row.append(html("td", { class: cell.mark }, html("span", { class: "sign", title: cell.mark, role: "img", "aria-label": cell.mark }, sign), text));
        }
      }
      return row;
    });
    part.append(html("h3", {}, section), html("p", { class: "about" }, ABOUT[section] ?? ""), scrolled(section, head, rows));
  }
  return part;
}

function scrolled(label: string, head: HTMLElement, rows: HTMLElement[]): HTMLElement {
  const table = html("table", {}, html("thead", {}, head), html("tbody", {}, ...rows));
  return html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
}

/** Four digits, so that numbers under each other line up. */
const fixed = (x: number): string => (Math.abs(x) >= 1e-3 && Math.abs(x) < 1e4 ? minus(x.toPrecision(4)) : brief(x));

export function refinementTables(refinement: Refinement, looks: Map<string, Look>, reference: string): HTMLElement {
  const part = html("div", {});
  const quantities = [...new Set(refinement.models.flatMap((model) => model.trends.map((trend) => trend.title)))];
  for (const title of quantities) {
    const head = html("tr", {}, html("th", { scope: "col" }, title), ...refinement.dt.map((dt) => html("th", { scope: "col" }, withUnit(dt, "s"))), html("th", { scope: "col" }, ""));
    const rows = refinement.models.flatMap((model) => {
      const trend = model.trends.find((trend) => trend.title === title);
      if (!trend) return [];
      const verdict = trend.settles === null ? "" : trend.settles ? "settles" : "does not settle";
      const cells = trend.values.map((x) => html("td", {}, x === null ? "–" : fixed(x)));
      return [html("tr", {}, nameCell(model.name, looks.get(model.name), model.name === reference), ...cells, html("td", { class: trend.settles === false ? "worst" : "" }, verdict))];
    });
    part.append(scrolled(title, head, rows));
  }
  return part;
}
