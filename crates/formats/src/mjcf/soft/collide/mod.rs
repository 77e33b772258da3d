//! Contacts as MuJoCo finds them: which geoms may meet, in which order, and where they touch.

mod capsule;
mod capsule_box;
mod cuboid;
mod other;
mod plane;
mod sphere;

pub(crate) use other::shape;

use super::super::model::{GeomKind, Model, SensorEnd};
use super::contact::{Mixed, SoftContact, Touch};
use huygens_dynamics::TreeKinematics;
use huygens_geometry::{CollisionShape, Manifold};
use huygens_math::{Pose, Vec3, scalar};

/// Two geoms that may meet, the first one of the lower type.
#[derive(Clone, Debug)]
struct GeomPair {
    geoms: [usize; 2],
    mixed: Mixed,
}

/// A geom where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub kind: GeomKind,
    pub size: [f64; 3],
    pub pose: Pose,
}

impl Placed {
    /// Its z axis in the world.
    fn axis(&self) -> Vec3 {
        self.pose.rotate(Vec3::Z)
    }

    fn center(&self) -> Vec3 {
        self.pose.translation
    }
}

/// All pairs of geoms of a model that may meet.
#[derive(Clone, Debug)]
pub struct Collider {
    pairs: Vec<GeomPair>,
    geoms: Vec<ColliderGeom>,
    placed: Vec<Placed>,
    manifolds: Vec<Manifold>,
    touches: Vec<Touch>,
}

/// A geom of the collider.
#[derive(Clone, Debug)]
struct ColliderGeom {
    body: usize,
    kind: GeomKind,
    size: [f64; 3],
    pose: Pose,
    /// Radius of a ball about its centre that holds it; infinite for planes and height fields [m].
    bound: f64,
    /// For pairs that MuJoCo does not solve in closed form.
    shape: Option<CollisionShape>,
}

impl Collider {
    /// The pairs of a model.
    pub fn new(model: &Model) -> Self {
        let pairs = pairs(model);
        // Hulls are made of meshes that may be touched, or whose distance a sensor tells, once for each mesh.
        let mut meets = vec![false; model.geoms.len()];
        pairs.iter().flat_map(|pair| pair.geoms).for_each(|g| meets[g] = true);
        let measured = model.sensors.iter().filter(|s| s.kind != "contact").flat_map(|s| s.query.ends);
        measured.flatten().flat_map(|end| geoms_of(model, end)).for_each(|g| meets[g] = true);
        let mut hulls: Vec<Option<Option<CollisionShape>>> = vec![None; model.meshes.len()];
        let geoms = model
            .geoms
            .iter()
            .zip(&meets)
            .map(|(g, meets)| {
                let [a, b, c] = g.size;
                let bound = match g.kind {
                    GeomKind::Plane | GeomKind::HeightField => f64::INFINITY,
                    GeomKind::Sphere => a,
                    GeomKind::Capsule => a + b,
                    GeomKind::Cylinder => (a * a + b * b).sqrt(),
                    GeomKind::Ellipsoid => scalar::max(a, scalar::max(b, c)),
                    GeomKind::Box => (a * a + b * b + c * c).sqrt(),
                    GeomKind::Mesh | GeomKind::Sdf => g.mesh.map_or(0.0, |id| {
                        model.meshes[id].vertices.iter().fold(0.0, |most, v| scalar::max(v.length(), most))
                    }),
                };
                let shape = match g.mesh.filter(|_| matches!(g.kind, GeomKind::Mesh | GeomKind::Sdf)) {
                    _ if !meets => None,
                    Some(id) => hulls[id].get_or_insert_with(|| shape(model, g)).clone(),
                    None => shape(model, g),
                };
                ColliderGeom { body: g.body, kind: g.kind, size: g.size, pose: g.pose, bound, shape }
            })
            .collect();
        Self { pairs, geoms, placed: Vec::new(), manifolds: Vec::new(), touches: Vec::new() }
    }

    /// The shape of a geom that may meet others, or whose distance a sensor tells.
    pub(super) fn shape_of(&self, geom: usize) -> Option<&CollisionShape> {
        self.geoms[geom].shape.as_ref()
    }

    /// Puts all contacts at the poses of `kin` into `out`, in MuJoCo's order.
    pub fn find(&mut self, model: &Model, kin: &TreeKinematics, out: &mut Vec<SoftContact>) {
        out.clear();
        if !model.options.on("contact") || !model.options.on("constraint") {
            return;
        }
        self.placed.clear();
        self.placed.extend(self.geoms.iter().map(|g| Placed {
            kind: g.kind,
            size: g.size,
            pose: kin.world_from_link[g.body] * g.pose,
        }));
        for pair in &self.pairs {
            let [a, b] = pair.geoms;
            let reach = pair.mixed.margin + pair.mixed.gap;
            let [x, y] = [self.placed[a], self.placed[b]];
            let bound = self.geoms[a].bound + self.geoms[b].bound + reach;
            let near = if x.kind == GeomKind::Plane {
                (y.center() - x.center()).dot(x.axis()) <= self.geoms[b].bound + reach
            } else {
                (y.center() - x.center()).length_squared() <= bound * bound
            };
            if !near {
                continue;
            }
            self.touches.clear();
            if !touch(&x, &y, reach, &mut self.touches) {
                let shapes = [&self.geoms[a].shape, &self.geoms[b].shape];
                other::touch(shapes, &x.pose, &y.pose, reach, &mut self.manifolds, &mut self.touches);
            }
            out.extend(self.touches.iter().map(|t| pair.mixed.contact(model, pair.geoms, *t)));
        }
    }
}

