//! Joints and couplings of a scene as trees.

use super::elementary::{Elementary, parts};
use super::graph::{Edge, Hung, pieces};
use super::start::{Given, assemble};
use crate::model::{DofModel, JointModel, Model, Motion, RopeEnd, RopeModel, TreeOffsets};
use crate::scene::{CouplingKind, CouplingSpec, JointKind, JointSpec, Scene, SceneError, SpecPath};
use crate::state::State;
use huygens_dynamics::{Equality, Joint, Link, Tree, massless_dof};
use huygens_math::{Pose, Vec3};

/// Gathers bodies that joints connect into trees.
pub(crate) fn build(model: &mut Model, state: &mut State, scene: &Scene) -> Result<(), SceneError> {
    let edges = edges(model, scene)?;
    let ties = ties(model, scene, &edges)?;
    for piece in pieces(&edges, &ties) {
        Builder { model, state, scene }.tree(&piece)?;
    }
    for joint in &scene.joints {
        // Those that let everything move make no tree.
        if joint.kind == JointKind::Free && !joint.collide {
            let [a, b] =
                [joint.parent.as_deref().unwrap_or_default(), &joint.child].map(|name| find(model, name));
            if let (Some(a), Some(b)) = (a, b) {
                model.exclusions.insert(a as u32, b as u32);
            }
        }
    }
    ropes(model, state, scene)
}

fn joint_error(joint: &JointSpec, problem: &str, remedy: &str) -> SceneError {
    SceneError::new(SpecPath::top("joint").name(&joint.name), "", problem, remedy)
}

fn coupling_error(coupling: &CouplingSpec, problem: &str, remedy: &str) -> SceneError {
    SceneError::new(SpecPath::top("coupling").name(&coupling.name), "", problem, remedy)
}

/// The joints between bodies, and the couplings that are joints.
fn edges(model: &Model, scene: &Scene) -> Result<Vec<Edge>, SceneError> {
    let mut edges = Vec::new();
    for (i, spec) in scene.joints.iter().enumerate().filter(|(_, spec)| spec.kind != JointKind::Free) {
        let ends = [spec.parent.as_deref().unwrap_or_default(), &spec.child];
        let edge = edge(model, ends, parts(spec), Some(i));
        let remedy = "A joint moves a dynamic body; make one of the two dynamic.";
        edges.push(edge.map_err(|problem| joint_error(spec, problem, remedy))?);
    }
    for spec in &scene.couplings {
        let part = match spec.kind {
            CouplingKind::Connect => Elementary::ball(),
            CouplingKind::Weld => Elementary::fixed(),
            _ => continue,
        };
        let ends = [spec.bodies[0].as_str(), &spec.bodies[1]];
        let edge = edge(model, ends, vec![part], None);
        let remedy = "A coupling moves a dynamic body; make one of the two dynamic.";
        edges.push(edge.map_err(|problem| coupling_error(spec, problem, remedy))?);
    }
    Ok(edges)
}

fn edge(
    model: &Model,
    ends: [&str; 2],
    parts: Vec<Elementary>,
    joint: Option<usize>,
) -> Result<Edge, &'static str> {
    let mut slots = [None; 2];
    for (slot, name) in slots.iter_mut().zip(ends).filter(|(_, name)| !name.is_empty()) {
        let found = find(model, name).ok_or("one of its bodies does not exist")?;
        match model.bodies[found].motion {
            Motion::Dynamic => *slot = Some(found),
            Motion::Static => {}
            Motion::Driven(_) | Motion::Link { .. } => return Err("one of its bodies is driven"),
        }
    }
    match slots {
        [parent, Some(child)] => Ok(Edge { parent, child, parts, joint, reversed: false }),
        [Some(child), None] => {
            let parts = parts.iter().rev().map(Elementary::inverse).collect();
            Ok(Edge { parent: None, child, parts, joint, reversed: true })
        }
        [None, None] => Err("neither of its bodies can move"),
    }
}

