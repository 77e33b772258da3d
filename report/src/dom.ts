// Elements, briefly.

type Child = Node | string;

export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** A short line in the model's colour and dash. */
export function swatch(look: { color: string; dash: string }): SVGElement {
  return svg(
    "svg",
    { class: "swatch", width: 26, height: 12, viewBox: "0 0 26 12", "aria-hidden": "true" },
    svg("line", { x1: 1, y1: 6, x2: 25, y2: 6, stroke: look.color, "stroke-width": 3, "stroke-dasharray": look.dash }),
  );
}

/** Text in which `code` between back-ticks and names of models stand in their own type. */
export function prose(text: string, names: string[]): HTMLElement {
  const longest = [...names].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const line = html("span");
  if (longest.length === 0) {
    line.append(text);
    return line;
  }
  const parts = text.split(new RegExp(`(${longest.join("|")})`));
  for (const part of parts) line.append(names.includes(part) ? html("b", { class: "model" }, part) : part);
  return line;
}
