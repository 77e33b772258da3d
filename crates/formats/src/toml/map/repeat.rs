//! `[[repeat]]`. One with joints is an assembly of bodies: it becomes bodies and joints of the scene.

use super::super::document::{Node, Value};
use super::super::keys;
use super::super::reader::{FromNode, Reader, Table};
use super::{body, joint};
use huygens::scene::{Body, Joint, JointKind, Named, RepeatKind, RepeatSpec, Scene, SceneError, SpecPath};
use huygens_math::{Pose, Quat, Vec3};

/// Most bodies that an assembly and its copies have.
const MOST_BODIES: u64 = 1_000_000;

/// Reads a repeat and adds it to the scene, whose world is read already.
pub(super) fn add<'d>(
    reader: &mut Reader<'d>,
    node: &'d Node,
    path: &SpecPath,
    index: usize,
    scene: &mut Scene,
) {
    let Some((repeat, joints)) = read(reader, node, path, index) else { return };
    if joints.is_empty() {
        scene.repeats.push(repeat);
        return;
    }
    let bodies = repeat.total().and_then(|total| total.checked_mul(repeat.bodies.len() as u64));
    let error = |key: &'static str, shown: &str, problem: &str, remedy: &str| {
        SceneError::new(path.key(key), shown, problem, remedy)
    };
    if bodies.is_none_or(|bodies| bodies > MOST_BODIES) {
        let shown = format!("{:?}", repeat.count);
        let found = error("count", &shown, "makes more than a million bodies", "Make fewer.");
        reader.error(found, &node.place);
    } else if let Some(joint) = joints.iter().find(|joint| repeat.tumble && joint.kind == JointKind::Generic)
    {
        let problem = "the axes of a generic joint are the world's, and do not turn with its bodies";
        let remedy = "Set `tumble = false`, or use hinges and slides one after the other.";
        reader.error(error("joints", &format!("{:?}", joint.name), problem, remedy), &node.place);
    } else {
        spread(scene, &repeat, &joints);
    }
}

/// Adds the copies of an assembly: at each place of the pattern all of its bodies, moved and turned about the first one, and their joints.
fn spread(scene: &mut Scene, repeat: &RepeatSpec, joints: &[Joint]) {
    let Some(pivot) = repeat.bodies.first().map(|body| body.position) else { return };
    let one = Body { position: pivot, ..Body::default() };
    let pattern = Scene {
        world: scene.world.clone(),
        repeats: vec![RepeatSpec { bodies: vec![one], ..repeat.clone() }],
        ..Scene::default()
    };
    for (i, place) in pattern.expanded().enumerate() {
        let turn = place.body.orientation;
        let to = Pose::new(turn, place.body.position - turn * pivot);
        let copy = |name: &str| format!("{name}[{i}]");
        for body in &repeat.bodies {
            let (position, orientation) = (to.transform(body.position), upright(turn, body.orientation));
            scene.bodies.push(Body { name: copy(&body.name), position, orientation, ..body.clone() });
        }
        // A body that is none of the assembly is one of the scene.
        let named = |name: &str| {
            let own = repeat.bodies.iter().any(|body| body.name == name);
            if own { copy(name) } else { name.to_owned() }
        };
        scene.joints.extend(joints.iter().map(|joint| Joint {
            name: copy(&joint.name),
            parent: joint.parent.as_deref().map(named),
            child: named(&joint.child),
            anchor: to.transform(joint.anchor),
            axis: turn * joint.axis,
            axis2: joint.axis2.map(|axis| turn * axis),
            ..joint.clone()
        }));
    }
}

/// `turn` after `orientation`, of unit length; what is not turned keeps its numbers.
fn upright(turn: Quat, orientation: Quat) -> Quat {
    if turn == Quat::IDENTITY { orientation } else { (turn * orientation).normalize() }
}

