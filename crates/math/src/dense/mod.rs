//! Factorisations of small dense matrices: the only ones of the house. Sizes are const generics where they are known (with the number of
//! rows in use beside them), slices where they are not.

mod axpy;
mod cholesky;
mod eigen;
mod lu;
mod rank;
mod ranked;

pub use axpy::add_scaled;
pub(crate) use axpy::{TOGETHER, subtract_rows};
pub(crate) use cholesky::interleaved;
pub use cholesky::{CholeskyUpdate, factor_rows, inverse_positive, solve_factored, solve_positive};
pub use eigen::{pseudo_inverse, symmetric_eigen};
pub use lu::{LuProfile, solve_general, solve_rows};
pub use rank::rank;
pub use ranked::RankedCholesky;

/// Makes room for `n` entries in all.
fn reserve<T>(list: &mut Vec<T>, n: usize) {
    list.reserve(n.saturating_sub(list.len()));
}
