//! From scene to text. What has its default is left out; every number comes back with the same bits.

use huygens::contact::Compliance;
use huygens::scene::keys::{Absent, Holds, Key, Plain, Show, Table, Value};
use huygens::scene::{
    AxisSpec, Body, Check, CouplingSpec, DriveLimit, Duration, HeightSource, HullSource, Joint, MediumSpec,
    MeshSource, Motion, MotorSpec, Named, Quantity, RepeatSpec, Scene, Shape, ShapeKind, StabilisationSpec,
    Take, TendonJoint, TendonPart, TendonSpec, WorldSpec,
};
use huygens_math::Vec3;
use std::fmt::Write;

/// The scene file that reads as `scene`.
pub fn write(scene: &Scene) -> String {
    let mut text = String::new();
    section(&mut text, "[world]", world(&scene.world));
    for (name, material) in &scene.materials {
        section(&mut text, &format!("[materials.{}]", string(name)), Keys::of(material));
    }
    for pair in &scene.pairs {
        section(&mut text, "[[pair]]", Keys::of(pair));
    }
    for body in &scene.bodies {
        section(&mut text, "[[body]]", self::body(body));
    }
    for repeat in &scene.repeats {
        section(&mut text, "[[repeat]]", self::repeat(repeat));
    }
    for joint in &scene.joints {
        section(&mut text, "[[joint]]", self::joint(joint));
    }
    for coupling in &scene.couplings {
        section(&mut text, "[[coupling]]", self::coupling(coupling));
    }
    for tendon in &scene.tendons {
        section(&mut text, "[[tendon]]", self::tendon(tendon));
    }
    if let Some(medium) = &scene.medium {
        section(&mut text, "[medium]", self::medium(medium));
    }
    for spring in &scene.springs {
        section(&mut text, "[[spring]]", Keys::of(spring));
    }
    for edit in &scene.edits {
        section(&mut text, "[[edit]]", Keys::of(edit));
    }
    if !scene.expect.checks.is_empty() {
        section(&mut text, "[expect]", checks(&scene.expect.checks));
    }
    for during in &scene.expect.during {
        let mut keys = Keys::default();
        keys.some("from", during.from.map(number));
        keys.some("until", during.until.map(number));
        keys.unless("take", during.take, Take::Every, word);
        keys.0.append(&mut checks(&during.checks).0);
        section(&mut text, "[[expect.during]]", keys);
    }
    text
}

/// Keys and values of one table, in order.
#[derive(Default)]
struct Keys(Vec<(String, String)>);

impl Keys {
    fn add(&mut self, key: impl Into<String>, value: String) {
        self.0.push((key.into(), value));
    }

    /// The keys of a table that do not have their default.
    fn of<T: Table + Default>(table: &T) -> Self {
        Self::with(table, &T::default(), &[], Vec::new())
    }

    /// The same where `default` has the defaults, keys of `always` are written whatever they have, and those that are written by hand come
    /// from `by_hand`.
    fn with<T: Table>(table: &T, default: &T, always: &[&str], by_hand: Vec<(&str, Option<String>)>) -> Self {
        let [mut all, mut same] = [Values::default(), Values::default()];
        table.show(&mut all);
        default.show(&mut same);
        let mut keys = Self::default();
        for (key, value) in all.0.iter().zip(&same.0) {
            let Key { name, default, .. } = key.0;
            match by_hand.iter().find(|(by_hand, _)| *by_hand == name) {
                Some((_, value)) => keys.some(name, value.clone()),
                None if key.1 == value.1 && default != Absent::Needed && !always.contains(&name) => {}
                None => keys.some(name, key.1.clone()),
            }
        }
        keys
    }

    fn some(&mut self, key: &str, value: Option<String>) {
        if let Some(value) = value {
            self.add(key, value);
        }
    }

    /// Only where it is not the default.
    fn unless<T: PartialEq>(&mut self, key: &str, value: T, default: T, show: impl FnOnce(T) -> String) {
        if value != default {
            self.add(key, show(value));
        }
    }

