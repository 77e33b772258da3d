//! URDF, read and written: what both URDF and MJCF can say comes back.

use huygens_formats::mjcf::mech::{Forward, MechanismState, forward};
use huygens_formats::mjcf::model::{EqualityKind, JointKind};
use huygens_formats::mjcf::{self, Machine, Model};
use huygens_formats::urdf;
use huygens_math::SplitMix;
use std::fmt::Write;
use std::path::Path;

struct Dice(SplitMix);

impl Dice {
    fn real(&mut self, low: f64, high: f64) -> f64 {
        self.0.range(low, high)
    }

    fn among(&mut self, count: usize) -> usize {
        self.0.index(count)
    }

    fn list(&mut self, count: usize, low: f64, high: f64) -> String {
        (0..count).map(|_| format!("{:?}", self.real(low, high))).collect::<Vec<_>>().join(" ")
    }

    /// A place, now and then at a right angle, where roll and yaw are one.
    fn place(&mut self) -> String {
        let turn = match self.among(4) {
            0 => "0.7071067811865476 0 0.7071067811865476 0".to_owned(),
            _ => self.list(4, -1.0, 1.0),
        };
        format!("pos=\"{}\" quat=\"{turn}\"", self.list(3, -1.0, 1.0))
    }

    fn geom(&mut self) -> String {
        let (kind, size) = [("box", 3), ("sphere", 1), ("capsule", 2), ("cylinder", 2)][self.among(4)];
        format!("<geom type=\"{kind}\" size=\"{}\" {}/>", self.list(size, 0.05, 0.4), self.place())
    }
}

/// A tree of what both formats can say, and its hinges and slides.
fn random_tree(dice: &mut Dice) -> String {
    let mut text = String::from("<mujoco model=\"r\"><compiler angle=\"radian\"/><worldbody>");
    if dice.among(2) == 0 {
        text += &dice.geom();
    }
    let (mut open, mut joints) = (0, Vec::new());
    for body in 0..1 + dice.among(7) {
        while open > 0 && dice.among(3) == 0 {
            text += "</body>";
            open -= 1;
        }
        let _ = write!(text, "<body name=\"b{body}\" {}>", dice.place());
        if open == 0 && dice.among(3) == 0 {
            text += "<freejoint/>";
        } else {
            for k in 0..dice.among(3) {
                let kind = ["hinge", "slide", "ball"][dice.among(if k == 0 { 3 } else { 2 })];
                let name = format!("j{body}_{k}");
                let _ = write!(
                    text,
                    "<joint name=\"{name}\" type=\"{kind}\" pos=\"{}\"",
                    dice.list(3, -0.3, 0.3)
                );
                if kind != "ball" {
                    let _ = write!(
                        text,
                        " axis=\"{}\" damping=\"{:?}\"",
                        dice.list(3, 0.1, 1.0),
                        dice.real(0.0, 2.0)
                    );
                    let _ = write!(text, " frictionloss=\"{:?}\"", dice.real(0.0, 1.0));
                    if dice.among(2) == 0 {
                        let _ =
                            write!(text, " range=\"{:?} {:?}\"", dice.real(-2.0, 0.0), dice.real(0.1, 2.0));
                    }
                    if dice.among(2) == 0 {
                        let effort = dice.real(1.0, 9.0);
                        let _ = write!(text, " actuatorfrcrange=\"{:?} {effort:?}\"", -effort);
                    }
                    if dice.among(3) == 0 {
                        let _ = write!(text, " ref=\"{:?}\"", dice.real(-0.5, 0.5));
                    }
                    joints.push(name);
                }
                text += "/>";
                if kind == "ball" {
                    break;
                }
            }
        }
        for _ in 0..1 + dice.among(3) {
            text += &dice.geom();
        }
        open += 1;
    }
    text += &"</body>".repeat(open);
    text += "</worldbody>";
    if joints.len() > 1 {
        let _ = write!(
            text,
            "<equality><joint joint1=\"{}\" joint2=\"{}\" polycoef=\"{:?} {:?} 0 0 0\"/></equality>",
            joints[0],
            joints[1],
            dice.real(-0.2, 0.2),
            dice.real(-2.0, 2.0)
        );
    }
    text + "</mujoco>"
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-11 * (1.0 + a.abs())
}

/// Mass matrix, bias, and places of the geoms at a state.
fn numbers(model: &Model, q: Vec<f64>, v: Vec<f64>) -> Vec<f64> {
    let machine = Machine::new(model).unwrap_or_else(|fault| panic!("{fault}"));
    let state = MechanismState { qpos: q, qvel: v, ..machine.start() };
    let mut f = Forward::default();
    assert!(forward(&machine.mechanism, &state, &mut f));
    let mut all = [f.mass.as_slice(), &f.bias].concat();
    for geom in &model.geoms {
        let pose = f.kin.world_from_link[geom.body] * geom.pose;
        for local in [[0.0; 3], geom.size] {
            all.extend(pose.transform(local.into()).to_array());
        }
    }
    all
}

