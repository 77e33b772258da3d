//! The edits of a model, one by one: tables made from it follow them at the price of what they touch, not of the world.

/// Something that an edit changed, made or took away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edited {
    /// A body slot.
    Body(u32),
    /// A shape slot.
    Shape(u32),
}

/// Edits that are remembered one by one; whoever has missed more looks at everything.
const REMEMBERED: usize = 4096;

/// The last edits of a model, and how many there were.
#[derive(Clone, Debug, Default)]
pub struct EditLog {
    /// Edits so far.
    count: u64,
    /// The slots of the edits after this one are in `entries`.
    known_after: u64,
    /// Slots, each with the number of its edit.
    entries: Vec<(u64, Edited)>,
}

/// What was edited since a table was made.
#[derive(Clone, Copy, Debug)]
pub enum Since<'a> {
    /// Anything.
    All,
    /// These slots, in the order of the edits; none at all when the table is up to date.
    These(&'a [(u64, Edited)]),
}

impl Since<'_> {
    /// Slots of the bodies; none for [`Since::All`].
    pub fn bodies(&self) -> impl Iterator<Item = usize> {
        self.entries().iter().filter_map(|(_, edited)| match edited {
            Edited::Body(slot) => Some(*slot as usize),
            Edited::Shape(_) => None,
        })
    }

    /// Slots of the shapes; none for [`Since::All`].
    pub fn shapes(&self) -> impl Iterator<Item = usize> {
        self.entries().iter().filter_map(|(_, edited)| match edited {
            Edited::Shape(slot) => Some(*slot as usize),
            Edited::Body(_) => None,
        })
    }

    fn entries(&self) -> &[(u64, Edited)] {
        match self {
            Self::All => &[],
            Self::These(entries) => entries,
        }
    }
}

impl EditLog {
    /// Number of edits so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Notes an edit of a body and some shapes: those that it had before, and those that it has.
    pub fn note(&mut self, body: usize, shapes: impl IntoIterator<Item = u32>) {
        self.count += 1;
        if self.entries.len() >= REMEMBERED {
            self.entries.clear();
            self.known_after = self.count - 1;
        }
        self.entries.push((self.count, Edited::Body(body as u32)));
        self.entries.extend(shapes.into_iter().map(|slot| (self.count, Edited::Shape(slot))));
    }

    /// Notes an edit that may have changed anything.
    pub fn note_all(&mut self) {
        self.count += 1;
        self.known_after = self.count;
        self.entries.clear();
    }

    /// What was edited after so many edits.
    pub fn since(&self, known: Option<u64>) -> Since<'_> {
        match known {
            Some(known) if known >= self.known_after => {
                let first = self.entries.partition_point(|(edit, _)| *edit <= known);
                Since::These(&self.entries[first..])
            }
            _ => Since::All,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_hears_of_every_edit_since_it_was_made_or_that_it_must_look_at_everything() {
        let mut log = EditLog::default();
        assert!(matches!(log.since(None), Since::All));
        assert!(matches!(log.since(Some(0)), Since::These([])));
        log.note(7, [3, 4]);
        log.note(8, [5]);
        assert_eq!(log.since(Some(0)).bodies().collect::<Vec<_>>(), [7, 8]);
        assert_eq!(log.since(Some(0)).shapes().collect::<Vec<_>>(), [3, 4, 5]);
        assert_eq!(log.since(Some(1)).shapes().collect::<Vec<_>>(), [5]);
        assert!(matches!(log.since(Some(2)), Since::These([])));
        log.note_all();
        assert!(matches!(log.since(Some(2)), Since::All) && log.count() == 3);
        assert!(matches!(log.since(Some(3)), Since::These([])));
        // More than is remembered: who knows the last ones still hears of each.
        for slot in 0..2 * REMEMBERED {
            let known = log.count();
            log.note(slot, [0]);
            assert_eq!(log.since(Some(known)).bodies().collect::<Vec<_>>(), [slot]);
        }
        assert!(matches!(log.since(Some(3)), Since::All));
    }
}
