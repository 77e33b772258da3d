//! Joints and couplings of a scene as trees.

use super::elementary::{Elementary, axes, parts};
use super::graph::{Edge, EdgeOf, Hung, pieces};
use super::start::{Given, assemble, velocities_with_momentum};
use crate::assembly::{AssembledCoupling, AssembledJoint, Assembly, KeptCoordinates, find, frame};
use crate::model::{BallLimit, DofModel, JointModel, Model, Motion, RopeEnd, RopeModel, TreeOffsets};
use crate::scene::{
    CouplingKind, CouplingSpec, DriveLimit, Joint, JointKind, Scene, SceneError, SpecPath, TendonJoint,
};
use crate::state::{State, TreeCredit};
use huygens_dynamics::{Equality, Joint as LinkJoint, Link, Tree, massless_dof};
use huygens_math::{Pose, Sym3, Twist, Vec3};

/// Gathers bodies that joints connect into trees. With `kept` coordinates they go on from these: bodies are where they are, not where the
/// scene had them.
pub(crate) fn build(
    model: &mut Model,
    state: &mut State,
    of: &Assembly,
    kept: Option<&KeptCoordinates>,
) -> Result<(), SceneError> {
    let edges = edges(model, of)?;
    let ties = ties(model, of, &edges)?;
    for piece in pieces(&edges, &ties) {
        Builder { model, state, of, kept }.tree(&piece)?;
    }
    for joint in of.joints.iter().map(|joint| &joint.spec) {
        // Those that let everything move make no tree.
        if joint.kind == JointKind::Free && !joint.collide {
            let [a, b] =
                [joint.parent.as_deref().unwrap_or_default(), &joint.child].map(|name| find(model, name));
            if let (Some(a), Some(b)) = (a, b) {
                model.exclusions.insert(a as u32, b as u32);
            }
        }
    }
    super::tendon::build(model, of)
}

fn joint_error(joint: &Joint, problem: &str, remedy: &str) -> SceneError {
    SceneError::new(SpecPath::top("joint").name(&joint.name), "", problem, remedy)
}

fn coupling_error(coupling: &CouplingSpec, problem: &str, remedy: &str) -> SceneError {
    SceneError::new(SpecPath::top("coupling").name(&coupling.name), "", problem, remedy)
}

/// The joints between bodies, and the couplings that are joints.
fn edges(model: &Model, of: &Assembly) -> Result<Vec<Edge>, SceneError> {
    let mut edges = Vec::new();
    for (i, joint) in of.joints.iter().enumerate().filter(|(_, joint)| joint.spec.kind != JointKind::Free) {
        let spec = &joint.spec;
        let ends = [spec.parent.as_deref().unwrap_or_default(), &spec.child];
        let parts = if joint.lock.is_some() { vec![Elementary::fixed()] } else { parts(spec) };
        let edge = edge(model, ends, parts, EdgeOf::Joint(i));
        edges.push(edge.map_err(|(problem, remedy)| joint_error(spec, problem, remedy))?);
    }
    for (i, spec) in of.couplings.iter().map(|coupling| &coupling.spec).enumerate() {
        let part = match spec.kind {
            CouplingKind::Connect => Elementary::ball(),
            CouplingKind::Weld => Elementary::fixed(),
            _ => continue,
        };
        let ends = [spec.bodies[0].as_str(), &spec.bodies[1]];
        let edge = edge(model, ends, vec![part], EdgeOf::Coupling(i));
        edges.push(edge.map_err(|(problem, remedy)| coupling_error(spec, problem, remedy))?);
    }
    Ok(edges)
}

