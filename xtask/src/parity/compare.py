"""Compares `huygens inspect` with MuJoCo on models that came with Python packages. Arguments: the program, the page to write."""
import glob, json, os, subprocess, sys, tempfile
import mujoco
import numpy as np

program, page = sys.argv[1], sys.argv[2]
STEPS = 100
PACKAGES = ["dm_control", "gymnasium", "mujoco_warp", "mjlab", "metaworld"]
INTEGRATORS = {"Euler": 0, "RK4": 1, "implicit": 2, "implicitfast": 3}
SIZES = ["nq", "nv", "nu", "na", "nbody", "njnt", "ngeom", "nsite", "nmesh", "neq", "ntendon", "nsensor", "nkey", "nmocap"]
site = os.path.dirname(os.path.dirname(mujoco.__file__))
O = mujoco.mjtObj


def off(found, expected, floor):
    found, expected = np.asarray(found, float).ravel(), np.asarray(expected, float).ravel()
    if found.shape != expected.shape:
        return float("inf")
    if found.size == 0:
        return 0.0
    return float(np.max(np.abs(found - expected)) / max(np.max(np.abs(expected)), floor))


def run(words):
    return subprocess.run([program, "inspect", *words, "--no-constraints", "--json"], capture_output=True, text=True, timeout=600)


def names(m, count, kind):
    return [mujoco.mj_id2name(m, kind, i) or "" for i in range(count)]


def put(d, state):
    for name in ["qpos", "qvel", "act", "ctrl"]:
        getattr(d, name)[:] = state[name]


def moved(m, state, factor=1.0):
    """The state after some steps; None when MuJoCo itself gives up on the way."""
    d = mujoco.MjData(m)
    put(d, state)
    d.qpos[:] *= factor
    d.qvel[:] *= factor
    for _ in range(STEPS):
        mujoco.mj_step(m, d)
        if d.time < m.opt.timestep / 2 or any(w.number for w in d.warning):
            return None
    return d


def one(path, rng, folder):
    m = mujoco.MjModel.from_xml_path(path)
    m.opt.jacobian = 0  # the sparse one of 4.0.0 has a fault
    bits = mujoco.mjtDisableBit
    m.opt.disableflags |= int(bits.mjDSBL_CONSTRAINT) | int(bits.mjDSBL_CONTACT)
    d = mujoco.MjData(m)
    q = m.qpos0.copy()
    mujoco.mj_integratePos(m, q, rng.normal(size=m.nv) * 0.3, 1.0)
    state = dict(qpos=list(q), qvel=list(rng.normal(size=m.nv)), act=list(rng.uniform(size=m.na)), ctrl=list(rng.normal(size=m.nu)))
    put(d, state)
    mujoco.mj_forward(m, d)
    file = os.path.join(folder, "state.json")
    json.dump(state, open(file, "w"))
    result = run([path, "--state", file])
    if result.returncode:
        # A model with flex has other sizes here: the state does not fit.
        lines = result.stderr.strip().split("\n")
        return dict(why=" ".join(line.strip() for line in lines[:1])[:160])
    o = json.loads(result.stdout)
    notes = [f"{k} {o[k]} instead of {getattr(m, k)}" for k in SIZES if o[k] != getattr(m, k)]
    kinds = [("body", O.mjOBJ_BODY, m.nbody), ("joint", O.mjOBJ_JOINT, m.njnt), ("geom", O.mjOBJ_GEOM, m.ngeom),
             ("site", O.mjOBJ_SITE, m.nsite), ("tendon", O.mjOBJ_TENDON, m.ntendon), ("actuator", O.mjOBJ_ACTUATOR, m.nu),
             ("sensor", O.mjOBJ_SENSOR, m.nsensor)]
    notes += [f"names of {name}" for name, kind, count in kinds if o["names"][name] != names(m, count, kind)]
    full = np.zeros((m.nv, m.nv))
    if m.nv:
        mujoco.mj_fullM(m, d, full)
    weight = 9.81 * m.body_mass.sum()
    e = dict(
        M=off(o["M"], full, 1e-10), bias=off(o["bias"], d.qfrc_bias, 1e-6 * weight),
        passive=off(o["passive"], d.qfrc_passive, 1e-6 * weight), actuator=off(o["actuator"], d.qfrc_actuator, 1e-10),
        tendon=off(o["tendon_length"], d.ten_length, 1e-10), qacc=off(o["qacc_smooth"], d.qacc, 1e-5))
    values, silent = list(o["sensors"].values()), set(o["sensors_not_computed"])
    e["sensor"] = 0.0
    for i in range(m.nsensor):
        if i not in silent:
            at = m.sensor_adr[i]
            e["sensor"] = max(e["sensor"], off(values[i], d.sensordata[at:at + m.sensor_dim[i]], 1e-6))
    # What a relative change of 1e-14 of the coordinates does to MuJoCo's own answer: no program can be nearer.
    near = mujoco.MjData(m)
    put(near, state)
    near.qpos[:] *= 1 + 1e-14
    near.qvel[:] *= 1 + 1e-14
    mujoco.mj_forward(m, near)
    own = off(near.qacc, d.qacc, 1e-5)
    for name, number in INTEGRATORS.items():
        m.opt.integrator = number
        there, beside = moved(m, state), moved(m, state, 1 + 1e-12)
        if there is None or beside is None:
            e[name] = None
            continue
        shaken = max(off(beside.qpos, there.qpos, 1e-6), off(beside.qvel, there.qvel, 1e-6)) if m.nv else 0.0
        if shaken > 1e-9:
            e[name] = None
            continue
        a = json.loads(run([path, "--state", file, "--steps", str(STEPS), "--integrator", name]).stdout)["after"]
        e[name] = max(off(a["qpos"], there.qpos, 1e-6), off(a["qvel"], there.qvel, 1e-6), off(a["act"], there.act, 1e-6)) if m.nv else 0.0
    return dict(notes=notes, errors=e, own=own, silent=len(silent))


