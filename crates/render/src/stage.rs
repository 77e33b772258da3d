//! What there is to see of a world.

use crate::camera::Camera;
use crate::colour::{self, Light, Role};
use crate::draw::Options;
use crate::frame::{framed, surroundings};
use crate::raster::Samples;
use crate::solid;
use huygens::World;
use huygens::geometry::tessellation::{Fineness, Surface, wires};
use huygens::geometry::{Aabb, CollisionShape};
use huygens::model::Motion;
use huygens_math::scalar::max;
use huygens_math::{Pose, Vec2, Vec3};

/// How the faces of a thing are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Seen from outside, throws a shadow.
    Solid,
    /// Seen from both sides, throws a shadow.
    Sheet,
    /// The inside of a container: seen where it faces the eye, throws none.
    Inside,
    /// Large and below everything: has a grid and fades.
    Ground,
    /// A wall that hides what moves: seen through, throws no shadow.
    Glass,
    /// Over everything: arrows.
    Mark,
}

/// Faces of one colour, in world axes.
#[derive(Debug)]
pub(crate) struct Thing {
    pub faces: Surface,
    pub colour: Light,
    pub kind: Kind,
    /// Of a body that can move.
    pub moves: bool,
}

/// A world ready to be drawn.
#[derive(Debug)]
pub(crate) struct Stage {
    pub things: Vec<Thing>,
    pub camera: Camera,
    pub up: Vec3,
    /// The middle of what is framed, and its size [m].
    pub center: Vec3,
    pub radius: f64,
}

/// More shapes than this are cut less finely, and more still than that.
const MANY: usize = 400;
const VERY_MANY: usize = 4000;
/// A static shape larger than this times what is framed is part of the ground.
const LARGE: f64 = 3.0;
/// The longest arrow, over the size of what is framed.
const LONGEST_ARROW: f64 = 0.45;
/// Pieces of the zigzag of a spring.
const ZIGZAGS: u32 = 14;
/// A static solid that hides more than this share of what moves is glass.
const HIDES: f64 = 0.12;
/// Samples of the small picture by which that is judged.
const JUDGED: [usize; 2] = [192, 108];

