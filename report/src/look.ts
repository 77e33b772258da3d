// One colour and one dash for each model, the same in every part of the page.
//
// The reference is drawn in ink. The others take colours that people with any kind of colour vision tell apart (after Okabe and Ito,
// and Tol); each has a value for light and one for dark ground. Models with a stabilisation of their own are dashed.

import type { Model } from "./data";

const HUES: [light: string, dark: string][] = [
  ["#0072b2", "#56b4e9"],
  ["#c8500a", "#f0803c"],
  ["#00875f", "#35c79a"],
  ["#a23b87", "#d983c4"],
  ["#8a6d00", "#e6b422"],
  ["#4b3fa7", "#9c92f0"],
  ["#8e2a3c", "#e07a8b"],
  ["#2f7f86", "#6cc5cc"],
  ["#6b7a1f", "#b6c653"],
  ["#3c6e9f", "#8fb8de"],
  ["#9a5b2e", "#d6a27a"],
  ["#6a5d6e", "#b7a9bc"],
];

export interface Look {
  color: string;
  dash: string;
}

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const print = window.matchMedia("print");

export const isDark = (): boolean => dark.matches && !print.matches;

/** Calls back when the ground changes between light and dark. */
export function onGround(change: () => void): void {
  dark.addEventListener("change", change);
  print.addEventListener("change", change);
}

export function looks(models: Model[]): Map<string, Look> {
  const found = new Map<string, Look>();
  const hueOf = new Map<string, number>();
  for (const model of models) {
    if (model.reference) {
      found.set(model.name, { color: "var(--ink)", dash: "" });
      hueOf.set(model.solver, -1);
      continue;
    }
    const varied = model.name.includes("+");
    // A variant keeps its model's colour, unless that is the reference's ink.
    let hue = varied ? (hueOf.get(model.solver) ?? -1) : -1;
    if (hue < 0) hue = [...hueOf.values()].filter((h) => h >= 0).reduce((a, b) => Math.max(a, b), -1) + 1;
    hueOf.set(varied && hueOf.has(model.solver) ? model.name : model.solver, hue);
    const lap = Math.floor(hue / HUES.length);
    found.set(model.name, {
      color: `var(--hue-${hue % HUES.length})`,
      dash: varied ? "7 3" : lap > 0 ? "2 3" : "",
    });
  }
  return found;
}

/** The hues as variables of the style, for light and dark ground. */
export function hueStyle(): string {
  const list = (ground: 0 | 1) => HUES.map((hue, i) => `--hue-${i}:${hue[ground]};`).join("");
  return `:root{${list(0)}}@media screen and (prefers-color-scheme: dark){:root{${list(1)}}}`;
}

// Accounts of the ledger: Tol's light scheme, told apart by lightness too.
const ACCOUNTS: Record<string, string> = {
  driver: "#77aadd",
  impact: "#ee8866",
  friction: "#eedd88",
  stabilisation: "#e56b8c",
  correction: "#7fc8d8",
  limit: "#bbcc33",
  joint: "#8f9a1c",
  integration: "#b79ad4",
  gyroscopic: "#44bb99",
  gravity: "#a8b4bf",
  user: "#5b7fb8",
  actuator: "#3d9bc0",
  viscous: "#c9a36a",
  numerical: "#9a8478",
};

export const accountColor = (name: string): string => ACCOUNTS[name] ?? "#9aa0a6";
