//! Faults that an engine could have: each small, most of them rare, and each with the kind that must find it.

use huygens::math::{Vec3, scalar};
use huygens::scene::{Body, Motion};
use huygens::{Scene, SceneErrors};
use huygens_hunt::forms::{Forms, pose};
use huygens_hunt::{BodySight, Kind};

/// The engine that a fault is put around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The true engine.
    True,
    /// Nothing touches anything.
    Contactless,
    /// A body stops where it first touches another one.
    Stopping,
    /// Strangers are in a world of their own.
    Apart,
}

/// A fault of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// One step in 97 brings in 1e-5 of T.
    GainNowAndThen,
    /// What spins gains 2e-6 of its spin's energy in a step.
    GainOfSpin,
    /// Friction pushes forward where μ is between 0.3 and 0.7.
    FrictionForward,
    /// A bounce is 2 % too fast where e is between 0.4 and 0.95.
    BounceTooFast,
    /// A millionth of what is posted gets lost.
    PostingLost,
    /// One step in 97 is posted twice.
    PostedTwice,
    /// A place is no number once a body has spun at 20 rad/s for a while.
    NanOfSpin,
    /// What rests drifts by 3e-6 of its size in a second.
    Drift,
    /// What has rested for half a second begins to turn by 1e-5 rad/s.
    LateTurn,
    /// One lane of one SIMD level has another last bit.
    LastBitOfLane,
    /// A dropped workspace is not quite forgotten.
    WorkspaceMatters,
    /// Every second engine that is built has another last bit.
    RunCounter,
    /// A nudge of 1e-9 of the speed at a gap of 5 cm, give or take 2 mm.
    NudgeAtGap,
    /// Bodies above 20 m/s whose bounding balls overlap are braked by 1e-12.
    BoundingBalls,
    /// A body that touches a plate of up to 2 mm is put on its other side.
    MovedThrough,
    /// What comes at more than 200 m/s does not stop.
    TunnelsAtSpeed,
    /// What touches a thin thing is left half inside.
    LeftInside,
    /// Everything is damped by the speed of the world's fastest body.
    DampedByFastest,
    /// An island stops iterating when the world has a body above 3 m/s: a last bit.
    StopOfTheWorld,
    /// A last bit depends on the slot of the body.
    SlotNumber,
    /// Speeds along +x are 1e-8 too large.
    PrefersX,
    /// Below 0.05 m/s a velocity is 0.
    AbsoluteThreshold,
    /// Places are rounded to 1e-8 m.
    Grid,
    /// What moves and spins gets 1e-8 of right-handed spin.
    RightHanded,
    /// The first body is 1e-8 faster.
    FirstBody,
}

/// What a fault knows of its scene.
pub struct Facts {
    forms: Forms,
    dt: f64,
    gravity: Vec3,
    friction: f64,
    restitution: f64,
    /// Thickness of each body that is a plate of the scene's own [m].
    thin: Vec<Option<f64>>,
    driven: Vec<bool>,
}

impl Facts {
    pub fn new(scene: &Scene) -> Result<Self, SceneErrors> {
        let surface = scene.bodies.iter().rev().flat_map(|body| &body.shapes).next();
        let surface = surface.map(|shape| scene.surface_of(shape)).unwrap_or_default();
        let thin = |body: &Body| match body.shapes[0].kind {
            huygens::scene::ShapeKind::Box { size } if body.name.starts_with("thin") => Some(size.z),
            _ => body.name.starts_with("thin").then_some(0.0),
        };
        Ok(Self {
            forms: Forms::new(scene)?,
            dt: scene.world.dt,
            gravity: scene.world.gravity,
            friction: surface.friction_dynamic,
            restitution: surface.restitution,
            thin: scene.bodies.iter().map(thin).collect(),
            driven: scene.bodies.iter().map(|body| body.motion != Motion::Dynamic).collect(),
        })
    }

    fn gap(&self, a: usize, b: usize, bodies: &[BodySight]) -> f64 {
        self.forms.gap(a, &pose(&bodies[a]), b, &pose(&bodies[b]))
    }
}

/// A step as a fault sees it.
pub struct Step<'a> {
    pub facts: &'a Facts,
    /// Number of the step.
    pub number: u64,
    pub before: &'a [BodySight],
    pub now: &'a mut [BodySight],
}

