//! Rows of groups over the dofs of the trees that they touch.

use crate::model::{Model, Motion};
use crate::workspace::TreeWork;
use huygens_contact::{SpanIdx, TreePath, TreeRows, TreeSpan};
use huygens_dynamics::{Axis, Tree};
use huygens_math::BlockInertia;

/// The dofs that move one side of a group, or both sides when they are links of one tree.
#[derive(Clone, Copy)]
struct SidePath {
    tree: u32,
    path: TreePath,
    /// The first dofs of the path, so many, move side A; the others move side B.
    on_a: usize,
}

/// The dofs that move the two sides of a group. All points of the group share them.
pub(super) struct TreeSides([Option<SidePath>; 2]);

impl TreeSides {
    /// Adds the paths of two bodies to `rows`.
    pub(super) fn of(model: &Model, inertia: &BlockInertia, rows: &mut TreeRows, bodies: [u32; 2]) -> Self {
        Self::between(model, inertia, rows, bodies.map(Some))
    }

    /// As [`TreeSides::of`]; `None` stands for the world.
    pub(super) fn between(
        model: &Model,
        inertia: &BlockInertia,
        rows: &mut TreeRows,
        bodies: [Option<u32>; 2],
    ) -> Self {
        let links = bodies.map(|body| match model.bodies[body? as usize].motion {
            Motion::Link { tree, link } => Some((tree, link as usize)),
            Motion::Dynamic | Motion::Static | Motion::Driven(_) => None,
        });
        let mut paths = Paths { model, inertia, rows };
        match links {
            [Some((tree, a)), Some((other, b))] if tree == other => {
                Self([Some(paths.push(tree, Some(a), Some(b))), None])
            }
            [a, b] => Self([
                a.map(|(tree, link)| paths.push(tree, Some(link), None)),
                b.map(|(tree, link)| paths.push(tree, None, Some(link))),
            ]),
        }
    }

    /// Adds the rows of one point, and returns the index of their spans. `entries` are the velocities of the rows that a dof with velocity 1
    /// gives to the point as one of side A.
    pub(super) fn push<const R: usize>(
        &self,
        trees: &[TreeWork],
        inertia: &BlockInertia,
        rows: &mut TreeRows,
        entries: impl Fn(&Axis) -> [f64; R],
    ) -> SpanIdx {
        let spans = self.0.map(|side| {
            let Some(SidePath { tree, path, on_a }) = side else { return TreeSpan::default() };
            let block = &inertia.trees[tree as usize];
            let dofs = &trees[tree as usize].kick.start.axis;
            rows.push_span(block, path, |k, dof| {
                let given = entries(&dofs[(dof - block.first_dof) as usize]);
                if k < on_a { given } else { given.map(|given| -given) }
            })
        });
        rows.push(spans)
    }
}

struct Paths<'a> {
    model: &'a Model,
    inertia: &'a BlockInertia,
    rows: &'a mut TreeRows,
}

impl Paths<'_> {
    /// The path of a link of side A, of side B, or between the two.
    fn push(&mut self, tree: u32, a: Option<usize>, b: Option<usize>) -> SidePath {
        let first = self.inertia.trees[tree as usize].first_dof;
        let links = &self.model.trees[tree as usize];
        let common = a.zip(b).and_then(|(a, b)| last_common(links, a, b));
        let mut add = |link: Option<usize>| {
            let dofs = link.into_iter().flat_map(|link| links.path(link));
            let own = dofs.take_while(|&dof| Some(dof) != common);
            self.rows.push_path(own.map(|dof| first + dof as u32))
        };
        let (on_a, on_b) = (add(a), add(b));
        let path = TreePath { at: on_a.at, len: on_a.len + on_b.len };
        SidePath { tree, path, on_a: on_a.len as usize }
    }
}

