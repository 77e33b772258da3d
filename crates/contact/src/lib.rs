//! The contact problem, its solvers and its judge: the heart of the Huygens contact engine.
