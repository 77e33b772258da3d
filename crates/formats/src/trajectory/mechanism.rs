//! A mechanism in MuJoCo's pipeline as a motion: its links are the bodies, its geoms the surfaces.

use super::frame::{AROUND, BodyFrame, Cast, CastJoint, CastSurface, ContactFrame, Frame, Side, channels};
use crate::mjcf::model::{Geom, GeomKind, JointKind, Model};
use crate::mjcf::soft::{ACCOUNTS, SoftMachine};
use crate::mjcf::{Readings, body_name};
use huygens::geometry::CollisionShape;
use huygens::geometry::tessellation::{Fineness, Surface};
use huygens::ledger::Account;
use huygens_math::scalar::max;
use huygens_math::{Pose, Vec3};

/// The last group of geoms that MuJoCo shows.
const LAST_SHOWN_GROUP: i64 = 2;

impl Cast {
    /// Who is in a mechanism; links that cannot move are static bodies.
    pub fn of_mechanism(soft: &SoftMachine, readings: &Readings) -> Self {
        let (model, tree) = (soft.model(), &soft.machine.mechanism.tree);
        let mut cast = Self { channels: channels(readings), ..Self::default() };
        let reach = |geom: &Geom| geom.pose.translation.length() + size(model, geom);
        for link in 0..model.bodies.len() {
            let name = body_name(model, link);
            let geoms = &model.geoms[model.bodies[link].geoms.clone()];
            let side = if tree.path(link).next().is_none() {
                cast.fixed.push(name);
                Side::Fixed(cast.fixed.len() as u32 - 1)
            } else {
                cast.names.push(name);
                cast.sizes.push(geoms.iter().map(reach).fold(0.0, max));
                Side::Moving(cast.names.len() as u32 - 1)
            };
            cast.links.push(side);
            cast.surfaces.extend(geoms.iter().filter_map(|geom| surface(model, geom, side)));
        }
        let joints = model.joints.iter().filter(|j| matches!(j.kind, JointKind::Hinge | JointKind::Slide));
        let joint = |j: &crate::mjcf::model::Joint| CastJoint {
            name: j.name.clone(),
            child: cast.links[j.body],
            at: j.pos,
            axis: j.axis,
        };
        cast.joints = joints.map(joint).collect();
        cast
    }
}

/// Radius of a ball about a geom's centre that holds it [m].
fn size(model: &Model, geom: &Geom) -> f64 {
    let [a, b, c] = geom.size;
    match geom.kind {
        GeomKind::Plane | GeomKind::HeightField => 0.0,
        GeomKind::Sphere => a,
        GeomKind::Capsule => a + b,
        GeomKind::Cylinder => (a * a + b * b).sqrt(),
        GeomKind::Ellipsoid => max(a, max(b, c)),
        GeomKind::Box => (a * a + b * b + c * c).sqrt(),
        GeomKind::Mesh | GeomKind::Sdf => geom.mesh.map_or(0.0, |id| {
            model.meshes[id].vertices.iter().fold(0.0, |most, vertex| max(most, vertex.length()))
        }),
    }
}

/// The surface of a geom that MuJoCo shows; a mesh with its own triangles.
fn surface(model: &Model, geom: &Geom, side: Side) -> Option<CastSurface> {
    if geom.group > LAST_SHOWN_GROUP || geom.invisible {
        return None;
    }
    let placed = |point: &Vec3| geom.pose.transform(*point);
    if let (GeomKind::Mesh | GeomKind::Sdf, Some(id)) = (geom.kind, geom.mesh) {
        let mesh = &model.meshes[id];
        let points = mesh.vertices.iter().map(placed).collect();
        return Some(CastSurface { side, points, triangles: mesh.faces.clone() });
    }
    let [a, b, _] = geom.size;
    let shape = match geom.kind {
        GeomKind::Plane => CollisionShape::HalfSpace,
        _ => crate::mjcf::soft::shape(model, geom)?,
    };
    // An endless plane is shown ten metres far.
    let reach = if a > 0.0 && b > 0.0 { max(a, b) } else { 10.0 };
    let surface = Surface::of(&shape, Fineness { around: AROUND, reach });
    let points = surface.points.iter().map(placed).collect();
    Some(CastSurface { side, points, triangles: surface.triangles().collect() })
}

impl Frame {
    /// Reads a mechanism that was looked at after its step number `step`.
    pub fn read_mechanism(&mut self, soft: &SoftMachine, readings: &Readings, step: u64, cast: &Cast) {
        let (model, state, book) = (soft.model(), readings.state, &soft.book);
        let (kin, tree) = (&soft.forward.kin, &soft.machine.mechanism.tree);
        (self.step, self.time) = (step, state.time);
        (self.energy, self.kinetic_energy) = (book.end.total(), book.end.kinetic);
        let account = |name: &str| ACCOUNTS.iter().position(|known| *known == name);
        self.ledger = Account::ALL.map(|a| account(a.name()).map_or(0.0, |i| book.accounts[i]));
        self.read_robot(readings);
        self.bodies.clear();
        self.fixed.clear();
        for (link, side) in cast.links.iter().enumerate() {
            let (pose, twist) = (kin.world_from_link[link], kin.twist[link]);
            match side {
                Side::Fixed(_) => self.fixed.push(if link == 0 { Pose::IDENTITY } else { pose }),
                Side::Moving(_) => {
                    let spin = twist.angular;
                    let twice = tree.links()[link].mass * twist.linear.length_squared()
                        + spin.dot(kin.inertia[link] * spin);
                    self.bodies.push(BodyFrame {
                        position: pose.translation,
                        orientation: pose.rotation,
                        linear_velocity: twist.linear,
                        angular_velocity: spin,
                        kinetic_energy: 0.5 * twice,
                    });
                }
            }
        }
        let hinges: Vec<(f64, f64)> = (model.joints.iter())
            .filter(|j| matches!(j.kind, JointKind::Hinge | JointKind::Slide))
            .map(|j| (state.qpos[j.qpos], state.qvel[j.dof]))
            .collect();
        self.put_joints(cast, |i, _| hinges[i]);
        self.contacts.clear();
        for (contact, [force, _]) in soft.contacts.iter().zip(soft.contact_forces()) {
            // Here a normal points to the first body.
            let [a, b] = contact.bodies;
            let velocity = |link: usize| {
                kin.twist[link].linear + kin.twist[link].angular.cross(contact.pos - kin.com[link])
            };
            let (normal, relative) = (-contact.frame[0], velocity(a) - velocity(b));
            self.contacts.push(ContactFrame {
                side: [cast.links[a], cast.links[b]],
                point: contact.pos,
                normal,
                force: -force,
                gap: contact.dist,
                slip: relative - normal * normal.dot(relative),
            });
        }
    }
}
