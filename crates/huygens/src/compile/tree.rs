//! Joints of a scene as trees.

use crate::model::{JointModel, Model, Motion, TreeOffsets};
use crate::scene::{self, JointSpec, Scene, SceneError, SpecPath};
use crate::state::State;
use huygens_dynamics::{Joint, JointKind, Link, Tree, massless_dof};
use huygens_math::Pose;

/// Gathers bodies that joints connect into trees.
pub(crate) fn build(model: &mut Model, state: &mut State, scene: &Scene) -> Result<(), SceneError> {
    let mut placed = vec![false; scene.joints.len()];
    loop {
        // The next tree starts at a joint on the world, or on a body that hangs on nothing.
        let hangs = |body: &str| scene.joints.iter().any(|joint| joint.child == body);
        let start =
            scene.joints.iter().enumerate().find(|(i, joint)| {
                !placed[*i] && joint.parent.as_deref().is_none_or(|parent| !hangs(parent))
            });
        let Some((first, joint)) = start else { break };
        let root = joint.parent.clone();
        one_tree(model, state, scene, root, first, &mut placed)?;
    }
    match placed.iter().position(|placed| !placed) {
        None => Ok(()),
        Some(i) => Err(joint_error(&scene.joints[i], "the joints form a closed loop", "Remove one of them.")),
    }
}

fn joint_error(joint: &JointSpec, problem: &str, remedy: &str) -> SceneError {
    SceneError::new(SpecPath::top("joint").name(&joint.name), "", problem, remedy)
}

/// Builds the tree of `root`: all that hangs on that body, or on the world by joint `first`.
fn one_tree(
    model: &mut Model,
    state: &mut State,
    scene: &Scene,
    root: Option<String>,
    first: usize,
    placed: &mut [bool],
) -> Result<(), SceneError> {
    let mut links = Vec::new();
    let mut bodies: Vec<u32> = Vec::new();
    let mut joints = Vec::new();
    let mut q = Vec::new();
    let mut v = Vec::new();
    if let Some(name) = &root {
        let slot = find(model, name)
            .ok_or_else(|| joint_error(&scene.joints[first], "its parent does not exist", ""))?;
        if model.bodies[slot].motion != Motion::Dynamic {
            let remedy = "Leave out `parent` to hang the joint on the world, or make the body dynamic.";
            return Err(joint_error(&scene.joints[first], "its parent is not a dynamic body", remedy));
        }
        let pose = frame(model, state, slot);
        let t = pose.translation;
        let r = pose.rotation;
        q.extend([t.x, t.y, t.z, r.w, r.x, r.y, r.z]);
        let twist = state.velocity.free[slot];
        v.extend(twist.linear.to_array());
        v.extend(twist.angular.to_array());
        links.push(link(model, slot, None, Joint::free()));
        bodies.push(slot as u32);
    }
    let mut next = if root.is_none() { vec![first] } else { children(scene, root.as_deref(), placed) };
    while let Some(i) = next.pop() {
        if std::mem::replace(&mut placed[i], true) {
            continue;
        }
        let spec = &scene.joints[i];
        let slot =
            find(model, &spec.child).ok_or_else(|| joint_error(spec, "its child does not exist", ""))?;
        if bodies.contains(&(slot as u32)) || model.bodies[slot].motion != Motion::Dynamic {
            let problem = "its child hangs on another joint already, or is not a dynamic body";
            return Err(joint_error(spec, problem, "A body can be the child of one joint; make it dynamic."));
        }
        let parent_slot = spec.parent.as_deref().and_then(|name| find(model, name));
        let parent = parent_slot.and_then(|slot| bodies.iter().position(|&b| b as usize == slot));
        let world_from_joint = Pose::at(spec.anchor);
        let parent_pose = parent_slot.map_or(Pose::IDENTITY, |slot| frame(model, state, slot));
        // The joint's frame keeps the world's axes, so the axis of the scene is that of the joint.
        let joint = Joint {
            axis: spec.axis,
            armature: spec.armature,
            damping: spec.damping,
            kind: kind_of(spec),
            ..Joint::fixed(parent_pose.relative(&world_from_joint))
                .with_child_from_joint(frame(model, state, slot).relative(&world_from_joint))
        };
        links.push(link(model, slot, parent, joint));
        bodies.push(slot as u32);
        joints.push(i);
        q.extend_from_slice(joint.kind.neutral());
        v.extend(start_velocity(spec, joint.kind));
        let mut more = children(scene, Some(&spec.child), placed);
        more.append(&mut next);
        next = more;
    }
    let tree = Tree::new(links).map_err(|error| joint_error(&scene.joints[first], &error.to_string(), ""))?;
    let index = model.trees.len() as u32;
    let offsets =
        TreeOffsets { coordinate: state.coordinates.len() as u32, dof: state.velocity.dof.len() as u32 };
    // Joint after joint of the tree; a free base has no name.
    let slots = &tree.joints()[tree.joints().len() - joints.len()..];
    for (spec, slot) in joints.iter().map(|&i| &scene.joints[i]).zip(slots) {
        model.joints.push(JointModel {
            name: spec.name.clone(),
            kind: slot.joint.kind,
            tree: index,
            first_coordinate: offsets.coordinate + slot.coordinates().start as u32,
            first_dof: offsets.dof + slot.dofs().start as u32,
            range: spec.range,
            limit: spec.limit,
        });
        if let Some(parent) = tree.links()[slot.link].parent.filter(|_| !spec.collide) {
            model.exclusions.insert(bodies[parent], bodies[slot.link]);
        }
    }
    if let Some(dof) = massless_dof(&tree, &q) {
        let slot = slots.iter().position(|slot| slot.dofs().contains(&dof)).unwrap_or(0);
        let problem = "it can move without moving any mass, so that nothing says how fast";
        let remedy = "Give its child an `inertia` about that axis, or give the joint an `armature`.";
        return Err(joint_error(&scene.joints[joints[slot]], problem, remedy));
    }
    for (link, &body) in bodies.iter().enumerate() {
        model.bodies[body as usize].motion = Motion::Link { tree: index, link: link as u32 };
    }
    state.velocity.dof.extend(v);
    state.coordinates.extend(q);
    model.tree_offsets.push(offsets);
    model.trees.push(tree);
    model.tree_bodies.push(bodies);
    Ok(())
}

