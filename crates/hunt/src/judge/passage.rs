//! Judge of `passage`: nobody gets to the other side of a thin thing, out of the closed box, or is left inside of something.
//!
//! Roles: `box` is the inside of a box, everything happens in there. `thin N` is a plate, a wall, a mesh or a height field that spans the
//! whole cross-section of the box, so that no way leads round it; when it moves, it moves along its normal alone, and is a shot too. `shot N`
//! moves. Anything else (a driver) only pushes.
//!
//! The side of a shot is the sign of its centre's distance from the middle plane of the thin thing. A centre of mass lies in the convex hull of
//! its body, so a body that is on its own side by as little as round-off has its centre there: the limit is 0. Left inside means that the overlap
//! of two bodies exceeds [`LEFT_INSIDE`] of the smaller one's size in each of the last [`LAST_STEPS`] steps.

use super::run::run;
use super::{Judgement, Verdict};
use crate::forms::{Forms, pose};
use crate::{BodySight, Workshop};
use huygens::math::{Pose, Vec3, scalar};
use huygens::scene::{Body, HeightSource, MeshSource, Motion, ShapeKind, StabilisationSpec};
use huygens::{Scene, SceneErrors};

/// Share of a body's size by which it may overlap another one at the end.
const LEFT_INSIDE: f64 = 0.1;

/// Steps at the end in each of which a body that is left inside is seen. Overlap that an engine undoes in its own time, as it may, is gone after
/// fewer; a shorter run says nothing about it.
const LAST_STEPS: usize = 40;

/// Largest gap between a thin thing and the box, as a share of the box [1].
const LEAK: f64 = 1e-3;

/// Judges one scene.
pub fn judge<W: Workshop>(workshop: &W, scene: &Scene) -> Judgement {
    let judged = || -> Result<Judgement, SceneErrors> {
        let forms = Forms::new(scene)?;
        let steps = scene.world.step_count();
        let start = run(workshop, scene, 0)?.remove(0);
        match Roles::new(scene, &forms, &start) {
            Ok(roles) => {
                let whole = run(workshop, scene, steps)?;
                Ok(Judgement::Judged(worst(&roles, &forms, &whole)))
            }
            Err(why) => Ok(Judgement::NotJudged(why)),
        }
    };
    judged().unwrap_or_else(|errors| Judgement::NotJudged(errors.to_string()))
}

/// A thin thing: its middle plane in its own frame.
struct Thin {
    body: usize,
    /// Unit normal, in the frame of the centre of mass.
    normal: Vec3,
    /// A point of the plane, in the same frame [m].
    origin: Vec3,
}

/// Who is who in a scene.
struct Roles<'a> {
    scene: &'a Scene,
    container: usize,
    /// Half of the box's edges [m].
    half: Vec3,
    thin: Vec<Thin>,
    shots: Vec<usize>,
    /// Side of each shot at each thin thing: +1 or −1.
    sides: Vec<Vec<f64>>,
}

impl<'a> Roles<'a> {
    fn new(scene: &'a Scene, forms: &Forms, start: &[BodySight]) -> Result<Self, String> {
        if !scene.repeats.is_empty() || !scene.edits.is_empty() {
            return Err("repeats and edits are not looked at".into());
        }
        let named = |role: &str| {
            let is = |body: &Body| body.name.split(' ').next() == Some(role);
            scene
                .bodies
                .iter()
                .enumerate()
                .filter(move |(_, body)| is(body))
                .map(|(i, _)| i)
                .collect::<Vec<_>>()
        };
        let (containers, shots) = (named("box"), named("shot"));
        let &[container] = containers.as_slice() else { return Err("there is not one box".into()) };
        let walls = &scene.bodies[container];
        let half = match walls.shapes.as_slice() {
            [shape] if walls.motion == Motion::Static && shape.pose() == Pose::IDENTITY => match shape.kind {
                ShapeKind::BoxInside { size } => 0.5 * size,
                _ => return Err("the box is not the inside of a box".into()),
            },
            _ => return Err("the box is not one shape at rest at its body's origin".into()),
        };
        if shots.is_empty() || shots.iter().any(|shot| forms.of(*shot).is_empty()) {
            return Err("there is no shot, or one without a shape".into());
        }
        let mut roles = Self { scene, container, half, thin: Vec::new(), shots, sides: Vec::new() };
        for body in named("thin") {
            roles.add_thin(body, forms, start)?;
        }
        roles.check_room(forms, start)?;
        roles.sides = roles.shots.iter().map(|shot| roles.sides_of(*shot, start)).collect();
        Ok(roles)
    }

