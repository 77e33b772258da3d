//! Actuators with controllers of their own, muscles, adhesion, and sensors of contacts, distances and rays, beside MuJoCo 4.0.0.
//!
//! `mujoco_more.json` was recorded with dense Jacobians at tolerance 0, with Euler's integrator and with `implicitfast`.

use crate::mujoco::{list, off, state_of};
use huygens_formats::mjcf::mech::Integration;
use huygens_formats::mjcf::{self, Machine, Question};
use serde_json::Value;
use std::path::Path;

#[test]
fn what_actuators_give_and_sensors_tell_is_mujocos() {
    let all: Value = serde_json::from_str(include_str!("mujoco_more.json")).unwrap();
    for case in all["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let mut model = mjcf::parse("test.xml", case["mjcf"].as_str().unwrap(), Path::new("")).unwrap();
        (model.options.tolerance, model.options.iterations) = (0.0, 200);
        let machine = Machine::new(&model).unwrap();
        let sizes = [model.nu, model.na].map(|n| n as u64);
        assert_eq!(sizes.map(Some), [case["nu"].as_u64(), case["na"].as_u64()], "{name}");
        let integration = match case["integrator"].as_str().unwrap() {
            "Euler" => Integration::Euler,
            _ => Integration::ImplicitFast,
        };
        let steps = case["steps"].as_u64().unwrap() as usize;
        let question = Question { steps, integration: Some(integration), ..Question::default() };
        let state = state_of(&machine, &case["state"]);
        let found = mjcf::inspect_constrained(&model, &machine, &state, &question).unwrap();
        // A trial for the range of a muscle's length is solved to the tolerance of the file, 1e-8, in MuJoCo.
        // A mesh is turned to its principal axes and then rounded to single precision: a last bit differs here and there.
        let allowed = match name.split([' ', ',', '/']).next() {
            Some("muscles") => 1e-7,
            Some("rays") => 1e-8,
            _ => 1e-9,
        };
        let sensors: Vec<f64> = found.sensors.iter().flatten().copied().collect();
        let mut quantities = vec![("sensors", sensors, &case["sensors"])];
        // Contacts with height fields are our own.
        if case["only"] == "" {
            let f = &found.forward;
            quantities.push(("actuator", f.actuator.clone(), &case["actuator"]));
            quantities.push(("force", f.actuator_force.clone(), &case["actuator_force"]));
            quantities.push(("qacc", f.qacc.clone(), &case["qacc"]));
            if let Some(after) = &found.after {
                for (what, values) in [("qpos", &after.qpos), ("qvel", &after.qvel), ("act", &after.act)] {
                    quantities.push((what, values.clone(), &case["after"][what]));
                }
            }
        }
        for (what, ours, theirs) in quantities {
            let off = off(&ours, &list(theirs));
            assert!(off < allowed, "{name}: {what} is off by {off:e}");
        }
        let ranges = machine.mechanism.actuators.iter().flat_map(|a| a.lengthrange).collect::<Vec<f64>>();
        let off = off(&ranges, &list(&case["lengthrange"]));
        assert!(off < 1e-7, "{name}: ranges of lengths are off by {off:e}");
    }
}

#[test]
fn what_cannot_be_is_an_error_with_a_line() {
    let actuator = |text: &str| {
        format!(
            "<mujoco><worldbody><body><joint name=\"j\"/><geom name=\"g\" size=\"1\"/></body></worldbody>\n<actuator>{text}</actuator></mujoco>"
        )
    };
    let sensor = |text: &str| {
        format!(
            "<mujoco><worldbody><geom name=\"g\" size=\"1\"/></worldbody>\n<sensor>{text}</sensor></mujoco>"
        )
    };
    for text in [
        actuator("<pid joint=\"j\" input=\"vel pos\"/>"),
        actuator("<pid joint=\"j\" input=\"speed\"/>"),
        actuator("<pid joint=\"j\" ki=\"1\" input=\"vel\"/>"),
        actuator("<pid joint=\"j\" kv=\"1\" dampratio=\"1\"/>"),
        actuator("<dcmotor joint=\"j\"/>"),
        actuator("<dcmotor joint=\"j\" motorconst=\"1\" resistance=\"1\" thermal=\"5\"/>"),
        sensor("<distance geom1=\"g\"/>"),
        sensor("<contact geom1=\"g\" body1=\"world\"/>"),
        sensor("<contact geom1=\"g\" data=\"force found\"/>"),
        sensor("<contact geom1=\"nobody\"/>"),
    ] {
        let fault = mjcf::parse("robot.xml", &text, Path::new("")).err();
        assert_eq!(fault.and_then(|fault| fault.line()), Some(2), "{text}");
    }
    // A joint without limits: nothing ends the trial.
    let text = actuator("<muscle name=\"m\" joint=\"j\"/>");
    let model = mjcf::parse("robot.xml", &text, Path::new("")).unwrap();
    let fault = Machine::new(&model).unwrap_err().to_string();
    assert!(fault.contains("\"m\"") && fault.contains("lengthrange"), "{fault}");
}
