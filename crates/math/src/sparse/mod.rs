//! Symmetric positive definite matrices of few blocks: an order in which they fill little, and their Cholesky factor.

mod cholesky;
mod kernel;
mod order;
mod symbolic;

pub use cholesky::{BlockCholesky, BlockEntry};
pub use order::MinimumDegree;