impl Stage {
    /// The world as `options` asks for it, in a picture of `size` samples.
    pub fn of(world: &World, options: &Options, size: Vec2) -> Self {
        let gravity = world.model().settings.gravity;
        let up = (-gravity).normalize_or(Vec3::Z);
        let mut shapes = placed(world);
        shapes.retain(|shape| !options.hides(shape.name));
        let framed = framed(&shapes);
        let chosen = shapes.iter().zip(&framed).filter(|(_, framed)| **framed);
        let boxes: Vec<Aabb> = chosen.filter_map(|(shape, _)| shape.aabb).collect();
        let mut extra: Vec<Vec3> =
            options.trails.iter().flat_map(|trail| trail.points.iter().copied()).collect();
        extra.extend(pivots(world, options).iter().flat_map(|pivot| pivot.ends.iter().copied()));
        extra.extend(springs(world, options).flatten());
        let all = boxes.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb)).union(&Aabb::of_points(&extra));
        let near: Vec<Aabb> = shapes
            .iter()
            .zip(&framed)
            .filter(|(shape, framed)| !**framed && shape.role == Role::Fixed)
            .filter_map(|(shape, _)| surroundings(shape, &all))
            .collect();
        let finite = all.min.is_finite() && all.max.is_finite();
        let center = if finite { (all.min + all.max) * 0.5 } else { Vec3::ZERO };
        let radius = if finite { max(0.5 * (all.max - all.min).length(), 1e-9) } else { 1.0 };
        let around = match shapes.len() {
            0..=MANY => 64,
            n if n <= VERY_MANY => 24,
            _ => 12,
        };
        let fineness = Fineness { around, reach: 12.0 * radius };
        let camera = Camera::framing(&[], options.view, up, size);
        let mut stage = Self { things: Vec::new(), camera, up, center, radius };
        // Boxes are enough to frame a crowd.
        let many = shapes.len() > MANY;
        let mut points: Vec<Vec3> = if many { boxes.iter().flat_map(corners).collect() } else { Vec::new() };
        points.extend(near.iter().flat_map(corners).chain(extra));
        for (shape, framed) in shapes.iter().zip(&framed) {
            let first = stage.things.len();
            stage.add(shape, fineness, options);
            if *framed && !many {
                points.extend(stage.things[first..].iter().flat_map(|thing| &thing.faces.points));
            }
        }
        stage.camera = Camera::framing(&points, options.view, up, size);
        let followed =
            options.follow.as_ref().and_then(|name| world.bodies().find(|body| body.name == *name));
        stage.camera.turn_to(followed.map(|body| body.position).or(options.look_at), options.zoom);
        stage.make_glass(options);
        stage.add_joints(world, options);
        stage.add_springs(world, options);
        stage.add_trails(options);
        if options.forces {
            stage.add_forces(world);
        }
        stage
    }

    fn add(&mut self, shape: &Placed, fineness: Fineness, options: &Options) {
        let own = options.look.color(shape.name).map(colour::light);
        let colour = own.unwrap_or_else(|| colour::of_body(shape.name, shape.role));
        let fixed = shape.role == Role::Fixed;
        let large =
            fixed && shape.aabb.is_none_or(|aabb| 0.5 * (aabb.max - aabb.min).length() > LARGE * self.radius);
        let ground = own.unwrap_or_else(|| colour::light(colour::GROUND));
        let (kind, colour) = match shape.shape {
            CollisionShape::HalfSpace => {
                let faces = self.ground(&shape.pose, fineness.reach);
                self.push(faces, &Pose::IDENTITY, ground, Kind::Ground, false);
                return;
            }
            CollisionShape::Wall(_) => (Kind::Sheet, colour),
            CollisionShape::Mesh(mesh) if mesh.enclosed().is_err() => {
                if large {
                    (Kind::Sheet, ground)
                } else {
                    (Kind::Sheet, colour)
                }
            }
            CollisionShape::BoxInside(_) | CollisionShape::CylinderInside(_) => (Kind::Inside, colour),
            _ if large => (Kind::Ground, ground),
            _ => (Kind::Solid, colour),
        };
        self.push(Surface::of(shape.shape, fineness), &shape.pose, colour, kind, !fixed);
        if kind == Kind::Inside {
            let fine = Fineness { around: 2 * fineness.around, ..fineness };
            for [from, to] in wires(shape.shape, fine) {
                let rod = solid::rod(from, to, 0.004 * self.radius);
                self.push(rod, &shape.pose, colour::light(colour::EDGE), Kind::Inside, false);
            }
        }
    }

    fn push(&mut self, mut faces: Surface, world_from_shape: &Pose, colour: Light, kind: Kind, moves: bool) {
        faces.points.iter_mut().for_each(|p| *p = world_from_shape.transform(*p));
        faces.normals.iter_mut().for_each(|n| *n = world_from_shape.rotate(*n));
        self.things.push(Thing { faces, colour, kind, moves });
    }

    /// A piece of the plane of a half-space, wide enough to fade away before its end.
    fn ground(&self, pose: &Pose, wide: f64) -> Surface {
        let normal = pose.rotate(Vec3::Z);
        let foot = self.center - normal * normal.dot(self.center - pose.translation);
        let (a, b) = crate::camera::level_axes(normal);
        let mut faces = Surface::default();
        let corner = |(x, y): (f64, f64)| foot + (a * x + b * y) * wide;
        faces.flat([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(corner), normal);
        faces
    }

    /// Makes static solids that stand before what moves transparent. A small picture tells which they are.
    fn make_glass(&mut self, options: &Options) {
        let wide = f64::from(options.width) / f64::from(options.height.max(1));
        let size = [((JUDGED[1] as f64 * wide) as usize).clamp(16, 4 * JUDGED[0]), JUDGED[1]];
        let camera = self.camera;
        self.camera = camera.scaled(Vec2::new(size[0] as f64, size[1] as f64));
        let moving = Samples::of(self, size, |thing| thing.moves);
        let fixed =
            Samples::of(self, size, |thing| !thing.moves && matches!(thing.kind, Kind::Solid | Kind::Sheet));
        self.camera = camera;
        let seen = moving.samples.iter().filter(|sample| sample.depth.is_finite()).count();
        let mut hidden = vec![0usize; self.things.len()];
        for (moving, fixed) in moving.samples.iter().zip(&fixed.samples) {
            if moving.depth.is_finite() && fixed.depth < moving.depth {
                hidden[fixed.thing as usize] += 1;
            }
        }
        for (thing, hidden) in self.things.iter_mut().zip(hidden) {
            if hidden as f64 > HIDES * seen as f64 && hidden > 0 {
                thing.kind = Kind::Glass;
            }
        }
    }

    /// A ball at every pivot, with an axle along its axis, and rods from there to the middle of what it joins.
    fn add_joints(&mut self, world: &World, options: &Options) {
        let thin = 0.012 * self.radius;
        for pivot in pivots(world, options) {
            let colour = colour::light(colour::JOINT);
            for end in &pivot.ends[1..] {
                let rod = solid::rod(pivot.ends[0], *end, 0.6 * thin);
                self.push(rod, &Pose::IDENTITY, colour, Kind::Solid, true);
            }
            let axle = pivot.axis * (2.2 * thin);
            let axle = solid::rod(pivot.ends[0] - axle, pivot.ends[0] + axle, 1.1 * thin);
            self.push(axle, &Pose::IDENTITY, colour, Kind::Mark, true);
            if let Ok(ball) = CollisionShape::sphere(1.6 * thin) {
                let surface = Surface::of(&ball, Fineness { around: 24, reach: 1.0 });
                let at = Pose { translation: pivot.ends[0], ..Pose::IDENTITY };
                self.push(surface, &at, colour, Kind::Mark, true);
            }
        }
    }

    /// A zigzag between the ends of every spring.
    fn add_springs(&mut self, world: &World, options: &Options) {
        let thin = 0.006 * self.radius;
        for [a, b] in springs(world, options) {
            let line = (b - a) / f64::from(ZIGZAGS);
            let across = line.any_orthogonal_vector().normalize_or_zero() * (4.0 * thin);
            let corner = |k: u32| {
                let side = match k {
                    0 | ZIGZAGS => 0.0,
                    k if k % 2 == 0 => 1.0,
                    _ => -1.0,
                };
                a + line * f64::from(k) + across * side
            };
            for k in 0..ZIGZAGS {
                let rod = solid::rod(corner(k), corner(k + 1), thin);
                self.push(rod, &Pose::IDENTITY, colour::light(colour::JOINT), Kind::Solid, true);
            }
        }
    }

    fn add_trails(&mut self, options: &Options) {
        let thin = 0.004 * self.radius;
        for trail in options.trails.iter().filter(|trail| !options.hides(&trail.body)) {
            let own = options.look.color(&trail.body).map(colour::light);
            let colour = own.unwrap_or_else(|| colour::of_body(&trail.body, Role::Moving)) * 0.75;
            let mut last: Option<Vec3> = None;
            for point in &trail.points {
                // Pieces that are too short to be seen only cost time.
                if last.is_none_or(|last| (*point - last).length() > 2.0 * thin) {
                    if let Some(last) = last {
                        self.push(solid::rod(last, *point, thin), &Pose::IDENTITY, colour, Kind::Solid, true);
                    }
                    last = Some(*point);
                }
            }
        }
    }

    /// An arrow at every contact point: the force on the body that can move, or on the first of two.
    fn add_forces(&mut self, world: &World) {
        let dt = world.model().settings.dt;
        let arrows: Vec<(Vec3, Vec3)> = world
            .contacts()
            .map(|contact| {
                let fixed = world
                    .body(contact.bodies[0])
                    .is_ok_and(|body| body.motion == huygens::MotionKind::Static);
                let force = contact.impulse / dt;
                (contact.point, if fixed { -force } else { force })
            })
            .collect();
        let largest = arrows.iter().fold(0.0, |largest, (_, force)| max(largest, force.length()));
        if largest <= 0.0 || !largest.is_finite() {
            return;
        }
        let scale = LONGEST_ARROW * self.radius / largest;
        for (point, force) in arrows {
            // What is too short to be seen would only be a dot.
            if force.length() > 0.01 * largest {
                let faces = solid::arrow(point, force * scale, 0.022 * self.radius);
                self.push(faces, &Pose::IDENTITY, colour::light(colour::FORCE), Kind::Mark, false);
            }
        }
    }
}

