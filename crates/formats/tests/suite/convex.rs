//! Constraints of models beside MuJoCo and Genesis: contacts, rows, forces, accelerations, and the state after some steps.
//!
//! `mujoco_contacts.json` was recorded with MuJoCo 4.0.0 at tolerance 0, `mujoco_vectors.json` too; `genesis_rows.json` has rows of Genesis 1.4.5 with
//! its answers.

use crate::mujoco::{list, machine, off, state_of};
use huygens::contact::convex::{
    MassBlocks, Method, Resolution, SoftLaw, SoftOptions, SoftProblem, SoftRows, SoftScratch, SoftSolution,
    solve_soft,
};
use huygens_formats::mjcf::soft::SoftMachine;
use huygens_formats::mjcf::{self, Question};
use serde_json::Value;

fn soft_of(text: &str, state: &Value, steps: usize) -> (mjcf::Model, mjcf::Inspection) {
    let (model, machine) = machine(text);
    let state = state_of(&machine, state);
    let question = Question { steps, ..Question::default() };
    let found =
        mjcf::inspect_constrained(&model, &machine, &state, &question).unwrap_or_else(|f| panic!("{f}"));
    (model, found)
}

fn contacts_of(soft: &SoftMachine, ids: bool) -> Vec<f64> {
    let of = |c: &mjcf::soft::SoftContact| {
        let mut list: Vec<f64> = if ids { c.geoms.iter().map(|g| *g as f64).collect() } else { Vec::new() };
        list.extend(c.pos.to_array());
        list.push(c.dist);
        list.extend(c.frame.iter().flat_map(|axis| axis.to_array()));
        list
    };
    soft.contacts.iter().flat_map(of).collect()
}

fn dense_rows(soft: &SoftMachine, n: usize) -> Vec<f64> {
    let rows = &soft.work.rows;
    let mut dense = vec![0.0; rows.len() * n];
    for block in &rows.blocks {
        for row in 0..block.rows {
            for (dof, j) in rows.columns_of(block).iter().zip(rows.row_of(block, row)) {
                dense[(block.first + row) * n + dof] = *j;
            }
        }
    }
    dense
}

#[test]
fn contacts_rows_forces_and_motion_are_mujocos() {
    let all: Value = serde_json::from_str(include_str!("mujoco_contacts.json")).unwrap();
    for (number, case) in all["cases"].as_array().unwrap().iter().enumerate() {
        let steps = case["steps"].as_u64().unwrap() as usize;
        let (_, found) = soft_of(case["mjcf"].as_str().unwrap(), &case["state"], steps);
        let soft = found.soft.as_ref().unwrap();
        let after = found.after.as_ref().unwrap();
        let quantities = [
            ("contacts", contacts_of(soft, true), &case["contacts"]),
            ("aref", soft.work.rows.aref.clone(), &case["aref"]),
            ("R", soft.work.rows.r.clone(), &case["R"]),
            ("force", soft.work.solution.force.clone(), &case["force"]),
            ("qacc", found.forward.qacc.clone(), &case["qacc"]),
            ("qpos", after.qpos.clone(), &case["after"]["qpos"]),
            ("qvel", after.qvel.clone(), &case["after"]["qvel"]),
        ];
        let sensors = found.sensors.iter().flatten().copied().collect();
        let told = case.get("sensors").map(|theirs| ("sensors", sensors, theirs));
        for (what, ours, theirs) in quantities.into_iter().chain(told) {
            let off = off(&ours, &list(theirs));
            // Both solve to round-off; twenty steps of a touching body grow it a hundredfold.
            assert!(off < 1e-10, "case {number}, {}: {what} is off by {off:e}", case["name"]);
        }
    }
}

#[test]
fn every_number_of_the_eight_vectors_holds() {
    let all: Value = serde_json::from_str(include_str!("mujoco_vectors.json")).unwrap();
    let mut compared = 0;
    for case in all["vectors"].as_array().unwrap() {
        let steps = case["nstep"].as_u64().unwrap() as usize;
        let (model, found) = soft_of(case["mjcf"].as_str().unwrap(), &case["state"], steps);
        let soft = found.soft.as_ref().unwrap();
        let forward = &case["forward"];
        let after = found.after.as_ref().unwrap();
        let pos: Vec<f64> = soft.work.info.iter().map(|i| i.pos).collect();
        let quantities = [
            ("efc_J", dense_rows(soft, model.nv), &forward["efc_J"]),
            ("efc_aref", soft.work.rows.aref.clone(), &forward["efc_aref"]),
            ("efc_R", soft.work.rows.r.clone(), &forward["efc_R"]),
            ("efc_pos", pos, &forward["efc_pos"]),
            ("efc_force", soft.work.solution.force.clone(), &forward["efc_force"]),
            ("contact", contacts_of(soft, false), &forward["contact"]),
            ("qacc", found.forward.qacc.clone(), &forward["qacc"]),
            ("qpos", after.qpos.clone(), &case["after"]["qpos"]),
            ("qvel", after.qvel.clone(), &case["after"]["qvel"]),
        ];
        for (what, ours, theirs) in quantities {
            if !theirs.is_null() {
                compared += 1;
                let off = off(&ours, &list(theirs));
                assert!(off < 1e-11, "{}: {what} is off by {off:e}", case["name"]);
            }
        }
    }
    assert!(compared > 40, "{compared} quantities");
}