fn edge(
    model: &Model,
    ends: [&str; 2],
    parts: Vec<Elementary>,
    of: EdgeOf,
) -> Result<Edge, (&'static str, &'static str)> {
    let moves_one = "A joint or coupling moves a dynamic body; make one of the two dynamic.";
    let (mut slots, mut base) = ([None; 2], None);
    for (slot, name) in slots.iter_mut().zip(ends).filter(|(_, name)| !name.is_empty()) {
        let found = find(model, name).ok_or(("one of its bodies does not exist", moves_one))?;
        match model.bodies[found].motion {
            Motion::Dynamic | Motion::Link { .. } => *slot = Some(found),
            Motion::Static => {}
            Motion::Driven(driver) if model.drivers[driver as usize].limit == DriveLimit::Unlimited => {
                base = Some(found);
            }
            Motion::Driven(_) => {
                let problem = "one of its bodies is driven with a limit, of which the joint would ask more";
                let remedy = "Take the limit away, or hang it on a joint with a motor that has a limit.";
                return Err((problem, remedy));
            }
        }
    }
    match slots {
        [parent, Some(child)] => Ok(Edge { parent, base, child, parts, of, reversed: false }),
        [Some(child), None] => {
            let parts = parts.iter().rev().map(Elementary::inverse).collect();
            Ok(Edge { parent: None, base, child, parts, of, reversed: true })
        }
        [None, None] => Err(("neither of its bodies can move", moves_one)),
    }
}

/// Bodies that couplings bring into one tree.
fn ties(model: &Model, of: &Assembly, edges: &[Edge]) -> Result<Vec<[usize; 2]>, SceneError> {
    let mut ties = Vec::new();
    for spec in of.couplings.iter().map(|coupling| &coupling.spec) {
        let unknown = || {
            coupling_error(spec, "one of its joints does not exist, or has no coordinate", "Name two joints.")
        };
        match spec.kind {
            CouplingKind::Gear | CouplingKind::Polynomial => {
                let body = |name: &String| {
                    let joint = EdgeOf::Joint(of.joint(name)?);
                    edges.iter().find(|edge| edge.of == joint).map(|edge| edge.child)
                };
                let [a, b] = [body(&spec.joints[0]), body(&spec.joints[1])];
                ties.push([a.ok_or_else(unknown)?, b.ok_or_else(unknown)?]);
            }
            CouplingKind::Distance => {
                let moving = spec.bodies.iter().filter_map(|name| find(model, name));
                let moving: Vec<usize> =
                    moving.filter(|slot| model.bodies[*slot].motion == Motion::Dynamic).collect();
                match moving[..] {
                    [a, b] => ties.push([a, b]),
                    [a] => ties.push([a, a]),
                    _ => {
                        let remedy = "A coupling moves a dynamic body; make one of the two dynamic.";
                        return Err(coupling_error(spec, "neither of its bodies can move", remedy));
                    }
                }
            }
            CouplingKind::Rope | CouplingKind::Connect | CouplingKind::Weld => {}
        }
    }
    for spec in of.tendons.iter().map(|tendon| &tendon.spec) {
        let of_joint = |part: &TendonJoint| {
            let joint = EdgeOf::Joint(of.joint(&part.joint)?);
            edges.iter().find(|edge| edge.of == joint).map(|edge| edge.child)
        };
        let is_dynamic = |slot: &usize| model.bodies[*slot].motion == Motion::Dynamic;
        let bodies = spec.bodies().filter_map(|name| find(model, name)).filter(is_dynamic);
        let moving: Vec<usize> = spec.joints.iter().filter_map(of_joint).chain(bodies).collect();
        ties.extend(moving.iter().map(|body| [moving[0], *body]));
    }
    Ok(ties)
}

struct Builder<'a> {
    model: &'a mut Model,
    state: &'a mut State,
    of: &'a Assembly,
    kept: Option<&'a KeptCoordinates>,
}

/// A joint of the scene in the tree that is being built.
struct Placed {
    joint: usize,
    /// Places of its parts among the joints of the tree, in the order of the scene.
    parts: Vec<usize>,
    /// The tree walks from its child to its parent.
    reversed: bool,
}

