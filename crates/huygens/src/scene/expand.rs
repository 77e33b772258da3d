//! Every body of a scene one by one, those of `[[repeat]]` written out.

use super::mersenne::Mersenne;
use super::{Body, RepeatKind, RepeatSpec, Scene, SpecPath};
use huygens_math::{Quat, Vec3, trig};
use std::f64::consts::PI;

/// One body, and the place in the scene that describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedBody {
    /// Where the scene has it: `body."NAME"`, or `repeat[i].body[k]` for a repeated one.
    pub path: SpecPath,
    /// The body, at its own place and with its own name.
    pub body: Body,
}

impl Scene {
    /// All bodies, those of `bodies` first. Made one at a time, so that a million of them need no second copy.
    pub fn expanded(&self) -> impl Iterator<Item = PlacedBody> + '_ {
        let written = self
            .bodies
            .iter()
            .map(|body| PlacedBody { path: SpecPath::body(&body.name), body: body.clone() });
        let up = self.world.up();
        let repeated = self.repeats.iter().enumerate().flat_map(move |(i, repeat)| {
            let seed = repeat.seed.unwrap_or(self.world.seed);
            Placements::new(repeat, SpecPath::top("repeat").index(i).key("body"), up, seed)
        });
        written.chain(repeated)
    }

    /// Number of bodies that [`Scene::expanded`] gives; `None` when it overflows.
    pub fn body_count(&self) -> Option<u64> {
        let mut total = self.bodies.len() as u64;
        for repeat in &self.repeats {
            total = total.checked_add(if repeat.bodies.is_empty() { 0 } else { repeat.total()? })?;
        }
        Some(total)
    }
}

/// The bodies of one repeat, in order.
struct Placements<'a> {
    repeat: &'a RepeatSpec,
    path: SpecPath,
    /// Across, deep, up.
    directions: [Vec3; 3],
    random: Mersenne,
    next: u64,
    total: u64,
    /// The pyramid's row, and the number of its first body.
    row: (u64, u64),
}

impl<'a> Placements<'a> {
    fn new(repeat: &'a RepeatSpec, path: SpecPath, up: Vec3, seed: u64) -> Self {
        let (across, deep) = if up.z != 0.0 {
            (Vec3::X, Vec3::Y)
        } else if up.y != 0.0 {
            (Vec3::X, Vec3::Z)
        } else {
            (Vec3::Y, Vec3::Z)
        };
        let total = if repeat.bodies.is_empty() { 0 } else { repeat.total().unwrap_or(0) };
        let random = Mersenne::new(seed);
        Self { repeat, path, directions: [across, deep, up], random, next: 0, total, row: (0, 0) }
    }

    /// Place of body `n` in the pattern, in spacings: centred across and deep, from 0 up.
    fn cell(&mut self, n: u64) -> [f64; 3] {
        let [a, b, c] = self.repeat.count.map(u64::from);
        let centred = |i: u64, count: u64| i as f64 - (count - 1) as f64 / 2.0;
        match self.repeat.kind {
            RepeatKind::Grid => [centred(n / (b * c), a), centred(n / c % b, b), (n % c) as f64],
            RepeatKind::Stack => [0.0, 0.0, n as f64],
            RepeatKind::Wall => {
                let row = n / a;
                let shift = if row % 2 == 1 { 0.5 } else { 0.0 };
                [centred(n % a, a) + shift, 0.0, row as f64]
            }
            RepeatKind::Pyramid => {
                let (mut row, mut first) = self.row;
                if n - first >= a - row {
                    first += a - row;
                    row += 1;
                    self.row = (row, first);
                }
                [centred(n - first, a - row), 0.0, row as f64]
            }
            RepeatKind::Pile => [centred(n / b % a, a), centred(n % b, b), (n / (a * b)) as f64],
        }
    }
}

impl Iterator for Placements<'_> {
    type Item = PlacedBody;

    fn next(&mut self) -> Option<PlacedBody> {
        if self.next >= self.total {
            return None;
        }
        let n = self.next;
        self.next += 1;
        let k = (n % self.repeat.bodies.len() as u64) as usize;
        let mut body = self.repeat.bodies[k].clone();
        body.name = format!("{}[{n}]", body.name);
        let cell = self.cell(n);
        for (d, direction) in self.directions.into_iter().enumerate() {
            body.position += direction * (cell[d] * self.repeat.spacing[d]);
            let jitter = self.repeat.jitter[d];
            // Nothing is drawn where nothing is shifted: the numbers that follow are those of scenes.py.
            if jitter > 0.0 {
                body.position += direction * self.random.range(-jitter, jitter);
            }
        }
        if self.repeat.tumble {
            body.orientation = (rotation(&mut self.random) * body.orientation).normalize();
        }
        Some(PlacedBody { path: self.path.index(k), body })
    }
}

