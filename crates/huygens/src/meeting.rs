//! A contact before it is solved, and what a user's function may change of it ([`World::step_with`]).

use crate::edit::is_sensible;
use crate::handle::{BodyId, ShapeId};
use crate::model::Model;
use crate::report::StepReport;
use crate::state::State;
use crate::workspace::{Found, FoundPoint};
use crate::world::World;
use huygens_contact::{GroupKey, Material};
use huygens_math::{Twist, Vec3};

/// Why a contact refuses a change. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeetingError {
    /// A number is negative, infinite or not a number, or a restitution is above 1.
    #[error("{what} must be finite and not negative, and a restitution at most 1; nothing was changed")]
    OutOfRange {
        /// What was given.
        what: &'static str,
    },
    /// Nobody gives the work of the surface.
    #[error(
        "a surface velocity needs a driver that gives its work: make one of the two bodies `driven`, with velocity zero; nothing was changed"
    )]
    NoDriver,
}

/// What a user's function changed of a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactChange {
    pub key: GroupKey,
    /// Its surface properties instead of those of the two materials.
    pub material: Option<Material>,
    /// Velocity of the surface of each side relative to its body [m/s], instead of that of its material.
    pub surface_velocity: [Option<Vec3>; 2],
}

/// Who meets: what a [`Meeting`] shows of the world.
#[derive(Clone, Copy)]
pub(crate) struct Meeters<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub user_data: &'a [u128],
    /// Number of the world.
    pub world: u32,
}

/// A user's function that looks at contacts before they are solved.
pub(crate) struct Hook<'a> {
    pub meeters: MeetersOfWorld<'a>,
    pub look: &'a mut dyn FnMut(&mut Meeting<'_>),
}

/// What of [`Meeters`] lies outside of model and state.
#[derive(Clone, Copy)]
pub(crate) struct MeetersOfWorld<'a> {
    pub user_data: &'a [u128],
    pub world: u32,
}

/// A contact that was found in this step, before it is solved: [`World::step_with`] shows it to its function, which may let the two pass each
/// other ([`Meeting::ignore`]) or give them other surfaces. `A` is the side with index 0; the normal points from B to A.
pub struct Meeting<'a> {
    pub(crate) meeters: Meeters<'a>,
    pub(crate) found: &'a Found,
    pub(crate) points: &'a [FoundPoint],
    /// Indices into the material table: what the two do together is looked up when it is asked for.
    pub(crate) materials: [u32; 2],
    pub(crate) change: ContactChange,
    pub(crate) ignored: bool,
}

impl std::fmt::Debug for Meeting<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut all = f.debug_struct("Meeting");
        all.field("names", &self.names()).field("normal", &self.normal()).field("gap", &self.gap());
        all.finish_non_exhaustive()
    }
}