    /// Adds a thin thing, when it spans the cross-section of the box.
    fn add_thin(&mut self, body: usize, forms: &Forms, start: &[BodySight]) -> Result<(), String> {
        let spec = &self.scene.bodies[body];
        let (sheet, form) = match (spec.shapes.as_slice(), forms.of(body)) {
            ([shape], [form]) => (Sheet::new(&shape.kind)?, form),
            _ => return Err(format!("{:?} is not one shape", spec.name)),
        };
        let fixed = matches!(spec.motion, Motion::Static);
        let lock = spec.lock;
        let normal = form.in_body.rotate(Vec3::Z);
        if !fixed {
            // It may only move along a world axis, which is its normal.
            let free: Vec<usize> = (0..3).filter(|axis| !lock.linear[*axis]).collect();
            let along = start[body].orientation * normal;
            if lock.angular != [true; 3] || free.len() != 1 || along[free[0]].abs() < 1.0 - 1e-12 {
                return Err(format!("{:?} can let a body pass beside it", spec.name));
            }
        }
        let in_body = form.in_body * Pose::at(Vec3::Z * sheet.height);
        let in_box = pose(&start[self.container]).relative(&(pose(&start[body]) * in_body));
        if !sheet.spans(&in_box, self.half) {
            return Err(format!("{:?} does not span the box", spec.name));
        }
        self.thin.push(Thin { body, normal, origin: in_body.translation });
        if !fixed {
            self.shots.push(body);
        }
        Ok(())
    }

    /// Shots start inside of the box and clear of everything, and a driver leaves room for all of them.
    fn check_room(&self, forms: &Forms, start: &[BodySight]) -> Result<(), String> {
        let gap = |a: usize, b: usize| forms.gap(a, &pose(&start[a]), b, &pose(&start[b]));
        for &shot in &self.shots {
            let meets = |other: &usize| *other != shot && gap(shot, *other) <= 0.0;
            if let Some(other) = (0..start.len()).find(meets) {
                let names = [shot, other].map(|body| &self.scene.bodies[body].name);
                return Err(format!("{:?} and {:?} overlap at the start", names[0], names[1]));
            }
        }
        let room = self.shots.iter().fold(0.0, |sum, shot| sum + 2.0 * forms.reach(*shot));
        for (driver, spec) in self.scene.bodies.iter().enumerate() {
            let Motion::Driven { keyframes, .. } = &spec.motion else { continue };
            if keyframes.is_empty() {
                return Err(format!("{:?} never stops", spec.name));
            }
            for frame in keyframes {
                let center = frame.position + frame.orientation * center_in_body(&start[driver]);
                let there = Pose::new(frame.orientation.normalize(), center);
                for other in self.thin.iter().map(|thin| thin.body).chain([self.container]) {
                    if forms.gap(driver, &there, other, &pose(&start[other])) < room {
                        return Err(format!("{:?} leaves no room", spec.name));
                    }
                }
            }
        }
        Ok(())
    }

    /// Distance of a body's centre from the middle plane of a thin thing [m].
    fn distance(&self, thin: &Thin, body: &BodySight, plate: &BodySight) -> f64 {
        let frame = pose(plate);
        (body.center - frame.transform(thin.origin)).dot(frame.rotate(thin.normal))
    }

    fn sides_of(&self, shot: usize, bodies: &[BodySight]) -> Vec<f64> {
        let side = |thin: &Thin| self.distance(thin, &bodies[shot], &bodies[thin.body]).signum();
        self.thin.iter().map(side).collect()
    }

    /// How far a body's centre is beyond the walls of the box [m].
    fn outside(&self, body: &BodySight, bodies: &[BodySight]) -> f64 {
        let local = pose(&bodies[self.container]).inverse_transform(body.center);
        (local.abs() - self.half).max_element()
    }
}

/// Centre of mass in the body's frame, from where both are at the start.
fn center_in_body(sight: &BodySight) -> Vec3 {
    sight.orientation.conjugate() * (sight.center - sight.position)
}

/// The middle plane of a thin thing, in its own frame.
struct Sheet {
    /// Half extents along x and y [m].
    half: [f64; 2],
    /// z of the plane [m].
    height: f64,
}

impl Sheet {
    fn new(kind: &ShapeKind) -> Result<Self, String> {
        let at_zero = |x: f64, y: f64| Ok(Self { half: [0.5 * x, 0.5 * y], height: 0.0 });
        match kind {
            ShapeKind::Box { size } if size.z <= 0.1 * scalar::min(size.x, size.y) => at_zero(size.x, size.y),
            ShapeKind::Wall { size, normal } if *normal == Vec3::Z => at_zero(size.x, size.y),
            ShapeKind::Mesh { source: MeshSource::Triangles { vertices, .. }, scale }
                if *scale == Vec3::ONE =>
            {
                Self::of_mesh(vertices).ok_or_else(|| "the mesh is not thin".into())
            }
            ShapeKind::HeightField { source: HeightSource::Heights(rows), size } => {
                // A centre may sink into a dale, but not below all of them.
                let height = rows.iter().flatten().copied().fold(f64::INFINITY, scalar::min);
                Ok(Self { half: [0.5 * size.x, 0.5 * size.y], height })
            }
            _ => Err("a thin thing is a plate, a wall, a mesh or a height field".into()),
        }
    }