/// A rotation, uniform over all rotations, from three numbers (Shoemake 1992).
fn rotation(random: &mut Mersenne) -> Quat {
    let (u1, u2, u3) = (random.unit(), random.unit(), random.unit());
    let (r1, r2) = ((1.0 - u1).sqrt(), u1.sqrt());
    let (s2, c2) = trig::sin_cos(2.0 * PI * u2);
    let (s3, c3) = trig::sin_cos(2.0 * PI * u3);
    Quat::from_xyzw(r1 * s2, r1 * c2, r2 * s3, r2 * c3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::WorldSpec;

    fn scene(repeat: RepeatSpec) -> Scene {
        let world = WorldSpec { gravity: Vec3::new(0.0, -9.81, 0.0), ..WorldSpec::default() };
        Scene { world, repeats: vec![repeat], ..Scene::default() }
    }

    fn repeat(kind: RepeatKind, count: [u32; 3], spacing: [f64; 3], at: Vec3) -> RepeatSpec {
        let body = Body { name: "b".into(), position: at, ..Body::default() };
        RepeatSpec {
            kind,
            count,
            spacing: Vec3::from_array(spacing),
            jitter: Vec3::ZERO,
            tumble: false,
            seed: None,
            bodies: vec![body],
        }
    }

    /// Position and quaternion (x, y, z, w) of the recorded lines of scenes.py, nine digits each.
    fn recorded(text: &str) -> Vec<[f64; 7]> {
        text.lines()
            .map(|line| {
                let numbers: Vec<f64> = line.split(' ').skip(1).map(|word| word.parse().unwrap()).collect();
                numbers[5..12].try_into().unwrap()
            })
            .collect()
    }

    fn assert_same(bodies: &[PlacedBody], lines: &[[f64; 7]]) {
        for (placed, line) in bodies.iter().zip(lines) {
            let (p, q) = (placed.body.position, placed.body.orientation);
            for (ours, theirs) in [p.x, p.y, p.z, q.x, q.y, q.z, q.w].into_iter().zip(line) {
                // Half a unit of the ninth digit, and a rounding.
                let digit = 5.1e-9 * huygens_math::scalar::max(theirs.abs(), 1e-8);
                assert!((ours - theirs).abs() <= digit, "{}: {ours} {theirs}", placed.body.name);
            }
        }
    }

    #[test]
    fn a_pile_is_that_of_scenes_py_body_by_body() {
        let mut pile = repeat(RepeatKind::Pile, [20, 20, 20], [1.4; 3], Vec3::Y);
        pile.jitter = Vec3::new(0.1, 0.1, 0.0);
        pile.tumble = true;
        pile.seed = Some(1);
        let bodies: Vec<_> = scene(pile).expanded().collect();
        assert_eq!(bodies.len(), 8000);
        let lines = recorded(include_str!("testdata/pile.txt"));
        assert_eq!(lines.len(), 100);
        assert_same(&bodies, &lines);
    }

    #[test]
    fn spheres_are_those_of_scenes_py_body_by_body() {
        let mut pile = repeat(RepeatKind::Pile, [25, 25, 48], [1.1; 3], Vec3::new(0.0, 0.6, 0.0));
        pile.jitter = Vec3::new(0.04, 0.04, 0.0);
        pile.seed = Some(2);
        let bodies: Vec<_> = scene(pile).expanded().skip(6250).collect();
        let lines = recorded(include_str!("testdata/spheres.txt"));
        assert_eq!(lines.len(), 100);
        assert_same(&bodies, &lines);
    }

    fn positions(repeat: RepeatSpec) -> Vec<[f64; 3]> {
        scene(repeat).expanded().map(|placed| placed.body.position.to_array()).collect()
    }

    #[test]
    fn each_pattern_stands_where_its_description_says() {
        let at = Vec3::new(0.0, 0.5, 0.0);
        let stack = positions(repeat(RepeatKind::Stack, [3, 1, 1], [0.0, 0.0, 2.0], at));
        assert_eq!(stack, [[0.0, 0.5, 0.0], [0.0, 2.5, 0.0], [0.0, 4.5, 0.0]]);
        let pyramid = positions(repeat(RepeatKind::Pyramid, [3, 1, 1], [1.0, 0.0, 1.0], at));
        let rows = [[-1.0, 0.5], [0.0, 0.5], [1.0, 0.5], [-0.5, 1.5], [0.5, 1.5], [0.0, 2.5]];
        assert_eq!(pyramid, rows.map(|[x, y]| [x, y, 0.0]));
        let wall = positions(repeat(RepeatKind::Wall, [2, 2, 1], [1.0, 0.0, 1.0], at));
        assert_eq!(wall, [[-0.5, 0.5], [0.5, 0.5], [0.0, 1.5], [1.0, 1.5]].map(|[x, y]| [x, y, 0.0]));
        let grid = positions(repeat(RepeatKind::Grid, [2, 1, 2], [4.0, 4.0, 1.0], at));
        assert_eq!(grid, [[-2.0, 0.5, 0.0], [-2.0, 1.5, 0.0], [2.0, 0.5, 0.0], [2.0, 1.5, 0.0]]);
    }

    #[test]
    fn repeated_bodies_are_numbered_and_taken_in_turn() {
        let mut stack = repeat(RepeatKind::Stack, [3, 1, 1], [0.0, 0.0, 1.0], Vec3::ZERO);
        stack.bodies.push(Body { name: "c".into(), ..Body::default() });
        let scene = scene(stack);
        let names: Vec<String> = scene.expanded().map(|placed| placed.body.name).collect();
        assert_eq!(names, ["b[0]", "c[1]", "b[2]"]);
        assert_eq!(scene.body_count(), Some(3));
        assert_eq!(scene.find_body("c[1]").unwrap().name, "c");
        assert!(scene.find_body("c[0]").is_none() && scene.find_body("b[3]").is_none());
        let path = scene.expanded().nth(1).unwrap().path;
        assert_eq!(path.to_string(), "repeat[0].body[1]");
    }
}
