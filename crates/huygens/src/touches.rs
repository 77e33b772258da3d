//! Pairs that touch, and islands: what hangs together in the last step.

use crate::event::EventKind;
use crate::handle::{BodyId, ShapeId};
use crate::workspace::Found;
use crate::world::World;
use huygens_contact::Head;
use huygens_math::{Twist, Vec3, scalar};

/// Two shapes that touched in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Touch {
    /// They began to touch in this step: there is an [`crate::Event`] of it.
    pub began: bool,
    /// The bodies A and B.
    pub bodies: [BodyId; 2],
    /// Their shapes, lower slot first.
    pub shapes: [ShapeId; 2],
    /// One of the shapes is a sensor: there is no impulse.
    pub sensor: bool,
    /// Unit normal, from B to A: of several parts that of the one that pressed most, or of the deepest.
    pub normal: Vec3,
    /// Smallest distance at the start of the step [m]; negative when they overlapped.
    pub gap: f64,
    /// How fast they came together at the start of the step, along the normals, at the point where that was fastest; negative where they parted [m/s].
    pub speed: f64,
    /// Impulse on A in the step, impact included, in world axes [N·s]; B got its opposite.
    pub impulse: Vec3,
    /// Sum of the impulses along the normals of all points over the time step: the mean force that presses them together [N].
    pub force: f64,
}

/// Bodies that touch one another or that joints, ropes and drivers with limits bring together: what a contact model solves as one.
#[derive(Clone, Copy, Debug)]
pub struct Island<'a> {
    world: &'a World,
    of: IslandOf,
}

#[derive(Clone, Copy, Debug)]
enum IslandOf {
    /// Its number in the contact graph of the last step.
    Step(usize),
    /// The lowest slot of its bodies, which sleep.
    Sleepers(u32),
}

