// One view of the replay: the bodies of one run at one time.

import * as THREE from "three";
import { floats, integers, type Replay, type ReplayRun } from "./data";

const BODY_COLORS = ["#6f97c9", "#d79a54", "#76ad7c", "#c2757f", "#9381bd", "#57a6ad", "#c4a64f", "#8d97a5"];
const DRIVEN = "#d4572a";
const STATIC = "#aeb4bb";
const FLOOR = { light: "#d3d8dd", dark: "#3a424d" };
const MOST_SHADOWS = 400;

interface Placed {
  body: number | null;
  local: THREE.Matrix4;
}

interface Batch {
  mesh: THREE.InstancedMesh;
  placed: Placed[];
}

export interface Frames {
  name: string;
  times: number[];
  poses: Float32Array;
  marks: Float32Array;
  /** Where the marks of each frame begin. */
  first: number[];
}

export function decodeRun(run: ReplayRun): Frames {
  let at = 0;
  const first = run.mark_counts.map((count) => {
    const here = at;
    at += count;
    return here;
  });
  return { name: run.name, times: run.times, poses: floats(run.poses), marks: floats(run.marks), first: [...first, at] };
}

export function geometries(replay: Replay): THREE.BufferGeometry[] {
  return replay.meshes.map((mesh) => {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(floats(mesh.points), 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(floats(mesh.normals), 3));
    geometry.setIndex(new THREE.BufferAttribute(integers(mesh.indices), 1));
    geometry.computeBoundingSphere();
    return geometry;
  });
}

function pose(position: ArrayLike<number>, [w, x, y, z]: [number, number, number, number]): THREE.Matrix4 {
  const place = new THREE.Vector3(position[0], position[1], position[2]);
  return new THREE.Matrix4().compose(place, new THREE.Quaternion(x, y, z, w), new THREE.Vector3(1, 1, 1));
}

/** An arrow of length 1 along z, from the origin. */
function arrow(): THREE.BufferGeometry {
  const outline = [
    [0, 0],
    [0.022, 0],
    [0.022, 0.78],
    [0.07, 0.78],
    [0, 1],
  ].map(([r, z]) => new THREE.Vector2(r, z));
  return new THREE.LatheGeometry(outline, 12).rotateX(Math.PI / 2);
}

export class Stage {
  readonly scene = new THREE.Scene();
  private batches: Batch[] = [];
  private floors: THREE.MeshStandardMaterial[] = [];
  private bodies: THREE.Matrix4[];
  private normals: THREE.InstancedMesh;
  private forces: THREE.InstancedMesh;
  private sun = new THREE.DirectionalLight("#ffffff", 1.9);
  private sky = new THREE.HemisphereLight("#ffffff", "#b3b7be", 1.7);
  showNormals = false;
  showForces = false;

  constructor(
    private replay: Replay,
    shapes: THREE.BufferGeometry[],
    private size: number,
    center: THREE.Vector3,
    private strongest: number,
  ) {
    this.bodies = replay.bodies.map(() => new THREE.Matrix4());
    this.build(shapes);
    const mark = arrow();
    this.normals = this.arrows(mark, "#00875f");
    this.forces = this.arrows(mark, "#d4572a");
    this.light(center);
  }