/// Bodies that couplings bring into one tree.
fn ties(model: &Model, scene: &Scene, edges: &[Edge]) -> Result<Vec<[usize; 2]>, SceneError> {
    let mut ties = Vec::new();
    for spec in &scene.couplings {
        let unknown = || {
            coupling_error(spec, "one of its joints does not exist, or has no coordinate", "Name two joints.")
        };
        match spec.kind {
            CouplingKind::Gear | CouplingKind::Polynomial => {
                let body = |name: &String| {
                    let joint = scene.joints.iter().position(|joint| joint.name == *name);
                    edges
                        .iter()
                        .find(|edge| edge.joint.is_some() && edge.joint == joint)
                        .map(|edge| edge.child)
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
    Ok(ties)
}

struct Builder<'a> {
    model: &'a mut Model,
    state: &'a mut State,
    scene: &'a Scene,
}

/// A joint of the scene in the tree that is being built.
struct Placed {
    joint: usize,
    /// Places of its parts among the joints of the tree, in the order of the scene.
    parts: Vec<usize>,
}

impl Builder<'_> {
    fn tree(&mut self, piece: &[Hung]) -> Result<(), SceneError> {
        let copies = |body: usize| piece.iter().filter(|hung| hung.body == body).count() as f64;
        let (mut links, mut bodies, mut placed, mut equalities) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut q, mut v, mut joints) = (Vec::new(), Vec::new(), 0);
        for hung in piece {
            let mut link = self.link(hung, &bodies);
            let share = 1.0 / copies(hung.body);
            (link.mass, link.inertia) = (link.mass * share, link.inertia * share);
            let first = joints;
            joints += link.joints.len();
            match &hung.edge {
                None => {
                    let pose = frame(self.model, self.state, hung.body);
                    let (t, r) = (pose.translation, pose.rotation);
                    q.extend([t.x, t.y, t.z, r.w, r.x, r.y, r.z]);
                    let twist = self.state.velocity.free[hung.body];
                    v.extend(twist.linear.to_array());
                    v.extend(twist.angular.to_array());
                }
                Some(edge) => {
                    q.extend(link.joints.iter().flat_map(|joint| joint.kind.neutral()));
                    v.resize(v.len() + link.joints.iter().map(|joint| joint.kind.dofs()).sum::<usize>(), 0.0);
                    if let Some(joint) = edge.joint {
                        let mut parts: Vec<usize> = (first..joints).collect();
                        if edge.reversed {
                            parts.reverse();
                        }
                        placed.push(Placed { joint, parts });
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
            Some(joint) => joint_error(&self.scene.joints[joint], problem, remedy),
            None => SceneError::new(SpecPath::top("coupling"), "", problem, remedy),
        };
        let tree = Tree::new(links).map_err(|found| error(&found.to_string(), "", None))?;
        self.couplings(&tree, &bodies, &placed, &mut equalities)?;
        equalities.extend(placed.iter().filter_map(|placed| self.rate(&tree, placed)));
        let tree = tree.with_equalities(equalities);
        if let Some(dof) = massless_dof(&tree, &q) {
            let slot = tree.joints().iter().position(|slot| slot.dofs().contains(&dof)).unwrap_or(0);
            let found = placed.iter().find(|placed| placed.parts.contains(&slot));
            let problem = "it can move without moving any mass, so that nothing says how fast";
            let remedy = "Give its child an `inertia` about that axis, or give the joint an `armature`.";
            return Err(error(problem, remedy, found.map(|found| found.joint)));
        }
        let given: Vec<Given> = placed.iter().flat_map(|placed| self.given(&tree, placed)).collect();
        if let Err(problem) = assemble(&tree, &given, &mut q, &mut v) {
            let remedy =
                "Change `position` and `velocity` of its joints, or the coefficients of its couplings.";
            return Err(error(&problem, remedy, None));
        }
        self.add(tree, bodies, &placed, [q, v]);
        Ok(())
    }

    fn link(&self, hung: &Hung, bodies: &[u32]) -> Link {
        let body = &self.model.bodies[hung.body];
        let (joints, parent) = match &hung.edge {
            None => (vec![Joint::free()], None),
            Some(edge) => {
                let anchor = self.anchor(edge);
                let on = |slot: usize| frame(self.model, self.state, slot).relative(&Pose::at(anchor));
                let (first, last) = (edge.parent.map_or(Pose::at(anchor), on), on(hung.body));
                // The joint's frame keeps the world's axes, so the axis of the scene is that of the joint.
                let end = edge.parts.len() - 1;
                let parts = edge.parts.iter().enumerate().map(|(k, part)| {
                    let (from, to) = (
                        if k == 0 { first } else { Pose::IDENTITY },
                        if k == end { last } else { Pose::IDENTITY },
                    );
                    part.joint(from, to)
                });
                let parent =
                    edge.parent.and_then(|slot| bodies.iter().position(|&body| body as usize == slot));
                (parts.collect(), parent)
            }
        };
        let gravity_scale = body.gravity_scale;
        Link { parent, joints, mass: body.mass, com: body.center, inertia: body.inertia, gravity_scale }
    }

    /// Where a joint is in the scene's pose.
    fn anchor(&self, edge: &Edge) -> Vec3 {
        match edge.joint {
            Some(joint) => self.scene.joints[joint].anchor,
            None => {
                let names = [edge.parent, Some(edge.child)];
                let ends = names.map(|slot| slot.map_or("", |slot| &self.model.bodies[slot].name));
                let same = |spec: &&CouplingSpec| {
                    let bodies = [spec.bodies[0].as_str(), &spec.bodies[1]];
                    let moving = bodies.map(|name| {
                        find(self.model, name)
                            .filter(|slot| self.model.bodies[*slot].motion == Motion::Dynamic)
                            .map_or("", |_| name)
                    });
                    matches!(spec.kind, CouplingKind::Connect | CouplingKind::Weld)
                        && (moving == ends || moving == [ends[1], ends[0]])
                };
                self.scene.couplings.iter().find(same).map_or(Vec3::ZERO, |spec| spec.anchors[0])
            }
        }
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
            let index = self.scene.joints.iter().position(|joint| joint.name == *name)?;
            placed.iter().find(|placed| placed.joint == index).map(|placed| placed.parts[0])
        };
        for spec in &self.scene.couplings {
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
                    let points = [0, 1].map(|k: usize| {
                        links[k].map_or(spec.anchors[k], |link| {
                            frame(self.model, self.state, bodies[link] as usize)
                                .inverse_transform(spec.anchors[k])
                        })
                    });
                    let length = spec.length.unwrap_or((spec.anchors[0] - spec.anchors[1]).length());
                    equalities.push(Equality::Distance { links, points, length });
                }
                CouplingKind::Rope | CouplingKind::Connect | CouplingKind::Weld => {}
            }
        }
        Ok(())
    }

    /// A motor that holds its speed whatever it takes.
    fn rate(&self, tree: &Tree, placed: &Placed) -> Option<Equality> {
        let slot = &tree.joints()[placed.parts[0]];
        let holds = self.scene.joints[placed.joint].motor.is_some_and(|motor| motor.holds_its_speed());
        (holds && slot.joint.kind.coordinates() == 1).then(|| Equality::Rate { dof: slot.dofs().start })
    }

    /// What the scene says about the start of a joint.
    fn given(&self, tree: &Tree, placed: &Placed) -> Vec<Given> {
        let spec = &self.scene.joints[placed.joint];
        let slot = &tree.joints()[placed.parts[0]];
        if slot.joint.kind == huygens_dynamics::JointKind::Ball {
            let spin = slot.joint.axis * spec.velocity;
            return slot
                .dofs()
                .zip(spin.to_array())
                .map(|(dof, v)| Given { dof, position: 0.0, velocity: v })
                .collect();
        }
        slot.dofs().map(|dof| Given { dof, position: spec.position, velocity: spec.velocity }).collect()
    }

    fn add(&mut self, tree: Tree, bodies: Vec<u32>, placed: &[Placed], [q, v]: [Vec<f64>; 2]) {
        let Self { model, state, scene } = self;
        let index = model.trees.len() as u32;
        let offsets =
            TreeOffsets { coordinate: state.coordinates.len() as u32, dof: state.velocity.dof.len() as u32 };
        for Placed { joint, parts } in placed {
            let spec = &scene.joints[*joint];
            let slots: Vec<_> = parts.iter().map(|part| &tree.joints()[*part]).collect();
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
                first_coordinate: offsets.coordinate + first(&|slot| slot.coordinates()) as u32,
                first_dof: offsets.dof + first(&|slot| slot.dofs()) as u32,
                coordinates: count(&|slot| slot.coordinates()),
                dofs: count(&|slot| slot.dofs()),
                main_coordinate: offsets.coordinate + slots[0].coordinates().start as u32,
                main_dof: offsets.dof + slots[0].dofs().start as u32,
            });
            for (k, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.joint.kind.coordinates() == 1) {
                let main = k == 0;
                model.joint_dofs.push(DofModel {
                    joint: model.joints.len() as u32 - 1,
                    kind: slot.joint.kind,
                    tree: index,
                    coordinate: offsets.coordinate + slot.coordinates().start as u32,
                    dof: offsets.dof + slot.dofs().start as u32,
                    range: spec.range.filter(|_| main),
                    limit: spec.limit,
                    restitution: spec.restitution,
                    friction: spec.friction,
                    motor: spec.motor.filter(|_| main),
                });
            }
            let link = slots[0].link;
            let child = if link < bodies.len() {
                Some(bodies[link])
            } else {
                find(model, &spec.child).map(|slot| slot as u32)
            };
            let parent = tree.links()[link].parent.map(|parent| bodies[parent]);
            if let (Some(parent), Some(child), false) = (parent, child, spec.collide) {
                model.exclusions.insert(parent, child);
            }
        }
        for (link, &body) in bodies.iter().enumerate() {
            model.bodies[body as usize].motion = Motion::Link { tree: index, link: link as u32 };
        }
        state.velocity.dof.extend(v);
        state.coordinates.extend(q);
        model.tree_offsets.push(offsets);
        model.trees.push(tree);
        model.tree_bodies.push(bodies);
    }
}

/// Ropes as rows of the contact problem.
fn ropes(model: &mut Model, state: &State, scene: &Scene) -> Result<(), SceneError> {
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

fn find(model: &Model, name: &str) -> Option<usize> {
    model.bodies.iter().position(|body| body.name == name && !body.removed)
}

/// `world_from_body` of the body's own frame.
fn frame(model: &Model, state: &State, slot: usize) -> Pose {
    let rotation = state.orientation[slot];
    Pose::new(rotation, state.position[slot] - rotation * model.bodies[slot].center)
}
