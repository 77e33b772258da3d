// The replay: one run or two side by side, to turn, play and scrub.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Data } from "./data";
import { html, swatch } from "./dom";
import { brief, withUnit } from "./format";
import { isDark, onGround, type Look } from "./look";
import { Stage, decodeRun, geometries, type Frames } from "./stage";
import { viewOf, type View } from "./view";

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
/** A run is shown in about this time [s], unless it is real time. */
const SHOWN_IN = 7;

function defaultSpeed(time: number): number {
  const wanted = time / SHOWN_IN;
  if (wanted > 0.3 && wanted < 3) return 1;
  return SPEEDS.reduce((best, speed) => (Math.abs(Math.log(speed / wanted)) < Math.abs(Math.log(best / wanted)) ? speed : best));
}

export function replayPart(data: Data, looks: Map<string, Look>): HTMLElement {
  const host = html("div", { class: "replay" });
  if (!data.replay || data.replay.runs.length === 0) {
    host.append(html("p", { class: "muted" }, "No model could run this scene."));
    return host;
  }
  const runs = data.replay.runs.map(decodeRun);
  let renderer: THREE.WebGLRenderer;
  try {
    renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  } catch {
    host.append(html("p", { class: "muted" }, "This browser draws no 3D pictures (WebGL); the plots and the table below need none."));
    return host;
  }
  const player = new Player(data, runs, looks, renderer);
  host.append(player.element);
  return host;
}

class Player {
  readonly element: HTMLElement;
  private camera = new THREE.PerspectiveCamera(32, 1.6, 0.01, 100);
  private controls: OrbitControls;
  private view: View;
  private stages: Stage[];
  private chosen: (Frames | null)[];
  private time = 0;
  private playing = false;
  private before = 0;
  private speed: number;
  private waiting = false;
  private screen = html("div", { class: "screen" });
  private labels = [html("span", { class: "label" }), html("span", { class: "label" })];
  private divider = html("div", { class: "divider" });
  private still = html("img", { class: "still", alt: "" });
  private caption = html("p", { class: "still-caption" });
  private play = html("button", { type: "button", class: "play", "aria-label": "Play" }, "▶");
  private slider = html("input", { type: "range", min: "0", max: "1000", step: "1", value: "0", "aria-label": "Time" });
  private clock = html("output", { class: "clock" });

  constructor(
    private data: Data,
    private runs: Frames[],
    private looks: Map<string, Look>,
    private renderer: THREE.WebGLRenderer,
  ) {
    const replay = data.replay!;
    const shapes = geometries(replay);
    this.view = viewOf(replay, runs[0]!, shapes);
    const strongest = strongestForce(runs);
    this.stages = [0, 1].map(() => new Stage(replay, shapes, this.view.size, this.view.center, strongest));
    this.chosen = [runs[0]!, runs.find((run) => run.name.includes("+baumgarte")) ?? null];
    if (this.chosen[1] === null && runs.length > 1) this.chosen[1] = runs[1]!;
    this.speed = defaultSpeed(data.time);
    renderer.shadowMap.enabled = true;
    renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    renderer.setScissorTest(true);
    renderer.domElement.setAttribute("tabindex", "0");
    renderer.domElement.setAttribute("role", "img");
    this.controls = new OrbitControls(this.camera, renderer.domElement);
    this.controls.addEventListener("change", () => this.ask());
    // A finger that moves up or down scrolls the page; sideways it turns the scene.
    renderer.domElement.style.touchAction = "pan-y";
    this.element = html("div", {}, this.screen, this.still, this.caption, this.bar(), this.choices());
    this.screen.append(renderer.domElement, this.divider, ...this.labels);
    this.home();
    this.listen();
    this.name();
  }

