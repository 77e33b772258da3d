//! What the replay shows: the shapes once, and the frames of every run.

use super::base64::{floats, integers};
use crate::compare::contender::Contender;
use crate::compare::figures::Comparison;
use crate::compare::record::{Frame, Record};
use huygens::geometry::CollisionShape;
use huygens::geometry::tessellation::{Fineness, Seen, Surface};
use huygens::math::scalar::{max, min};
use huygens::math::{Pose, Vec3};
use huygens::model::{Model, Motion};
use huygens::{Scene, World};
use huygens_formats::json::{Object, number, text};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most frames of a run, and poses of all frames of all runs: about 20 MB of page.
const MOST_FRAMES: u64 = 240;
const MOST_POSES: u64 = 500_000;

/// Frames that each of so many runs of a scene may have.
pub fn most_frames(scene: &Scene, contenders: &[Contender]) -> u64 {
    let poses = (scene.expanded().count() * contenders.len()).max(1) as u64;
    MOST_FRAMES.min(MOST_POSES / poses).max(2)
}

/// The object `replay` of the page; `null` when no world can be made of the scene.
pub fn replay(comparison: &Comparison) -> String {
    let runs = comparison.entries.iter().filter_map(|entry| Some((entry, entry.run.as_ref().ok()?)));
    let runs: Vec<_> = runs.collect();
    let Some(first) = runs.first() else { return "null".to_owned() };
    let Ok(world) = World::new(&first.0.contender.scene(&comparison.scene)) else { return "null".to_owned() };
    let model = world.model();
    let drawn = Drawn::of(model, &world, reach(model, &first.1.record));
    let mut object = Object::default();
    let up = comparison.scene.world.up();
    object
        .numbers("up", up.to_array())
        .list(
            "bodies",
            model.bodies.iter().filter(|body| body.motion != Motion::Static).map(|body| {
                let mut object = Object::default();
                let driven = matches!(body.motion, Motion::Driven(_));
                object.text("name", &body.name).flag("driven", driven);
                object.finish()
            }),
        )
        .list("meshes", drawn.meshes.iter().map(mesh))
        .list("shapes", drawn.shapes)
        .list("runs", runs.iter().map(|(entry, run)| frames(&entry.contender.name, &run.record)));
    object.finish()
}

/// Half the edge of the square that stands for an endless plane: a good deal more than the bodies ever need.
fn reach(model: &Model, record: &Record) -> f64 {
    let sizes = model.shapes.iter().map(|shape| shape.reach).filter(|reach| reach.is_finite());
    let size = sizes.fold(0.0, max);
    let (mut low, mut high) = (Vec3::splat(f64::INFINITY), Vec3::splat(f64::NEG_INFINITY));
    for motion in record.samples.iter().flat_map(|sample| &sample.motions) {
        let c = motion.center;
        low = Vec3::new(min(low.x, c.x), min(low.y, c.y), min(low.z, c.z));
        high = Vec3::new(max(high.x, c.x), max(high.y, c.y), max(high.z, c.z));
    }
    let spread = if low.x <= high.x { max(low.length(), high.length()) } else { 0.0 };
    2.0 * (spread + 2.0 * size)
}

/// Shapes and their surfaces, equal ones once.
struct Drawn {
    meshes: Vec<Surface>,
    shapes: Vec<String>,
}

impl Drawn {
    fn of(model: &Model, world: &World, reach: f64) -> Self {
        let mut moving = 0;
        let slots: Vec<Option<usize>> = model
            .bodies
            .iter()
            .map(|body| {
                (body.motion != Motion::Static).then(|| {
                    moving += 1;
                    moving - 1
                })
            })
            .collect();
        let mut different: Vec<&CollisionShape> = Vec::new();
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let kinds: Vec<usize> = model
            .shapes
            .iter()
            .map(|shape| {
                *known.entry(identity(&shape.shape)).or_insert_with(|| {
                    different.push(&shape.shape);
                    different.len() - 1
                })
            })
            .collect();
        let fineness = Fineness { around: around(different.len()), reach };
        let meshes = different.iter().map(|shape| Surface::of(shape, fineness)).collect();
        let state = world.state();
        let shapes = model.shapes.iter().zip(kinds).map(|(shape, kind)| {
            let slot = shape.body as usize;
            let body = slots[slot];
            // What never moves stands in the world, what moves on its body.
            let pose = match body {
                Some(_) => shape.in_body,
                None => Pose::new(state.orientation[slot], state.position[slot]) * shape.in_body,
            };
            let q = pose.rotation;
            let mut object = Object::default();
            object
                .integer("mesh", kind as u64)
                .raw("body", &body.map_or_else(|| "null".to_owned(), |body| body.to_string()))
                .text("kind", shape.shape.kind())
                .flag("sensor", shape.sensor)
                .numbers("position", pose.translation.to_array())
                .numbers("orientation", [q.w, q.x, q.y, q.z]);
            object.finish()
        });
        Self { meshes, shapes: shapes.collect() }
    }
}

/// The same text for shapes that look the same. Large ones are shared, and known by where they are.
fn identity(shape: &CollisionShape) -> String {
    match shape {
        CollisionShape::Hull(hull) => format!("{:p}", Arc::as_ptr(hull)),
        CollisionShape::Mesh(mesh) => format!("{:p}", Arc::as_ptr(mesh)),
        small => format!("{small:?}"),
    }
}

/// Faces around an axis that look round with that many different shapes in one page.
fn around(different: usize) -> usize {
    match different {
        0..=40 => 40,
        41..=200 => 24,
        _ => 12,
    }
}

/// The page has containers as they are from outside, and leaves out what lies between the viewer and the inside.
fn mesh(surface: &Surface) -> String {
    let inside = surface.seen == Seen::Inside;
    let coordinates = |points: &[Vec3], sign: f64| {
        floats(points.iter().flat_map(|p| (*p * sign).to_array()).map(|x| x as f32))
    };
    let corners = surface.triangles().flat_map(|[a, b, c]| if inside { [a, c, b] } else { [a, b, c] });
    let mut object = Object::default();
    object
        .text("points", &coordinates(&surface.points, 1.0))
        .text("normals", &coordinates(&surface.normals, if inside { -1.0 } else { 1.0 }))
        .text("indices", &integers(corners))
        .flag("inside", inside);
    object.finish()
}

fn frames(name: &str, record: &Record) -> String {
    let shown: Vec<(f64, &Frame)> =
        record.samples.iter().filter_map(|sample| Some((sample.time, sample.frame.as_ref()?))).collect();
    let mut object = Object::default();
    object
        .raw("name", &text(name))
        .list("times", shown.iter().map(|(time, _)| number(*time)))
        .text("poses", &floats(shown.iter().flat_map(|(_, frame)| frame.poses.iter().flatten().copied())))
        .list("mark_counts", shown.iter().map(|(_, frame)| frame.marks.len().to_string()))
        .text("marks", &floats(shown.iter().flat_map(|(_, frame)| frame.marks.iter().flatten().copied())));
    object.finish()
}
