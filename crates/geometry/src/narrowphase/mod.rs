//! Pairs of shapes in, contact manifolds out. One file per pair or family.
//!
//! Conventions, here as in the manifold: the normal points from B to A in A's frame; each witness point is given in the
//! frame of its own shape; `gap = normal · (x_A − x_B)`. Inside a pair function A is the shape whose face is the
//! reference; [`collide`] exchanges the roles where the caller gave them the other way round.
//!
//! Numbering of features:
//!
//! | shape | vertices | edges | faces |
//! |---|---|---|---|
//! | sphere | 0 centre | | |
//! | capsule | 0 end at −z, 1 end at +z | 0 side line | |
//! | box | bit 0 set: −x, bit 1: −y, bit 2: −z | 4·axis + (bit 0: next axis negative, bit 1: next but one negative) | 2·axis, + 1 on the positive side |
//! | cylinder | 4·cap + k: points of a rim; 8 + cap: lowest point of a rim | 0, 1 rims at −z, +z, + 4 or 8 where an edge crosses them; 2 side line | 0, 1 caps at −z, +z; 2 side |
//! | cone | k: points of the rim; 8: lowest point of the rim, 9: tip | 0 rim, + 4 or 8 where an edge crosses it; 2 side line | 0 base; 2 side |
//! | ellipsoid | 0 | | |
//! | hull | its corners | its edges | its faces |
//! | mesh | its vertices | 3·triangle + k: from its corner k | its flat regions, by their lowest triangle |
//! | wall | as the box's with +z | as the box's with +z | as the box's: 4 seen from −z, 5 seen from +z |
//! | half-space | | | 0 |
//! | box-inside | | | as the box's |
//! | cylinder-inside | | | 0, 1 caps at −z, +z; 2 the curved surface |

mod ball;
mod bias;
mod box_box;
mod box_faces;
mod box_inside;
mod build;
mod circle;
mod collide;
mod convex;
mod cylinder;
mod cylinder_inside;
mod flat;
mod line;
mod mesh;
mod plane;
mod polish;
mod polyhedron;
mod reuse;
mod rods;
mod round;
mod round_box;
mod round_cylinder;
mod surface;

pub use ball::{BallContact, ball, meets_balls};
pub use bias::{FACE_BAND_OF_DEPTH, FACE_BAND_OF_SIZE};
pub use collide::{collide, collide_at};
pub use cylinder::RIM_ERROR;
