//! A case from text.

use super::old::OldCouples;
use super::{StoredCase, StoredProblem, StoredSolution, check};
use crate::convex::Softness;
use crate::{
    Compliance, Demand, GroupKey, Groups, Head, Law, Material, NO_COUPLE, Point, Recovery, Row, RowPart,
    RowPose, Side, SpanIdx, SurfaceVelocity, TorqueLimited, TreePath, TreeRows, TreeSpan, Unit,
};
use huygens_math::{BlockInertia, FreeInertia, FreeMass, Sym3, TreeInertia, TreeLdl, Twist, Vec3};
use std::str::{FromStr, SplitWhitespace};

/// Why a text is not a contact problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ReadError {
    /// Its line, from 1; the last one when something is missing or does not fit.
    pub line: usize,
    /// What is wrong and what is expected.
    pub what: String,
}

type Read<T> = Result<T, String>;

impl FromStr for StoredCase {
    type Err = ReadError;

    fn from_str(text: &str) -> Result<Self, ReadError> {
        let (mut case, mut old) = (Self::default(), OldCouples::default());
        let (mut last, mut ended) = (0, false);
        for (k, line) in text.lines().enumerate() {
            last = k + 1;
            let error = |what| ReadError { line: k + 1, what };
            if k == 0 && !["huygens-contact-problem 1", "huygens-contact-problem 2"].contains(&line.trim()) {
                return Err(error("expected \"huygens-contact-problem 2\", or 1".to_owned()));
            }
            if k > 0 && !line.trim().is_empty() && !line.starts_with('#') {
                ended = read_line(&mut case, &mut old, line).map_err(error)?;
            }
            if ended {
                break;
            }
        }
        let error = |what| ReadError { line: last, what };
        if !ended {
            return Err(error("the text stops before \"end\"".to_owned()));
        }
        let problem = &mut case.problem;
        // Texts of before masses and demands were data have none.
        let BlockInertia { free, mass, .. } = &mut problem.move_inertia;
        if mass.is_empty() {
            mass.extend(free.iter().map(FreeMass::from_inverse));
        }
        if problem.groups.demands.is_empty() && !problem.groups.heads.is_empty() {
            problem.groups.demands.push(Demand::default());
        }
        old.join(&mut case).map_err(error)?;
        check::case(&case).map_err(error)?;
        let problem = &mut case.problem;
        problem.groups.mark_soft();
        problem.graph.build(&problem.groups, &problem.move_inertia);
        Ok(case)
    }
}

/// The words of a line, one after the other.
struct Words<'a>(SplitWhitespace<'a>);

impl<'a> Words<'a> {
    fn word(&mut self) -> Read<&'a str> {
        self.0.next().ok_or_else(|| "the line is too short".to_owned())
    }

    fn parse<T: FromStr>(&mut self, kind: &str) -> Read<T> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("{word:?} is not {kind}"))
    }

    fn index(&mut self) -> Read<u32> {
        self.parse("an index")
    }

    fn number(&mut self) -> Read<f64> {
        let x: f64 = self.parse("a number")?;
        if x.is_finite() { Ok(x) } else { Err(format!("{x} is not a finite number")) }
    }

    /// A number that may be infinite.
    fn bound(&mut self) -> Read<f64> {
        let x: f64 = self.parse("a bound")?;
        if x.is_nan() { Err("a bound is not a number".to_owned()) } else { Ok(x) }
    }

    fn numbers<const N: usize>(&mut self) -> Read<[f64; N]> {
        let mut out = [0.0; N];
        for x in &mut out {
            *x = self.number()?;
        }
        Ok(out)
    }

    fn rest(&mut self) -> Read<Vec<f64>> {
        let mut out = vec![];
        while !self.is_empty() {
            out.push(self.number()?);
        }
        Ok(out)
    }

    fn vector(&mut self) -> Read<Vec3> {
        self.numbers().map(Vec3::from_array)
    }

    fn twist(&mut self) -> Read<Twist> {
        Ok(Twist::new(self.vector()?, self.vector()?))
    }

    /// An index, or - for none.
    fn optional(&mut self) -> Read<Option<u32>> {
        let word = self.word()?;
        if word == "-" {
            Ok(None)
        } else {
            word.parse().map(Some).map_err(|_| format!("{word:?} is not an index or -"))
        }
    }

    /// True, and past it, when the next word is this one.
    fn take(&mut self, word: &str) -> bool {
        let is_next = self.0.clone().next() == Some(word);
        if is_next {
            self.0.next();
        }
        is_next
    }

    fn is_empty(&self) -> bool {
        self.0.clone().next().is_none()
    }

    /// Number of words that are left.
    fn len(&self) -> usize {
        self.0.clone().count()
    }
}