impl World {
    /// The pairs of awake shapes that touch after the last step, sensors too, in the order of the slots of their shapes: those whose [`crate::Event`] said
    /// that they began, and that did not end since. `least_force` leaves out those that press with less [N]; 0 lets all pass. Allocates nothing.
    /// None before the first step and after [`World::drop_workspace`], and none of what was removed since.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Scene, Shape};
    ///
    /// let scene = Scene::new()
    ///     .body(Body::fixed("floor").shape(Shape::half_space()))
    ///     .body(Body::dynamic("ball").sphere(0.1).mass(2.0).at(0.0, 0.0, 0.6));
    /// let mut world = World::new(&scene)?;
    /// let mut hardest = 0.0f64;
    /// while world.time() < 1.0 {
    ///     world.step();
    ///     for touch in world.touches(1.0).filter(|touch| touch.began) {
    ///         hardest = hardest.max(touch.speed);
    ///     }
    /// }
    /// // √(2 · 9.81 m/s² · 0.5 m) = 3.13 m/s at the floor, and less by part of a step at its start.
    /// assert!((hardest - 3.1).abs() < 0.1, "{hardest}");
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    pub fn touches(&self, least_force: f64) -> impl Iterator<Item = Touch> + '_ {
        let begun = |event: &&crate::Event| event.kind == EventKind::Begin;
        let mut begun = self.work.events.iter().filter(begun).filter_map(|event| event.shapes).peekable();
        let mut rest = self.work.found.as_slice();
        let touching = self.state.touching.iter().copied().filter(|pair| !self.is_gone(*pair));
        touching.filter_map(move |pair| {
            let before = rest.iter().take_while(|found| found.key.shapes() < pair).count();
            rest = &rest[before..];
            let slots = |shapes: &[ShapeId; 2]| shapes.map(|shape| shape.slot);
            while begun.peek().is_some_and(|shapes| slots(shapes) < pair) {
                begun.next();
            }
            let began = begun.peek().is_some_and(|shapes| slots(shapes) == pair);
            let touch = self.touch(pair, rest, began)?;
            (touch.force >= least_force).then_some(touch)
        })
    }

    /// What of a pair is at the start of `found`.
    fn touch(&self, pair: [u32; 2], found: &[Found], began: bool) -> Option<Touch> {
        let work = &self.work;
        let groups = found.iter().take_while(|found| found.key.shapes() == pair);
        let shapes = pair.map(|shape| &self.model.shapes[shape as usize]);
        let first = work.found.len() - found.len();
        let mut touch = Touch {
            began,
            bodies: shapes.map(|shape| self.id_of(shape.body as usize)),
            shapes: pair.map(|shape| self.shape_id(shape as usize)),
            sensor: shapes.iter().any(|shape| shape.sensor),
            normal: groups.clone().next()?.normal,
            gap: f64::INFINITY,
            speed: f64::NEG_INFINITY,
            impulse: Vec3::ZERO,
            force: 0.0,
        };
        let heads = work.problem.solve_groups().heads.as_slice();
        let mut at = work.head_found.partition_point(|of| (*of as usize) < first);
        let mut most = 0.0;
        for (i, found) in groups.enumerate() {
            let head = (work.head_found.get(at) == Some(&((first + i) as u32))).then(|| &heads[at]);
            at += usize::from(head.is_some());
            let normal = head.map_or(found.normal, |head| head.normal);
            let pressed = head.map_or(0.0, |head| {
                head.range().map(|i| self.impulse(head, i)).fold(0.0, |sum, impulse| {
                    touch.impulse += impulse;
                    sum + impulse.dot(head.normal)
                })
            });
            // Friction alone presses nothing: what is below 0 is round-off.
            touch.force += scalar::max(pressed, 0.0) / self.model.settings.dt;
            if pressed > most || (most == 0.0 && found.gap < touch.gap) {
                touch.normal = normal;
            }
            most = scalar::max(most, pressed);
            touch.gap = scalar::min(touch.gap, found.gap);
            for point in work.found_points.get(found.range()).into_iter().flatten() {
                let [a, b] = pair.map(|shape| self.velocity_at_start(shape as usize, point.at));
                touch.speed = scalar::max(touch.speed, -normal.dot(a - b));
            }
        }
        Some(touch)
    }

    /// Impulse of a point of a group on its side A [N·s].
    pub(crate) fn impulse(&self, head: &Head, i: usize) -> Vec3 {
        let hit = self.work.problem.impact.impulses.get(i).copied().unwrap_or(Vec3::ZERO);
        self.work.solution.impulses.get(i).map_or(hit, |held| hit + head.to_world(*held))
    }

    /// Velocity of a point of a shape at the start of the last step.
    fn velocity_at_start(&self, shape: usize, at: Vec3) -> Vec3 {
        let body = self.model.shapes[shape].body as usize;
        let twist = self.work.velocity_before.get(body).copied().unwrap_or(Twist::ZERO);
        let center = self.work.ends.get(shape).map_or(at, |end| end.center);
        twist.linear + twist.angular.cross(at - center)
    }

    /// The islands of the last step in the order of their first contacts, then those that sleep. A body that nothing touches is in none. Allocates nothing.
    /// After an edit of joints, and before the first step, only those that sleep.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Scene, Shape};
    ///
    /// let mut scene = Scene::new().body(Body::fixed("floor").shape(Shape::half_space()));
    /// for (i, x) in [0.0, 5.0].into_iter().enumerate() {
    ///     scene = scene
    ///         .body(Body::dynamic(format!("low {i}")).cuboid(1.0, 1.0, 1.0).at(x, 0.0, 0.5))
    ///         .body(Body::dynamic(format!("high {i}")).cuboid(1.0, 1.0, 1.0).at(x, 0.0, 1.5));
    /// }
    /// let mut world = World::new(&scene)?;
    /// world.step();
    /// assert_eq!(world.islands().map(|island| island.bodies().count()).collect::<Vec<_>>(), [2, 2]);
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    pub fn islands(&self) -> impl Iterator<Item = Island<'_>> {
        let awake = (0..self.work.problem.graph.islands()).map(IslandOf::Step);
        let sleep = &self.state.sleep;
        let sleepers = sleep.island.iter().enumerate();
        let sleepers = sleepers.filter(|(slot, island)| **island as usize == *slot);
        let all = awake.chain(sleepers.map(|(_, island)| IslandOf::Sleepers(*island)));
        // What fell asleep at the end of the step is in both.
        all.map(|of| Island { world: self, of }).filter(|island| island.slots().next().is_some())
    }
}

impl<'a> Island<'a> {
    /// Its bodies, in order but for links of trees, which come last.
    ///
    /// Example: [`World::islands`].
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + use<'a> {
        let world = self.world;
        self.slots().map(move |slot| world.id_of(slot))
    }

    /// Whether it sleeps.
    ///
    /// Example: [`World::islands`].
    pub fn asleep(&self) -> bool {
        matches!(self.of, IslandOf::Sleepers(_))
    }

    fn slots(&self) -> impl Iterator<Item = usize> + use<'a> {
        let (world, of) = (self.world, self.of);
        let (graph, sleep) = (&world.work.problem.graph, &world.state.sleep);
        let (movables, lowest) = match of {
            IslandOf::Step(island) => (graph.movables(island), None),
            IslandOf::Sleepers(lowest) => (&[][..], Some(lowest)),
        };
        let free = world.work.problem.inertia.free.len();
        let awake = movables.iter().flat_map(move |&movable| {
            let (own, links) = match (movable as usize).checked_sub(free) {
                None => (Some(movable), &[][..]),
                Some(tree) => (None, world.model.tree_bodies.get(tree).map_or(&[][..], Vec::as_slice)),
            };
            own.into_iter().chain(links.iter().copied()).map(|slot| slot as usize)
        });
        let is_there = move |slot: &usize| !world.model.bodies[*slot].removed && !sleep.has(*slot);
        let last = if lowest.is_some() { sleep.island.len() } else { 0 };
        let asleep = (0..last).filter(move |slot| Some(sleep.island[*slot]) == lowest);
        awake.filter(is_there).chain(asleep)
    }
}