impl Meeting<'_> {
    fn slots(&self) -> [usize; 2] {
        self.found.key.shapes().map(|shape| self.meeters.model.shapes[shape as usize].body as usize)
    }

    /// The bodies A and B.
    ///
    /// Example: [`World::step_with`].
    pub fn bodies(&self) -> [BodyId; 2] {
        let Meeters { state, world, .. } = self.meeters;
        self.slots().map(|slot| BodyId { slot: slot as u32, generation: state.generation[slot], world })
    }

    /// Their names.
    ///
    /// Example: [`World::step_with`].
    pub fn names(&self) -> [&str; 2] {
        self.slots().map(|slot| &*self.meeters.model.bodies[slot].name)
    }

    /// The numbers that [`World::set_user_data`] gave them.
    pub fn user_data(&self) -> [u128; 2] {
        self.slots().map(|slot| self.meeters.user_data.get(slot).copied().unwrap_or(0))
    }

    /// The two shapes, lower slot first.
    ///
    /// Example: [`World::step_with`].
    pub fn shapes(&self) -> [ShapeId; 2] {
        let Meeters { state, world, .. } = self.meeters;
        let generation = |slot: u32| state.shape_generation[slot as usize];
        self.found.key.shapes().map(|slot| ShapeId { slot, generation: generation(slot), world })
    }

    /// Unit normal, from B to A.
    ///
    /// Example: [`World::step_with`].
    pub fn normal(&self) -> Vec3 {
        self.found.normal
    }

    /// Smallest distance at the start of the step [m]; negative where they overlap.
    ///
    /// Example: [`World::step_with`].
    pub fn gap(&self) -> f64 {
        self.found.gap
    }

    /// Place [m] and distance [m] of each point.
    ///
    /// Example: [`World::step_with`].
    pub fn points(&self) -> impl ExactSizeIterator<Item = (Vec3, f64)> + '_ {
        self.points.iter().map(|point| (point.at, point.gap))
    }

    /// Mean of the points [m].
    ///
    /// Example: [`World::step_with`].
    pub fn place(&self) -> Vec3 {
        let sum: Vec3 = self.points.iter().map(|point| point.at).fold(Vec3::ZERO, |sum, at| sum + at);
        sum / self.points.len() as f64
    }

    /// Centres of mass [m].
    ///
    /// Example: [`World::step_with`].
    pub fn centres(&self) -> [Vec3; 2] {
        self.slots().map(|slot| self.meeters.state.position[slot])
    }

    /// Velocity of A against B at [`Meeting::place`], at the start of the step [m/s].
    pub fn velocity(&self) -> Vec3 {
        let (at, state) = (self.place(), self.meeters.state);
        let [a, b] = self.slots().map(|slot| {
            let Twist { linear, angular } = state.velocity.free[slot];
            linear + angular.cross(at - state.position[slot])
        });
        a - b
    }

    /// Static and dynamic coefficient of friction.
    ///
    /// Example: [`World::step_with`].
    pub fn friction(&self) -> [f64; 2] {
        let material = self.material();
        [material.friction_static, material.friction_dynamic]
    }

    /// Coefficient of restitution.
    ///
    /// Example: [`World::step_with`].
    pub fn restitution(&self) -> f64 {
        self.material().restitution
    }

    /// Its surface properties, as they are changed so far.
    fn material(&self) -> Material {
        let [a, b] = self.materials;
        self.change.material.unwrap_or_else(|| self.meeters.model.materials.combined(a, b))
    }

    /// Lets the two shapes pass each other in this step, whatever else was changed: they do not touch, and no event tells that they do.
    ///
    /// Example: [`World::step_with`].
    pub fn ignore(&mut self) {
        self.ignored = true;
    }

    /// Gives the contact this coefficient of friction for this step, static and dynamic.
    ///
    /// Example: [`World::step_with`].
    ///
    /// # Errors
    /// When it is negative or not finite.
    pub fn set_friction(&mut self, friction: f64) -> Result<(), MeetingError> {
        if !(0.0..=crate::scene::LARGEST).contains(&friction) {
            return Err(MeetingError::OutOfRange { what: "friction" });
        }
        let material = self.material();
        self.change.material =
            Some(Material { friction_static: friction, friction_dynamic: friction, ..material });
        Ok(())
    }

    /// Gives the contact this coefficient of restitution for this step.
    ///
    /// Example: [`World::step_with`].
    ///
    /// # Errors
    /// When it is not in [0, 1].
    pub fn set_restitution(&mut self, restitution: f64) -> Result<(), MeetingError> {
        if !(0.0..=1.0).contains(&restitution) {
            return Err(MeetingError::OutOfRange { what: "restitution" });
        }
        self.change.material = Some(Material { restitution, ..self.material() });
        Ok(())
    }

    /// Lets the surface of side `side` (0 for A, 1 for B) run along itself with this velocity relative to its body, in world axes [m/s]. What
    /// of it is along the normal is left out. Its driver gives the work.
    ///
    /// Example: [`World::step_with`].
    ///
    /// # Errors
    /// When the body of that side has no driver, or a number is not finite or above 1e20.
    ///
    /// # Panics
    /// When `side` is neither 0 nor 1.
    pub fn set_surface_velocity(
        &mut self,
        side: usize,
        velocity: impl Into<Vec3>,
    ) -> Result<(), MeetingError> {
        let velocity = velocity.into();
        if !is_sensible(velocity) {
            return Err(MeetingError::OutOfRange { what: "surface velocity" });
        }
        if self.meeters.model.bodies[self.slots()[side]].driver.is_none() {
            return Err(MeetingError::NoDriver);
        }
        self.change.surface_velocity[side] = Some(velocity);
        Ok(())
    }
}

impl World {
    /// As [`World::step`], but shows `look` each contact of the step before it is solved, in the order of their keys: contacts of bodies that
    /// touch, and of those that may touch within the step. `look` may let them pass each other, or change their surfaces, for this step. One that
    /// does nothing changes no bit. The book closes whatever it does; a body that was let into another one is pushed out as far as losses of
    /// the step pay for it. Sensors are not shown.
    ///
    /// A function that depends on nothing but the contact gives the same bits in every run; a checkpoint does not hold it.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Scene, Shape};
    ///
    /// // A platform that lets through what comes from below.
    /// let scene = Scene::new()
    ///     .body(Body::fixed("platform").shape(Shape::cuboid(2.0, 2.0, 0.1)))
    ///     .body(Body::dynamic("ball").sphere(0.1).at(0.0, 0.0, -1.0).velocity(0.0, 0.0, 6.0));
    /// let mut world = World::new(&scene)?;
    /// while world.time() < 3.0 {
    ///     world.step_with(|meeting| {
    ///         let up = if meeting.names()[1] == "platform" { 1.0 } else { -1.0 };
    ///         let is_above = up * (meeting.centres()[0].z - meeting.centres()[1].z) > 0.149;
    ///         if !is_above || up * meeting.velocity().z > 0.0 {
    ///             meeting.ignore();
    ///         }
    ///     });
    /// }
    /// let ball = world.body(world.find("ball").unwrap()).unwrap();
    /// assert!((ball.position.z - 0.15).abs() < 1e-3, "it lies on the platform: {}", ball.position.z);
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    pub fn step_with(&mut self, mut look: impl FnMut(&mut Meeting<'_>)) -> &StepReport {
        self.advance(Some(&mut look))
    }
}