/// The geoms of one side of a distance.
pub(super) fn geoms_of(model: &Model, end: SensorEnd) -> std::ops::Range<usize> {
    match end {
        SensorEnd::Geom(id) => id..id + 1,
        SensorEnd::Body(id) | SensorEnd::Subtree(id) => model.bodies[id].geoms.clone(),
    }
}

/// Touches of two geoms that MuJoCo solves in closed form, the first of the lower type; false for others.
pub(super) fn touch(a: &Placed, b: &Placed, margin: f64, out: &mut Vec<Touch>) -> bool {
    use GeomKind::{Box, Capsule, Cylinder, Ellipsoid, Plane, Sphere};
    match (a.kind, b.kind) {
        (Plane, Sphere | Capsule | Ellipsoid | Cylinder | Box) => plane::touch(a, b, margin, out),
        (Sphere, Sphere | Capsule | Cylinder | Box) => sphere::touch(a, b, margin, out),
        (Capsule, Capsule) => capsule::touch(a, b, margin, out),
        (Capsule, Box) => capsule_box::touch(a, b, margin, out),
        (Box, Box) => cuboid::touch(a, b, margin, out),
        _ => return false,
    }
    true
}

/// The body that each body moves with: its nearest ancestor with a joint, itself included; the world otherwise. A mocap body is its own.
fn weld_groups(model: &Model) -> Vec<usize> {
    let mut group = vec![0; model.bodies.len()];
    for (i, body) in model.bodies.iter().enumerate().skip(1) {
        let own = !body.joints.is_empty() || body.mocap.is_some();
        group[i] = if own { i } else { group[body.parent] };
    }
    group
}

fn pairs(model: &Model) -> Vec<GeomPair> {
    let group = weld_groups(model);
    let parent = |k: usize| group[model.bodies[group[k]].parent];
    let moves: Vec<bool> = {
        let mut moves = vec![false; model.bodies.len()];
        for (i, body) in model.bodies.iter().enumerate().skip(1) {
            moves[i] = !body.joints.is_empty() || moves[body.parent];
        }
        moves
    };
    let meet = |a: usize, b: usize| {
        let (x, y) = (group[a], group[b]);
        let related = x != 0 && y != 0 && (x == parent(b) || y == parent(a));
        let excluded = model.excludes.iter().any(|&[c, d]| (c, d) == (a, b) || (c, d) == (b, a));
        x != y && (moves[a] || moves[b]) && !(related && model.options.on("filterparent")) && !excluded
    };
    // The lower type first; of one type the lower id, also where an explicit pair names them the other way.
    let sorted = |[a, b]: [usize; 2]| {
        if (model.geoms[a].kind, a) > (model.geoms[b].kind, b) { [b, a] } else { [a, b] }
    };
    // Key: bodies, explicit pairs first, then the order of the geoms.
    let mut list: Vec<([usize; 5], GeomPair)> = Vec::new();
    for (k, pair) in model.pairs.iter().enumerate() {
        let bodies = pair.geoms.map(|g| model.geoms[g].body);
        let key = [bodies[0].min(bodies[1]), bodies[0].max(bodies[1]), 0, k, 0];
        list.push((key, GeomPair { geoms: sorted(pair.geoms), mixed: Mixed::of_pair(pair) }));
    }
    let explicit = |a: usize, b: usize| model.pairs.iter().any(|p| p.geoms == [a, b] || p.geoms == [b, a]);
    for a in 0..model.bodies.len() {
        for b in a + 1..model.bodies.len() {
            let (x, y) = (model.bodies[a].geoms.clone(), model.bodies[b].geoms.clone());
            if x.is_empty() || y.is_empty() || !meet(a, b) {
                continue;
            }
            for (i, j) in x.flat_map(|i| y.clone().map(move |j| (i, j))) {
                let (g, h) = (&model.geoms[i], &model.geoms[j]);
                let masks = g.contype & h.conaffinity != 0 || h.contype & g.conaffinity != 0;
                if masks && !explicit(i, j) {
                    let geoms = sorted([i, j]);
                    let mixed = Mixed::of_geoms(&model.geoms[geoms[0]], &model.geoms[geoms[1]]);
                    list.push(([a, b, 1, i, j], GeomPair { geoms, mixed }));
                }
            }
        }
    }
    list.sort_by_key(|(key, _)| *key);
    list.into_iter().map(|(_, pair)| pair).collect()
}
