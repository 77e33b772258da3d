//! Choices of the convex models that are replaced, as MuJoCo does, and what these models ignore.

use super::{SceneWarning, shown};
use crate::scene::{Scene, SpecPath};
use huygens_contact::SolverKind;
use huygens_contact::convex::Softness;

/// Impedances beyond these are replaced by them.
const IMPEDANCE: [f64; 2] = [1e-4, 0.9999];

/// The solver, when it is a convex one.
fn soft(scene: &Scene) -> Option<SolverKind> {
    scene.world.solver.parse::<SolverKind>().ok().filter(|kind| kind.is_soft())
}

pub(super) fn out_of_range(scene: &Scene) -> Vec<SceneWarning> {
    let mut found = Vec::new();
    if soft(scene).is_none() {
        return found;
    }
    let at = |key: &'static str| SpecPath::top("world").key("convex").key(key);
    if let Some([a, b]) = scene.world.convex.solref
        && (a > 0.0) != (b > 0.0)
    {
        let [time, ratio] = Softness::SOLREF;
        found.push(SceneWarning::new(
            at("solref"),
            format!(
                "[{}, {}] has mixed signs, so [{}, {}] is used",
                shown(a),
                shown(b),
                shown(time),
                shown(ratio)
            ),
            "Write a time constant and a damping ratio above 0, or −stiffness and −damping, both below 0.",
        ));
    }
    let convex = &scene.world.convex;
    if let Some([time, ratio, ..]) = convex.sol_params {
        if time >= 0.0 && ratio <= 0.0 {
            found.push(SceneWarning::new(
                at("sol_params").index(1),
                format!(
                    "the damping ratio is {} and must be above 0, so the default softness is used",
                    shown(ratio)
                ),
                "Write a damping ratio above 0; 1 is critical.",
            ));
        }
        for (key, is_there) in [("solref", convex.solref.is_some()), ("solimp", convex.solimp.is_some())] {
            if is_there {
                found.push(SceneWarning::new(
                    at(key),
                    "`sol_params` stands in its place".to_owned(),
                    "Leave one of the two out.",
                ));
            }
        }
    }
    let [low, high] = IMPEDANCE;
    let named = ["impedance at the surface", "impedance at the width", "", "midpoint"];
    let (key, from, solimp) = match convex.sol_params {
        Some([_, _, impedance @ ..]) => ("sol_params", 2, Some(impedance)),
        None => ("solimp", 0, convex.solimp),
    };
    for (k, x) in solimp.into_iter().flatten().enumerate() {
        let (what, range) = match k {
            0 | 1 | 3 if x < low || x > high => (named[k], format!("from {} to {}", shown(low), shown(high))),
            2 if x < 0.0 => ("width", "at or above 0".to_owned()),
            4 if x < 1.0 => ("power", "at or above 1".to_owned()),
            _ => continue,
        };
        found.push(SceneWarning::new(
            at(key).index(from + k),
            format!("the {what} is {} and must be {range}, so the nearest such number is used", shown(x)),
            "Write a number in that range.",
        ));
    }
    found
}

/// Soft contacts throw back by their springs alone.
pub(super) fn bounces(scene: &Scene) -> Option<SceneWarning> {
    let solver = soft(scene)?;
    let mut materials = scene.materials.iter();
    let (name, _) = materials.find(|(_, material)| material.surface.restitution.is_some_and(|e| e > 0.0))?;
    Some(SceneWarning::new(
        SpecPath::top("materials").name(name.clone()).key("restitution"),
        format!("{solver} has soft contacts, which know no coefficient of restitution"),
        "Choose another `solver`, or a `solref` with little damping such as [0.02, 0.1].",
    ))
}
