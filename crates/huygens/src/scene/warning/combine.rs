//! Coefficients that the combine rule leaves without effect.
//!
//! A coefficient v of a shape is without effect on a shape that has t when the rule makes t of the two and t is not v. With the
//! geometric mean that is t = 0, with the largest t > v, and so on. It is told where nobody wrote t: who writes
//! `restitution = 0` for a floor means it, and so does who writes both numbers and chooses a rule.

use super::{SceneWarning, shown};
use crate::scene::{Body, Combine, Motion, Named, Scene, Shape, SpecPath, Surface, SurfaceSpec};
use std::collections::BTreeMap;

/// More different surfaces than this are not compared with each other.
const MOST_CLASSES: usize = 200;

/// A coefficient that a rule combines.
struct Coefficient {
    key: &'static str,
    /// The number that counts.
    value: fn(&Surface) -> f64,
    /// The number as a table writes it.
    written: fn(&SurfaceSpec) -> Option<f64>,
}

const COEFFICIENTS: [Coefficient; 2] = [
    Coefficient { key: "restitution", value: |s| s.restitution, written: |s| s.restitution },
    Coefficient {
        key: "friction",
        value: |s| s.friction_dynamic,
        written: |s| s.friction.or(s.friction_dynamic).or(s.friction_static),
    },
];

/// Shapes that act alike in contact.
struct Class<'s> {
    /// One of them, for its numbers.
    shape: &'s Shape,
    /// The body of that one.
    body: &'s Body,
    path: SpecPath,
    dynamic: bool,
    /// They are on more than one body.
    several: bool,
}

/// What makes two shapes act alike: material, friction and restitution by their bits, groups, and whether the body is dynamic.
type Key<'s> = (Option<&'s str>, [Option<u64>; 2], [u32; 2], bool);

pub(super) fn without_effect(scene: &Scene) -> Vec<SceneWarning> {
    let classes = classes(scene);
    let mut found = Vec::new();
    for class in &classes {
        for coefficient in &COEFFICIENTS {
            found.extend(look(scene, class, &classes, coefficient));
        }
    }
    found
}

fn classes(scene: &Scene) -> Vec<Class<'_>> {
    let mut known: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    let mut classes: Vec<Class<'_>> = Vec::new();
    let written = scene.bodies.iter().map(|body| (SpecPath::body(&body.name), body, false));
    let repeated = scene.repeats.iter().enumerate().flat_map(|(i, repeat)| {
        let path = SpecPath::top("repeat").index(i).key("body");
        let several = repeat.total().is_some_and(|total| total > repeat.bodies.len() as u64);
        repeat.bodies.iter().enumerate().map(move |(k, body)| (path.index(k), body, several))
    });
    for (path, body, several) in written.chain(repeated) {
        let dynamic = body.motion == Motion::Dynamic;
        for (k, shape) in body.shapes.iter().enumerate().filter(|(_, shape)| !shape.sensor) {
            let bits = [shape.friction, shape.restitution].map(|x| x.map(f64::to_bits));
            let key = (shape.material.as_deref(), bits, [shape.layer, shape.mask], dynamic);
            match known.get(&key) {
                Some(at) => classes[*at].several |= !std::ptr::eq(classes[*at].body, body) || several,
                None if classes.len() < MOST_CLASSES => {
                    known.insert(key, classes.len());
                    let path = path.key("shape").index(k);
                    classes.push(Class { shape, body, path, dynamic, several });
                }
                None => {}
            }
        }
    }
    classes
}

/// Whether shapes of two classes can touch.
fn can_meet(a: &Class<'_>, b: &Class<'_>) -> bool {
    let groups = a.shape.mask & b.shape.layer != 0 && b.shape.mask & a.shape.layer != 0;
    let two_bodies = a.several || b.several || !std::ptr::eq(a.body, b.body);
    groups && two_bodies && (a.dynamic || b.dynamic)
}

/// What was written of a coefficient for a shape: on the shape or in its material.
fn written(scene: &Scene, shape: &Shape, coefficient: &Coefficient) -> Option<f64> {
    let own =
        SurfaceSpec { friction: shape.friction, restitution: shape.restitution, ..SurfaceSpec::default() };
    let material = shape.material.as_ref().and_then(|name| scene.materials.get(name));
    (coefficient.written)(&own).or_else(|| (coefficient.written)(&material?.surface))
}

fn look(
    scene: &Scene,
    class: &Class<'_>,
    classes: &[Class<'_>],
    coefficient: &Coefficient,
) -> Option<SceneWarning> {
    written(scene, class.shape, coefficient)?;
    let own = (coefficient.value)(&scene.surface_of(class.shape));
    let named_by_a_pair = |other: &Class<'_>| {
        let pair = scene.pair_of(class.shape.material.as_deref(), other.shape.material.as_deref());
        pair.is_some_and(|pair| (coefficient.written)(&pair.surface).is_some())
    };
    let ignored = |other: &Class<'_>| {
        let theirs = (coefficient.value)(&scene.surface_of(other.shape));
        let both = (coefficient.value)(&scene.surface_between(class.shape, other.shape));
        both == theirs && both != own
    };
    let by_default = |other: &Class<'_>| written(scene, other.shape, coefficient).is_none();
    let other = classes.iter().find(|other| {
        can_meet(class, other) && !named_by_a_pair(other) && by_default(other) && ignored(other)
    })?;
    Some(warning(scene, class, other, coefficient))
}

fn warning(scene: &Scene, class: &Class<'_>, other: &Class<'_>, coefficient: &Coefficient) -> SceneWarning {
    let key = coefficient.key;
    let own = shown((coefficient.value)(&scene.surface_of(class.shape)));
    let theirs = shown((coefficient.value)(&scene.surface_of(other.shape)));
    let rule = scene.world.combine.word();
    let problem = format!(
        "the {key} {own} has no effect on {:?}: that one has {theirs}, the default, and combine = {rule:?} makes {theirs} of the two",
        other.body.name
    );
    let mut remedy = format!("Give {:?} a {key} too", other.body.name);
    if scene.world.combine == Combine::Geometric {
        remedy += ", or set world.combine = \"max\"";
    } else {
        remedy += ", or choose another world.combine";
    }
    remedy += &format!("; {key} = {theirs} there says that it is meant.");
    SceneWarning::new(class.path.key(key), problem, remedy)
}
