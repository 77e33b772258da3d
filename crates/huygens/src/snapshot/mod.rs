//! A world as bytes, and back: it goes on with the same bits as if nothing had been.
//!
//! | bytes | meaning |
//! |---|---|
//! | 8 | `HUYGENS` and 0 |
//! | 4 | version of the form |
//! | 8 | fingerprint of the model: bodies, shapes, materials, joints, settings |
//! | 8 | length of the state |
//! | … | the state, all numbers little-endian |
//! | 8 | FNV-1a of all bytes before |
//!
//! The size is some 420 bytes a body, 50 a contact point and 650 a kept manifold; `World::snapshot` says it exactly.

pub(crate) mod bytes;
mod check;

use crate::hash::Fnv;
use crate::model::Model;
use crate::state::{Clock, State};
use crate::world::World;
use bytes::{Bytes, Input, fields};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

const MAGIC: [u8; 8] = *b"HUYGENS\0";
/// Raised whenever the stored state changes its form.
const VERSION: u32 = 7;
/// Bytes before the state.
const HEADER: usize = 8 + 4 + 8 + 8;
/// Bytes after it.
const FOOTER: usize = 8;

/// Why bytes are no snapshot of a world. The world is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The bytes do not begin as a snapshot does.
    #[error("this is no snapshot of a world; nothing was changed")]
    NoSnapshot,
    /// Another version of the engine made it.
    #[error("the snapshot has version {0}, and this program reads version {VERSION}; nothing was changed")]
    Version(u32),
    /// It is of a world with other bodies, shapes, materials, joints or settings.
    #[error("the snapshot is of another scene, or of the same after other edits; nothing was changed")]
    OtherScene,
    /// Bytes are missing or were changed.
    #[error("the snapshot is damaged: bytes are missing or were changed; nothing was changed")]
    Damaged,
}

fields!(Clock { steps, time });

fields!(State {
    steps,
    time,
    clock,
    position,
    orientation,
    velocity,
    force,
    torque,
    one_step_forces,
    coordinates,
    contacts,
    touching,
    ended,
    sleep,
    placed,
    quarantined,
    row_impulses,
    drives,
    joint_drives,
    drivers,
    motor_targets,
    motors,
    tree_credits,
    broken,
    generation,
    shape_generation,
    free_bodies,
    free_shapes,
    ledger,
});

impl World {
    /// The state of the world between two steps, as bytes. A world of the same scene, with the same bodies added and removed since, can go on
    /// from it ([`World::restore`]), in this process or in another one, with the same bits.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Scene, Shape};
    ///
    /// let scene = Scene::new()
    ///     .body(Body::fixed("floor").shape(Shape::half_space()))
    ///     .body(Body::dynamic("ball").sphere(0.5).at(0.0, 0.0, 2.0));
    /// let mut world = World::new(&scene)?;
    /// (0..100).for_each(|_| drop(world.step().quarantined.len()));
    /// let saved = world.snapshot();
    /// (0..100).for_each(|_| drop(world.step().quarantined.len()));
    /// let end = world.hash();
    /// world.restore(&saved).unwrap();
    /// (0..100).for_each(|_| drop(world.step().quarantined.len()));
    /// assert_eq!(world.hash(), end);
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(&MAGIC);
        VERSION.put(&mut out);
        self.fingerprint.of(&self.model).put(&mut out);
        0u64.put(&mut out);
        self.max_penetration.put(&mut out);
        self.state.put(&mut out);
        let len = (out.len() - HEADER) as u64;
        out[HEADER - 8..HEADER].copy_from_slice(&len.to_le_bytes());
        hash(&out).put(&mut out);
        out
    }

    /// Goes back, or forward, to a state that [`World::snapshot`] saved. Handles of bodies that it has are valid again.
    ///
    /// # Errors
    /// When the bytes are no snapshot, are damaged, or are of another version or scene; the world is then as it was.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), SnapshotError> {
        let mut input = Input(snapshot);
        if input.take() != Ok(MAGIC) {
            return Err(SnapshotError::NoSnapshot);
        }
        let (version, model, len) = header(&mut input).map_err(|_| SnapshotError::Damaged)?;
        if version != VERSION {
            return Err(SnapshotError::Version(version));
        }
        if snapshot.len() < FOOTER || len != (input.0.len() as u64).saturating_sub(FOOTER as u64) {
            return Err(SnapshotError::Damaged);
        }
        let (all, mut sum) =
            (&snapshot[..snapshot.len() - FOOTER], Input(&snapshot[snapshot.len() - FOOTER..]));
        if u64::take(&mut sum) != Ok(hash(all)) {
            return Err(SnapshotError::Damaged);
        }
        if model != self.fingerprint.of(&self.model) {
            return Err(SnapshotError::OtherScene);
        }
        let damaged = |_| SnapshotError::Damaged;
        let mut input = Input(&all[HEADER..]);
        let max_penetration = f64::take(&mut input).map_err(damaged)?;
        let state = State::take(&mut input).map_err(damaged)?;
        if !input.0.is_empty() || !check::fits(&self.model, &state) {
            return Err(SnapshotError::Damaged);
        }
        self.state = state;
        self.fresh.clear();
        self.moves += 1;
        self.state.reserve(&self.model);
        self.max_penetration = max_penetration;
        self.drop_workspace();
        Ok(())
    }
}

