//! What a scene says of its looks: colours, and where its joints are.

use huygens::World;
use huygens::scene::Scene;
use huygens_math::{Pose, Vec3};
use std::collections::BTreeMap;

/// Colours and joints of a scene, which a world does not keep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// Colours of bodies by their name, or by the name of the pattern that makes them.
    colors: BTreeMap<String, [u8; 3]>,
    pub(crate) joints: Vec<Pivot>,
}

/// A joint, seen from the body that it carries.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pivot {
    pub child: String,
    /// `None` for the world.
    pub parent: Option<String>,
    /// Its place and axis in the frame of the child.
    pub at: Vec3,
    pub axis: Vec3,
}

impl Look {
    /// The looks of `scene`, of which `start` was made and has not stepped.
    pub fn of(scene: &Scene, start: &World) -> Self {
        let repeated = scene.repeats.iter().flat_map(|repeat| &repeat.bodies);
        let mut colors = BTreeMap::new();
        for body in scene.bodies.iter().chain(repeated) {
            let material = || {
                let names = body.shapes.iter().filter_map(|shape| shape.material.as_ref());
                names.filter_map(|name| scene.materials.get(name)?.color).next()
            };
            if let Some(color) = body.color.or_else(material) {
                colors.insert(body.name.clone(), color.0);
            }
        }
        let pivot = |joint: &huygens::scene::Joint| {
            let child = start.bodies().find(|body| body.name == joint.child)?;
            let child_from_world = Pose::new(child.orientation, child.position).inverse();
            Some(Pivot {
                child: joint.child.clone(),
                parent: joint.parent.clone(),
                at: child_from_world.transform(joint.anchor),
                axis: child_from_world.rotate(joint.axis).normalize_or(Vec3::Z),
            })
        };
        Self { colors, joints: scene.joints.iter().filter_map(pivot).collect() }
    }

    /// The colour that the scene gives a body, if it gives one.
    pub(crate) fn color(&self, name: &str) -> Option<[u8; 3]> {
        let base = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')).map(|(base, _)| base);
        self.colors.get(name).or_else(|| self.colors.get(base?)).copied()
    }
}

/// Where a body has been.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trail {
    /// Name of the body.
    pub body: String,
    /// Places of its centre of mass, from the first to the last [m].
    pub points: Vec<Vec3>,
}
