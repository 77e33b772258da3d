//! The integration tests of shapes, manifolds and queries, one program: a test file is a module here. Files beside this folder count allocations and
//! need a program of their own.

mod broadphase;
mod common;
mod cone_ellipsoid;
mod first_touch;
mod hostile;
mod hull_peer;
mod manifold_containers;
mod manifold_faces;
mod manifold_persistence;
mod mesh;
mod peer;
mod peer_manifold;
mod peer_parry;
mod properties;
mod query;
mod refreshed;
mod separation;
mod separation_hostile;
mod separation_peer;
mod stability;
mod support_sweep;
