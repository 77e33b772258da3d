//! Contacts, warm start and active equalities from a state file.

use crate::Failure;
use huygens::math::Vec3;
use huygens_formats::mjcf::soft::SoftContact;
use huygens_formats::mjcf::{Model, Question};
use serde_json::Value;
use std::path::Path;

/// Puts `contacts`, `qacc_warmstart` and `eq_active` of a state file into `question`.
pub fn read(path: &Path, model: &Model, question: &mut Question) -> Result<(), Failure> {
    let fail = |what: String| Failure::Input(format!("error: {}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| fail(e.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|e| fail(e.to_string()))?;
    if let Some(list) = value.get("contacts") {
        let list = list.as_array().ok_or_else(|| fail("`contacts` is no list".to_owned()))?;
        let read = |(i, v): (usize, &Value)| {
            contact(v, model).map_err(|what| fail(format!("contact {i} of `contacts`: {what}")))
        };
        question.contacts = Some(list.iter().enumerate().map(read).collect::<Result<_, _>>()?);
    }
    if let Some(warm) = value.get("qacc_warmstart") {
        let list = numbers(warm).filter(|list| list.len() == model.nv);
        let bad = || fail(format!("`qacc_warmstart` must have {} numbers", model.nv));
        question.warm = list.ok_or_else(bad)?;
    }
    if let Some(active) = value.get("eq_active") {
        let flag = |v: &Value| v.as_bool().or_else(|| v.as_f64().map(|x| x != 0.0));
        let list: Option<Vec<bool>> = active.as_array().and_then(|list| list.iter().map(flag).collect());
        let list = list.filter(|list| list.len() == model.equalities.len());
        let bad = || {
            fail(format!("`eq_active` must have a flag for each of {} equalities", model.equalities.len()))
        };
        question.active = Some(list.ok_or_else(bad)?);
    }
    Ok(())
}

/// All numbers of a list, lists in it included.
fn numbers(value: &Value) -> Option<Vec<f64>> {
    match value {
        Value::Array(list) => list.iter().map(numbers).collect::<Option<Vec<_>>>().map(|l| l.concat()),
        other => other.as_f64().map(|x| vec![x]),
    }
}

fn exactly<const N: usize>(value: &Value, name: &str) -> Result<Option<[f64; N]>, String> {
    let Some(found) = value.get(name) else { return Ok(None) };
    let list = numbers(found).and_then(|list| <[f64; N]>::try_from(list).ok());
    list.map(Some).ok_or_else(|| format!("`{name}` must have {N} numbers"))
}

fn geom(value: &Value, model: &Model) -> Result<usize, String> {
    let count = model.geoms.len();
    match value {
        Value::String(name) => model
            .geoms
            .iter()
            .position(|g| g.name == *name)
            .ok_or_else(|| format!("there is no geom {name:?}")),
        other => other
            .as_f64()
            .filter(|x| *x >= 0.0 && x.fract() == 0.0 && *x < count as f64)
            .map(|x| x as usize)
            .ok_or_else(|| format!("geom {other} is no name and no number below {count}")),
    }
}

fn contact(value: &Value, model: &Model) -> Result<SoftContact, String> {
    const KNOWN: [&str; 11] = [
        "geom",
        "geom_names",
        "pos",
        "dist",
        "frame",
        "dim",
        "friction",
        "solref",
        "solimp",
        "solreffriction",
        "includemargin",
    ];
    let object = value.as_object().ok_or("it is no object")?;
    if let Some(key) = object.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Err(format!("there is no `{key}`; there are {}", KNOWN.join(", ")));
    }
    let pair = value.get("geom").and_then(Value::as_array).filter(|list| list.len() == 2);
    let pair = pair.ok_or("`geom` must name two geoms")?;
    let geoms = [geom(&pair[0], model)?, geom(&pair[1], model)?];
    let pos = exactly::<3>(value, "pos")?.ok_or("`pos` is missing")?;
    let frame = exactly::<9>(value, "frame")?.ok_or("`frame` is missing")?;
    let dist = value.get("dist").and_then(Value::as_f64).ok_or("`dist` is missing")?;
    let axis = |k: usize| Vec3::new(frame[3 * k], frame[3 * k + 1], frame[3 * k + 2]);
    let axes = [axis(0), axis(1), axis(2)];
    let unit =
        (0..3).all(|i| (0..=i).all(|j| (axes[i].dot(axes[j]) - f64::from(u8::from(i == j))).abs() < 1e-6));
    if !unit {
        return Err(
            "`frame` must hold three unit vectors normal to each other: normal and two tangents".to_owned()
        );
    }
    let mut made = SoftContact::given(model, geoms, Vec3::from_array(pos), dist, axes);
    if let Some(dim) = value.get("dim") {
        let known = dim.as_u64().filter(|d| [1, 3, 4, 6].contains(d));
        made.dim = known.ok_or("`dim` must be 1, 3, 4 or 6")? as usize;
    }
    if let Some(friction) = exactly::<5>(value, "friction")? {
        if friction.iter().any(|f| *f <= 0.0) {
            return Err("`friction` must be above 0".to_owned());
        }
        made.friction = friction;
    }
    if let Some(solref) = exactly::<2>(value, "solref")? {
        made.softness.solref = solref;
    }
    if let Some(solimp) = exactly::<5>(value, "solimp")? {
        made.softness.solimp = solimp;
    }
    if let Some(solref) = exactly::<2>(value, "solreffriction")? {
        made.solreffriction = solref;
    }
    if let Some(margin) = value.get("includemargin") {
        made.margin = margin.as_f64().ok_or("`includemargin` is no number")?;
    }
    Ok(made)
}
