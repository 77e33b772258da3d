//! States from JSON files and keyframes.

use crate::Failure;
use huygens::math::{Pose, Quat, Vec3};
use huygens_formats::mjcf::{Machine, Model, mech::MechanismState};
use serde_json::Value;
use std::path::Path;

fn numbers(value: &Value, name: &str, count: usize) -> Result<Option<Vec<f64>>, Failure> {
    let Some(found) = value.get(name) else { return Ok(None) };
    let list = found.as_array().map(|list| list.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>());
    let Some(Some(list)) = list else {
        return Err(Failure::Input(format!("error: `{name}` of the state is no list of numbers")));
    };
    if list.len() != count {
        let message =
            format!("error: `{name}` of the state has {} numbers; the model has {count}", list.len());
        return Err(Failure::Input(message));
    }
    Ok(Some(list))
}

/// Puts the state of a JSON file over `state`.
pub fn read(
    path: &Path,
    model: &mut Model,
    machine: &mut Machine,
    state: &mut MechanismState,
) -> Result<(), Failure> {
    let fail = |e: &dyn std::fmt::Display| Failure::Input(format!("error: {}: {e}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| fail(&e))?;
    let value: Value = serde_json::from_str(&text).map_err(|e| fail(&e))?;
    let Some(object) = value.as_object() else { return Err(fail(&"a state is a JSON object")) };
    const KNOWN: [&str; 12] = [
        "qpos",
        "qvel",
        "act",
        "ctrl",
        "time",
        "qfrc_applied",
        "xfrc_applied",
        "mocap_pos",
        "mocap_quat",
        "qacc_warmstart",
        "eq_active",
        "contacts",
    ];
    if let Some(key) = object.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Err(fail(&format!("a state has no `{key}`; there are {}", KNOWN.join(", "))));
    }
    let put = |list: &mut Vec<f64>, found: Option<Vec<f64>>| {
        if let Some(found) = found {
            *list = found;
        }
    };
    put(&mut state.qpos, numbers(&value, "qpos", model.nq)?);
    put(&mut state.qvel, numbers(&value, "qvel", model.nv)?);
    put(&mut state.act, numbers(&value, "act", model.na)?);
    put(&mut state.ctrl, numbers(&value, "ctrl", model.nu)?);
    put(&mut state.qfrc_applied, numbers(&value, "qfrc_applied", model.nv)?);
    if let Some(time) = value.get("time") {
        state.time = time.as_f64().ok_or_else(|| fail(&"`time` must be a number"))?;
    }
    if let Some(active) = value.get("eq_active") {
        let word = |x: &Value| x.as_bool().or_else(|| x.as_f64().map(|x| x != 0.0));
        let list: Option<Vec<bool>> = active.as_array().and_then(|list| list.iter().map(word).collect());
        let list = list.filter(|list| list.len() == model.equalities.len());
        let list = list.ok_or_else(|| fail(&"`eq_active` must have a flag for each equality"))?;
        model.equalities.iter_mut().zip(list).for_each(|(equality, active)| equality.active = active);
    }
    if let Some(list) = value.get("xfrc_applied").and_then(Value::as_array) {
        let row = |row: &Value| {
            let row: Option<Vec<f64>> = row.as_array()?.iter().map(Value::as_f64).collect();
            <[f64; 6]>::try_from(row?).ok()
        };
        let rows: Option<Vec<[f64; 6]>> = list.iter().map(row).collect();
        state.xfrc_applied = rows
            .filter(|rows| rows.len() == model.bodies.len())
            .ok_or_else(|| fail(&"`xfrc_applied` must have six numbers for each body"))?;
    }
    let flat = |name: &str, width: usize| -> Result<Option<Vec<f64>>, Failure> {
        let Some(list) = value.get(name).and_then(Value::as_array) else { return Ok(None) };
        let all: Option<Vec<f64>> = list
            .iter()
            .flat_map(|x| x.as_array().cloned().unwrap_or_else(|| vec![x.clone()]))
            .map(|x| x.as_f64())
            .collect();
        let good = all.filter(|all| all.len() == width * model.nmocap);
        good.map(Some).ok_or_else(|| fail(&format!("`{name}` must have {width} numbers for each mocap body")))
    };
    let (at, turn) = (flat("mocap_pos", 3)?, flat("mocap_quat", 4)?);
    if at.is_some() || turn.is_some() {
        let poses = mocap(model, at.as_deref(), turn.as_deref());
        machine.place_mocap(model, &poses);
    }
    Ok(())
}

fn mocap(model: &Model, at: Option<&[f64]>, turn: Option<&[f64]>) -> Vec<Pose> {
    let own = model.bodies.iter().filter(|b| b.mocap.is_some()).map(|b| b.pose);
    own.enumerate()
        .map(|(i, pose)| {
            let translation = at.map_or(pose.translation, |p| Vec3::from_slice(&p[3 * i..]));
            let rotation = turn.map_or(pose.rotation, |q| {
                Quat::from_xyzw(q[4 * i + 1], q[4 * i + 2], q[4 * i + 3], q[4 * i]).normalize()
            });
            Pose::new(rotation, translation)
        })
        .collect()
}

/// Puts a keyframe over `state`.
pub fn keyframe(
    word: &str,
    model: &Model,
    machine: &mut Machine,
    state: &mut MechanismState,
) -> Result<(), Failure> {
    let by_name = model.keys.iter().position(|k| k.name == word);
    let by_number = word.parse().ok().filter(|i| *i < model.keys.len());
    let Some(i) = by_name.or(by_number) else {
        let names: Vec<&str> = model.keys.iter().map(|k| k.name.as_str()).collect();
        return Err(Failure::Input(format!("error: there is no keyframe {word:?}; there are {names:?}")));
    };
    let key = &model.keys[i];
    state.qpos.clone_from(&key.qpos);
    state.qvel.clone_from(&key.qvel);
    state.act.clone_from(&key.act);
    state.ctrl.clone_from(&key.ctrl);
    state.time = key.time;
    machine.place_mocap(model, &mocap(model, Some(&key.mpos), Some(&key.mquat)));
    Ok(())
}
