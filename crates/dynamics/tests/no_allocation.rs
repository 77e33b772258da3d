//! After warm-up nothing here asks for memory.

#[path = "suite/common/mod.rs"]
mod common;

use common::{random_coordinates, random_mechanism, random_tree, random_velocities};
use huygens_dynamics::{
    Drift, ForceAt, Integrator, JointKind, KickWork, SmoothForces, TreeKick, TreeKinematics, TreeScratch,
    Wrench, inverse_dynamics, jacobian, mass_matrix,
};
use huygens_math::{SplitMix, TreeInertia, Vec3};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static ASKED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The thread of the test: the harness has others, which may allocate at any time.
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTED.try_with(Cell::get).unwrap_or(false) {
            ASKED.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn steps_of_trees_after_the_first_allocate_nothing() {
    COUNTED.set(true);
    let mut r = SplitMix::new(5);
    let trees = [
        random_tree(&mut r, 6, JointKind::Free),
        random_tree(&mut r, 6, JointKind::Hinge),
        random_mechanism(&mut r, 6, JointKind::Free),
        random_mechanism(&mut r, 6, JointKind::Ball),
    ];
    for tree in trees {
        let n = tree.dofs();
        let mut q = random_coordinates(&mut r, &tree);
        let mut v = random_velocities(&mut r, n);
        let wrenches = vec![Wrench { force: Vec3::X, torque: Vec3::Y }; tree.links().len()];
        let (mut kick, mut end) = (TreeKick::default(), TreeKinematics::default());
        let mut block = TreeInertia { ldl: tree.new_ldl(), ..TreeInertia::default() };
        let (mut v_plus, mut s) = (vec![0.0; n], vec![0.0; n]);
        let (mut rows, mut matrix, mut scratch) =
            (vec![0.0; 3 * n], vec![0.0; n * n], TreeScratch::default());
        let (gravity, h) = (Vec3::new(0.0, 0.0, -9.81), 1e-3);
        let mut before = 0;
        for step in 0..20 {
            if step == 2 {
                before = ASKED.load(Ordering::Relaxed);
            }
            for at in [ForceAt::Start, ForceAt::MiddlePose, ForceAt::Implicit] {
                let forces = SmoothForces { h, at, gravity, external: &wrenches, joint: &[], drives: &[] };
                kick.begin(&tree, &q, &v);
                kick.factor(&tree, &q, &forces, &mut block).unwrap();
                kick.kick(&tree, &q, &v, &forces, &block).unwrap();
                jacobian(&tree, &kick.start, 2, Vec3::ONE, &Vec3::AXES, &mut rows);
                v_plus.copy_from_slice(&kick.v_free);
                for i in 0..n {
                    s[i] = 0.5 * h * (v[i] + v_plus[i]);
                }
                let integrator = Integrator::KickDriftKick;
                let (forces, block) = (&forces, &block);
                let drift = Drift {
                    integrator,
                    h,
                    v: &v,
                    v_plus: &v_plus,
                    displacement: &s,
                    impulse: &[],
                    forces,
                    block,
                };
                kick.drift(&tree, &mut q, &drift, &mut end);
                let work = KickWork { h, force: &s, v: &v, v_plus: &v_plus };
                assert!(kick.integration_energy(&tree, &end, gravity, &work).is_finite());
                v.copy_from_slice(&end.velocity);
                mass_matrix(&tree, &end, &mut scratch, &mut matrix);
                inverse_dynamics(&tree, &end, gravity, &v, &mut scratch, &mut s);
            }
        }
        assert_eq!(ASKED.load(Ordering::Relaxed), before, "{n} dofs");
    }
}