/// The ends of every spring where they are.
fn springs(world: &World, options: &Options) -> impl Iterator<Item = [Vec3; 2]> {
    let model = world.model();
    let shown = |body: Option<u32>| body.is_none_or(|slot| !options.hides(&model.bodies[slot as usize].name));
    let springs =
        model.forces.springs.iter().filter(move |spring| spring.ends.iter().all(|end| shown(end.body)));
    springs.map(|spring| spring.places(world.state()))
}

/// A joint where it is: its pivot, then the middles of the bodies that it joins.
struct PlacedPivot {
    ends: Vec<Vec3>,
    axis: Vec3,
}

fn pivots(world: &World, options: &Options) -> Vec<PlacedPivot> {
    let find = |name: &str| world.bodies().find(|body| body.name == name);
    let placed =
        options.look.joints.iter().filter(|joint| !options.hides(&joint.child)).filter_map(|joint| {
            let child = find(&joint.child)?;
            let at = child.position + child.orientation * joint.at;
            let mut ends = vec![at, child.position];
            let parent = joint.parent.as_ref().and_then(|name| find(name));
            ends.extend(
                parent
                    .filter(|parent| parent.motion != huygens::MotionKind::Static)
                    .map(|parent| parent.position),
            );
            Some(PlacedPivot { ends, axis: child.orientation * joint.axis })
        });
    placed.collect()
}