  private arrows(geometry: THREE.BufferGeometry, color: string): THREE.InstancedMesh {
    const most = 256;
    // Forces act inside of bodies: they are drawn over them.
    const material = new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.9 });
    const mesh = new THREE.InstancedMesh(geometry, material, most);
    mesh.frustumCulled = false;
    mesh.renderOrder = 2;
    mesh.count = 0;
    this.scene.add(mesh);
    return mesh;
  }

  private light(center: THREE.Vector3): void {
    const up = new THREE.Vector3(...this.replay.up);
    const side = Math.abs(up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    const across = new THREE.Vector3().crossVectors(up, side).normalize();
    this.sky.position.copy(up);
    this.sun.position.copy(center).addScaledVector(up, 3 * this.size).addScaledVector(side, this.size).addScaledVector(across, -1.4 * this.size);
    this.sun.target.position.copy(center);
    if (this.replay.bodies.length <= MOST_SHADOWS) {
      this.sun.castShadow = true;
      this.sun.shadow.mapSize.set(1024, 1024);
      this.sun.shadow.normalBias = 0.004 * this.size;
      this.sun.shadow.bias = -0.0004;
      this.sun.shadow.intensity = 0.45;
      const box = this.sun.shadow.camera;
      [box.left, box.right, box.bottom, box.top] = [-1.6, 1.6, -1.6, 1.6].map((x) => x * this.size) as [number, number, number, number];
      [box.near, box.far] = [0.1 * this.size, 8 * this.size];
    }
    this.scene.add(this.sky, this.sun, this.sun.target);
  }

  private colors(): THREE.Color[] {
    const groups: string[] = [];
    return this.replay.bodies.map((body, i) => {
      const name = body.name.split("[")[0]!;
      if (!groups.includes(name)) groups.push(name);
      const color = new THREE.Color(body.driven ? DRIVEN : BODY_COLORS[groups.indexOf(name) % BODY_COLORS.length]);
      // Equal bodies side by side are told apart by a little light.
      return color.offsetHSL(0, 0, (((i * 7) % 5) - 2) * 0.018);
    });
  }

  private build(shapes: THREE.BufferGeometry[]): void {
    const colors = this.colors();
    const kinds = new Map<string, { mesh: number; still: boolean; sensor: boolean; list: Replay["shapes"] }>();
    for (const shape of this.replay.shapes) {
      const key = `${shape.mesh} ${shape.body === null} ${shape.sensor}`;
      const kind = kinds.get(key) ?? { mesh: shape.mesh, still: shape.body === null, sensor: shape.sensor, list: [] };
      kind.list.push(shape);
      kinds.set(key, kind);
    }
    for (const { mesh, still, sensor, list } of kinds.values()) {
      const inside = this.replay.meshes[mesh]!.inside;
      const flat = list[0]!.kind === "half-space" || list[0]!.kind === "wall";
      const material = new THREE.MeshStandardMaterial({ roughness: 0.72, metalness: 0.02, transparent: sensor, opacity: sensor ? 0.35 : 1, side: inside ? THREE.BackSide : flat ? THREE.DoubleSide : THREE.FrontSide });
      const instanced = new THREE.InstancedMesh(shapes[mesh]!, material, list.length);
      instanced.castShadow = !still && !inside;
      instanced.receiveShadow = true;
      instanced.frustumCulled = false;
      const placed = list.map((shape, i) => {
        const color = shape.kind === "half-space" ? "#ffffff" : STATIC;
        instanced.setColorAt(i, shape.body === null ? new THREE.Color(color) : colors[shape.body]!);
        return { body: shape.body, local: pose(shape.position, shape.orientation) };
      });
      placed.forEach(({ local }, i) => instanced.setMatrixAt(i, local));
      this.scene.add(instanced);
      if (!still) this.batches.push({ mesh: instanced, placed });
      if (list[0]!.kind === "half-space") {
        this.floors.push(material);
        const reach = shapes[mesh]!.boundingSphere!.radius / Math.SQRT2;
        placed.forEach(({ local }) => this.scene.add(this.ruled(local, reach)));
      }
    }
  }

  /** Lines on an endless plane, a round length apart. */
  private ruled(local: THREE.Matrix4, reach: number): THREE.LineSegments {
    const rough = this.size / 5;
    const base = 10 ** Math.floor(Math.log10(rough));
    const step = base * ([1, 2, 5, 10].find((m) => m * base >= rough) ?? 10);
    const points: number[] = [];
    const n = Math.min(60, Math.floor(reach / step));
    for (let i = -n; i <= n; i++) points.push(i * step, -n * step, 0, i * step, n * step, 0, -n * step, i * step, 0, n * step, i * step, 0);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    const lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: "#6b7280", transparent: true, opacity: 0.28 }));
    const lift = new THREE.Matrix4().makeTranslation(0, 0, 0.0015 * this.size);
    lines.applyMatrix4(local.clone().multiply(lift));
    return lines;
  }

  /** Endless planes take the colour of the page. */
  ground(dark: boolean): void {
    for (const floor of this.floors) floor.color.set(dark ? FLOOR.dark : FLOOR.light);
  }

  /** Puts everything where it is at a time of a run. */
  show(run: Frames, time: number): void {
    const last = run.times.length - 1;
    let k = 0;
    while (k < last && run.times[k + 1]! <= time) k++;
    const next = Math.min(k + 1, last);
    const span = run.times[next]! - run.times[k]!;
    const t = span > 0 ? Math.min(1, Math.max(0, (time - run.times[k]!) / span)) : 0;
    const count = this.replay.bodies.length;
    const [p, q, one] = [new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3(1, 1, 1)];
    const [p2, q2] = [new THREE.Vector3(), new THREE.Quaternion()];
    for (let i = 0; i < count; i++) {
      read(run.poses, (k * count + i) * 7, p, q);
      read(run.poses, (next * count + i) * 7, p2, q2);
      this.bodies[i]!.compose(p.lerp(p2, t), q.slerp(q2, t), one);
    }
    const matrix = new THREE.Matrix4();
    for (const batch of this.batches) {
      batch.placed.forEach(({ body, local }, i) => {
        batch.mesh.setMatrixAt(i, matrix.multiplyMatrices(this.bodies[body!]!, local));
      });
      batch.mesh.instanceMatrix.needsUpdate = true;
    }
    this.mark(run, t < 0.5 ? k : next);
  }

  private mark(run: Frames, frame: number): void {
    const [from, to] = [run.first[frame]!, run.first[frame + 1]!];
    const z = new THREE.Vector3(0, 0, 1);
    const [at, direction, turn, matrix] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Quaternion(), new THREE.Matrix4()];
    let [normals, forces] = [0, 0];
    for (let i = from; i < to && normals < 256; i++) {
      const m = run.marks.subarray(9 * i, 9 * i + 9);
      at.set(m[0]!, m[1]!, m[2]!);
      if (this.showNormals) {
        direction.set(m[3]!, m[4]!, m[5]!);
        const length = 0.14 * this.size;
        matrix.compose(at, turn.setFromUnitVectors(z, direction), new THREE.Vector3(length, length, length));
        this.normals.setMatrixAt(normals++, matrix);
      }
      direction.set(m[6]!, m[7]!, m[8]!);
      const force = direction.length();
      if (this.showForces && force > 1e-6 * this.strongest) {
        const length = 0.5 * this.size * Math.sqrt(force / this.strongest);
        const width = 0.24 * this.size;
        matrix.compose(at, turn.setFromUnitVectors(z, direction.normalize()), new THREE.Vector3(width, width, length));
        this.forces.setMatrixAt(forces++, matrix);
      }
    }
    this.normals.count = normals;
    this.forces.count = forces;
    this.normals.instanceMatrix.needsUpdate = true;
    this.forces.instanceMatrix.needsUpdate = true;
  }
}

function read(poses: Float32Array, at: number, p: THREE.Vector3, q: THREE.Quaternion): void {
  p.set(poses[at]!, poses[at + 1]!, poses[at + 2]!);
  q.set(poses[at + 4]!, poses[at + 5]!, poses[at + 6]!, poses[at + 3]!);
}
