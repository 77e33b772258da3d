//! A case as text: one line for each thing, numbers in their shortest form that reads back to the same bits.

use super::{StoredCase, StoredProblem, StoredSolution};
use crate::convex::Softness;
use crate::{
    Compliance, Demand, Head, Law, NO_COUPLE, Point, Recovery, Row, RowPart, RowPose, Side, SpanIdx,
    SurfaceVelocity, TreeSpan, Unit,
};
use huygens_math::{BlockInertia, Sym3, Twist, Vec3};
use std::fmt::{Display, Formatter, Result};

/// Numbers of `j` and `y` on one line.
const PER_LINE: usize = 24;

impl Display for StoredCase {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "huygens-contact-problem 2")?;
        writeln!(f, "name {}", self.name.replace(['\n', '\r'], " "))?;
        problem(f, &self.problem)?;
        if let Some(solution) = &self.solution {
            answer(f, solution)?;
        }
        writeln!(f, "end")
    }
}

/// A line of numbers.
struct Line(String);

impl Line {
    fn new(word: &str) -> Self {
        Self(word.to_owned())
    }

    fn number(mut self, x: f64) -> Self {
        let text = format!("{x:?}");
        self.0.push(' ');
        self.0.push_str(text.strip_suffix(".0").unwrap_or(&text));
        self
    }

    fn numbers(self, xs: impl IntoIterator<Item = f64>) -> Self {
        xs.into_iter().fold(self, Self::number)
    }

    fn vector(self, v: Vec3) -> Self {
        self.numbers(v.to_array())
    }

    fn twist(self, v: &Twist) -> Self {
        self.vector(v.linear).vector(v.angular)
    }

    fn symmetric(self, m: &Sym3) -> Self {
        self.numbers([m.xx, m.yy, m.zz, m.xy, m.xz, m.yz])
    }

    fn word(mut self, word: impl Display) -> Self {
        self.0.push_str(&format!(" {word}"));
        self
    }

    fn end(self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "{}", self.0)
    }
}

fn problem(f: &mut Formatter<'_>, problem: &StoredProblem) -> Result {
    Line::new("step").number(problem.h).end(f)?;
    Line::new("scale").number(problem.scale.length).number(problem.scale.speed).end(f)?;
    inertia(f, &problem.move_inertia)?;
    for (start, free) in problem.v_start.free.iter().zip(&problem.v_free.free) {
        Line::new("velocity").twist(start).twist(free).end(f)?;
    }
    for (start, free) in problem.v_start.dof.iter().zip(&problem.v_free.dof) {
        Line::new("dof").number(*start).number(*free).end(f)?;
    }
    let groups = &problem.groups;
    for twist in &groups.driven {
        Line::new("driven").twist(twist).end(f)?;
    }
    for limited in &groups.torque_limited {
        Line::new("geared").word(limited.body).word(limited.driver).end(f)?;
    }
    for &most in &groups.caps {
        Line::new("cap").number(most).end(f)?;
    }
    for &most in &groups.work_limits {
        Line::new("work-limit").number(most).end(f)?;
    }
    for one in &groups.demands {
        demand(f, one)?;
    }
    for m in &groups.materials {
        let friction = [m.friction_static, m.friction_dynamic, m.friction_torsional, m.friction_rolling];
        Line::new("material").number(m.restitution).numbers(friction).end(f)?;
    }
    for spans in &groups.tree.spans {
        let line = spans.iter().fold(Line::new("span"), span);
        line.end(f)?;
    }
    for chunk in groups.tree.path.chunks(PER_LINE) {
        chunk.iter().fold(Line::new("path"), |line, dof| line.word(dof)).end(f)?;
    }
    for (word, numbers) in [("j", &groups.tree.j), ("y", &groups.tree.y)] {
        for chunk in numbers.chunks(PER_LINE) {
            Line::new(word).numbers(chunk.iter().copied()).end(f)?;
        }
    }
    for head in &groups.heads {
        group(f, head)?;
    }
    for (i, p) in groups.points.iter().enumerate() {
        point(f, p, problem.airborne.get(i) == Some(&true))?;
    }
    for r in &groups.rows {
        row(f, r)?;
    }
    groups.parts.iter().try_for_each(|one| part(f, one))?;
    groups.surface_velocities.iter().try_for_each(|one| surface_velocity(f, one))
}

fn demand(f: &mut Formatter<'_>, demand: &Demand) -> Result {
    let unit = match demand.unit {
        Unit::Metre => "metre",
        Unit::Radian => "radian",
    };
    let pose = match demand.pose {
        RowPose::Start => "start",
        RowPose::Middle => "middle",
        RowPose::Touch => "touch",
    };
    let line = Line::new("demand").word(unit).word(pose);
    let line = match demand.recovery {
        Recovery::None => line.word("none"),
        Recovery::Baumgarte { erp, cap, max_step } => line.word("baumgarte").numbers([erp, cap, max_step]),
        Recovery::SplitImpulse { beta, slop, max_step } => {
            line.word("split-impulse").numbers([beta, slop, max_step])
        }
        Recovery::Spring { hertz, damping_ratio, substeps, slop, max_speed } => {
            let line = line.word("spring").numbers([hertz, damping_ratio]);
            line.word(substeps).numbers([slop, max_speed])
        }
    };
    let line = match demand.compliance {
        Compliance::Rigid => line,
        Compliance::Spring { stiffness, damping } => line.word("compliance").numbers([stiffness, damping]),
        Compliance::Response { time_constant, damping_ratio } => {
            line.word("response").numbers([time_constant, damping_ratio])
        }
        Compliance::Impedance(Softness { solref, solimp }) => {
            line.word("impedance").numbers(solref).numbers(solimp)
        }
    };
    line.end(f)
}