fn read<'d>(
    reader: &mut Reader<'d>,
    node: &'d Node,
    path: &SpecPath,
    index: usize,
) -> Option<(RepeatSpec, Vec<Joint>)> {
    let table = reader.table(node, path, keys::REPEAT)?;
    reader.needed::<String>(&table, "kind")?;
    let mut kind = RepeatKind::Grid;
    reader.set_word(&table, "kind", &mut kind);
    let count = read_count(reader, &table, kind);
    let spacing = read_spacing(reader, &table, kind);
    let jitter = reader.get(&table, "jitter").map_or(Vec3::ZERO, |Jitter(jitter)| jitter);
    let tumble = reader.get(&table, "tumble").unwrap_or(kind == RepeatKind::Pile);
    let seed = reader.get(&table, "seed");
    let default = format!("{}{index}", kind.word());
    let mut bodies = Vec::new();
    match reader.node(&table, "body") {
        None => reader.missing(&table, "body", "what is repeated, { name = …, shape = … }"),
        Some(Node { value: Value::Array(items), .. }) => {
            for (k, item) in items.iter().enumerate() {
                let path = table.path.key("body").index(k);
                bodies.push(body::read(reader, item, path, &format!("{default}_{k}")));
            }
        }
        Some(node) => bodies.push(body::read(reader, node, table.path.key("body").index(0), &default)),
    }
    let mut joints = Vec::new();
    for (k, item) in reader.items(&table, "joints", "an array of tables").iter().enumerate() {
        let path = table.path.key("joints").index(k);
        joints.push(joint::read(reader, item, path, &format!("{default}_joint{k}")));
    }
    Some((RepeatSpec { kind, count: count?, spacing: spacing?, jitter, tumble, seed, bodies }, joints))
}

/// One number for shifts across and deep, or one for each direction.
struct Jitter(Vec3);

impl FromNode for Jitter {
    const EXPECTED: &'static str = "one number or three [across, deep, up]";

    fn from_node(node: &Node) -> Option<Self> {
        let level = f64::from_node(node).map(|x| Vec3::new(x, x, 0.0));
        level.or_else(|| Vec3::from_node(node)).map(Self)
    }
}

fn read_count<'d>(reader: &mut Reader<'d>, table: &Table<'d>, kind: RepeatKind) -> Option<[u32; 3]> {
    let expected = match kind {
        RepeatKind::Stack => "a whole number above 0",
        RepeatKind::Pyramid => "the bodies of the lowest row, a whole number above 0",
        RepeatKind::Wall => "two whole numbers above 0, [across, up]",
        RepeatKind::Grid | RepeatKind::Pile => "three whole numbers above 0, [across, deep, up]",
    };
    let Some(node) = reader.node(table, "count") else {
        reader.missing(table, "count", expected);
        return None;
    };
    let one = std::slice::from_ref(node);
    let items = match &node.value {
        Value::Array(items) => items.as_slice(),
        _ => one,
    };
    let mut count = [1; 3];
    let mut good = items.len() == kind.counts();
    for (slot, item) in count.iter_mut().zip(items) {
        match u32::from_node(item) {
            Some(n) if n > 0 => *slot = n,
            _ => good = false,
        }
    }
    if !good {
        reader.mismatch(node, table.path.key("count"), expected);
    }
    good.then_some(count)
}

fn read_spacing<'d>(reader: &mut Reader<'d>, table: &Table<'d>, kind: RepeatKind) -> Option<Vec3> {
    let expected = match kind {
        RepeatKind::Stack => "one number [m]",
        RepeatKind::Wall | RepeatKind::Pyramid => "one number or two [across, up]",
        RepeatKind::Grid | RepeatKind::Pile => "one number or three [across, deep, up]",
    };
    let Some(node) = reader.node(table, "spacing") else {
        reader.missing(table, "spacing", expected);
        return None;
    };
    let used = kind.spaced();
    let given: Option<Vec<f64>> = match &node.value {
        Value::Array(items) if items.len() == used.len() => items.iter().map(f64::from_node).collect(),
        Value::Array(_) => None,
        _ => f64::from_node(node).map(|x| vec![x; used.len()]),
    };
    let Some(given) = given else {
        reader.mismatch(node, table.path.key("spacing"), expected);
        return None;
    };
    let mut spacing = Vec3::ZERO;
    for (&direction, distance) in used.iter().zip(given) {
        spacing[direction] = distance;
    }
    Some(spacing)
}