/// Reads one line; true at the end.
fn read_line(case: &mut StoredCase, old: &mut OldCouples, line: &str) -> Read<bool> {
    let mut words = Words(line.split_whitespace());
    let word = words.word()?;
    if word == "end" {
        return Ok(true);
    }
    if word == "name" {
        case.name = line["name".len()..].trim().to_owned();
        return Ok(false);
    }
    if !problem_line(&mut case.problem, old, word, &mut words)?
        && !solution_line(&mut case.solution, word, &mut words)?
    {
        return Err(format!("unknown word {word:?}"));
    }
    if words.is_empty() { Ok(false) } else { Err("the line is too long".to_owned()) }
}

/// A line of the problem; false when it is none.
fn problem_line(
    problem: &mut StoredProblem,
    old: &mut OldCouples,
    word: &str,
    words: &mut Words,
) -> Read<bool> {
    let groups = &mut problem.groups;
    match word {
        "step" => problem.h = words.number()?,
        "scale" => [problem.scale.length, problem.scale.speed] = words.numbers()?,
        "free" | "mass" | "tree" => inertia(&mut problem.move_inertia, word, words)?,
        "velocity" => {
            problem.v_start.free.push(words.twist()?);
            problem.v_free.free.push(words.twist()?);
        }
        "dof" => {
            problem.v_start.dof.push(words.number()?);
            problem.v_free.dof.push(words.number()?);
        }
        "driven" => groups.driven.push(words.twist()?),
        "geared" => {
            groups.torque_limited.push(TorqueLimited { body: words.index()?, driver: words.index()? })
        }
        "cap" => groups.caps.push(words.bound()?),
        "work-limit" => groups.work_limits.push(words.bound()?),
        "belt" => {
            let (first, velocity) = (words.index()?, [words.vector()?, words.vector()?]);
            let driver = [words.optional()?, words.optional()?];
            let half_change = if words.is_empty() { Vec3::ZERO } else { words.vector()? };
            groups.surface_velocities.push(SurfaceVelocity { first, velocity, driver, half_change });
        }
        "demand" => groups.demands.push(demand(words)?),
        "material" => {
            let [restitution, friction_static, friction_dynamic, friction_torsional, friction_rolling] =
                words.numbers()?;
            groups.materials.push(Material {
                restitution,
                friction_static,
                friction_dynamic,
                friction_torsional,
                friction_rolling,
            });
        }
        "span" => {
            let has_path = words.len() > 6;
            let spans = [span(&mut groups.tree, words, has_path)?, span(&mut groups.tree, words, has_path)?];
            groups.tree.spans.push(spans);
        }
        "path" => {
            while !words.is_empty() {
                groups.tree.path.push(words.index()?);
            }
        }
        "j" => groups.tree.j.extend(words.rest()?),
        "y" => groups.tree.y.extend(words.rest()?),
        "group" => group(words, groups, old)?,
        "point" => {
            let arm = [words.vector()?, words.vector()?];
            let gap = words.number()?;
            let feature = [words.index()?, words.index()?];
            groups.points.push(Point { arm, gap, feature, tree: words.optional()?.map(SpanIdx::new) });
            problem.airborne.push(match words.word()? {
                "airborne" => true,
                "near" => false,
                other => return Err(format!("{other:?} is neither \"airborne\" nor \"near\"")),
            });
        }
        "row" => {
            let (linear, angular) = (words.vector()?, [words.vector()?, words.vector()?]);
            let [target, error] = words.numbers()?;
            let tree = words.optional()?.map(SpanIdx::new);
            groups.rows.push(Row { linear, angular, target, error, tree });
        }
        "part" => {
            let (row, side) = (words.index()?, side(words.word()?)?);
            let (linear, angular) = (words.vector()?, words.vector()?);
            let span = span(&mut groups.tree, words, true)?;
            groups.parts.push(RowPart { row, side, linear, angular, span });
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// The rows of one side. In files without paths J has a number for every dof of the tree, as Y has.
fn span(rows: &mut TreeRows, words: &mut Words, has_path: bool) -> Read<TreeSpan> {
    let (first_dof, len, y) = (words.index()?, words.index()?, words.index()?);
    if has_path {
        let path = TreePath { at: words.index()?, len: words.index()? };
        return Ok(TreeSpan { first_dof, len, y, path, j: words.index()? });
    }
    let path = rows.push_path((0..len).map(|k| first_dof.saturating_add(k)));
    Ok(TreeSpan { first_dof, len, y, path, j: y })
}

fn inertia(m: &mut BlockInertia, word: &str, words: &mut Words) -> Read<()> {
    if word == "free" {
        let inv_mass = words.vector()?;
        let [xx, yy, zz, xy, xz, yz] = words.numbers()?;
        m.free.push(FreeInertia { inv_mass, inv_inertia: Sym3 { xx, yy, zz, xy, xz, yz } });
        return Ok(());
    }
    if word == "mass" {
        let mass = words.vector()?;
        let [xx, yy, zz, xy, xz, yz] = words.numbers()?;
        m.mass.push(FreeMass { mass, inertia: Sym3 { xx, yy, zz, xy, xz, yz } });
        return Ok(());
    }
    let (first_dof, n) = (words.index()?, words.index()?);
    let parents = (0..n).map(|_| words.optional()).collect::<Read<Vec<_>>>()?;
    let ldl = TreeLdl::from_factors(&parents, words.rest()?)
        .ok_or("a tree of n dofs has n parents, each before its child, and n² factors")?;
    m.trees.push(TreeInertia { first_dof, ldl, ..TreeInertia::default() });
    Ok(())
}

fn demand(words: &mut Words) -> Read<Demand> {
    let unit = match words.word()? {
        "metre" => Unit::Metre,
        "radian" => Unit::Radian,
        other => return Err(format!("{other:?} is not a unit: metre, radian")),
    };
    let pose = match words.word()? {
        "start" => RowPose::Start,
        "middle" => RowPose::Middle,
        "touch" => RowPose::Touch,
        other => return Err(format!("{other:?} is not a pose: start, middle, touch")),
    };
    let recovery = match words.word()? {
        "none" => Recovery::None,
        "baumgarte" => {
            Recovery::Baumgarte { erp: words.number()?, cap: words.bound()?, max_step: words.bound()? }
        }
        "split-impulse" => {
            Recovery::SplitImpulse { beta: words.number()?, slop: words.number()?, max_step: words.bound()? }
        }
        "spring" => Recovery::Spring {
            hertz: words.number()?,
            damping_ratio: words.number()?,
            substeps: words.parse("a number of sub-steps")?,
            slop: words.number()?,
            max_speed: words.bound()?,
        },
        other => {
            return Err(format!("{other:?} is not a recovery: none, baumgarte, split-impulse, spring"));
        }
    };
    // Texts of before rows gave way end here.
    let compliance = match if words.is_empty() { "rigid" } else { words.word()? } {
        "rigid" => Compliance::Rigid,
        "compliance" => Compliance::Spring { stiffness: words.number()?, damping: words.number()? },
        "response" => Compliance::Response { time_constant: words.number()?, damping_ratio: words.number()? },
        "impedance" => {
            let mut numbers = [0.0; 7];
            for number in &mut numbers {
                *number = words.number()?;
            }
            let [a, b, c, d, e, f, g] = numbers;
            Compliance::Impedance(Softness { solref: [a, b], solimp: [c, d, e, f, g] })
        }
        other => {
            return Err(format!("{other:?} is not a compliance: rigid, compliance, response, impedance"));
        }
    };
    Ok(Demand { recovery, compliance, unit, pose })
}

fn side(word: &str) -> Read<Side> {
    let (kind, index) = word.split_once(':').unwrap_or((word, ""));
    let index: Result<u32, _> = index.parse();
    match (kind, index) {
        ("fixed", _) => Ok(Side::Fixed),
        ("driven", Ok(i)) => Ok(Side::Driven(i)),
        ("free", Ok(i)) => Ok(Side::Free(i)),
        ("tree", Ok(i)) => Ok(Side::Tree(i)),
        _ => Err(format!("{word:?} is not a side: fixed, driven:i, free:i or tree:i")),
    }
}

fn group(words: &mut Words, groups: &mut Groups, old: &mut OldCouples) -> Read<()> {
    let key = GroupKey::from_numbers([words.index()?, words.index()?, words.index()?, words.index()?]);
    let side = [side(words.word()?)?, side(words.word()?)?];
    let (first, len, material) = (words.index()?, words.parse("a length up to 255")?, words.index()?);
    let (mut normal, mut tangent, mut couple) = (Vec3::X, Vec3::Y, NO_COUPLE);
    let law = match words.word()? {
        "contact" => {
            (normal, tangent) = (words.vector()?, words.vector()?);
            if words.take("couples") {
                couple = groups.couples;
                groups.couples += u32::from(len);
            }
            Law::Contact
        }
        "equality" => Law::Equality,
        "unilateral" => Law::Unilateral,
        "bounded" => Law::Bounded { lo: words.bound()?, hi: words.bound()? },
        "drive" => Law::Drive { driver: words.index()?, most: words.bound()? },
        "couple" => {
            // Version 1: a group of three rows beside the contact.
            old.add(words.index()?, first, groups.heads.len());
            Law::Equality
        }
        other => {
            return Err(format!("{other:?} is not a law: contact, equality, unilateral, bounded, drive"));
        }
    };
    // Texts of before demands were data have none: the first one, which then asks for nothing.
    let demand = if words.is_empty() { 0 } else { words.index()? };
    // Known when all demands are read.
    let is_soft = false;
    groups.heads.push(Head {
        key,
        side,
        law,
        first,
        len,
        demand,
        is_soft,
        material,
        couple,
        normal,
        tangent,
    });
    Ok(())
}

/// A line of the answer; false when it is none.
fn solution_line(solution: &mut Option<StoredSolution>, word: &str, words: &mut Words) -> Read<bool> {
    if word == "solution" {
        *solution = Some(StoredSolution { solver: words.word()?.to_owned(), ..StoredSolution::default() });
        return Ok(true);
    }
    let Some(solution) = solution else { return Ok(false) };
    match word {
        "impulse" => solution.impulses.push(words.numbers()?),
        "couple" => solution.couples.push(words.numbers()?),
        "lambda" => solution.rows.push(words.number()?),
        "end-velocity" => solution.v.free.push(words.twist()?),
        "end-dof" => solution.v.dof.push(words.number()?),
        "certificate" => {
            let c = &mut solution.certificate;
            [c.gap, c.cone, c.complementarity, c.dissipation, c.momentum, c.natural_map] = words.numbers()?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}