  private listen(): void {
    new ResizeObserver(() => this.fit()).observe(this.screen);
    onGround(() => this.ask());
    window.addEventListener("beforeprint", () => this.keepStill());
    this.renderer.domElement.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      this.toggle();
    });
  }

  /** The eye back to where it was. */
  private home(): void {
    const { center, size, direction } = this.view;
    this.camera.up.set(...this.data.replay!.up);
    this.camera.near = size * 0.01;
    this.camera.far = size * 200;
    this.camera.position.copy(center).addScaledVector(direction, this.distance());
    this.controls.target.copy(center);
    this.controls.update();
    this.camera.updateProjectionMatrix();
  }

  private distance(): number {
    const half = ((this.camera.fov / 2) * Math.PI) / 180;
    const across = Math.atan(Math.tan(half) * Math.min(1, this.camera.aspect));
    return (0.84 * this.view.size) / Math.sin(across);
  }

  private two(): boolean {
    return this.chosen[1] !== null;
  }

  /** Two views stand side by side, or one above the other where it is narrow. */
  private stacked(): boolean {
    return this.two() && this.screen.clientWidth < 620;
  }

  private fit(): void {
    const width = this.screen.clientWidth;
    if (width === 0) return;
    const one = Math.round(Math.min(width * 0.62, 470));
    const height = this.stacked() ? 2 * Math.round(width * 0.62) : this.two() ? Math.round(Math.min(width * 0.42, 470)) : one;
    this.renderer.setSize(width, height);
    const aspect = this.two() ? (this.stacked() ? width / (height / 2) : width / 2 / height) : width / height;
    const moved = this.camera.position.distanceTo(this.controls.target) / this.distance();
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    // The same part of the scene fills the new shape.
    const eye = this.camera.position.clone().sub(this.controls.target).setLength(moved * this.distance());
    this.camera.position.copy(this.controls.target).add(eye);
    this.controls.update();
    this.draw();
    this.keepStill();
  }

  private bar(): HTMLElement {
    const speeds = html("select", { "aria-label": "Speed" });
    for (const speed of SPEEDS) {
      const option = html("option", { value: String(speed) }, speed === 1 ? "real time" : `${brief(speed)} ×`);
      option.selected = speed === this.speed;
      speeds.append(option);
    }
    speeds.addEventListener("change", () => (this.speed = Number(speeds.value)));
    this.play.addEventListener("click", () => this.toggle());
    this.slider.addEventListener("input", () => {
      this.stop();
      this.time = (Number(this.slider.value) / 1000) * this.data.time;
      this.ask();
    });
    this.slider.addEventListener("change", () => this.keepStill());
    return html("div", { class: "bar controls" }, this.play, this.slider, this.clock, speeds);
  }

  private choices(): HTMLElement {
    const picks = [0, 1].map((side) => {
      const select = html("select", { "aria-label": side === 0 ? "Model on the left" : "Model on the right" });
      if (side === 1) select.append(html("option", { value: "" }, "one view"));
      for (const run of this.runs) {
        const option = html("option", { value: run.name }, run.name);
        option.selected = this.chosen[side] === run;
        select.append(option);
      }
      select.addEventListener("change", () => {
        this.chosen[side] = this.runs.find((run) => run.name === select.value) ?? null;
        this.name();
        this.fit();
      });
      return select;
    });
    const check = (text: string, set: (on: boolean) => void) => {
      const input = html("input", { type: "checkbox" });
      input.addEventListener("change", () => {
        set(input.checked);
        this.ask();
      });
      return html("label", {}, input, ` ${text}`);
    };
    const home = html("button", { type: "button" }, "reset view");
    home.addEventListener("click", () => this.home());
    return html(
      "div",
      { class: "choices controls" },
      ...picks,
      check("contact normals", (on) => this.stages.forEach((stage) => (stage.showNormals = on))),
      check("contact forces", (on) => this.stages.forEach((stage) => (stage.showForces = on))),
      home,
    );
  }

  private name(): void {
    this.chosen.forEach((run, side) => {
      const label = this.labels[side]!;
      label.hidden = run === null;
      if (run) label.replaceChildren(swatch(this.looks.get(run.name)!), run.name);
    });
    const names = this.chosen.filter((run) => run !== null).map((run) => run.name);
    this.renderer.domElement.setAttribute("aria-label", `Replay of ${this.data.scene} with ${names.join(" and ")}`);
  }

  private toggle(): void {
    if (this.playing) return this.stop();
    if (this.time >= this.data.time) this.time = 0;
    this.playing = true;
    this.play.textContent = "❚❚";
    this.play.setAttribute("aria-label", "Pause");
    this.before = performance.now();
    this.ask();
  }

  private stop(): void {
    this.playing = false;
    this.play.textContent = "▶";
    this.play.setAttribute("aria-label", "Play");
  }

  /** Draws at the next turn of the screen. */
  private ask(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => {
      this.waiting = false;
      if (this.playing) {
        this.time += ((now - this.before) / 1000) * this.speed;
        this.before = now;
        if (this.time >= this.data.time) {
          this.time = this.data.time;
          this.stop();
        }
      }
      this.draw();
      if (this.playing) this.ask();
    });
  }

  private draw(): void {
    this.slider.value = String(Math.round((this.time / this.data.time) * 1000));
    this.clock.textContent = withUnit(this.time, "s");
    const size = this.renderer.getSize(new THREE.Vector2());
    this.renderer.setClearColor(isDark() ? "#1b1f26" : "#eef0f2");
    const sides = this.chosen.map((run, side) => [run, side] as const).filter(([run]) => run !== null);
    const stacked = this.stacked();
    this.divider.hidden = sides.length < 2;
    this.divider.classList.toggle("across", stacked);
    const part = sides.length === 1 ? size.clone() : stacked ? new THREE.Vector2(size.x, size.y / 2) : new THREE.Vector2(size.x / 2, size.y);
    sides.forEach(([run, side], i) => {
      const stage = this.stages[side]!;
      stage.ground(isDark());
      stage.show(run!, this.time);
      const left = stacked ? 0 : i * part.x;
      // Counted from the lower edge.
      const low = stacked ? (1 - i) * part.y : 0;
      this.renderer.setViewport(left, low, part.x, part.y);
      this.renderer.setScissor(left, low, part.x, part.y);
      this.renderer.render(stage.scene, this.camera);
      const label = this.labels[side]!;
      label.style.left = `${left + 10}px`;
      label.style.top = `${stacked ? i * part.y + 8 : 8}px`;
    });
  }

  /** The picture as it is, for paper. */
  private keepStill(): void {
    this.draw();
    this.still.src = this.renderer.domElement.toDataURL("image/png");
    const names = this.chosen.filter((run) => run !== null).map((run) => run.name);
    this.still.alt = `${this.data.scene} at ${withUnit(this.time, "s")} with ${names.join(" and ")}`;
    const [first, second] = this.stacked() ? ["above", "below"] : ["left", "right"];
    this.caption.textContent = `${names.join(` (${first}) and `)}${names.length > 1 ? ` (${second})` : ""} at ${withUnit(this.time, "s")}`;
  }
}

/** A force that few exceed [N]. */
function strongestForce(runs: Frames[]): number {
  const forces: number[] = [];
  for (const run of runs) {
    for (let i = 0; i < run.marks.length; i += 9) forces.push(Math.hypot(run.marks[i + 6]!, run.marks[i + 7]!, run.marks[i + 8]!));
  }
  forces.sort((a, b) => a - b);
  return Math.max(forces[Math.floor(forces.length * 0.98)] ?? 1, 1e-30);
}
