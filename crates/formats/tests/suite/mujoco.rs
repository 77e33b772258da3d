//! MuJoCo's own numbers, recorded with version 4.0.0: models that are small, and together use most of MJCF.
//!
//! `mujoco_answers.json` has for each model a state, everything that MuJoCo computes there with constraints disabled, and the state after
//! some steps of each integrator. `mujoco_vectors.json` has eight models with contacts and limits, of which the smooth part counts here.

use huygens_formats::mjcf::mech::{Integration, MechanismState};
use huygens_formats::mjcf::{self, Inspection, Machine, Model};
use serde_json::Value;
use std::path::Path;

pub fn list(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(list).collect(),
        other => other.as_f64().into_iter().collect(),
    }
}

/// Largest difference, as a share of the largest number, or of 1e-6 where all are smaller.
pub fn off(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    let largest = |list: &mut dyn Iterator<Item = f64>| {
        list.fold(0.0_f64, |a, b| if b.abs() > a { b.abs() } else { a })
    };
    let size = largest(&mut expected.iter().copied());
    let size = if size > 1e-6 { size } else { 1e-6 };
    largest(&mut found.iter().zip(expected).map(|(a, b)| a - b)) / size
}

pub fn machine(mjcf_text: &str) -> (Model, Machine) {
    let model = mjcf::parse("test.xml", mjcf_text, Path::new("")).unwrap_or_else(|fault| panic!("{fault}"));
    let machine = Machine::new(&model).unwrap_or_else(|fault| panic!("{fault}"));
    (model, machine)
}

pub fn state_of(machine: &Machine, value: &Value) -> MechanismState {
    let mut state = machine.start();
    for (name, to) in [
        ("qpos", &mut state.qpos),
        ("qvel", &mut state.qvel),
        ("act", &mut state.act),
        ("ctrl", &mut state.ctrl),
    ] {
        if let Some(values) = value.get(name) {
            *to = list(values);
        }
    }
    state
}

fn quantity(model: &Model, found: &Inspection, name: &str) -> Option<Vec<f64>> {
    let f = &found.forward;
    Some(match name {
        "M" => f.mass.clone(),
        "bias" | "qfrc_bias" => f.bias.clone(),
        "passive" | "qfrc_passive" => f.passive.clone(),
        "actuator" => f.actuator.clone(),
        "actuator_force" => f.actuator_force.clone(),
        "actuator_length" => f.actuator_length.clone(),
        "tendon_length" => f.tendon_length.clone(),
        "qacc_smooth" => f.qacc_smooth.clone(),
        "sensordata" => found.sensors.iter().flatten().copied().collect(),
        "body_mass" => model.bodies.iter().map(|b| b.mass).collect(),
        "body_inertia" => model.bodies.iter().flat_map(|b| b.inertia.to_array()).collect(),
        _ => return None,
    })
}

const INTEGRATORS: [(&str, Integration); 4] = [
    ("Euler", Integration::Euler),
    ("RK4", Integration::Rk4),
    ("implicit", Integration::Implicit),
    ("implicitfast", Integration::ImplicitFast),
];

#[test]
fn small_models_have_mujocos_numbers() {
    let answers: Value = serde_json::from_str(include_str!("mujoco_answers.json")).unwrap();
    let steps = answers["steps"].as_u64().unwrap() as usize;
    let models = answers["models"].as_array().unwrap();
    assert!(models.len() >= 40);
    let mut worst = 0.0;
    for entry in models {
        let name = entry["name"].as_str().unwrap();
        let (model, machine) = machine(entry["mjcf"].as_str().unwrap());
        let state = state_of(&machine, &entry["state"]);
        let found = mjcf::inspect(&machine, &state, 0, None);
        for (what, expected) in entry["expected"].as_object().unwrap() {
            let off = off(&quantity(&model, &found, what).unwrap(), &list(expected));
            assert!(off <= 1e-9, "{name}: {what} is off by {off:.1e}");
            worst = if off > worst { off } else { worst };
        }
        for (integrator, integration) in INTEGRATORS {
            let Some(expected) = entry["after"].get(integrator) else { continue };
            let after = mjcf::inspect(&machine, &state, steps, Some(integration)).after.unwrap();
            for (what, values) in [("qpos", &after.qpos), ("qvel", &after.qvel), ("act", &after.act)] {
                let off = off(values, &list(&expected[what]));
                assert!(off <= 1e-8, "{name}, {steps} steps of {integrator}: {what} is off by {off:.1e}");
            }
        }
    }
    println!("{} models, worst {worst:.1e}", models.len());
}

#[test]
fn the_smooth_part_of_the_eight_vectors_is_mujocos() {
    let vectors: Value = serde_json::from_str(include_str!("mujoco_vectors.json")).unwrap();
    let mut compared = 0;
    for entry in vectors["vectors"].as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let (model, machine) = machine(entry["mjcf"].as_str().unwrap());
        let state = state_of(&machine, &entry["state"]);
        let found = mjcf::inspect(&machine, &state, 0, None);
        let free = entry["nefc"].as_u64() == Some(0);
        for (what, expected) in entry["forward"].as_object().unwrap() {
            // Without rows the acceleration is the smooth one.
            let ours = if what == "qacc" && free { "qacc_smooth" } else { what };
            if let Some(values) = quantity(&model, &found, ours) {
                let off = off(&values, &list(expected));
                assert!(off <= 1e-9, "{name}: {what} is off by {off:.1e}");
                compared += 1;
            }
        }
        if free {
            let steps = entry["nstep"].as_u64().unwrap() as usize;
            let after = mjcf::inspect(&machine, &state, steps, None).after.unwrap();
            let off = off(&after.qvel, &list(&entry["after"]["qvel"]));
            assert!(off <= 1e-9, "{name}: velocity after {steps} steps is off by {off:.1e}");
        }
    }
    assert!(compared >= 14, "{compared}");
}