    fn inline(self) -> String {
        let pairs: Vec<String> = self.0.into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
        format!("{{ {} }}", pairs.join(", "))
    }
}

/// All keys of a table, each with its value in TOML; none for an option that is empty, or a key that is written by hand.
#[derive(Default)]
struct Values(Vec<(Key, Option<String>)>);

impl Show for Values {
    fn value<T: Value>(&mut self, key: Key, field: &T, _: Holds) {
        self.0.push((key, Some(plain(field.plain()))));
    }

    fn option<T: Value>(&mut self, key: Key, field: &Option<T>, _: Holds) {
        self.0.push((key, field.as_ref().map(|field| plain(field.plain()))));
    }

    fn other(&mut self, key: Key) {
        self.0.push((key, None));
    }
}

/// A value in TOML.
fn plain(value: Plain<'_>) -> String {
    match value {
        Plain::Number(x) => number(x),
        Plain::Integer(n) => n.to_string(),
        Plain::Flag(truth) => truth.to_string(),
        Plain::Text(text) => string(&text),
        Plain::Numbers(list, len) => numbers(list.into_iter().take(len)),
        Plain::Texts(list) => {
            let list: Vec<String> = list.iter().map(|text| string(text)).collect();
            format!("[{}]", list.join(", "))
        }
        Plain::Vectors(list) => vectors(list.iter().copied()),
    }
}

fn section(text: &mut String, header: &str, keys: Keys) {
    if !text.is_empty() {
        text.push('\n');
    }
    let _ = writeln!(text, "{header}");
    for (key, value) in keys.0 {
        let _ = writeln!(text, "{key} = {value}");
    }
}

/// The shortest digits that come back with the same bits.
fn number(x: f64) -> String {
    if x.is_nan() { "nan".to_owned() } else { format!("{x:?}") }
}

fn numbers(list: impl IntoIterator<Item = f64>) -> String {
    let list: Vec<String> = list.into_iter().map(number).collect();
    format!("[{}]", list.join(", "))
}

fn vector(v: Vec3) -> String {
    numbers(v.to_array())
}

fn vectors(list: impl IntoIterator<Item = Vec3>) -> String {
    let list: Vec<String> = list.into_iter().map(vector).collect();
    format!("[{}]", list.join(", "))
}

fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn word<T: Named>(choice: T) -> String {
    string(choice.word())
}

fn world(world: &WorldSpec) -> Keys {
    let default = WorldSpec::default();
    let [mut steps, mut seconds] = [None, None];
    match world.duration {
        Duration::Steps(n) => steps = Some(n.to_string()),
        Duration::Seconds(t) => seconds = Some(number(t)),
    }
    let soft_step = (world.soft_step != default.soft_step).then(|| Keys::of(&world.soft_step).inline());
    let convex = (world.convex != default.convex).then(|| Keys::of(&world.convex).inline());
    let is_default = world.stabilisation == default.stabilisation;
    let stabilisation = (!is_default).then(|| stabilisation(world.stabilisation));
    let by_hand = vec![
        ("steps", steps),
        ("seconds", seconds),
        ("soft_step", soft_step),
        ("convex", convex),
        ("stabilisation", stabilisation),
    ];
    Keys::with(world, &default, &["gravity", "dt", "solver"], by_hand)
}

fn stabilisation(stabilisation: StabilisationSpec) -> String {
    let mut keys = Keys::default();
    match stabilisation {
        StabilisationSpec::None => keys.add("kind", string("none")),
        StabilisationSpec::Baumgarte { erp, cap } => {
            keys.add("kind", string("baumgarte"));
            keys.add("erp", number(erp));
            keys.some("cap", cap.map(number));
        }
        StabilisationSpec::SplitImpulse { beta, slop } => {
            keys.add("kind", string("split-impulse"));
            keys.add("beta", number(beta));
            keys.some("slop", slop.map(number));
        }
    }
    keys.inline()
}

