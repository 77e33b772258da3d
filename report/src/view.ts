// Where to look from: what moves must be seen, near at the start and during the run.

import * as THREE from "three";
import type { Replay } from "./data";
import type { Frames } from "./stage";

export interface View {
  center: THREE.Vector3;
  /** Half the diagonal of what is to be seen [m]. */
  size: number;
  /** From the centre to the eye. */
  direction: THREE.Vector3;
}

/** The middle 96 % of a list, so that one body that flies off does not shrink the rest. */
function middle(values: number[]): [number, number] {
  const sorted = values.sort((a, b) => a - b);
  const cut = Math.floor(sorted.length * 0.02);
  return [sorted[cut]!, sorted[sorted.length - 1 - cut]!];
}

export function viewOf(replay: Replay, run: Frames, shapes: THREE.BufferGeometry[]): View {
  const count = replay.bodies.length;
  const reach = replay.bodies.map(() => 0);
  for (const shape of replay.shapes) {
    if (shape.body === null) continue;
    const sphere = shapes[shape.mesh]!.boundingSphere!;
    const far = sphere.radius + sphere.center.length() + Math.hypot(...shape.position);
    reach[shape.body] = Math.max(reach[shape.body]!, far);
  }
  // A driven belt or drum is as large as it likes; what it moves is the scene.
  const loose = replay.bodies.map((body, i) => (body.driven ? -1 : i)).filter((i) => i >= 0);
  const watched = loose.length > 0 ? replay.bodies.map((_, i) => i).filter((i) => !replay.bodies[i]!.driven || reach[i]! < 4 * Math.max(...loose.map((j) => reach[j]!))) : replay.bodies.map((_, i) => i);
  const centers = new THREE.Box3();
  const ends: [number[], number[]][] = [[[], []], [[], []], [[], []]];
  for (let frame = 0; frame < run.times.length; frame++) {
    for (const i of watched) {
      centers.expandByPoint(new THREE.Vector3().fromArray(run.poses, (frame * count + i) * 7));
      for (let axis = 0; axis < 3; axis++) {
        const x = run.poses[(frame * count + i) * 7 + axis]!;
        ends[axis]![0].push(x - reach[i]!);
        ends[axis]![1].push(x + reach[i]!);
      }
    }
  }
  if (watched.length === 0 || run.times.length === 0) return { center: new THREE.Vector3(), size: 1, direction: new THREE.Vector3(1, -1, 1) };
  const low = new THREE.Vector3(...ends.map(([l]) => middle(l)[0]) as [number, number, number]);
  const high = new THREE.Vector3(...ends.map(([, h]) => middle(h)[1]) as [number, number, number]);
  const extent = new THREE.Vector3().subVectors(high, low);
  const center = new THREE.Vector3().addVectors(low, high).multiplyScalar(0.5);
  return { center, size: Math.max(extent.length() / 2, 1e-12), direction: direction(replay.up, extent, centers.getSize(new THREE.Vector3())) };
}

/** From the side that shows most, a little from above; scenes in which all stays in one plane more from above. */
function direction(up: [number, number, number], extent: THREE.Vector3, centers: THREE.Vector3): THREE.Vector3 {
  const axis = new THREE.Vector3(...up);
  const others = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)].filter((v) => Math.abs(v.dot(axis)) < 0.5);
  const long = (v: THREE.Vector3) => Math.abs(extent.dot(v));
  const [wide, deep] = long(others[0]!) >= long(others[1]!) ? [others[0]!, others[1]!] : [others[1]!, others[0]!];
  const flat = Math.abs(centers.dot(axis)) < 0.2 * Math.abs(centers.dot(deep));
  const eye = new THREE.Vector3().crossVectors(wide, axis).normalize();
  return eye.addScaledVector(wide, 0.35).addScaledVector(axis, flat ? 2.2 : 0.45).normalize();
}
