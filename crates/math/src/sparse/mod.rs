//! Symmetric positive definite matrices of few blocks: an order in which they fill little, and their Cholesky factor.

mod cholesky;
mod kernel;
mod order;
mod reverse;
mod symbolic;

pub use cholesky::{BlockCholesky, BlockEntry};
pub use order::MinimumDegree;
pub use reverse::ReverseLdl;