fn body(body: &Body) -> Keys {
    let default = Body::default();
    let words: Vec<String> = body.lock.words().map(string).collect();
    let lock = (body.lock != default.lock).then(|| format!("[{}]", words.join(", ")));
    let [mut one, mut many] = [None, None];
    match body.shapes.as_slice() {
        [] => {}
        [shape] => one = Some(self::shape(shape)),
        shapes => {
            let list: Vec<String> =
                shapes.iter().map(|shape| format!("    {},\n", self::shape(shape))).collect();
            many = Some(format!("[\n{}]", list.concat()));
        }
    }
    let by_hand = vec![
        ("motion", (body.motion != default.motion).then(|| motion(&body.motion))),
        ("lock", lock),
        ("medium", body.medium.as_ref().map(|medium| Keys::of(medium).inline())),
        ("shape", one),
        ("shapes", many),
    ];
    Keys::with(body, &default, &["name"], by_hand)
}

fn motion(motion: &Motion) -> String {
    let Motion::Driven { linear_velocity, angular_velocity, keyframes, limit } = motion else {
        return string(motion.word());
    };
    let mut keys = Keys::default();
    keys.add("kind", string("driven"));
    keys.unless("linear_velocity", *linear_velocity, Vec3::ZERO, vector);
    keys.unless("angular_velocity", *angular_velocity, Vec3::ZERO, vector);
    if !keyframes.is_empty() {
        let frames: Vec<String> = keyframes.iter().map(|frame| Keys::of(frame).inline()).collect();
        keys.add("keyframes", format!("[{}]", frames.join(", ")));
    }
    let limit = match limit {
        DriveLimit::Unlimited => None,
        DriveLimit::Torque { max } => Some(("torque", "max", max)),
        DriveLimit::Power { max } => Some(("power", "max", max)),
        DriveLimit::Cap { impulse } => Some(("cap", "impulse", impulse)),
    };
    if let Some((kind, key, value)) = limit {
        keys.add("limit", format!("{{ kind = {}, {key} = {} }}", string(kind), number(*value)));
    }
    keys.inline()
}

fn shape(shape: &Shape) -> String {
    let mut keys = Keys::default();
    keys.add("kind", string(shape.kind.word()));
    // The lengths of a form have no defaults, so a form of the same kind does for the rest.
    let plain = ShapeKind::of_word(shape.kind.word()).unwrap_or_else(|| shape.kind.clone());
    keys.0.append(&mut Keys::with(&shape.kind, &plain, &[], sources(&shape.kind)).0);
    keys.0.append(&mut Keys::with(shape, &Shape::default(), &[], Vec::new()).0);
    keys.inline()
}

/// Keys of what a form is made of: numbers, or the name of a file.
fn sources(kind: &ShapeKind) -> Vec<(&'static str, Option<String>)> {
    let (key, value) = match kind {
        ShapeKind::Hull { source: HullSource::Points(points), .. } => {
            ("points", vectors(points.iter().copied()))
        }
        ShapeKind::Mesh { source: MeshSource::Triangles { vertices, triangles }, .. } => {
            let triangles: Vec<String> =
                triangles.iter().map(|[a, b, c]| format!("[{a}, {b}, {c}]")).collect();
            let triangles = format!("[{}]", triangles.join(", "));
            return vec![
                ("vertices", Some(vectors(vertices.iter().copied()))),
                ("triangles", Some(triangles)),
            ];
        }
        ShapeKind::HeightField { source: HeightSource::Heights(rows), .. } => {
            let rows: Vec<String> = rows.iter().map(|row| numbers(row.iter().copied())).collect();
            ("heights", format!("[{}]", rows.join(", ")))
        }
        ShapeKind::Hull { source: HullSource::File(file), .. }
        | ShapeKind::Mesh { source: MeshSource::File(file), .. }
        | ShapeKind::HeightField { source: HeightSource::File(file), .. } => ("file", string(file)),
        _ => return Vec::new(),
    };
    vec![(key, Some(value))]
}