    fn of_mesh(vertices: &[Vec3]) -> Option<Self> {
        let ends = |axis: usize| {
            let along = || vertices.iter().map(move |vertex| vertex[axis]);
            [along().fold(f64::INFINITY, scalar::min), along().fold(f64::NEG_INFINITY, scalar::max)]
        };
        let [x, y, z] = [ends(0), ends(1), ends(2)];
        let thin = z[1] - z[0] <= 0.1 * (x[1] - x[0]);
        // About the origin, so that the half extents are those of both sides.
        let half = [scalar::min(-x[0], x[1]), scalar::min(-y[0], y[1])];
        thin.then_some(Self { half, height: 0.5 * (z[0] + z[1]) })
    }

    /// Whether the sheet, placed in the frame of a box with those half edges, covers the cut of its plane through the box.
    fn spans(&self, in_box: &Pose, half: Vec3) -> bool {
        let corner = |i: usize| {
            let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            in_box.inverse_transform(half * Vec3::new(sign(0), sign(1), sign(2)))
        };
        let leak = LEAK * half.max_element();
        let mut cuts = 0;
        for i in 0..8usize {
            for bit in 0..3 {
                let j = i | 1 << bit;
                let (a, b) = (corner(i), corner(j));
                if i == j || (a.z > 0.0) == (b.z > 0.0) {
                    continue;
                }
                let cut = a + (b - a) * (a.z / (a.z - b.z));
                cuts += 1;
                if cut.x.abs() > self.half[0] + leak || cut.y.abs() > self.half[1] + leak {
                    return false;
                }
            }
        }
        cuts > 0
    }
}

/// The worst of all steps.
fn worst(roles: &Roles, forms: &Forms, whole: &[Vec<BodySight>]) -> Verdict {
    let mut verdict = Verdict { figure: 0.0, limit: 0.0, step: 0, what: String::new() };
    let name = |body: usize| &roles.scene.bodies[body].name;
    for (step, bodies) in whole.iter().enumerate() {
        for (&shot, sides) in roles.shots.iter().zip(&roles.sides) {
            let (body, size) = (&bodies[shot], forms.reach(shot));
            let mut see = |beyond: f64, of: usize| {
                let figure = beyond / size;
                // A place that is no number is not inside of anything either.
                if (figure.is_nan() || figure > 0.0) && verdict.figure == 0.0 {
                    let what = format!(
                        "{:?} is {beyond:.3e} m beyond {:?} after step {step}, {figure:.2} of its size",
                        name(shot),
                        name(of)
                    );
                    verdict = Verdict { figure, limit: 0.0, step: step as u64, what };
                }
            };
            for (thin, side) in roles.thin.iter().zip(sides) {
                see(-side * roles.distance(thin, body, &bodies[thin.body]), thin.body);
            }
            see(roles.outside(body, bodies), roles.container);
        }
    }
    if verdict.figure == 0.0 && roles.scene.world.stabilisation != StabilisationSpec::None {
        left_inside(roles, forms, whole, &mut verdict);
    }
    if verdict.what.is_empty() {
        verdict.what = "everybody stayed on their side".into();
    }
    verdict
}

/// Overlaps that last until the end.
fn left_inside(roles: &Roles, forms: &Forms, whole: &[Vec<BodySight>], verdict: &mut Verdict) {
    let Some(first) = whole.len().checked_sub(LAST_STEPS + 1) else { return };
    for &shot in &roles.shots {
        for other in (0..whole[0].len()).filter(|other| *other != shot) {
            let size = scalar::min(forms.reach(shot), forms.reach(other));
            let depth = |bodies: &Vec<BodySight>| {
                -forms.gap(shot, &pose(&bodies[shot]), other, &pose(&bodies[other]))
            };
            let least = whole[first..].iter().map(depth).fold(f64::INFINITY, scalar::min);
            let figure = least / size - LEFT_INSIDE;
            if figure > verdict.figure {
                let names = [shot, other].map(|body| &roles.scene.bodies[body].name);
                verdict.figure = figure;
                verdict.step = whole.len() as u64 - 1;
                verdict.what = format!("{:?} is left {least:.3e} m inside of {:?}", names[0], names[1]);
            }
        }
    }
}