/// A shape where it is.
pub(crate) struct Placed<'w> {
    pub name: &'w str,
    pub role: Role,
    pub shape: &'w CollisionShape,
    pub pose: Pose,
    /// `None` when it has no end.
    pub aabb: Option<Aabb>,
}

impl Placed<'_> {
    /// Others are inside of it.
    pub fn is_container(&self) -> bool {
        matches!(self.shape, CollisionShape::BoxInside(_) | CollisionShape::CylinderInside(_))
    }
}

fn placed(world: &World) -> Vec<Placed<'_>> {
    let (model, state) = (world.model(), world.state());
    let alive = model.shapes.iter().filter(|shape| !shape.removed && !shape.sensor);
    alive
        .map(|shape| {
            let slot = shape.body as usize;
            let pose = Pose::new(state.orientation[slot], state.position[slot]) * shape.in_body;
            let aabb = shape.shape.aabb(&pose);
            let role = match model.bodies[slot].motion {
                Motion::Static => Role::Fixed,
                Motion::Driven(_) => Role::Driven,
                Motion::Dynamic | Motion::Link { .. } => Role::Moving,
            };
            // The box of a container is all of space; its walls have an end.
            let aabb = match &shape.shape {
                CollisionShape::BoxInside(inside) => bounds(inside.half, &pose),
                CollisionShape::CylinderInside(inside) => {
                    bounds(Vec3::new(inside.radius, inside.radius, inside.half_length), &pose)
                }
                _ => aabb,
            };
            let finite = aabb.min.is_finite() && aabb.max.is_finite();
            let name = model.bodies[slot].name.as_str();
            Placed { name, role, shape: &shape.shape, pose, aabb: finite.then_some(aabb) }
        })
        .collect()
}

fn bounds(half: Vec3, pose: &Pose) -> Aabb {
    Aabb::of_points(&corners(&Aabb::from_center(Vec3::ZERO, half)).map(|p| pose.transform(p)))
}

fn corners(aabb: &Aabb) -> [Vec3; 8] {
    std::array::from_fn(|i| {
        let pick = |bit: usize, low: f64, high: f64| if i & bit == 0 { low } else { high };
        Vec3::new(
            pick(1, aabb.min.x, aabb.max.x),
            pick(2, aabb.min.y, aabb.max.y),
            pick(4, aabb.min.z, aabb.max.z),
        )
    })
}