/// A world with the same state, which goes on with the same bits. Handles of one name the same bodies in the other.
impl Clone for World {
    fn clone(&self) -> Self {
        self.twin()
    }
}

fn header(input: &mut Input) -> Result<(u32, u64, u64), bytes::Malformed> {
    Ok((u32::take(input)?, u64::take(input)?, u64::take(input)?))
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hash = Fnv::default();
    hash.bytes(bytes);
    hash.value()
}

/// A hash that takes what is printed.
struct Printed(Fnv);

impl Write for Printed {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.bytes(text.as_bytes());
        Ok(())
    }
}

/// A hash of all that a model says, but for how often it was edited.
fn fingerprint(model: &Model) -> u64 {
    let Model {
        settings,
        // The materials say what of them a step can see.
        surroundings: _,
        // Each body has its name.
        names: _,
        bodies,
        shapes,
        drivers,
        trees,
        joints,
        // Follows from the joints.
        joint_of: _,
        joint_dofs,
        ball_limits,
        tendons,
        // All that it says is in the trees and joints, but for those that broke.
        assembly: _,
        ropes,
        tree_bodies,
        exclusions,
        tree_offsets,
        materials,
        has_surface_velocities,
        has_curved,
        forces,
        plan,
        // The settings say what of it a step can see.
        choices: _,
        edits: _,
    } = model;
    let mut hash = Printed(Fnv::default());
    // Numbers print with all their digits; a hash takes whatever is written.
    let _ = write!(hash, "{:?}", (settings, bodies, shapes, drivers, trees, joints, joint_dofs, ropes));
    let _ = write!(
        hash,
        "{:?}",
        (tree_bodies, exclusions, tree_offsets, materials, has_surface_velocities, has_curved)
    );
    let _ = write!(hash, "{:?}", (forces, plan, ball_limits, tendons));
    hash.0.value()
}

/// The fingerprint of a world's model, kept until the next edit: it is made from all of the model, and games save every frame.
#[derive(Debug, Default)]
pub(crate) struct Fingerprint(Mutex<Option<[u64; 2]>>);

impl Fingerprint {
    fn of(&self, model: &Model) -> u64 {
        // A thread that panicked here has left a whole value, or none.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *known {
            Some([edits, value]) if edits == model.edits.count() => value,
            _ => {
                let value = fingerprint(model);
                *known = Some([model.edits.count(), value]);
                value
            }
        }
    }
}
