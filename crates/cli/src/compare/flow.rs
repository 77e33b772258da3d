//! Energy that contact made, and energy that went through the system.
//!
//! Contact may only take energy, or hand on what a driver gives. What all accounts of contact together brought in one step is
//! therefore **created** where it is above zero: an impact that takes 3 J while a velocity bias brings 1 J creates
//! nothing, a correction that lifts a resting body does. Gains of one step are not paid for by losses of another.
//!
//! **Throughput** is the kinetic energy at the start plus all that gravity, drivers, motors and the user put into motion since, step by
//! step; what comes back later does not count against it.

use huygens::World;
use huygens::ledger::Account;
use huygens::math::Sum;
use huygens::math::scalar::max;

/// The accounts of contact and joints.
const CONTACT: [Account; 6] = [
    Account::Impact,
    Account::Friction,
    Account::Joint,
    Account::Limit,
    Account::Stabilisation,
    Account::Correction,
];
/// The accounts of what drives the system from outside.
const OUTSIDE: [Account; 4] = [Account::Driver, Account::User, Account::Actuator, Account::Edit];

/// Energy that contact made, and energy that went through the system.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    created: Sum,
    throughput: Sum,
    kinetic: f64,
    noise: f64,
}

impl Flow {
    /// At the start of a run.
    pub fn starting(world: &World) -> Self {
        let model = world.model();
        let mass: f64 = model.bodies.iter().map(|body| body.mass).sum();
        let (speed, kinetic) = (model.speed_scale(), world.kinetic_energy());
        let mut throughput = Sum::default();
        throughput.add(kinetic);
        // A billionth of what the bodies have at the scene's speed: less than a hair's breadth of motion.
        Self { created: Sum::default(), throughput, kinetic, noise: 1e-9 * mass * speed * speed }
    }

    /// Books the last step.
    pub fn step(&mut self, world: &World) {
        let (book, report) = (world.book(), world.report());
        let sum = |accounts: &[Account]| accounts.iter().map(|account| book.get(*account)).sum::<f64>();
        let brought = sum(&CONTACT);
        if brought > report.unexplained_bound {
            self.created.add(brought);
        }
        let kinetic = world.kinetic_energy();
        let fall = (kinetic - self.kinetic) - report.energy_change;
        self.throughput.add(max(fall, 0.0) + max(sum(&OUTSIDE), 0.0));
        self.kinetic = kinetic;
    }

    /// What contact created [J].
    pub fn created(&self) -> f64 {
        self.created.value()
    }

    /// What went through the system [J].
    pub fn throughput(&self) -> f64 {
        self.throughput.value()
    }

    /// What is worth a thought: the throughput, or what bodies at rest have for one [J].
    pub fn scale(&self) -> f64 {
        max(self.throughput(), self.noise)
    }

    /// What contact created as a share of the throughput; none where nothing moves.
    pub fn share(&self) -> Option<f64> {
        (self.throughput() > self.noise).then(|| self.created() / self.throughput())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens::Scene;
    use huygens::scene::{Body, Shape, StabilisationSpec};

    fn run(scene: &Scene, steps: u32) -> Flow {
        let mut world = World::new(scene).unwrap_or_else(|errors| panic!("{errors}"));
        let mut flow = Flow::starting(&world);
        for _ in 0..steps {
            world.step();
            flow.step(&world);
        }
        flow
    }

    #[test]
    fn a_falling_ball_puts_its_fall_through_and_creates_nothing() {
        let ball = Body::dynamic("ball").sphere(0.5).mass(2.0).at(0.0, 0.0, 100.0);
        let flow = run(&Scene::new().dt(0.01).body(ball), 100);
        // m g h with h = ½ g t², t = 1 s; a hundred additions of tens of joules.
        assert!((flow.throughput() - 2.0 * 9.81 * 9.81 / 2.0).abs() < 1e-10);
        assert_eq!(flow.created(), 0.0);
        assert_eq!(flow.share(), Some(0.0));
    }

    #[test]
    fn a_bias_that_lifts_a_resting_box_creates_energy() {
        let scene = |stabilisation| {
            Scene::new()
                .dt(0.01)
                .solver("sequential-impulse")
                .stabilisation(stabilisation)
                .body(Body::fixed("floor").shape(Shape::half_space()))
                .body(Body::dynamic("box").cuboid(1.0, 1.0, 1.0).mass(1.0).at(0.0, 0.0, 0.49))
        };
        let biased = run(&scene(StabilisationSpec::Baumgarte { erp: 0.5, cap: None }), 1);
        assert!(biased.created() > 0.0, "{}", biased.created());
        assert_eq!(run(&scene(StabilisationSpec::None), 1).created(), 0.0);
    }
}