fn repeat(repeat: &RepeatSpec) -> Keys {
    let mut keys = Keys::default();
    keys.add("kind", word(repeat.kind));
    let count: Vec<String> = repeat.count[..repeat.kind.counts()].iter().map(ToString::to_string).collect();
    keys.add("count", format!("[{}]", count.join(", ")));
    keys.add("spacing", numbers(repeat.kind.spaced().iter().map(|&i| repeat.spacing[i])));
    keys.unless("jitter", repeat.jitter, Vec3::ZERO, vector);
    keys.add("tumble", repeat.tumble.to_string());
    keys.some("seed", repeat.seed.map(|n| n.to_string()));
    let bodies: Vec<String> = repeat.bodies.iter().map(|b| body(b).inline()).collect();
    keys.add("body", format!("[{}]", bodies.join(", ")));
    keys
}

fn coupling(coupling: &CouplingSpec) -> Keys {
    let default = CouplingSpec::default();
    let mut keys = Keys::default();
    keys.add("name", string(&coupling.name));
    keys.add("kind", word(coupling.kind));
    let pair = |names: &[String; 2]| format!("[{}, {}]", string(&names[0]), string(&names[1]));
    if coupling.kind.is_of_joints() {
        keys.add("joints", pair(&coupling.joints));
        keys.unless("ratio", coupling.ratio, default.ratio, number);
        if coupling.coefficients != default.coefficients {
            keys.add("coefficients", numbers(coupling.coefficients));
        }
    } else {
        keys.add("bodies", pair(&coupling.bodies));
        let anchors = coupling.anchors.map(vector);
        keys.add("anchors", format!("[{}]", anchors.join(", ")));
        keys.some("length", coupling.length.map(number));
    }
    keys
}

fn tendon(tendon: &TendonSpec) -> Keys {
    let mut keys = Keys::default();
    keys.add("name", string(&tendon.name));
    let list = |parts: Vec<Keys>| {
        format!("[{}]", parts.into_iter().map(Keys::inline).collect::<Vec<_>>().join(", "))
    };
    if !tendon.joints.is_empty() {
        let joint = |part: &TendonJoint| {
            Keys(vec![("joint".into(), string(&part.joint)), ("factor".into(), number(part.factor))])
        };
        keys.add("joints", list(tendon.joints.iter().map(joint).collect()));
    }
    if !tendon.path.is_empty() {
        let part = |part: &TendonPart| {
            let mut keys = Keys::default();
            match part {
                TendonPart::Point { body, at } => {
                    keys.some("body", (!body.is_empty()).then(|| string(body)));
                    keys.add("at", vector(*at));
                }
                TendonPart::Pulley(divisor) => keys.add("pulley", number(*divisor)),
                TendonPart::Wrap { body, side } => {
                    keys.add("wrap", string(body));
                    keys.some("side", side.map(vector));
                }
            }
            keys
        };
        keys.add("path", list(tendon.path.iter().map(part).collect()));
    }
    let acting = AxisSpec {
        range: tendon.range,
        spring: tendon.spring,
        damping: tendon.damping,
        friction: tendon.friction,
        motor: tendon.motor,
        ..AxisSpec::default()
    };
    keys.0.extend(self::acting(&acting).0);
    keys
}

