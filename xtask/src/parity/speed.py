"""How fast `huygens bench` steps robots, beside MuJoCo's library: the same model, states and controls. Arguments: the program, the page (or -),
rounds, then models: N (as many of the built-in humanoids) or files."""
import json, os, subprocess, sys, tempfile, time
import mujoco
import numpy as np

program, page, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
HOLD = 10


def recorded(m, segments):
    """States of a run of MuJoCo under random controls, a new one every ten steps."""
    d, rng, out = mujoco.MjData(m), np.random.default_rng(1), []
    low, high = np.where(m.actuator_ctrllimited[:, None], m.actuator_ctrlrange, [-1.0, 1.0]).T
    for _ in range(segments):
        d.ctrl[:] = rng.uniform(low, high)
        out.append(dict(qpos=d.qpos.tolist(), qvel=d.qvel.tolist(), act=d.act.tolist(), ctrl=d.ctrl.tolist(), qacc_warmstart=d.qacc_warmstart.tolist()))
        mujoco.mj_step(m, d, HOLD)
    return out


def residual(m, d):
    """Gradient of the cost at the last solve over the trace of M at the start, which scales MuJoCo's own stopping rule."""
    change = np.zeros(m.nv)
    mujoco.mj_mulM(m, d, change, d.qacc - d.qacc_smooth)
    return float(np.linalg.norm(change - d.qfrc_constraint) / (m.stat.meaninertia * m.nv))


def mujoco_round(m, states):
    """Time of each segment [ns] and its end."""
    d, times, ends = mujoco.MjData(m), [], []
    for state in states:
        d.time = 0.0
        for name in ["qpos", "qvel", "act", "ctrl", "qacc_warmstart"]:
            getattr(d, name)[:] = state[name]
        began = time.perf_counter_ns()
        mujoco.mj_step(m, d, HOLD)
        times.append(time.perf_counter_ns() - began)
        ends.append(dict(qpos=d.qpos.copy(), contacts=d.ncon, rows=d.nefc, iterations=int(d.solver_niter[0]), residual=residual(m, d)))
    return times, ends


TIMERS = ["POS_KINEMATICS", "POS_INERTIA", "POS_COLLISION", "POS_MAKE", "POS_PROJECT", "VELOCITY", "ACTUATION", "CONSTRAINT", "ADVANCE"]


def compare(path, segments):
    m = mujoco.MjModel.from_xml_path(path)
    states = recorded(m, segments)
    folder = tempfile.mkdtemp()
    file = os.path.join(folder, "states.json")
    json.dump(dict(hold=HOLD, segments=states), open(file, "w"))
    theirs, ours, ends, result = [], [], None, None
    for _ in range(rounds):
        times, ends = mujoco_round(m, states)
        theirs.append(times)
        run = subprocess.run([program, "bench", path, "--states", file, "--json"], capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        result = json.loads(run.stdout)
        ours.append([s["ns"] for s in result["segments"]])
    # Of each segment the best round of each: other work on the machine only adds.
    theirs, ours = (np.min(x, axis=0) / HOLD / 1e3 for x in (theirs, ours))
    own = result["segments"]
    off = [float(np.max(np.abs(np.array(a["qpos"]) - b["qpos"]))) for a, b in zip(own, ends)]
    mean = lambda list, key: float(np.mean([x[key] for x in list]))
    worst = lambda list, key: float(np.max([x[key] for x in list]))
    return dict(nv=m.nv, segments=segments, mujoco=float(np.mean(theirs)), huygens=float(np.mean(ours)),
                ratio=float(np.mean(theirs) / np.mean(ours)), contacts=[mean(ends, "contacts"), mean(own, "contacts")],
                rows=[mean(ends, "rows"), mean(own, "rows")], iterations=[mean(ends, "iterations"), mean(own, "iterations")],
                residual=[worst(ends, "residual"), worst(own, "residual")], same=float(np.mean([x < 1e-6 for x in off])),
                off=float(np.median(off)), stages=result["stages_us"])


def main():
    lines = ["| model | dofs | MuJoCo µs a step | huygens µs a step | times as fast | contacts | rows | iterations | largest gradient over tr M | segments that end within 1e-6 |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for word in sys.argv[4:]:
        path, name = word, os.path.basename(os.path.dirname(word)) + "/" + os.path.basename(word)
        if word.isdigit():
            path, name = os.path.join(tempfile.mkdtemp(), "humanoid.xml"), f"{word} × humanoid"
            subprocess.run([program, "bench", "humanoid", "--robots", word, "--export", path], check=True)
        r = compare(path, max(10, 300 // (int(word) if word.isdigit() else 1)))
        pair = lambda key, form: " / ".join(form.format(x) for x in r[key])
        lines.append(f"| {name} | {r['nv']} | {r['mujoco']:.1f} | {r['huygens']:.1f} | {r['ratio']:.2f} | {pair('contacts', '{:.1f}')} | {pair('rows', '{:.1f}')} | "
                     f"{pair('iterations', '{:.1f}')} | {pair('residual', '{:.0e}')} | {100 * r['same']:.0f} % (median {r['off']:.0e}) |")
        print(lines[-1], flush=True)
        print("  ", {k: round(v, 1) for k, v in r["stages"].items()}, flush=True)
    if page != "-":
        text = open(page).read()
        begin, end = "<!-- written by `cargo xtask parity speed` -->", "<!-- end of what `parity speed` writes -->"
        before, rest = text.split(begin)
        open(page, "w").write(before + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1])


main()
