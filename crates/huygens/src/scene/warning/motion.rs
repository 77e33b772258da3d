//! Edits that are never made, and bodies that are too fast for the step.

use super::{SceneWarning, body_path, shown};
use crate::scene::{Scene, SpecPath};
use crate::{BodyId, World};
use huygens_math::Vec3;
use huygens_math::scalar::max;

/// A body that goes farther than this many of its own diameters in one step passes others without meeting them.
const MOST_DIAMETERS: f64 = 1.0;
/// Contacts are those of the start of a step: beyond this turn other points are in front [rad].
const MOST_TURN: f64 = 0.5;
/// More bodies than this are not told one by one.
const MOST_BODIES: usize = 3;

pub(super) fn edits_after_the_end(scene: &Scene) -> Vec<SceneWarning> {
    let steps = scene.world.step_count();
    let late = scene.edits.iter().enumerate().filter(|(_, edit)| edit.after >= steps);
    late.map(|(i, edit)| {
        SceneWarning::new(
            SpecPath::top("edit").index(i).key("after"),
            format!(
                "the edit of {:?} is to be made after {} steps, and the run ends after {steps}",
                edit.body, edit.after
            ),
            "Lower `after`, or make the run longer with `steps` or `seconds`.",
        )
    })
    .collect()
}

/// A velocity and a spin that a body has somewhere in the scene.
struct Fast {
    path: SpecPath,
    body: String,
    id: Option<BodyId>,
    speed: f64,
    spin: f64,
}

pub(super) fn too_fast_for_the_step(scene: &Scene, start: &World) -> Vec<SceneWarning> {
    let dt = scene.world.dt;
    let mut found = Vec::new();
    let mut more = 0;
    for fast in start_of_bodies(scene, start).chain(edits(scene, start)) {
        let Some((size, round)) = fast.id.map(|id| size(start, id)) else { continue };
        let Some((problem, longest)) = judge(&fast, size, round, dt) else { continue };
        if found.len() == MOST_BODIES {
            more += 1;
            continue;
        }
        let remedy = format!("Set world.dt to {} s or less.", one_digit(longest));
        found.push(SceneWarning::new(fast.path, format!("{:?} {problem}", fast.body), remedy));
    }
    if let (true, Some(last)) = (more > 0, found.last_mut()) {
        last.problem += &format!(", and {more} more bodies like it");
    }
    found
}

/// What is wrong, and the longest step that would do.
fn judge(fast: &Fast, size: f64, round: bool, dt: f64) -> Option<(String, f64)> {
    let way = fast.speed * dt;
    let turn = fast.spin * dt;
    if size > 0.0 && way > MOST_DIAMETERS * size {
        let problem = format!(
            "goes {} m in one step of {} s, {} times its own size: it can pass others without meeting them",
            shown(way),
            shown(dt),
            shown((way / size * 10.0).round() / 10.0)
        );
        return Some((problem, 0.25 * size / fast.speed));
    }
    // What a ball turns into is the same ball.
    if !round && turn > MOST_TURN {
        let problem = format!(
            "turns by {} rad in one step of {} s: contacts are those of the start of the step",
            shown(turn),
            shown(dt)
        );
        return Some((problem, 0.25 * MOST_TURN / fast.spin));
    }
    None
}

fn start_of_bodies<'a>(scene: &'a Scene, start: &'a World) -> impl Iterator<Item = Fast> + 'a {
    start.bodies().map(|body| {
        let key = if body.angular_velocity == Vec3::ZERO { "linear_velocity" } else { "angular_velocity" };
        Fast {
            path: body_path(scene, body.name).key(key),
            body: body.name.to_owned(),
            id: Some(body.id),
            speed: body.linear_velocity.length(),
            spin: body.angular_velocity.length(),
        }
    })
}

fn edits<'a>(scene: &'a Scene, start: &'a World) -> impl Iterator<Item = Fast> + 'a {
    scene.edits.iter().enumerate().map(|(i, edit)| Fast {
        path: SpecPath::top("edit").index(i),
        body: edit.body.clone(),
        id: start.find(&edit.body),
        speed: edit.linear_velocity.map_or(0.0, Vec3::length),
        spin: edit.angular_velocity.map_or(0.0, Vec3::length),
    })
}

/// Diameter of a body [m], 0 where it has none, and whether all of it is one ball about its centre of mass.
fn size(world: &World, id: BodyId) -> (f64, bool) {
    let model = world.model();
    let Ok(slot) = world.slot(id) else { return (0.0, true) };
    let shapes = model.bodies[slot].shapes.iter().map(|shape| &model.shapes[*shape as usize]);
    let solid: Vec<_> = shapes.filter(|shape| !shape.sensor).collect();
    let reach = solid.iter().map(|shape| shape.reach).filter(|reach| reach.is_finite()).fold(0.0, max);
    let at_center = |pose: &huygens_math::Pose| pose.translation.length() <= 1e-6 * reach;
    let ball = |shape: &&crate::model::ShapeModel| {
        matches!(shape.shape, huygens_geometry::CollisionShape::Sphere(_)) && at_center(&shape.in_body)
    };
    let still = matches!(model.bodies[slot].motion, crate::model::Motion::Static);
    (if still { 0.0 } else { 2.0 * reach }, still || solid.iter().all(ball))
}

/// Rounded down to one digit.
pub(super) fn one_digit(x: f64) -> String {
    let text = format!("{x:.0e}");
    let rounded: f64 = text.parse().unwrap_or(x);
    shown(if rounded > x { rounded * 0.5 } else { rounded })
}