/// What acts at a coordinate, where it is not the default.
fn acting(at: &AxisSpec) -> Keys {
    let (mut keys, default) = (Keys::default(), AxisSpec::default());
    keys.some("range", at.range.map(numbers));
    keys.unless("restitution", at.restitution, default.restitution, number);
    if let Some(spring) = at.spring {
        let mut inner = Keys::default();
        inner.add("stiffness", number(spring.stiffness));
        inner.unless("rest", spring.rest, 0.0, number);
        keys.add("spring", inner.inline());
    }
    keys.unless("friction", at.friction, default.friction, number);
    if let Some(motor) = at.motor {
        let (mut inner, plain) = (Keys::default(), MotorSpec::default());
        inner.add("kind", word(motor.kind));
        inner.add("target", number(motor.target));
        inner.unless("stiffness", motor.stiffness, plain.stiffness, number);
        inner.unless("damping", motor.damping, plain.damping, number);
        inner.unless("max_force", motor.max_force, plain.max_force, number);
        inner.unless("max_power", motor.max_power, plain.max_power, number);
        keys.add("motor", inner.inline());
    }
    keys.unless("position", at.position, default.position, number);
    let mut soft = Keys::default();
    match at.limit {
        Compliance::Rigid => {}
        Compliance::Spring { stiffness, damping } => {
            soft.add("stiffness", number(stiffness));
            soft.add("damping", number(damping));
        }
        Compliance::Response { time_constant, damping_ratio } => {
            soft.add("time_constant", number(time_constant));
            soft.add("damping_ratio", number(damping_ratio));
        }
        Compliance::Impedance(softness) => {
            soft.add("solref", numbers(softness.solref));
            soft.add("solimp", numbers(softness.solimp));
        }
    }
    if at.limit != Compliance::Rigid {
        keys.add("soft", soft.inline());
    }
    keys.unless("velocity", at.velocity, default.velocity, number);
    keys.unless("damping", at.damping, default.damping, number);
    keys.unless("armature", at.armature, default.armature, number);
    keys
}

fn joint(joint: &Joint) -> Keys {
    let default = Joint::default();
    let mut keys = Keys::default();
    keys.add("name", string(&joint.name));
    keys.add("kind", word(joint.kind));
    keys.some("parent", joint.parent.as_deref().map(string));
    keys.add("child", string(&joint.child));
    keys.add("anchor", vector(joint.anchor));
    keys.add("axis", vector(joint.axis));
    keys.some("axis2", joint.axis2.map(vector));
    keys.unless("pitch", joint.pitch, default.pitch, number);
    if joint.free != default.free {
        let words = ["x", "y", "z", "rx", "ry", "rz"].into_iter().zip(joint.free);
        let words: Vec<String> = words.filter(|(_, free)| *free).map(|(word, _)| string(word)).collect();
        keys.add("free", format!("[{}]", words.join(", ")));
    }
    keys.some("cone", joint.cone.map(number));
    keys.some("twist", joint.twist.map(numbers));
    let mut by_axis: Vec<(String, Keys)> = Vec::new();
    for (own, axis) in joint.axes.iter().zip(["x", "y", "z", "rx", "ry", "rz"]) {
        for (key, value) in own.iter().flat_map(|own| acting(own).0) {
            match by_axis.iter_mut().find(|(known, _)| *known == key) {
                Some((_, of)) => of.add(axis, value),
                None => {
                    let mut of = Keys::default();
                    of.add(axis, value);
                    by_axis.push((key, of));
                }
            }
        }
    }
    for (key, value) in acting(&joint.at_first()).0 {
        if !by_axis.iter().any(|(known, _)| *known == key) {
            keys.add(key, value);
        }
    }
    for (key, of) in by_axis {
        keys.add(key, of.inline());
    }
    keys.unless("collide", joint.collide, default.collide, |x| x.to_string());
    keys.unless("break_force", joint.break_force, default.break_force, number);
    keys.unless("break_torque", joint.break_torque, default.break_torque, number);
    keys
}

fn medium(medium: &MediumSpec) -> Keys {
    let fields: Vec<String> = medium.wind.iter().map(|wind| Keys::of(wind).inline()).collect();
    let wind = (!fields.is_empty()).then(|| format!("[{}]", fields.join(", ")));
    Keys::with(medium, &MediumSpec::default(), &["density"], vec![("wind", wind)])
}

fn checks(checks: &[Check]) -> Keys {
    let mut keys = Keys::default();
    for check in checks {
        let key = match &check.quantity {
            Quantity::Body(name, field) => format!("bodies.{}.{}", string(name), field.word()),
            Quantity::Driver(name, field) => format!("drivers.{}.{}", string(name), field.word()),
            Quantity::Joint(name, field) => format!("joints.{}.{}", string(name), field.word()),
            other => other.to_string(),
        };
        keys.add(key, numbers([check.band.low, check.band.high]));
    }
    keys
}
