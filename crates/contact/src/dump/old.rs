//! Version 1 of the text had friction against spinning and rolling in groups of their own, of three rows each: they become the couples of
//! the contact's points.

use super::StoredCase;
use crate::couple::share;
use crate::{Groups, SpanIdx, TreeSpan};

/// The groups of couples that a text of version 1 has.
#[derive(Default)]
pub(super) struct OldCouples(Vec<OldCouple>);

struct OldCouple {
    /// Group of the contact.
    contact: u32,
    /// First of its three rows.
    first: u32,
    /// Its own group.
    head: usize,
}

impl OldCouples {
    pub(super) fn add(&mut self, contact: u32, first: u32, head: usize) {
        self.0.push(OldCouple { contact, first, head });
    }

    /// Moves all of them to the points of their contacts.
    pub(super) fn join(mut self, case: &mut StoredCase) -> Result<(), String> {
        if self.0.is_empty() {
            return Ok(());
        }
        let groups = &mut case.problem.groups;
        self.0.sort_unstable_by_key(|couple| couple.contact);
        let mut solution = case.solution.take();
        let mut couples = Vec::new();
        for couple in &self.0 {
            let (contact, first) = (couple.contact as usize, couple.first as usize);
            let of = groups.contact(contact);
            let of = of.ok_or_else(|| format!("a couple has a contact, and group {contact} is none"))?;
            if groups.rows.len() < first + 3
                || of.range().end > groups.points.len()
                || groups.heads[couple.head].len != 3
            {
                return Err(format!(
                    "the couple of group {contact} has not three rows and the points of its contact"
                ));
            }
            let mut head = *of;
            head.couple = groups.couples;
            groups.couples += u32::from(head.len);
            groups.heads[contact] = head;
            couples.resize(groups.couples as usize, [0.0; 3]);
            if let Some(solution) = &solution
                && solution.rows.len() == groups.rows.len()
                && solution.impulses.len() == groups.points.len()
            {
                let tau = [solution.rows[first], solution.rows[first + 1], solution.rows[first + 2]];
                share(&head, tau, &solution.impulses, &mut couples);
            }
            for i in head.range() {
                join_trees(groups, i, first)?;
            }
        }
        let is_gone = |row: usize| {
            self.0.iter().any(|couple| (couple.first as usize..couple.first as usize + 3).contains(&row))
        };
        let place = |row: u32| (0..row as usize).filter(|&row| !is_gone(row)).count() as u32;
        for head in groups.row_groups_mut() {
            head.first = place(head.first);
        }
        if let Some(solution) = &mut solution {
            solution.couples = couples;
            solution.rows = remaining(&solution.rows, is_gone);
        }
        groups.rows = remaining(&groups.rows, is_gone);
        let mut at = 0;
        groups.heads.retain(|_| {
            at += 1;
            !self.0.iter().any(|couple| couple.head == at - 1)
        });
        case.solution = solution;
        Ok(())
    }
}

fn remaining<T: Copy>(all: &[T], is_gone: impl Fn(usize) -> bool) -> Vec<T> {
    all.iter().enumerate().filter(|(i, _)| !is_gone(*i)).map(|(_, x)| *x).collect()
}

/// Puts the tree rows of a couple, from row `first` on, behind those of point `i`.
fn join_trees(groups: &mut Groups, i: usize, first: usize) -> Result<(), String> {
    let Some(point) = groups.points[i].tree else { return Ok(()) };
    let tree = &mut groups.tree;
    let rows = [first, first + 1, first + 2].map(|row| groups.rows[row].tree);
    let get = |at: Option<SpanIdx>| {
        let spans = at.and_then(|at| tree.spans.get(at.get()));
        spans.copied().ok_or_else(|| format!("span {at:?} of {}", tree.spans.len()))
    };
    let (own, couple) = (get(Some(point))?, [get(rows[0])?, get(rows[1])?, get(rows[2])?]);
    let mut spans = [TreeSpan::default(); 2];
    for side in 0..2 {
        let (span, (at_j, at_y)) = (own[side], (tree.j.len(), tree.y.len()));
        let same = |other: &[TreeSpan; 2]| tree.spans_agree(&span, &other[side]);
        if !couple.iter().all(same) {
            return Err("the rows of a couple are over other dofs than its point".to_owned());
        }
        let rows = (0..3).map(|k| (span, k)).chain(couple.iter().map(|spans| (spans[side], 0)));
        let (mut j, mut y) = (vec![], vec![]);
        for (span, k) in rows {
            let range = |at: u32, len: u32| (at + k * len) as usize..(at + (k + 1) * len) as usize;
            let short = || "a span of a couple ends behind j or y".to_owned();
            j.extend_from_slice(tree.j.get(range(span.j, span.path.len)).ok_or_else(short)?);
            y.extend_from_slice(tree.y.get(range(span.y, span.len)).ok_or_else(short)?);
        }
        tree.j.extend(j);
        tree.y.extend(y);
        spans[side] = TreeSpan { j: at_j as u32, y: at_y as u32, ..span };
    }
    groups.points[i].tree = Some(tree.push(spans));
    Ok(())
}
