// What the program put into the page.

export interface Series {
  time: number[];
  position: number[];
  velocity: number[];
  energy: number[];
  ledger: Record<string, number[]>;
  penetration: number[];
  natural_map: number[];
  seconds_per_step: number[];
}

export interface Model {
  name: string;
  solver: string;
  stabilisation: string;
  reference: boolean;
  law: string;
  runs: boolean;
  reason?: string;
  series?: Series;
}

export interface Cell {
  value: number | null;
  text: string;
  mark: "best" | "worst" | "";
}

export interface Column {
  section: string;
  title: string;
  cells: Cell[];
}

export interface Trend {
  quantity: string;
  title: string;
  values: (number | null)[];
  settles: boolean | null;
}

export interface Refinement {
  dt: number[];
  models: { name: string; trends: Trend[] }[];
}

export interface ReplayRun {
  name: string;
  times: number[];
  poses: string;
  mark_counts: number[];
  marks: string;
}

export interface Replay {
  up: [number, number, number];
  bodies: { name: string; driven: boolean }[];
  meshes: { points: string; normals: string; indices: string; inside: boolean }[];
  shapes: {
    mesh: number;
    body: number | null;
    kind: string;
    sensor: boolean;
    position: [number, number, number];
    orientation: [number, number, number, number];
  }[];
  runs: ReplayRun[];
}

export interface Data {
  scene: string;
  dt: number;
  steps: number;
  time: number;
  version: string;
  reference: string;
  models: Model[];
  table: Column[];
  refinement: Refinement | null;
  findings: string[];
  source: string;
  settings: string[];
  platform: string;
  replay: Replay | null;
}

export function readData(): Data {
  const element = document.getElementById("data");
  return JSON.parse(element?.textContent ?? "null") as Data;
}

function bytes(text: string): ArrayBuffer {
  const plain = atob(text);
  const out = new Uint8Array(plain.length);
  for (let i = 0; i < plain.length; i++) out[i] = plain.charCodeAt(i);
  return out.buffer;
}

export const floats = (text: string): Float32Array => new Float32Array(bytes(text));
export const integers = (text: string): Uint32Array => new Uint32Array(bytes(text));
