//! Room that the stages reuse from step to step; it carries nothing over.

use crate::prepare::{PointData, RowData};
use crate::solver::face::Face;
use crate::{Velocity, correction::CorrectionRow, impact::ImpactScratch};

/// Room for every stage of this crate; may be dropped and made anew at any step without changing one bit.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Velocity inside the sweeps.
    pub(crate) v: Velocity,
    /// What the sweeps need of each point.
    pub(crate) points: Vec<PointData>,
    /// The normals of each group together.
    pub(crate) faces: Vec<Face>,
    /// What the sweeps need of each row.
    pub(crate) rows: Vec<RowData>,
    /// What the correction needs of each point, then of each row.
    pub(crate) correction: Vec<CorrectionRow>,
    /// Events of the impact stage.
    pub(crate) impact: ImpactScratch,
}