fn inertia(f: &mut Formatter<'_>, m: &BlockInertia) -> Result {
    for block in &m.free {
        Line::new("free").vector(block.inv_mass).symmetric(&block.inv_inertia).end(f)?;
    }
    for block in &m.mass {
        Line::new("mass").vector(block.mass).symmetric(&block.inertia).end(f)?;
    }
    for tree in &m.trees {
        let line = Line::new("tree").word(tree.first_dof).word(tree.ldl.len());
        let line = tree.ldl.parents().fold(line, index);
        line.numbers(tree.ldl.factors().iter().copied()).end(f)?;
    }
    Ok(())
}

fn group(f: &mut Formatter<'_>, head: &Head) -> Result {
    let line = head.key.numbers().into_iter().fold(Line::new("group"), Line::word);
    let mut line = head.side.into_iter().fold(line, side);
    line = line.word(head.first).word(head.len).word(head.material);
    line = match head.law {
        Law::Contact => {
            let line = line.word("contact").vector(head.normal).vector(head.tangent);
            if head.couple == NO_COUPLE { line } else { line.word("couples") }
        }
        Law::Equality => line.word("equality"),
        Law::Unilateral => line.word("unilateral"),
        Law::Bounded { lo, hi } => line.word("bounded").number(lo).number(hi),
        Law::Drive { driver, most } => line.word("drive").word(driver).number(most),
    };
    line.word(head.demand).end(f)
}

fn side(line: Line, side: Side) -> Line {
    match side {
        Side::Fixed => line.word("fixed"),
        Side::Driven(i) => line.word(format_args!("driven:{i}")),
        Side::Free(i) => line.word(format_args!("free:{i}")),
        Side::Tree(i) => line.word(format_args!("tree:{i}")),
    }
}

fn part(f: &mut Formatter<'_>, part: &RowPart) -> Result {
    let line = side(Line::new("part").word(part.row), part.side).vector(part.linear).vector(part.angular);
    span(line, &part.span).end(f)
}

fn span(line: Line, span: &TreeSpan) -> Line {
    let line = line.word(span.first_dof).word(span.len).word(span.y);
    line.word(span.path.at).word(span.path.len).word(span.j)
}

/// The tree rows of an entry.
fn tree_of(tree: Option<SpanIdx>) -> Option<u32> {
    tree.map(|tree| tree.get() as u32)
}

/// An index, or - for none.
fn index(line: Line, index: Option<u32>) -> Line {
    match index {
        Some(index) => line.word(index),
        None => line.word('-'),
    }
}

fn surface_velocity(f: &mut Formatter<'_>, surface: &SurfaceVelocity) -> Result {
    let line = Line::new("belt").word(surface.first).vector(surface.velocity[0]).vector(surface.velocity[1]);
    let line = surface.driver.into_iter().fold(line, index);
    line.vector(surface.half_change).end(f)
}

fn point(f: &mut Formatter<'_>, p: &Point, airborne: bool) -> Result {
    let line = Line::new("point").vector(p.arm[0]).vector(p.arm[1]).number(p.gap);
    let line = index(line.word(p.feature[0]).word(p.feature[1]), tree_of(p.tree));
    line.word(if airborne { "airborne" } else { "near" }).end(f)
}

fn row(f: &mut Formatter<'_>, r: &Row) -> Result {
    let line = Line::new("row").vector(r.linear).vector(r.angular[0]).vector(r.angular[1]);
    index(line.number(r.target).number(r.error), tree_of(r.tree)).end(f)
}

fn answer(f: &mut Formatter<'_>, solution: &StoredSolution) -> Result {
    Line::new("solution").word(&solution.solver).end(f)?;
    for p in &solution.impulses {
        Line::new("impulse").numbers(*p).end(f)?;
    }
    for tau in &solution.couples {
        Line::new("couple").numbers(*tau).end(f)?;
    }
    for &lambda in &solution.rows {
        Line::new("lambda").number(lambda).end(f)?;
    }
    for v in &solution.v.free {
        Line::new("end-velocity").twist(v).end(f)?;
    }
    for &v in &solution.v.dof {
        Line::new("end-dof").number(v).end(f)?;
    }
    let c = &solution.certificate;
    let numbers = [c.gap, c.cone, c.complementarity, c.dissipation, c.momentum, c.natural_map];
    Line::new("certificate").numbers(numbers).end(f)
}
