// Numbers for people.

const POWERS: [number, string][] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
  [1e-12, "p"],
];

export interface Unit {
  factor: number;
  name: string;
}

/** A unit in which `size` is between 1 and 1000. */
export function unitFor(size: number, base: string): Unit {
  if (base === "" || !(size > 0)) return { factor: 1, name: base };
  const [factor, prefix] = POWERS.find(([power]) => size >= power) ?? POWERS[POWERS.length - 1]!;
  return { factor, name: prefix + base };
}

const SUPERSCRIPT: Record<string, string> = Object.fromEntries([..."0123456789-"].map((c, i) => [c, "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"[i]!]));

/** Three digits, with a power of ten for what is very large or small. */
export function brief(x: number): string {
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) {
    const [digits, power] = x.toExponential(1).split("e") as [string, string];
    return `${minus(digits)}·10${[...String(Number(power))].map((c) => SUPERSCRIPT[c]).join("")}`;
  }
  return minus(String(Number(x.toPrecision(3))));
}

/** A value with its unit. */
export function withUnit(x: number, base: string): string {
  const unit = unitFor(Math.abs(x), base);
  return `${brief(x / unit.factor)}${unit.name ? ` ${unit.name}` : ""}`;
}

/** A power of ten. */
export function power(exponent: number): string {
  return `10${[...String(exponent)].map((c) => SUPERSCRIPT[c]).join("")}`;
}

export const minus = (text: string): string => text.replace("-", "−");
