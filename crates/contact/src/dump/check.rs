//! Does what was read fit together? Past this gate a solver may trust every index.

use super::{StoredCase, StoredProblem, StoredSolution};
use crate::{Head, Law, Side, SpanIdx, TreeSpan};
use huygens_math::BlockInertia;

type Check = Result<(), String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(what()) }
}

/// Checks a case.
pub(super) fn case(case: &StoredCase) -> Check {
    problem(&case.problem)?;
    case.solution.as_ref().map_or(Ok(()), |solution| answer(&case.problem, solution))
}

fn problem(p: &StoredProblem) -> Check {
    ensure(p.h > 0.0, || format!("step is {}; must be > 0", p.h))?;
    ensure(p.scale.length > 0.0 && p.scale.speed >= 0.0, || {
        format!("scale is {} {}; length must be > 0 and speed ≥ 0", p.scale.length, p.scale.speed)
    })?;
    inertia(p, &p.move_inertia)?;
    for (k, head) in p.groups.heads.iter().enumerate() {
        group(p, head).map_err(|what| format!("group {k}: {what}"))?;
    }
    parts(p)?;
    drivers(p)
}

fn inertia(p: &StoredProblem, m: &BlockInertia) -> Check {
    ensure(m.free.len() == p.v_start.free.len(), || {
        format!("{} free bodies, {} velocities", m.free.len(), p.v_start.free.len())
    })?;
    ensure(m.mass.len() == m.free.len(), || {
        format!("{} lines mass, {} free bodies", m.mass.len(), m.free.len())
    })?;
    for (k, tree) in m.trees.iter().enumerate() {
        let end = tree.first_dof as usize + tree.ldl.len();
        ensure(end <= p.v_start.dof.len(), || {
            format!("tree {k} ends at dof {end} of {}", p.v_start.dof.len())
        })?;
        ensure(tree.ldl.pivots().all(|d| d > 0.0), || format!("tree {k}: a pivot is not > 0"))?;
    }
    Ok(())
}

/// What belongs to drivers beside their velocities. Lists that are searched must be in order.
fn drivers(p: &StoredProblem) -> Check {
    let groups = &p.groups;
    let (drivers, bodies) = (groups.driven.len(), p.move_inertia.free.len());
    let known = |driver: u32| (driver as usize) < drivers;
    for belt in &groups.surface_velocities {
        ensure(groups.contacts().any(|head| head.first == belt.first), || {
            format!("belt {}: no contact begins with that point", belt.first)
        })?;
        ensure(belt.driver.into_iter().flatten().all(known), || {
            format!("belt {}: a driver is not one of {drivers}", belt.first)
        })?;
    }
    ensure(groups.surface_velocities.is_sorted_by(|a, b| a.first < b.first), || {
        "belts are not in order".to_owned()
    })?;
    for limited in &groups.torque_limited {
        ensure((limited.body as usize) < bodies && known(limited.driver), || {
            format!("geared {} {}: of {bodies} bodies and {drivers} drivers", limited.body, limited.driver)
        })?;
    }
    ensure(groups.torque_limited.is_sorted_by(|a, b| a.body < b.body), || {
        "geared are not in order".to_owned()
    })?;
    for (word, limits) in [("cap", &groups.caps), ("work-limit", &groups.work_limits)] {
        let lines = limits.len();
        ensure(lines == 0 || lines == drivers, || format!("{lines} lines {word}, {drivers} drivers"))?;
        ensure(limits.iter().all(|&most| most >= 0.0), || format!("a {word} is below 0"))?;
    }
    Ok(())
}

fn group(p: &StoredProblem, head: &Head) -> Check {
    let groups = &p.groups;
    head.side.into_iter().try_for_each(|side| known(p, side))?;
    ensure((head.demand as usize) < groups.demands.len(), || {
        format!("demand {} of {}", head.demand, groups.demands.len())
    })?;
    ensure(groups.demands[head.demand as usize].compliance.is_valid(), || {
        format!("demand {}: a spring or a damper is not positive", head.demand)
    })?;
    ensure((head.material as usize) < groups.materials.len(), || {
        format!("material {} of {}", head.material, groups.materials.len())
    })?;
    let count = groups.entry_count(head);
    ensure(head.range().end <= count, || format!("entries up to {} of {count}", head.range().end))?;
    if let Law::Bounded { lo, hi } = head.law {
        ensure(lo <= hi, || format!("bounds {lo} > {hi}"))?;
    }
    if let Law::Drive { driver, most } = head.law {
        let drivers = groups.driven.len();
        ensure(head.len == 1 && (driver as usize) < drivers && most >= 0.0, || {
            format!("a drive has one row, a driver of {drivers} and a bound ≥ 0, not {driver} and {most}")
        })?;
    }
    if !groups.point_range(head).is_empty() {
        // Six digits: a hand-written direction will do, a wrong one will not.
        let unit = |x: f64| (x - 1.0).abs() < 1e-6;
        let (n, t) = (head.normal, head.tangent);
        ensure(unit(n.length()) && unit(t.length()) && n.dot(t).abs() < 1e-6, || {
            "normal and tangent must have length 1 and be at right angles".to_owned()
        })?;
    }
    groups.entries(head).try_for_each(|entry| spans(p, head, entry.tree(), entry.len()))
}