/// The last dof that moves both links: the first on the way from either of them to the world.
fn last_common(tree: &Tree, a: usize, b: usize) -> Option<usize> {
    let (mut on_a, mut on_b) = (tree.path(a).peekable(), tree.path(b).peekable());
    loop {
        // Parents come before their children: the larger one of two dofs is not above the other.
        match (on_a.peek()?, on_b.peek()?) {
            (a, b) if a == b => return Some(*a),
            (a, b) if a > b => on_a.next(),
            _ => on_b.next(),
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::scene::{Body, Joint, Scene, Shape};
    use crate::{World, stage};
    use huygens_contact::Side;
    use huygens_math::Vec3;

    /// Six balls on a ring, hinged one to the next, the first one free: the last link touches the first.
    fn ring(scene: Scene, name: &str, z: f64) -> Scene {
        let at = |i: usize| {
            let corner = [(1.0, 0.0), (0.5, 0.8), (-0.5, 0.9), (-1.0, 0.0), (-0.5, -0.8), (0.5, -0.85)][i];
            Vec3::new(corner.0, corner.1, z + 0.03 * i as f64)
        };
        let mut scene = scene;
        for i in 0..6 {
            let p = at(i);
            let ball = Shape::sphere(0.5).friction(0.5);
            scene = scene.body(Body::dynamic(format!("{name}{i}")).shape(ball).at(p.x, p.y, p.z));
            if i > 0 {
                let middle = (at(i - 1) + p) * 0.5;
                let axis = [(0.0, 0.3, 1.0), (1.0, 0.0, 0.2), (0.2, 1.0, 0.0)][i % 3];
                let joint = Joint::hinge(format!("{name}{i}"), format!("{name}{i}"))
                    .parent(format!("{name}{}", i - 1))
                    .anchor(middle.x, middle.y, middle.z)
                    .axis(axis.0, axis.1, axis.2);
                scene = scene.joint(joint);
            }
        }
        scene
    }

    #[test]
    fn rows_over_paths_give_the_relative_velocity_of_the_points_of_two_links() {
        let floor = Body::fixed("floor").shape(Shape::half_space());
        let scene = ring(ring(Scene::new().dt(1.0 / 240.0).body(floor), "a", 0.6), "b", 1.7);
        let mut world = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
        let (mut of_one_tree, mut of_two, mut of_floor, mut shortest) = (0, 0, 0, u32::MAX);
        for _ in 0..60 {
            world.step();
            let World { model, state, work, .. } = &mut world;
            stage::kinematics(model, state, &mut work.for_kinematics());
            stage::collide(model, state, &mut work.for_collide(), None);
            stage::factor(model, state, &mut work.for_factor());
            stage::assemble(model, state, &mut work.for_assemble());
            let groups = &work.problem.groups;
            for head in groups.contacts() {
                let bodies = head.key.shapes().map(|shape| model.shapes[shape as usize].body as usize);
                for point in &groups.points[head.range()] {
                    let at = |k: usize| state.velocity.free[bodies[k]].at(point.arm[k]);
                    let expected = head.to_local(at(0) - at(1));
                    let found = groups.relative(head, point, &state.velocity);
                    for (found, expected) in found.iter().zip(expected) {
                        // Through six hinges, a few roundings each.
                        assert!(
                            (found - expected).abs() < 1e-13 * (1.0 + at(0).length()),
                            "{found} {expected}"
                        );
                    }
                    match head.side {
                        [Side::Tree(a), Side::Tree(b)] if a == b => {
                            of_one_tree += 1;
                            let Some(spans) = point.tree else { panic!("a tree without rows") };
                            shortest = shortest.min(groups.tree.spans_at(spans)[0].path.len);
                        }
                        [Side::Tree(_), Side::Tree(_)] => of_two += 1,
                        _ => of_floor += 1,
                    }
                }
            }
        }
        assert!(of_one_tree > 10 && of_two > 10 && of_floor > 10, "{of_one_tree} {of_two} {of_floor}");
        assert!(shortest < 6, "links of one tree have no row over the base that carries both: {shortest}");
    }
}