def main():
    rng = np.random.default_rng(1)
    rows, loaded, total, good, stepped, step_good = [], 0, 0, 0, 0, 0
    smooth = ["M", "bias", "passive", "actuator", "tendon", "sensor", "qacc"]
    with tempfile.TemporaryDirectory() as folder:
        for package in PACKAGES:
            for path in sorted(glob.glob(f"{site}/{package}/**/*.xml", recursive=True)):
                try:
                    mujoco.MjModel.from_xml_path(path)
                except ValueError:
                    continue
                total += 1
                name = path[len(site) + 1:]
                r = one(path, rng, folder)
                if "why" in r:
                    rows.append(f"| {name} | {r['why'].replace('|', '/')} |" + " |" * 11)
                    continue
                loaded += 1
                e = r["errors"]
                good += all(e[k] <= 1e-9 for k in smooth)
                for k in INTEGRATORS:
                    if e[k] is not None:
                        stepped += 1
                        step_good += e[k] <= 1e-8
                cells = ["–" if e[k] is None else f"{e[k]:.0e}" for k in smooth + list(INTEGRATORS)]
                rows.append(f"| {name} | {'; '.join(r['notes'])} | " + " | ".join(cells) + " |")
                print(rows[-1], flush=True)
    head = f"""# Parity with MuJoCo {mujoco.__version__}

`cargo xtask parity` wrote this page. Models that nobody here wrote, from the Python packages {', '.join(PACKAGES)}: every file that MuJoCo loads,
at a random state with random controls, constraints and contacts disabled, dense Jacobians.

- {loaded} of {total} models load ({100 * loaded / total:.1f} %).
- {good} of {loaded} have M, bias, passive, actuator, tendon lengths, sensors and qacc within 1e-9 (largest difference, as a share of the largest number).
- {step_good} of {stepped} runs of {STEPS} steps end within 1e-8. Runs in which MuJoCo diverges, or, perturbed by 1e-12, ends more than 1e-9 away, are not compared (–).

Sensors that need contacts, limits or rays are not computed yet and not compared.

| model | why not, or what differs | {' | '.join(smooth)} | {' | '.join(INTEGRATORS)} |
|---|---|{'---|' * 11}
"""
    open(page, "w").write(head + "\n".join(rows) + "\n")
    print(head.split("| model")[0])


main()