impl Builder<'_> {
    fn tree(&mut self, piece: &[Hung]) -> Result<(), SceneError> {
        let copies = |body: usize| piece.iter().filter(|hung| hung.body == body).count() as f64;
        let (mut links, mut bodies, mut placed, mut equalities) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut q, mut v, mut joints) = (Vec::new(), Vec::new(), 0);
        let bases = self.bases(piece);
        for &base in &bases {
            // Without mass: what moves it is prescribed.
            let com = self.model.bodies[base].center;
            links.push(Link::new(None, LinkJoint::free(), 0.0, Sym3::ZERO).with_com(com));
            bodies.push(base as u32);
            joints += 1;
            self.stand(base, &mut q, &mut v);
        }
        for hung in piece {
            let mut link = self.link(hung, &bodies);
            let share = 1.0 / copies(hung.body);
            (link.mass, link.inertia) = (link.mass * share, link.inertia * share);
            let first = joints;
            joints += link.joints.len();
            match &hung.edge {
                None => self.stand(hung.body, &mut q, &mut v),
                Some(edge) => {
                    q.extend(link.joints.iter().flat_map(|joint| joint.kind.neutral()));
                    v.resize(v.len() + link.joints.iter().map(|joint| joint.kind.dofs()).sum::<usize>(), 0.0);
                    if self.kept.is_some() {
                        self.turn_balls(hung, edge, &link, &mut q, &mut v);
                    }
                    if let EdgeOf::Joint(joint) = edge.of {
                        let mut parts: Vec<usize> = (first..joints).collect();
                        if edge.reversed {
                            parts.reverse();
                        }
                        placed.push(Placed { joint, parts, reversed: edge.reversed });
                    }
                }
            }
            if hung.is_copy {
                let whole = bodies.iter().position(|&body| body == hung.body as u32).unwrap_or_default();
                equalities.push(Equality::Weld { links: [whole, links.len()] });
            } else {
                bodies.push(hung.body as u32);
            }
            links.push(link);
        }
        let first = placed.first().map(|placed| placed.joint);
        let error = |problem: &str, remedy: &str, joint: Option<usize>| match joint.or(first) {
            Some(joint) => joint_error(&self.of.joints[joint].spec, problem, remedy),
            None => SceneError::new(SpecPath::top("coupling"), "", problem, remedy),
        };
        let tree = Tree::new(links).map_err(|found| error(&found.to_string(), "", None))?;
        self.couplings(&tree, &bodies, &placed, &mut equalities)?;
        equalities.extend(placed.iter().flat_map(|placed| self.rates(&tree, placed)));
        let prescribed: Vec<usize> = (0..bases.len()).collect();
        let tree = tree.with_equalities(equalities).with_prescribed(&prescribed);
        if let Some(dof) = massless_dof(&tree, &q) {
            let slot = tree.joints().iter().position(|slot| slot.dofs().contains(&dof)).unwrap_or(0);
            let found = placed.iter().find(|placed| placed.parts.contains(&slot));
            let problem = "it can move without moving any mass, so that nothing says how fast";
            let remedy = "Give its child an `inertia` about that axis, or give the joint an `armature`.";
            return Err(error(problem, remedy, found.map(|found| found.joint)));
        }
        let given: Vec<Given> = match self.kept {
            None => placed.iter().flat_map(|placed| self.given(&tree, placed)).collect(),
            Some(kept) => {
                self.go_on(&tree, &bodies, &placed, kept, [&mut q, &mut v]);
                Vec::new()
            }
        };
        if let Err(problem) = assemble(&tree, &given, &mut q, &mut v) {
            let remedy =
                "Change `position` and `velocity` of its joints, or the coefficients of its couplings.";
            return Err(error(&problem, remedy, None));
        }
        // Where all is fixed, some of it twice, nothing is left to hold.
        let tree = if tree.dofs() == 0 { tree.with_equalities(Vec::new()) } else { tree };
        self.add(tree, bodies, &placed, [q, v]);
        Ok(())
    }

    /// The driven bodies that carry joints of a piece, each once.
    fn bases(&self, piece: &[Hung]) -> Vec<usize> {
        let mut bases: Vec<usize> = piece.iter().filter_map(|hung| hung.edge.as_ref()?.base).collect();
        bases.sort_unstable();
        bases.dedup();
        bases
    }

    /// Coordinates and velocities of a body on a free joint.
    fn stand(&self, body: usize, q: &mut Vec<f64>, v: &mut Vec<f64>) {
        let pose = frame(self.model, self.state, body);
        let (t, r) = (pose.translation, pose.rotation);
        q.extend([t.x, t.y, t.z, r.w, r.x, r.y, r.z]);
        let twist = self.state.velocity.free[body];
        v.extend(twist.linear.to_array());
        v.extend(twist.angular.to_array());
    }

    fn link(&self, hung: &Hung, bodies: &[u32]) -> Link {
        let body = &self.model.bodies[hung.body];
        let (joints, parent) = match &hung.edge {
            None => (vec![LinkJoint::free()], None),
            Some(edge) => {
                let carrier = edge.parent.or(edge.base);
                let [first, last] = self.frames(edge);
                // The joint's frame keeps the world's axes, so the axis of the scene is that of the joint.
                let end = edge.parts.len() - 1;
                let parts = edge.parts.iter().enumerate().map(|(k, part)| {
                    let (from, to) = (
                        if k == 0 { first } else { Pose::IDENTITY },
                        if k == end { last } else { Pose::IDENTITY },
                    );
                    part.joint(from, to)
                });
                let parent = carrier.and_then(|slot| bodies.iter().position(|&body| body as usize == slot));
                (parts.collect(), parent)
            }
        };
        let gravity_scale = body.gravity_scale;
        Link { parent, joints, mass: body.mass, com: body.center, inertia: body.inertia, gravity_scale }
    }

    /// The frames of a joint on what carries it and on what it carries.
    fn frames(&self, edge: &Edge) -> [Pose; 2] {
        let [parent, child] = match edge.of {
            EdgeOf::Joint(joint) => {
                let AssembledJoint { frames: [parent, child], lock, .. } = &self.of.joints[joint];
                [*parent, lock.as_ref().map_or(*child, |lock| lock.on_child)]
            }
            EdgeOf::Coupling(coupling) => self.of.couplings[coupling].frames,
        };
        if edge.reversed { [child, parent] } else { [parent, child] }
    }

    /// Gives ball joints the turn and the spin that their bodies have: they are the last coordinates in `q` and `v`.
    fn turn_balls(&self, hung: &Hung, edge: &Edge, link: &Link, q: &mut [f64], v: &mut [f64]) {
        let carrier = edge.parent.or(edge.base);
        let [first, last] = self.frames(edge);
        let turned = |slot: usize| self.state.orientation[slot];
        let on_carrier = carrier.map_or(first.rotation, |slot| turned(slot) * first.rotation);
        let on_body = turned(hung.body) * last.rotation;
        let spin = |slot: usize| self.state.velocity.free[slot].angular;
        let spin = spin(hung.body) - carrier.map_or(Vec3::ZERO, spin);
        let (mut q_end, mut v_end) = (q.len(), v.len());
        for joint in link.joints.iter().rev() {
            let (q_first, v_first) = (q_end - joint.kind.coordinates(), v_end - joint.kind.dofs());
            if joint.kind == huygens_dynamics::JointKind::Ball {
                let turn = (on_carrier.conjugate() * on_body).normalize();
                q[q_first..q_end].copy_from_slice(&[turn.w, turn.x, turn.y, turn.z]);
                v[v_first..v_end].copy_from_slice(&(on_carrier.conjugate() * spin).to_array());
            }
            (q_end, v_end) = (q_first, v_first);
        }
    }

    /// Gives joints the coordinates that they had. Where a joint is new, the velocities are those with the momentum that the bodies have.
    fn go_on(
        &self,
        tree: &Tree,
        bodies: &[u32],
        placed: &[Placed],
        kept: &KeptCoordinates,
        [q, v]: [&mut Vec<f64>; 2],
    ) {
        let mut is_new = false;
        for Placed { joint, parts, .. } in placed {
            let AssembledJoint { spec, lock, .. } = &self.of.joints[*joint];
            let old = kept.get(&spec.name);
            is_new |= old.is_none() && lock.is_none();
            let slots = parts.iter().map(|part| &tree.joints()[*part]);
            let single = slots.filter(|slot| slot.joint.kind.coordinates() == 1);
            for (slot, [position, velocity]) in single.zip(old.into_iter().flatten()) {
                (q[slot.coordinates().start], v[slot.dofs().start]) = (*position, *velocity);
            }
        }
        // A locked joint takes the motion out that it had.
        let is_locked = |placed: &Placed| self.of.joints[placed.joint].lock.is_some();
        if !is_new && !placed.iter().any(is_locked) {
            return;
        }
        let whole = |link: usize| match tree.equalities().iter().find_map(|equality| match *equality {
            Equality::Weld { links: [whole, copy] } if copy == link => Some(whole),
            _ => None,
        }) {
            Some(whole) => bodies[whole] as usize,
            None => bodies[link] as usize,
        };
        let twists: Vec<Twist> =
            (0..tree.links().len()).map(|k| self.state.velocity.free[whole(k)]).collect();
        velocities_with_momentum(tree, q, &twists, v);
    }

    /// The equalities of couplings between joints and bodies of one tree.
    fn couplings(
        &self,
        tree: &Tree,
        bodies: &[u32],
        placed: &[Placed],
        equalities: &mut Vec<Equality>,
    ) -> Result<(), SceneError> {
        let joint = |name: &String| {
            let index = self.of.joint(name)?;
            placed.iter().find(|placed| placed.joint == index).map(|placed| placed.parts[0])
        };
        for AssembledCoupling { spec, frames } in &self.of.couplings {
            match spec.kind {
                CouplingKind::Gear | CouplingKind::Polynomial => {
                    let [Some(a), Some(b)] = [joint(&spec.joints[0]), joint(&spec.joints[1])] else {
                        continue;
                    };
                    if [a, b].iter().any(|joint| tree.joints()[*joint].joint.kind.coordinates() != 1) {
                        let problem =
                            "one of its joints has no coordinate of its own: it is a ball joint, or rigid";
                        return Err(coupling_error(spec, problem, "Couple hinges, slides and screws."));
                    }
                    let ratio = [0.0, spec.ratio, 0.0, 0.0, 0.0];
                    let coefficients =
                        if spec.kind == CouplingKind::Gear { ratio } else { spec.coefficients };
                    equalities.push(Equality::Polynomial { joints: [a, b], coefficients });
                }
                CouplingKind::Distance => {
                    let link = |name: &String| {
                        let slot = find(self.model, name)?;
                        bodies.iter().position(|&body| body as usize == slot)
                    };
                    let links = [link(&spec.bodies[0]), link(&spec.bodies[1])];
                    if links == [None, None] {
                        continue;
                    }
                    let points = frames.map(|frame| frame.translation);
                    let length = spec.length.unwrap_or((spec.anchors[0] - spec.anchors[1]).length());
                    equalities.push(Equality::Distance { links, points, length });
                }
                CouplingKind::Rope | CouplingKind::Connect | CouplingKind::Weld => {}
            }
        }
        Ok(())
    }

    /// Motors that hold their speed whatever it takes, at any axis of a joint.
    fn rates(&self, tree: &Tree, placed: &Placed) -> Vec<Equality> {
        let spec = &self.of.joints[placed.joint].spec;
        let axes = axes(spec);
        let rate = |k: usize| {
            let slot = &tree.joints()[placed.parts[k]];
            let motor = spec.at_part(k, axes.get(k).copied()).motor;
            let holds = motor.is_some_and(|motor| motor.holds_its_speed());
            (holds && slot.joint.kind.coordinates() == 1).then(|| Equality::Rate { dof: slot.dofs().start })
        };
        (0..placed.parts.len()).filter_map(rate).collect()
    }

    /// What the scene says about the start of a joint.
    fn given(&self, tree: &Tree, placed: &Placed) -> Vec<Given> {
        let spec = &self.of.joints[placed.joint].spec;
        let axes = axes(spec);
        let mut given = Vec::new();
        for (k, part) in placed.parts.iter().enumerate() {
            let slot = &tree.joints()[*part];
            let acting = spec.at_part(k, axes.get(k).copied());
            if slot.joint.kind == huygens_dynamics::JointKind::Ball {
                let spin = slot.joint.axis * acting.velocity;
                let each = slot.dofs().zip(spin.to_array());
                given.extend(each.map(|(dof, velocity)| Given { dof, position: 0.0, velocity }));
            } else if k == 0 || acting.position != 0.0 || acting.velocity != 0.0 {
                let (position, velocity) = (acting.position, acting.velocity);
                given.extend(slot.dofs().map(|dof| Given { dof, position, velocity }));
            }
        }
        given
    }

    fn add(&mut self, tree: Tree, bodies: Vec<u32>, placed: &[Placed], [q, v]: [Vec<f64>; 2]) {
        let Self { model, state, of, .. } = self;
        let index = model.trees.len() as u32;
        let offsets =
            TreeOffsets { coordinate: state.coordinates.len() as u32, dof: state.velocity.dof.len() as u32 };
        for Placed { joint, parts, reversed } in placed {
            let spec = &of.joints[*joint].spec;
            let axes = axes(spec);
            let slots: Vec<_> = parts.iter().map(|part| &tree.joints()[*part]).collect();
            if let (Some(slot), true) = (slots.first(), spec.cone.is_some() || spec.twist.is_some()) {
                model.ball_limits.push(BallLimit {
                    tree: index,
                    coordinate: offsets.coordinate + slot.coordinates().start as u32,
                    dof: offsets.dof + slot.dofs().start as u32,
                    axis: slot.joint.axis,
                    cone: spec.cone,
                    twist: spec.twist,
                });
            }
            let first = |of: &dyn Fn(&huygens_dynamics::JointSlot) -> std::ops::Range<usize>| {
                slots.iter().map(|slot| of(slot).start).min().unwrap_or(0)
            };
            let count = |of: &dyn Fn(&huygens_dynamics::JointSlot) -> std::ops::Range<usize>| -> u32 {
                slots.iter().map(|slot| of(slot).len() as u32).sum()
            };
            model.joints.push(JointModel {
                name: spec.name.clone(),
                kind: slots[0].joint.kind,
                tree: index,
                assembled: *joint as u32,
                link: slots[0].link as u32,
                slot: *parts.iter().min().unwrap_or(&0) as u32,
                reversed: *reversed,
                first_coordinate: offsets.coordinate + first(&|slot| slot.coordinates()) as u32,
                first_dof: offsets.dof + first(&|slot| slot.dofs()) as u32,
                coordinates: count(&|slot| slot.coordinates()),
                dofs: count(&|slot| slot.dofs()),
                main_coordinate: offsets.coordinate + slots[0].coordinates().start as u32,
                main_dof: offsets.dof + slots[0].dofs().start as u32,
            });
            for (k, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.joint.kind.coordinates() == 1) {
                let acting = spec.at_part(k, axes.get(k).copied());
                model.joint_dofs.push(DofModel {
                    joint: model.joints.len() as u32 - 1,
                    kind: slot.joint.kind,
                    tree: index,
                    coordinate: offsets.coordinate + slot.coordinates().start as u32,
                    dof: offsets.dof + slot.dofs().start as u32,
                    range: acting.range,
                    limit: acting.limit,
                    restitution: acting.restitution,
                    friction: acting.friction,
                    motor: acting.motor,
                });
            }
            let [parent, child] = [spec.parent.as_deref().unwrap_or_default(), &spec.child]
                .map(|name| find(model, name).map(|slot| slot as u32));
            if let (Some(parent), Some(child), false) = (parent, child, spec.collide) {
                model.exclusions.insert(parent, child);
            }
        }
        for (link, &body) in bodies.iter().enumerate() {
            if let Motion::Driven(_) = model.bodies[body as usize].motion {
                continue;
            }
            model.bodies[body as usize].motion = Motion::Link { tree: index, link: link as u32 };
        }
        state.velocity.dof.extend(v);
        state.coordinates.extend(q);
        state.tree_credits.push(TreeCredit::default());
        model.tree_offsets.push(offsets);
        model.trees.push(tree);
        model.tree_bodies.push(bodies);
    }
}

/// Ropes as rows of the contact problem.
pub(crate) fn ropes(model: &mut Model, state: &State, scene: &Scene) -> Result<(), SceneError> {
    for spec in scene.couplings.iter().filter(|spec| spec.kind == CouplingKind::Rope) {
        let slots = [0, 1].map(|k: usize| find(model, &spec.bodies[k]));
        if slots.iter().all(|slot| slot.is_none_or(|slot| model.bodies[slot].motion == Motion::Static)) {
            let remedy = "A coupling moves a dynamic body; make one of the two dynamic.";
            return Err(coupling_error(spec, "neither of its bodies can move", remedy));
        }
        let ends = [0, 1].map(|k: usize| {
            let slot = slots[k].filter(|slot| model.bodies[*slot].motion != Motion::Static);
            let anchor = match slot {
                Some(slot) => state.orientation[slot].conjugate() * (spec.anchors[k] - state.position[slot]),
                None => spec.anchors[k],
            };
            RopeEnd { body: slot.map(|slot| slot as u32), anchor }
        });
        let length = spec.length.unwrap_or((spec.anchors[0] - spec.anchors[1]).length());
        model.ropes.push(RopeModel { name: spec.name.clone(), ends, length });
    }
    Ok(())
}