impl Fault {
    /// Every fault.
    pub const ALL: [Self; 25] = [
        Self::GainNowAndThen,
        Self::GainOfSpin,
        Self::FrictionForward,
        Self::BounceTooFast,
        Self::PostingLost,
        Self::PostedTwice,
        Self::NanOfSpin,
        Self::Drift,
        Self::LateTurn,
        Self::LastBitOfLane,
        Self::WorkspaceMatters,
        Self::RunCounter,
        Self::NudgeAtGap,
        Self::BoundingBalls,
        Self::MovedThrough,
        Self::TunnelsAtSpeed,
        Self::LeftInside,
        Self::DampedByFastest,
        Self::StopOfTheWorld,
        Self::SlotNumber,
        Self::PrefersX,
        Self::AbsoluteThreshold,
        Self::Grid,
        Self::RightHanded,
        Self::FirstBody,
    ];

    /// The kind that must find it, and the engine that it is put around.
    pub fn trial(self) -> (Kind, Base) {
        match self {
            Self::GainNowAndThen | Self::GainOfSpin => (Kind::Energy, Base::Contactless),
            Self::FrictionForward | Self::BounceTooFast => (Kind::Energy, Base::True),
            Self::PostingLost | Self::PostedTwice => (Kind::Ledger, Base::True),
            Self::NanOfSpin => (Kind::Nan, Base::Stopping),
            Self::Drift | Self::LateTurn => (Kind::Creep, Base::Stopping),
            Self::LastBitOfLane | Self::WorkspaceMatters | Self::RunCounter => {
                (Kind::Determinism, Base::Contactless)
            }
            Self::NudgeAtGap | Self::BoundingBalls => (Kind::Ghost, Base::Contactless),
            Self::MovedThrough | Self::TunnelsAtSpeed | Self::LeftInside => (Kind::Passage, Base::Stopping),
            Self::DampedByFastest | Self::StopOfTheWorld | Self::SlotNumber => (Kind::Locality, Base::Apart),
            Self::PrefersX | Self::AbsoluteThreshold | Self::Grid | Self::RightHanded | Self::FirstBody => {
                (Kind::Symmetry, Base::Contactless)
            }
        }
    }

    /// The contact model with which it is looked for: another order of bodies is asked only of the exact one.
    pub fn solver(self) -> &'static str {
        if self == Self::FirstBody { "ncp/newton" } else { "soft-step" }
    }

    /// Does what is wrong to the bodies after a step.
    pub fn spoil(self, step: &mut Step) {
        for body in 0..step.now.len() {
            if step.now[body].moves && !step.now[body].is_link {
                self.spoil_body(step, body);
            }
        }
    }

    fn spoil_body(self, step: &mut Step, body: usize) {
        let facts = step.facts;
        let now = step.now[body];
        let spoiled = match self {
            Self::GainNowAndThen if step.number.is_multiple_of(97) => faster(&now, 5e-6),
            Self::GainOfSpin if now.spin.length() > 1.0 => BodySight { spin: now.spin * (1.0 + 1e-6), ..now },
            Self::FrictionForward if (0.3..0.7).contains(&facts.friction) => forward(step, body),
            Self::BounceTooFast if (0.4..0.95).contains(&facts.restitution) => bounced(step, body),
            Self::Drift if now.velocity.length() < 1e-3 => {
                let way = 3e-6 * facts.forms.reach(body) * facts.dt;
                BodySight {
                    center: now.center + Vec3::X * way,
                    position: now.position + Vec3::X * way,
                    ..now
                }
            }
            Self::LateTurn if step.number as f64 * facts.dt > 0.5 => {
                let turn = huygens::math::trig::rotation_vector(Vec3::Z * (1e-5 * facts.dt));
                BodySight { orientation: (turn * now.orientation).normalize(), ..now }
            }
            Self::NudgeAtGap if facts.has_gap(body, step.now, 0.048..0.052) => faster(&now, 1e-9),
            Self::BoundingBalls if now.velocity.length() > 20.0 && facts.balls_meet(body, step.now) => {
                faster(&now, -1e-12)
            }
            Self::DampedByFastest => faster(&now, -1e-14 * fastest(step.now)),
            Self::StopOfTheWorld if fastest(step.now) > 3.0 => last_bit(&now),
            Self::SlotNumber if body >= 4 => last_bit(&now),
            Self::PrefersX if now.velocity.x > 0.0 => {
                BodySight { velocity: now.velocity + Vec3::X * (1e-8 * now.velocity.x), ..now }
            }
            Self::AbsoluteThreshold if now.velocity.length() < 0.05 => {
                BodySight { velocity: Vec3::ZERO, ..now }
            }
            Self::Grid => BodySight { center: (now.center * 1e8).round() / 1e8, ..now },
            Self::RightHanded => {
                let along = now.velocity.normalize_or_zero() * (1e-8 * now.spin.length());
                BodySight { spin: now.spin + along, ..now }
            }
            Self::FirstBody if step.now.iter().position(|other| other.moves) == Some(body) => {
                faster(&now, 1e-8)
            }
            Self::MovedThrough | Self::TunnelsAtSpeed | Self::LeftInside => passed(self, step, body),
            _ => return,
        };
        step.now[body] = spoiled;
    }
}