fn kind_of(spec: &JointSpec) -> JointKind {
    match spec.kind {
        scene::JointKind::Hinge => JointKind::Hinge,
        scene::JointKind::Slide => JointKind::Slide,
        scene::JointKind::Ball => JointKind::Ball,
    }
}

/// The velocities of a joint's dofs at the start: of a ball joint the spin about its axis.
fn start_velocity(spec: &JointSpec, kind: JointKind) -> Vec<f64> {
    match kind {
        JointKind::Ball => (spec.axis.normalize() * spec.velocity).to_array().to_vec(),
        JointKind::Hinge | JointKind::Slide => vec![spec.velocity],
        JointKind::Fixed | JointKind::Free => vec![0.0; kind.dofs()],
    }
}

fn children(scene: &Scene, parent: Option<&str>, placed: &[bool]) -> Vec<usize> {
    let hang = |(i, joint): &(usize, &JointSpec)| !placed[*i] && joint.parent.as_deref() == parent;
    // Last first: the caller takes from the end, and the first joint of the scene should come first.
    let mut found: Vec<usize> = scene.joints.iter().enumerate().filter(hang).map(|(i, _)| i).collect();
    found.reverse();
    found
}

fn find(model: &Model, name: &str) -> Option<usize> {
    model.bodies.iter().position(|body| body.name == name && !body.removed)
}

/// `world_from_body` of the body's own frame.
fn frame(model: &Model, state: &State, slot: usize) -> Pose {
    let rotation = state.orientation[slot];
    Pose::new(rotation, state.position[slot] - rotation * model.bodies[slot].center)
}

fn link(model: &Model, slot: usize, parent: Option<usize>, joint: Joint) -> Link {
    let body = &model.bodies[slot];
    let mut link = Link::new(parent, joint, body.mass, body.inertia).with_com(body.center);
    link.gravity_scale = body.gravity_scale;
    link
}
