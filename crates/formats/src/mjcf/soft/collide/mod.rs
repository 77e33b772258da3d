//! Contacts as MuJoCo finds them: which geoms may meet, in which order, and where they touch.

mod capsule;
mod capsule_box;
mod cuboid;
mod other;
mod plane;
mod sphere;

pub(crate) use other::shape;

use super::super::model::{Geom, GeomKind, Model, SensorEnd};
use super::contact::{Mixed, SoftContact, Touch};
use huygens_dynamics::TreeKinematics;
use huygens_geometry::{CollisionShape, Manifold};
use huygens_math::{Pose, Vec3, scalar};

/// Two geoms that may meet, the first one of the lower type, and where their [`Mixed`] is.
#[derive(Clone, Copy, Debug)]
struct GeomPair {
    geoms: [u32; 2],
    mixed: u32,
}

/// Pairs that follow each other, of a geom on one body with those of one tree: the links that hang on one child of the world.
#[derive(Clone, Copy, Debug)]
struct Run {
    body: u32,
    tree: u32,
    /// Its pairs.
    first: u32,
    end: u32,
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
    mixed: Vec<Mixed>,
    runs: Vec<Run>,
    /// The tree of each body.
    tree_of: Vec<u32>,
    /// Largest margin and gap of a pair [m].
    reach: f64,
    /// Centre and bound of each geom.
    balls: Vec<(Vec3, f64)>,
    /// Boxes around the geoms of each body and of each tree; empty ones have low above high.
    bodies: Vec<[Vec3; 2]>,
    trees: Vec<[Vec3; 2]>,
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
        let (pairs, mixed) = pairs(model);
        // Hulls are made of meshes that may be touched, or whose distance a sensor tells, once for each mesh.
        let mut meets = vec![false; model.geoms.len()];
        pairs.iter().flat_map(|pair| pair.geoms).for_each(|g| meets[g as usize] = true);
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
        let tree_of = trees(model);
        let runs = runs(model, &pairs, &tree_of);
        let reach = mixed.iter().map(|m| m.margin + m.gap).fold(0.0, scalar::max);
        Self {
            pairs,
            mixed,
            runs,
            tree_of,
            reach,
            balls: Vec::new(),
            bodies: Vec::new(),
            trees: Vec::new(),
            geoms,
            placed: Vec::new(),
            manifolds: Vec::new(),
            touches: Vec::new(),
        }
    }

    /// The shape of a geom that may meet others, or whose distance a sensor tells.
    pub(super) fn shape_of(&self, geom: usize) -> Option<&CollisionShape> {
        self.geoms[geom].shape.as_ref()
    }

    /// Places all geoms, and the boxes around those of a body and of a tree.
    fn place(&mut self, kin: &TreeKinematics) {
        self.placed.clear();
        self.balls.clear();
        for list in [&mut self.bodies, &mut self.trees] {
            list.clear();
            list.resize(self.tree_of.len(), [Vec3::INFINITY, Vec3::NEG_INFINITY]);
        }
        for g in &self.geoms {
            let pose = kin.world_from_link[g.body] * g.pose;
            self.placed.push(Placed { kind: g.kind, size: g.size, pose });
            let (center, bound) = (pose.translation, Vec3::splat(g.bound + 0.5 * self.reach));
            self.balls.push((center, g.bound));
            for around in [&mut self.bodies[g.body], &mut self.trees[self.tree_of[g.body] as usize]] {
                *around = [around[0].min(center - bound), around[1].max(center + bound)];
            }
        }
    }

    /// Puts all contacts at the poses of `kin` into `out`, in MuJoCo's order.
    pub fn find(&mut self, model: &Model, kin: &TreeKinematics, out: &mut Vec<SoftContact>) {
        out.clear();
        if !model.options.on("contact") || !model.options.on("constraint") {
            return;
        }
        self.place(kin);
        for k in 0..self.runs.len() {
            let run = self.runs[k];
            let ([low, high], [other_low, other_high]) =
                (self.bodies[run.body as usize], self.trees[run.tree as usize]);
            if low.cmple(other_high).all() && other_low.cmple(high).all() {
                for pair in run.first..run.end {
                    self.meet(model, self.pairs[pair as usize], out);
                }
            }
        }
    }

    /// The contacts of one pair.
    #[inline]
    fn meet(&mut self, model: &Model, pair: GeomPair, out: &mut Vec<SoftContact>) {
        let [a, b] = pair.geoms.map(|geom| geom as usize);
        let ((ca, ra), (cb, rb)) = (self.balls[a], self.balls[b]);
        let mixed = &self.mixed[pair.mixed as usize];
        let reach = mixed.margin + mixed.gap;
        let bound = ra + rb + reach;
        // The bound of a plane is infinite: see below.
        let near = (cb - ca).length_squared() <= bound * bound;
        if !near {
            return;
        }
        let [x, y] = [&self.placed[a], &self.placed[b]];
        let is_above = x.kind == GeomKind::Plane && (cb - ca).dot(x.axis()) > rb + reach;
        if is_above {
            return;
        }
        self.touches.clear();
        if !touch(x, y, reach, &mut self.touches) {
            let shapes = [&self.geoms[a].shape, &self.geoms[b].shape];
            other::touch(shapes, &x.pose, &y.pose, reach, &mut self.manifolds, &mut self.touches);
        }
        out.extend(self.touches.iter().map(|t| mixed.contact(model, [a, b], *t)));
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

/// The tree of each body: the child of the world that it hangs on, itself included.
fn trees(model: &Model) -> Vec<u32> {
    let mut tree: Vec<u32> = (0..model.bodies.len() as u32).collect();
    for (i, body) in model.bodies.iter().enumerate().skip(1) {
        if body.parent != 0 {
            tree[i] = tree[body.parent];
        }
    }
    tree
}

/// Pairs in their order, cut where the body of one geom or the tree of the other changes.
fn runs(model: &Model, pairs: &[GeomPair], tree_of: &[u32]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (k, pair) in pairs.iter().enumerate() {
        let [a, b] = pair.geoms.map(|geom| model.geoms[geom as usize].body);
        let (body, tree) = (a.min(b) as u32, tree_of[a.max(b)]);
        match runs.last_mut() {
            Some(run) if (run.body, run.tree) == (body, tree) => run.end = k as u32 + 1,
            _ => runs.push(Run { body, tree, first: k as u32, end: k as u32 + 1 }),
        }
    }
    runs
}

/// What each two geoms give to their contacts, each once.
#[derive(Default)]
struct Mixing {
    mixed: Vec<Mixed>,
    /// First geom of each class of geoms that mix alike, and the class of each geom.
    like: Vec<usize>,
    class: Vec<usize>,
    /// Where the mix of two classes is.
    of: std::collections::BTreeMap<[usize; 2], u32>,
}

impl Mixing {
    fn new(model: &Model) -> Self {
        let mut mixing = Self::default();
        let alike = |a: &Geom, b: &Geom| {
            let numbers = |g: &Geom| [g.margin, g.gap, g.solmix];
            numbers(a) == numbers(b)
                && (a.priority, a.condim) == (b.priority, b.condim)
                && (a.friction, a.softness) == (b.friction, b.softness)
        };
        for (i, geom) in model.geoms.iter().enumerate() {
            let known = mixing.like.iter().position(|&other| alike(&model.geoms[other], geom));
            mixing.class.push(known.unwrap_or(mixing.like.len()));
            if known.is_none() {
                mixing.like.push(i);
            }
        }
        mixing
    }

    fn of_geoms(&mut self, model: &Model, geoms: [usize; 2]) -> u32 {
        let Self { mixed, class, of, .. } = self;
        *of.entry(geoms.map(|g| class[g])).or_insert_with(|| {
            mixed.push(Mixed::of_geoms(&model.geoms[geoms[0]], &model.geoms[geoms[1]]));
            mixed.len() as u32 - 1
        })
    }
}

fn pairs(model: &Model) -> (Vec<GeomPair>, Vec<Mixed>) {
    let mut mixing = Mixing::new(model);
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
        mixing.mixed.push(Mixed::of_pair(pair));
        let geoms = sorted(pair.geoms).map(|geom| geom as u32);
        list.push((key, GeomPair { geoms, mixed: mixing.mixed.len() as u32 - 1 }));
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
                    let mixed = mixing.of_geoms(model, geoms);
                    let geoms = geoms.map(|geom| geom as u32);
                    list.push(([a, b, 1, i, j], GeomPair { geoms, mixed }));
                }
            }
        }
    }
    list.sort_by_key(|(key, _)| *key);
    (list.into_iter().map(|(_, pair)| pair).collect(), mixing.mixed)
}
