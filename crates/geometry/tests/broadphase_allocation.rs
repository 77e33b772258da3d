//! After warm-up, a step of the broad phase does not touch the heap. Alone in its binary, because it counts
//! every allocation of the process.

use huygens_geometry::broadphase::{BroadPhase, Filter, Mobility, ProxyBox};
use huygens_math::{SplitMix, Vec3};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's contract is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the system's.
        unsafe { System.dealloc(p, layout) }
    }

    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's contract is the system's.
        unsafe { System.realloc(p, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Spheres that bounce about in a box, each at its own speed: some keep their fat boxes, some do not, the tree is packed
/// now and then, and now and then one is taken out and put back.
struct Billiards {
    r: SplitMix,
    place: Vec<Vec3>,
    velocity: Vec<Vec3>,
    phase: BroadPhase,
}

impl Billiards {
    fn new(n: u32) -> Self {
        let mut r = SplitMix::new(1);
        let place: Vec<Vec3> = (0..n).map(|_| r.in_cube()).collect();
        let speed = |r: &mut SplitMix| [0.0, 1e-4, 1e-3, 1e-2][r.index(4)];
        let velocity = (0..n).map(|_| r.direction() * speed(&mut r)).collect();
        let mut phase = BroadPhase::new();
        phase.insert(n, ProxyBox::EVERYTHING, Filter::DEFAULT, Mobility::Static, n);
        for (slot, p) in place.iter().enumerate() {
            phase.insert(slot as u32, around(*p), Filter::DEFAULT, Mobility::Moving, slot as u32);
        }
        Self { r, place, velocity, phase }
    }

    fn step(&mut self) -> usize {
        for (slot, (p, v)) in self.place.iter_mut().zip(&mut self.velocity).enumerate() {
            *p += *v;
            for i in 0..3 {
                v[i] = if p[i].abs() > 1.0 { -v[i].abs() * p[i].signum() } else { v[i] };
            }
            self.phase.set_bounds(slot as u32, around(*p));
        }
        let slot = self.r.index(self.place.len());
        self.phase.remove(slot as u32);
        self.phase.insert(
            slot as u32,
            around(self.place[slot]),
            Filter::DEFAULT,
            Mobility::Moving,
            slot as u32,
        );
        let pairs = self.phase.update_pairs().len();
        let mut found = 0;
        self.phase.query_box(around(Vec3::ZERO), |_| found += 1);
        self.phase.cast_ray(-Vec3::ONE, Vec3::ONE, 2.0, |_| {
            found += 1;
            2.0
        });
        pairs + found
    }
}

fn around(c: Vec3) -> ProxyBox {
    ProxyBox::from_f64_outward(c - Vec3::splat(0.05), c + Vec3::splat(0.05))
}

#[test]
fn steps_after_warm_up_allocate_nothing() {
    let mut scene = Billiards::new(2000);
    let warm: usize = (0..600).map(|_| scene.step()).sum();
    let before = CALLS.load(Ordering::Relaxed);
    let mut work = 0;
    for _ in 0..600 {
        work += scene.step();
    }
    assert_eq!(CALLS.load(Ordering::Relaxed) - before, 0, "allocations in 600 steps");
    assert!(warm.min(work) > 600 * 1000, "the steps had {warm} and {work} pairs and hits");
}
