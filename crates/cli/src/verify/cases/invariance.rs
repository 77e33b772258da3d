use crate::verify::case::Case;
pub const CASES: &[Case] = &[];