#[test]
fn a_random_tree_comes_back_from_urdf() {
    let mut dice = Dice(SplitMix::new(20261119));
    for round in 0..200 {
        let text = random_tree(&mut dice);
        let first = mjcf::parse("r.xml", &text, Path::new("")).unwrap_or_else(|fault| panic!("{fault}"));
        let made = urdf::write(&first, "r");
        let back = urdf::text_to_mjcf("r.urdf", made.text.clone(), Path::new(""))
            .unwrap_or_else(|fault| panic!("{fault}\n{text}"));
        let second = mjcf::parse("r.urdf", &back.text, Path::new(""))
            .unwrap_or_else(|fault| panic!("{fault}\n{text}\n{}", made.text));
        let shown = || format!("round {round}\n{text}\n{}\n{}", made.text, back.text);
        assert_eq!((first.nv, first.joints.len()), (second.nv, second.joints.len()), "{}", shown());
        assert_eq!(first.geoms.len(), second.geoms.len(), "{}", shown());
        let (mut q1, mut q2) = (first.qpos0.clone(), second.qpos0.clone());
        let alone = first.bodies.iter().filter(|b| b.parent == 0).count() == 2
            && first.bodies[0].geoms.is_empty()
            && first.joints.first().is_some_and(|j| j.kind == JointKind::Free);
        for (a, b) in first.joints.iter().zip(&second.joints) {
            assert_eq!(a.kind, b.kind, "{}", shown());
            let count = a.kind.sizes()[0];
            let value: Vec<f64> = (0..count).map(|_| dice.real(-1.0, 1.0)).collect();
            q1[a.qpos..a.qpos + count].copy_from_slice(&value);
            q2[b.qpos..b.qpos + count].copy_from_slice(&value);
            if count > 1 {
                continue;
            }
            q2[b.qpos] -= a.reference;
            assert!(near(a.damping[0], b.damping[0]) && near(a.frictionloss, b.frictionloss), "{}", shown());
            assert_eq!(a.limited, b.limited, "{}", shown());
            let shifted = a.range.map(|x| x - a.reference);
            assert!(!a.limited || shifted.iter().zip(b.range).all(|(x, y)| near(*x, y)), "{}", shown());
            assert_eq!(a.actuatorfrcrange, b.actuatorfrcrange, "{}", shown());
        }
        assert!(!alone || first.bodies[1].pose == second.bodies[1].pose || !made.left_aside.is_empty());
        let v: Vec<f64> = (0..first.nv).map(|_| dice.real(-1.0, 1.0)).collect();
        let (a, b) = (numbers(&first, q1, v.clone()), numbers(&second, q2, v));
        for (k, (x, y)) in a.iter().zip(&b).enumerate() {
            assert!((x - y).abs() < 1e-10 * (1.0 + x.abs()), "number {k}: {x} {y}, {}", shown());
        }
        for (a, b) in first.equalities.iter().zip(&second.equalities) {
            let (
                EqualityKind::Joint { joints: i, polycoef: p },
                EqualityKind::Joint { joints: j, polycoef: r },
            ) = (&a.kind, &b.kind)
            else {
                panic!("{}", shown())
            };
            assert_eq!((i, p), (j, r), "{}", shown());
        }
        assert_eq!(first.equalities.len(), second.equalities.len(), "{}", shown());
    }
}

#[test]
fn what_urdf_cannot_say_is_said() {
    let text = r#"<mujoco><worldbody><body name="a"><joint name="j" axis="0 0 1" armature="1" stiffness="2"/><geom name="e" type="ellipsoid" size="1 1 2"/><site name="s"/></body></worldbody>
<actuator><position name="p" joint="j"/></actuator><sensor><gyro name="g" site="s"/></sensor><equality><connect name="c" body1="a" anchor="0 0 0"/></equality></mujoco>"#;
    let made = urdf::write(&mjcf::parse("r.xml", text, Path::new("")).unwrap(), "r");
    for word in ["armature", "stiffness", "ellipsoid", "\"p\"", "sensor", "\"c\"", "site"] {
        assert!(made.left_aside.iter().any(|line| line.contains(word)), "{word}: {:?}", made.left_aside);
    }
}

#[test]
fn a_mimic_of_nobody_and_a_second_point_are_passed_over() {
    let text = r#"<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1.57." upper="1.57"/><mimic joint="nobody"/></joint></robot>"#;
    let made = urdf::text_to_mjcf("r.urdf", text.to_owned(), Path::new("")).unwrap();
    assert!(made.left_out.iter().any(|line| line.contains("nobody")), "{:?}", made.left_out);
    let model = mjcf::parse("r.xml", &made.text, Path::new("")).unwrap();
    assert_eq!(model.joints[0].range, [-1.57, 1.57]);
}