/// What rows act on beyond their two sides: in the order of the rows, and nothing twice.
fn parts(p: &StoredProblem) -> Check {
    let groups = &p.groups;
    ensure(groups.parts.is_sorted_by_key(|part| part.row), || {
        "parts are not in the order of their rows".to_owned()
    })?;
    for head in groups.row_groups() {
        for i in head.range() {
            let parts = groups.parts_of(i);
            for (k, part) in parts.iter().enumerate() {
                known(p, part.side).map_err(|what| format!("part of row {i}: {what}"))?;
                let twice =
                    head.side.contains(&part.side) || parts[..k].iter().any(|other| other.side == part.side);
                ensure(!twice, || format!("part of row {i}: {:?} occurs twice in it", part.side))?;
                if let Side::Tree(tree) = part.side {
                    span(p, &part.span, tree, 1).map_err(|what| format!("part of row {i}: {what}"))?;
                }
            }
        }
    }
    let rows = groups.rows.len();
    ensure(groups.parts.iter().all(|part| (part.row as usize) < rows), || "a part is of no row".to_owned())
}

/// Is a side one of those that there are?
fn known(p: &StoredProblem, side: Side) -> Check {
    let (index, count) = match side {
        Side::Fixed => return Ok(()),
        Side::Driven(i) => (i, p.groups.driven.len()),
        Side::Free(i) => (i, p.move_inertia.free.len()),
        Side::Tree(i) => (i, p.move_inertia.trees.len()),
    };
    ensure((index as usize) < count, || format!("{side:?} of {count}"))
}

/// The tree rows of one entry.
fn spans(p: &StoredProblem, head: &Head, tree: Option<SpanIdx>, rows: usize) -> Check {
    let Some(tree) = tree.map(SpanIdx::get) else { return Ok(()) };
    let all = &p.groups.tree;
    let spans = all.spans.get(tree).ok_or_else(|| format!("span {tree} of {}", all.spans.len()))?;
    for (one, side) in spans.iter().zip(head.side).filter(|(one, _)| one.len > 0) {
        let Side::Tree(t) = side else {
            return Err(format!("span {tree} is over dofs, the side is {side:?}"));
        };
        span(p, one, t, rows).map_err(|what| format!("span {tree} {what}"))?;
    }
    Ok(())
}

/// Rows over the dofs of a tree.
fn span(p: &StoredProblem, span: &TreeSpan, tree: u32, rows: usize) -> Check {
    let (all, block) = (&p.groups.tree, &p.move_inertia.trees[tree as usize]);
    let (first, len) = (span.first_dof as usize, span.len as usize);
    ensure(first == block.first_dof as usize && len == block.ldl.len(), || {
        format!(
            "has {len} dofs from {first} on; tree {tree} has {} from {} on",
            block.ldl.len(),
            block.first_dof
        )
    })?;
    let (path, dofs) = (span.path, all.path.len());
    ensure(path.at as usize + path.len as usize <= dofs, || {
        format!("has a path of {} dofs from {} on, of {dofs}", path.len, path.at)
    })?;
    ensure(all.path_of(span).iter().all(|&dof| span.dofs().contains(&(dof as usize))), || {
        format!("has a path that leaves the dofs of tree {tree}")
    })?;
    for (what, from, len, has) in
        [("y", span.y, len, all.y.len()), ("j", span.j, path.len as usize, all.j.len())]
    {
        let end = from as usize + rows * len;
        ensure(end <= has, || format!("ends at {end} of {has} numbers in {what}"))?;
    }
    Ok(())
}

fn answer(p: &StoredProblem, solution: &StoredSolution) -> Check {
    for (what, has, needs) in [
        ("impulse", solution.impulses.len(), p.groups.points.len()),
        ("couple", solution.couples.len(), p.groups.couples as usize),
        ("lambda", solution.rows.len(), p.groups.rows.len()),
        ("end-velocity", solution.v.free.len(), p.v_start.free.len()),
        ("end-dof", solution.v.dof.len(), p.v_start.dof.len()),
    ] {
        ensure(has == needs, || format!("{has} lines {what}, {needs} needed"))?;
    }
    Ok(())
}
