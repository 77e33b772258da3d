//! From scene to text. What has its default is left out; every number comes back with the same bits.

use huygens::contact::Compliance;
use huygens::scene::{
    Axis, BodyMediumSpec, BodySpec, Check, DriveLimit, Duration, EditSpec, HeightSource, HullSource,
    JointSpec, MediumSpec, MeshSource, Motion, Named, Quantity, RepeatSpec, Scene, ShapeKind, ShapeSpec,
    SoftStepSpec, SpringSpec, StabilisationSpec, SurfaceSpec, Take, WindSpec, WorldSpec,
};
use huygens_math::{Quat, Vec3};
use std::fmt::Write;

/// The scene file that reads as `scene`.
pub fn write(scene: &Scene) -> String {
    let mut text = String::new();
    section(&mut text, "[world]", world(&scene.world));
    for (name, material) in &scene.materials {
        let mut keys = Keys::default();
        keys.some("density", material.density.map(number));
        surface(&mut keys, &material.surface);
        keys.some("surface_velocity", material.surface_velocity.map(vector));
        keys.some("priority", material.priority.map(|p| p.to_string()));
        keys.some("color", material.color.map(|color| string(&color.to_string())));
        section(&mut text, &format!("[materials.{}]", string(name)), keys);
    }
    for pair in &scene.pairs {
        let mut keys = Keys::default();
        keys.add("a", string(&pair.a));
        keys.add("b", string(&pair.b));
        surface(&mut keys, &pair.surface);
        section(&mut text, "[[pair]]", keys);
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
    if let Some(medium) = &scene.medium {
        section(&mut text, "[medium]", self::medium(medium));
    }
    for spring in &scene.springs {
        section(&mut text, "[[spring]]", self::spring(spring));
    }
    for edit in &scene.edits {
        section(&mut text, "[[edit]]", self::edit(edit));
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

fn quaternion(q: Quat) -> String {
    numbers([q.w, q.x, q.y, q.z])
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
    let mut keys = Keys::default();
    keys.unless("length", world.length, default.length, number);
    keys.add("gravity", vector(world.gravity));
    keys.add("dt", number(world.dt));
    match world.duration {
        Duration::Steps(n) => keys.add("steps", n.to_string()),
        Duration::Seconds(t) => keys.add("seconds", number(t)),
    }
    keys.add("solver", string(&world.solver));
    keys.unless("integrator", world.integrator, default.integrator, word);
    keys.unless("gyroscopic", world.gyroscopic, default.gyroscopic, word);
    keys.unless("stabilisation", world.stabilisation, default.stabilisation, stabilisation);
    keys.unless("soft_step", world.soft_step, default.soft_step, soft_step);
    keys.unless("speculative", world.speculative, default.speculative, |x| x.to_string());
    keys.unless("iterations", world.iterations, default.iterations, |n| n.to_string());
    keys.unless("tolerance", world.tolerance, default.tolerance, number);
    keys.unless("relaxation", world.relaxation, default.relaxation, number);
    keys.some("correction_aggressiveness", world.correction_aggressiveness.map(number));
    keys.unless("exact_rows", world.exact_rows, default.exact_rows, |n| n.to_string());
    keys.unless("decoupled_friction", world.decoupled_friction, default.decoupled_friction, |x| {
        x.to_string()
    });
    keys.unless("warm_start", world.warm_start, default.warm_start, |x| x.to_string());
    keys.some("restitution_threshold", world.restitution_threshold.map(number));
    keys.unless("combine", world.combine, default.combine, word);
    keys.some("margin", world.margin.map(number));
    keys.unless("guard", world.guard, default.guard, |x| x.to_string());
    keys.unless("seed", world.seed, default.seed, |n| n.to_string());
    keys
}

fn soft_step(soft: SoftStepSpec) -> String {
    let mut keys = Keys::default();
    let default = SoftStepSpec::default();
    keys.unless("substeps", soft.substeps, default.substeps, |n| n.to_string());
    keys.unless("hertz", soft.hertz, default.hertz, number);
    keys.unless("damping_ratio", soft.damping_ratio, default.damping_ratio, number);
    keys.some("push_speed", soft.push_speed.map(number));
    keys.unless("friction", soft.friction, default.friction, word);
    keys.inline()
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

fn surface(keys: &mut Keys, surface: &SurfaceSpec) {
    keys.some("friction", surface.friction.map(number));
    keys.some("friction_static", surface.friction_static.map(number));
    keys.some("friction_dynamic", surface.friction_dynamic.map(number));
    keys.some("friction_torsional", surface.friction_torsional.map(number));
    keys.some("friction_rolling", surface.friction_rolling.map(number));
    keys.some("restitution", surface.restitution.map(number));
}

fn body(body: &BodySpec) -> Keys {
    let default = BodySpec::default();
    let mut keys = Keys::default();
    keys.add("name", string(&body.name));
    keys.unless("position", body.position, default.position, vector);
    keys.unless("orientation", body.orientation, default.orientation, quaternion);
    keys.unless("linear_velocity", body.linear_velocity, default.linear_velocity, vector);
    keys.unless("angular_velocity", body.angular_velocity, default.angular_velocity, vector);
    keys.some("mass", body.mass.map(number));
    keys.some("center_of_mass", body.center_of_mass.map(vector));
    keys.some("inertia", body.inertia.map(|i| numbers([i.xx, i.yy, i.zz, i.xy, i.xz, i.yz])));
    keys.unless("motion", &body.motion, &default.motion, motion);
    if body.lock != default.lock {
        let words: Vec<String> = body.lock.words().map(string).collect();
        keys.add("lock", format!("[{}]", words.join(", ")));
    }
    keys.unless("gravity_scale", body.gravity_scale, default.gravity_scale, number);
    keys.unless("force", body.force, default.force, vector);
    keys.unless("torque", body.torque, default.torque, vector);
    keys.unless("linear_damping", body.linear_damping, default.linear_damping, number);
    keys.unless("angular_damping", body.angular_damping, default.angular_damping, number);
    keys.some("medium", body.medium.as_ref().map(body_medium));
    keys.some("color", body.color.map(|color| string(&color.to_string())));
    match body.shapes.as_slice() {
        [] => {}
        [one] => keys.add("shape", shape(one)),
        many => {
            let list: Vec<String> = many.iter().map(|s| format!("    {},\n", shape(s))).collect();
            keys.add("shapes", format!("[\n{}]", list.concat()));
        }
    }
    keys
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
        let frames: Vec<String> = keyframes
            .iter()
            .map(|frame| {
                let mut keys = Keys::default();
                keys.add("t", number(frame.t));
                keys.add("position", vector(frame.position));
                keys.unless("orientation", frame.orientation, Quat::IDENTITY, quaternion);
                keys.inline()
            })
            .collect();
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

fn shape(shape: &ShapeSpec) -> String {
    let default = ShapeSpec::default();
    let mut keys = Keys::default();
    keys.add("kind", string(shape.kind.word()));
    shape_kind(&mut keys, &shape.kind);
    keys.unless("position", shape.position, default.position, vector);
    keys.unless("orientation", shape.orientation, default.orientation, quaternion);
    keys.some("material", shape.material.as_deref().map(string));
    keys.some("friction", shape.friction.map(number));
    keys.some("restitution", shape.restitution.map(number));
    keys.some("density", shape.density.map(number));
    keys.unless("layer", shape.layer, default.layer, |bits| bits.to_string());
    keys.unless("mask", shape.mask, default.mask, |bits| bits.to_string());
    keys.unless("sensor", shape.sensor, default.sensor, |x| x.to_string());
    keys.inline()
}

fn shape_kind(keys: &mut Keys, kind: &ShapeKind) {
    match kind {
        ShapeKind::Sphere { radius } => keys.add("radius", number(*radius)),
        ShapeKind::Capsule { radius, length, axis }
        | ShapeKind::Cylinder { radius, length, axis }
        | ShapeKind::Cone { radius, length, axis }
        | ShapeKind::CylinderInside { radius, length, axis } => {
            keys.add("radius", number(*radius));
            keys.add("length", number(*length));
            keys.unless("axis", *axis, Axis::Z, word);
        }
        ShapeKind::Box { size } | ShapeKind::BoxInside { size } => keys.add("size", vector(*size)),
        ShapeKind::Ellipsoid { radii } => keys.add("radii", vector(*radii)),
        ShapeKind::Hull { source, scale } => {
            match source {
                HullSource::Points(points) => {
                    let points: Vec<String> = points.iter().map(|p| vector(*p)).collect();
                    keys.add("points", format!("[{}]", points.join(", ")));
                }
                HullSource::File(file) => keys.add("file", string(file)),
            }
            keys.unless("scale", *scale, Vec3::ONE, vector);
        }
        ShapeKind::Mesh { source, scale } => {
            match source {
                MeshSource::Triangles { vertices, triangles } => {
                    let vertices: Vec<String> = vertices.iter().map(|p| vector(*p)).collect();
                    keys.add("vertices", format!("[{}]", vertices.join(", ")));
                    let triangles: Vec<String> =
                        triangles.iter().map(|[a, b, c]| format!("[{a}, {b}, {c}]")).collect();
                    keys.add("triangles", format!("[{}]", triangles.join(", ")));
                }
                MeshSource::File(file) => keys.add("file", string(file)),
            }
            keys.unless("scale", *scale, Vec3::ONE, vector);
        }
        ShapeKind::HeightField { source, size } => {
            match source {
                HeightSource::Heights(rows) => {
                    let rows: Vec<String> = rows.iter().map(|row| numbers(row.iter().copied())).collect();
                    keys.add("heights", format!("[{}]", rows.join(", ")));
                }
                HeightSource::File(file) => keys.add("file", string(file)),
            }
            keys.add("size", numbers(size.to_array()));
        }
        ShapeKind::HalfSpace { normal, offset } => {
            keys.unless("normal", *normal, Vec3::Z, vector);
            keys.unless("offset", *offset, 0.0, number);
        }
        ShapeKind::Wall { size, normal } => {
            keys.add("size", numbers(size.to_array()));
            keys.unless("normal", *normal, Vec3::Z, vector);
        }
    }
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

fn joint(joint: &JointSpec) -> Keys {
    let default = JointSpec::default();
    let mut keys = Keys::default();
    keys.add("name", string(&joint.name));
    keys.add("kind", word(joint.kind));
    keys.some("parent", joint.parent.as_deref().map(string));
    keys.add("child", string(&joint.child));
    keys.add("anchor", vector(joint.anchor));
    keys.add("axis", vector(joint.axis));
    keys.some("range", joint.range.map(numbers));
    match joint.limit {
        Compliance::Rigid => {}
        Compliance::Spring { stiffness, damping } => {
            keys.add("limit_stiffness", number(stiffness));
            keys.add("limit_damping", number(damping));
        }
        Compliance::Response { time_constant, damping_ratio } => {
            keys.add("limit_time_constant", number(time_constant));
            keys.add("limit_damping_ratio", number(damping_ratio));
        }
    }
    keys.unless("velocity", joint.velocity, default.velocity, number);
    keys.unless("damping", joint.damping, default.damping, number);
    keys.unless("armature", joint.armature, default.armature, number);
    keys.unless("collide", joint.collide, default.collide, |x| x.to_string());
    keys
}

fn medium(medium: &MediumSpec) -> Keys {
    let mut keys = Keys::default();
    keys.add("density", number(medium.density));
    keys.some("surface", medium.surface.map(number));
    if !medium.wind.is_empty() {
        let fields: Vec<String> = medium.wind.iter().map(wind).collect();
        keys.add("wind", format!("[{}]", fields.join(", ")));
    }
    keys
}

fn wind(wind: &WindSpec) -> String {
    let default = WindSpec::default();
    let mut keys = Keys::default();
    keys.add("velocity", vector(wind.velocity));
    keys.unless("gradient", wind.gradient, default.gradient, vectors);
    keys.unless("origin", wind.origin, default.origin, vector);
    keys.some("region", wind.region.map(vectors));
    keys.inline()
}

fn body_medium(medium: &BodyMediumSpec) -> String {
    let default = BodyMediumSpec::default();
    let mut keys = Keys::default();
    keys.unless("drag", medium.drag, default.drag, number);
    keys.some("area", medium.area.map(number));
    keys.unless("linear_drag", medium.linear_drag, default.linear_drag, number);
    keys.unless("lift", medium.lift, default.lift, number);
    keys.unless("span", medium.span, default.span, vector);
    keys.unless("magnus", medium.magnus, default.magnus, number);
    keys.unless("buoyancy", medium.buoyancy, default.buoyancy, |x| x.to_string());
    keys.inline()
}

fn spring(spring: &SpringSpec) -> Keys {
    let mut keys = Keys::default();
    keys.add("name", string(&spring.name));
    let bodies: Vec<String> = spring.bodies.iter().map(|name| string(name)).collect();
    keys.add("bodies", format!("[{}]", bodies.join(", ")));
    keys.add("anchors", vectors(spring.anchors));
    keys.add("stiffness", number(spring.stiffness));
    keys.unless("damping", spring.damping, 0.0, number);
    keys.some("length", spring.length.map(number));
    keys
}

fn edit(edit: &EditSpec) -> Keys {
    let mut keys = Keys::default();
    keys.add("after", edit.after.to_string());
    keys.add("body", string(&edit.body));
    keys.some("position", edit.position.map(vector));
    keys.some("orientation", edit.orientation.map(quaternion));
    keys.some("linear_velocity", edit.linear_velocity.map(vector));
    keys.some("angular_velocity", edit.angular_velocity.map(vector));
    keys
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