/// A problem that Genesis recorded.
fn genesis_problem(case: &Value) -> (MassBlocks, SoftRows) {
    let (options, step) = (&case["options"], &case["step"]);
    let n = step["M"].as_array().unwrap().len();
    let mut mass = MassBlocks::default();
    mass.push(n).copy_from_slice(&list(&step["M"]));
    let (j, aref, d) = (list(&step["J"]), list(&step["aref"]), list(&step["D"]));
    let mut rows = SoftRows::default();
    let columns: Vec<usize> = (0..n).collect();
    let mut add = |law: SoftLaw, count: usize| {
        let block = rows.push(law, count, &columns);
        for row in 0..count {
            let at = block.first + row;
            rows.row_of_mut(&block, row).copy_from_slice(&j[at * n..(at + 1) * n]);
            rows.aref[at] = aref[at];
            rows.r[at] = 1.0 / d[at];
        }
        block.first + count
    };
    let count = |name: &str| step[name].as_u64().unwrap_or(0) as usize;
    let mut made = 0;
    for _ in 0..count("n_equality") {
        made = add(SoftLaw::Equality, 1);
    }
    let loss = list(&step["frictionloss"]);
    for loss in loss.iter().take(count("n_frictionloss")) {
        made = add(SoftLaw::Friction { loss: *loss }, 1);
    }
    let dim = if options["enable_torsional_friction"] == true { 6 } else { 3 };
    for contact in 0..count("n_contact") {
        let c = list(&step["friction"][contact]);
        let [spin, roll] = if c.len() > 1 { [c[1], c[2]] } else { [0.0; 2] };
        made = if options["friction_cone"] == "elliptic" {
            let mu = c[0] / options["impratio"].as_f64().unwrap_or(1.0).sqrt();
            add(SoftLaw::Elliptic { friction: [c[0], c[0], spin, roll, roll], mu }, dim)
        } else {
            add(SoftLaw::Pyramid, 2 * (dim - 1))
        };
    }
    while made < aref.len() {
        made = add(SoftLaw::Unilateral, 1);
    }
    (mass, rows)
}

#[test]
fn forces_and_accelerations_are_those_of_genesis_with_its_rows() {
    let all: Value = serde_json::from_str(include_str!("genesis_rows.json")).unwrap();
    for case in all["cases"].as_array().unwrap() {
        let (mass, rows) = genesis_problem(case);
        let (options, step) = (&case["options"], &case["step"]);
        let smooth = list(&step["acc_smooth"]);
        let last = vec![0.0; smooth.len()];
        let signorini = options["contact_resolution"] == "signorini";
        for method in [Method::Newton, Method::Cg] {
            if signorini && method == Method::Cg {
                continue;
            }
            let solver = SoftOptions {
                method,
                iterations: 1000,
                tolerance: 0.0,
                resolution: if signorini { Resolution::Signorini } else { Resolution::Convex },
                noslip_iterations: options["noslip_iterations"].as_u64().unwrap_or(0) as u32,
                ..SoftOptions::default()
            };
            let problem = SoftProblem { mass: &mass, rows: &rows, smooth: &smooth, last: &last };
            let mut out = SoftSolution::default();
            solve_soft(&problem, &solver, &mut SoftScratch::default(), &mut out);
            for (what, ours, theirs) in [("qacc", &out.a, "qacc"), ("force", &out.force, "efc_force")] {
                let off = off(ours, &list(&step[theirs]));
                assert!(off < 1e-9, "{} with {method:?}: {what} is off by {off:e}", case["name"]);
            }
        }
    }
}

#[test]
fn the_book_of_a_mechanism_closes_with_every_integrator() {
    let text = r#"<mujoco><option timestep="0.001" integrator="INT"/><worldbody><geom type="plane" size="5 5 .1"/>
        <body pos="0 0 .5"><freejoint/><geom type="box" size=".1 .2 .05"/><body pos=".1 0 0"><joint axis="0 1 0" stiffness="2" damping=".05" frictionloss=".01" range="-60 60"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/></body></body></worldbody></mujoco>"#;
    for integrator in ["Euler", "implicitfast", "implicit", "RK4"] {
        let (model, machine) = machine(&text.replace("INT", integrator));
        let mut state = machine.start();
        state.qvel[3] = 2.0;
        let mut soft = SoftMachine::new(&model, machine).unwrap_or_else(|f| panic!("{f}"));
        for _ in 0..1500 {
            assert!(soft.step(&mut state));
        }
        soft.look(&state);
        let book = &soft.book;
        let start = book.start.total();
        let posted: f64 = book.accounts.iter().sum();
        assert!((book.end.total() - start - posted - book.unexplained).abs() < 1e-12 * start);
        assert!(book.unexplained.abs() < 1e-11 * start, "{integrator}: {}", book.unexplained);
        let of = |name: &str| book.accounts[mjcf::soft::ACCOUNTS.iter().position(|a| *a == name).unwrap()];
        // It fell by 0.45 m and lies: contacts took most of it, springs and dampers some.
        assert!(
            of("impact") < -0.3 * start && of("viscous") < 0.0 && of("friction") < 0.0,
            "{:?}",
            book.accounts
        );
        // The integrator's own share is of the order of the step.
        assert!(of("gravity").abs() < 0.02 * start, "{:?}", book.accounts);
        let resting = soft.forward.kin.twist.iter().all(|t| t.linear.length() < 1e-2);
        assert!(resting, "{integrator}");
    }
}