impl Facts {
    /// True when the gap from another body is in a range [m].
    fn has_gap(&self, body: usize, bodies: &[BodySight], range: std::ops::Range<f64>) -> bool {
        (0..bodies.len()).any(|other| other != body && range.contains(&self.gap(body, other, bodies)))
    }

    fn balls_meet(&self, body: usize, bodies: &[BodySight]) -> bool {
        let meets = |other: usize| {
            let reach = self.forms.reach(body) + self.forms.reach(other);
            reach.is_finite() && (bodies[body].center - bodies[other].center).length() < reach
        };
        (0..bodies.len()).any(|other| other != body && meets(other))
    }

    /// The thin thing that a body touches, with its thickness.
    fn touched(&self, body: usize, bodies: &[BodySight]) -> Option<(usize, f64)> {
        let near = |other: usize| self.gap(body, other, bodies) < 1e-3 * self.forms.reach(body);
        let thin = (0..bodies.len()).filter(|other| *other != body);
        thin.filter_map(|other| Some((other, self.thin[other]?))).find(|(other, _)| near(*other))
    }
}

/// A body that is faster by a share of its velocities.
fn faster(body: &BodySight, share: f64) -> BodySight {
    let factor = 1.0 + share;
    BodySight { velocity: body.velocity * factor, spin: body.spin * factor, ..*body }
}

/// A body whose speed along x has another last bit.
pub fn last_bit(body: &BodySight) -> BodySight {
    let mut velocity = body.velocity;
    velocity.x = f64::from_bits(velocity.x.to_bits() ^ 1);
    BodySight { velocity, ..*body }
}

fn fastest(bodies: &[BodySight]) -> f64 {
    bodies.iter().fold(0.0, |most, body| scalar::max(most, body.velocity.length()))
}

/// What contact did along the ground in this step, turned round.
fn forward(step: &Step, body: usize) -> BodySight {
    let (before, now) = (&step.before[body], step.now[body]);
    let up = -step.facts.gravity.normalize_or_zero();
    let change = now.velocity - before.velocity - step.facts.gravity * (now.gravity_scale * step.facts.dt);
    let pressed = change.dot(up) > 0.0;
    let along = change - up * change.dot(up);
    if pressed { BodySight { velocity: now.velocity - 2.0 * along, ..now } } else { now }
}

fn bounced(step: &Step, body: usize) -> BodySight {
    let (before, now) = (&step.before[body], step.now[body]);
    let down = step.facts.gravity.normalize_or_zero();
    let (came, goes) = (before.velocity.dot(down), now.velocity.dot(down));
    if came > 0.3 && goes < -0.1 { BodySight { velocity: now.velocity * 1.02, ..now } } else { now }
}

/// A body on the wrong side of, or inside, a thin thing.
fn passed(fault: Fault, step: &Step, body: usize) -> BodySight {
    let (before, now, facts) = (&step.before[body], step.now[body], step.facts);
    let at = |center: Vec3| BodySight { center, position: center + (now.position - now.center), ..now };
    let stopped = now.velocity == Vec3::ZERO && before.velocity != Vec3::ZERO;
    if fault == Fault::TunnelsAtSpeed {
        let fast = before.velocity.length() > 200.0 && !facts.driven[body];
        return if stopped && fast { at(before.center + before.velocity * facts.dt) } else { now };
    }
    let Some((thin, thick)) = facts.touched(body, step.now) else { return now };
    // Thin things of these scenes are flat across their own z.
    let normal = step.now[thin].orientation * Vec3::Z;
    let height = (now.center - step.now[thin].center).dot(normal);
    match fault {
        Fault::MovedThrough if thick > 0.0 && thick <= 2e-3 => at(now.center - normal * (2.0 * height)),
        Fault::LeftInside if stopped => at(now.center - normal * (0.5 * height)),
        _ => now,
    }
}
