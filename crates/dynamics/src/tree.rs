//! The description of an articulated tree: links, each hanging on its parent by joints.

use crate::equality::Equality;
use crate::joint::{ChildFrame, Joint, JointKind};
use huygens_math::{Sym3, TreeLdl, Vec3};
use std::ops::Range;

/// A rigid link and the joints that it hangs on.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Index of the parent link, which comes before; `None` for the world.
    pub parent: Option<usize>,
    /// The joints to the parent, the first one on the parent and the last one on this link; none for a link that is the parent's frame.
    pub joints: Vec<Joint>,
    /// Mass [kg]; 0 for a frame between joints, as long as every dof still moves some mass.
    pub mass: f64,
    /// Centre of mass in the link's frame [m].
    pub com: Vec3,
    /// Inertia about the centre of mass in the link's axes [kg m²].
    pub inertia: Sym3,
    /// Share of gravity that acts on it; 1 unless stated.
    pub gravity_scale: f64,
}

impl Link {
    /// A link on one joint whose frame has its origin in the centre of mass.
    pub fn new(parent: Option<usize>, joint: Joint, mass: f64, inertia: Sym3) -> Self {
        Self { parent, joints: vec![joint], mass, com: Vec3::ZERO, inertia, gravity_scale: 1.0 }
    }

    /// The same link with its centre of mass elsewhere in its frame [m].
    #[must_use]
    pub fn with_com(self, com: Vec3) -> Self {
        Self { com, ..self }
    }

    /// The same link with one more joint, between the last one and the link.
    #[must_use]
    pub fn with_joint(mut self, joint: Joint) -> Self {
        self.joints.push(joint);
        self
    }
}

/// Why a list of links is no tree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TreeError {
    /// A parent that does not come before its child.
    #[error("link {link}: its parent is {parent}; a parent must come before its child")]
    Order {
        /// The child.
        link: usize,
        /// Its parent.
        parent: usize,
    },
    /// A free joint on another link.
    #[error("link {link}: a free joint hangs on link {parent}; it can only hang on the world")]
    FreeInside {
        /// The child.
        link: usize,
        /// Its parent.
        parent: usize,
    },
    /// A free joint beside others.
    #[error("link {link}: a free joint is one of {joints}; it must be the only joint of its link")]
    FreeAmongOthers {
        /// The link.
        link: usize,
        /// Number of its joints.
        joints: usize,
    },
    /// A number that is not finite or not in its range.
    #[error("link {link}: {what} is {value}; must be {must}")]
    Number {
        /// The link.
        link: usize,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        must: &'static str,
    },
}

/// A joint at its place in a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSlot {
    /// The joint, with axis and quaternions of unit length.
    pub joint: Joint,
    /// The link that it belongs to.
    pub link: usize,
    pub(crate) child: ChildFrame,
    first_coordinate: usize,
    first_dof: usize,
}

impl JointSlot {
    /// Where its coordinates lie in those of the tree.
    #[inline]
    pub fn coordinates(&self) -> Range<usize> {
        self.first_coordinate..self.first_coordinate + self.joint.kind.coordinates()
    }

    /// Where its dofs lie in those of the tree.
    #[inline]
    pub fn dofs(&self) -> Range<usize> {
        self.first_dof..self.first_dof + self.joint.kind.dofs()
    }
}

/// An articulated tree with the layout of its coordinates and dofs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    links: Vec<Link>,
    /// The joints of all links, link after link.
    joints: Vec<JointSlot>,
    /// Where the joints of each link start in `joints`, and the end.
    first_joint: Vec<usize>,
    coordinates: usize,
    /// Dof that each dof hangs on.
    dof_parent: Vec<Option<usize>>,
    /// Last dof on the path from the world to each link, its own joints included.
    last_dof: Vec<Option<usize>>,
    armature: Vec<f64>,
    damping: Vec<f64>,
    stiffness: Vec<f64>,
    /// Coordinate of each dof whose joint has one coordinate alone.
    dof_coordinate: Vec<Option<usize>>,
    has_springs: bool,
    equalities: Vec<Equality>,
    /// Number of equalities that are [`Equality::Rate`]: the last ones.
    rates: usize,
    /// Dofs whose velocity is prescribed; empty for none.
    held: Vec<bool>,
}

impl Tree {
    /// A tree of `links`, parents before children. Axes are brought to unit length, quaternions too.
    ///
    /// # Errors
    /// When the order is wrong, a free joint does not hang on the world or not alone, or a number is not in its range.
    pub fn new(links: Vec<Link>) -> Result<Self, TreeError> {
        let mut tree = Self { first_joint: vec![0], ..Self::default() };
        for (i, mut link) in links.into_iter().enumerate() {
            check(i, &link)?;
            for joint in &mut link.joints {
                joint.axis = joint.axis.normalize();
                joint.parent_from_joint.rotation = joint.parent_from_joint.rotation.normalize();
                joint.child_from_joint.rotation = joint.child_from_joint.rotation.normalize();
            }
            tree.push(link);
        }
        Ok(tree)
    }

    fn push(&mut self, link: Link) {
        let mut above = link.parent.and_then(|p| self.last_dof[p]);
        for &joint in &link.joints {
            let child = ChildFrame { joint_from_child: joint.child_from_joint.inverse(), com: link.com };
            let slot = JointSlot {
                joint,
                link: self.links.len(),
                child,
                first_coordinate: self.coordinates,
                first_dof: self.dof_parent.len(),
            };
            for dof in slot.dofs() {
                self.dof_parent.push(above);
                let driven = joint.kind != JointKind::Free;
                self.armature.push(if driven { joint.armature } else { 0.0 });
                self.damping.push(if driven { joint.damping } else { 0.0 });
                self.stiffness.push(if driven { joint.stiffness } else { 0.0 });
                let single = joint.kind.coordinates() == 1;
                self.dof_coordinate.push(single.then_some(slot.coordinates().start));
                self.has_springs |= driven && joint.stiffness > 0.0;
                above = Some(dof);
            }
            self.coordinates = slot.coordinates().end;
            self.joints.push(slot);
        }
        self.last_dof.push(above);
        self.first_joint.push(self.joints.len());
        self.links.push(link);
    }

    /// The links.
    #[inline]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The joints of all links, link after link.
    #[inline]
    pub fn joints(&self) -> &[JointSlot] {
        &self.joints
    }

    /// The joints of a link, from its parent on.
    #[inline]
    pub fn joints_of(&self, link: usize) -> &[JointSlot] {
        &self.joints[self.first_joint[link]..self.first_joint[link + 1]]
    }

    /// Numbers that describe its position.
    #[inline]
    pub fn coordinates(&self) -> usize {
        self.coordinates
    }

    /// Numbers that describe its velocity.
    #[inline]
    pub fn dofs(&self) -> usize {
        self.dof_parent.len()
    }

    /// Where the dofs of a link's joints lie.
    #[inline]
    pub fn dofs_of(&self, link: usize) -> Range<usize> {
        match self.joints_of(link) {
            [first, .., last] => first.dofs().start..last.dofs().end,
            [only] => only.dofs(),
            [] => 0..0,
        }
    }

    /// The dofs that move a link, from its own joints up to the world.
    #[inline]
    pub fn path(&self, link: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.last_dof[link], |&dof| self.dof_parent[dof])
    }

    /// The dof itself and all that it hangs on, up to the world.
    #[inline]
    pub fn path_from_dof(&self, dof: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(dof), |&dof| self.dof_parent[dof])
    }

    /// Inertia of the drive of each dof [kg m² or kg].
    #[inline]
    pub fn armature(&self) -> &[f64] {
        &self.armature
    }

    /// Damping of each dof [N m s/rad or N s/m].
    #[inline]
    pub fn damping(&self) -> &[f64] {
        &self.damping
    }

    /// Stiffness of the spring at each dof [N m/rad or N/m].
    #[inline]
    pub fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }

    /// The coordinate that a dof is the rate of; `None` for dofs of ball and free joints.
    #[inline]
    pub fn coordinate_of(&self, dof: usize) -> Option<usize> {
        self.dof_coordinate[dof]
    }

    /// True when a joint has a spring.
    #[inline]
    pub fn has_springs(&self) -> bool {
        self.has_springs
    }

    /// Equalities between its coordinates.
    #[inline]
    pub fn equalities(&self) -> &[Equality] {
        &self.equalities
    }

    /// Number of its equalities that are [`Equality::Rate`], with a row each: the last ones.
    #[inline]
    pub fn rates(&self) -> usize {
        self.rates
    }

    /// The same tree with equalities between its coordinates, those that are [`Equality::Rate`] last.
    ///
    /// # Panics
    /// When an equality names a link or joint that is not there, or a joint with other than one coordinate: our own trees are built right.
    #[must_use]
    pub fn with_equalities(mut self, equalities: Vec<Equality>) -> Self {
        let link = |link: usize| assert!(link < self.links.len(), "an equality of link {link}");
        for equality in &equalities {
            match *equality {
                Equality::Weld { links } => links.into_iter().for_each(link),
                Equality::Distance { links, .. } => links.into_iter().flatten().for_each(link),
                Equality::Rate { dof } => assert!(dof < self.dof_parent.len(), "an equality of dof {dof}"),
                Equality::Polynomial { joints, .. } => joints.into_iter().for_each(|joint| {
                    assert_eq!(
                        self.joints[joint].joint.kind.coordinates(),
                        1,
                        "an equality of joint {joint}"
                    );
                }),
            }
        }
        let is_rate = |equality: &Equality| matches!(equality, Equality::Rate { .. });
        assert!(equalities.iter().is_sorted_by_key(is_rate), "rates come last");
        self.rates = equalities.iter().filter(|equality| is_rate(equality)).count();
        self.equalities = equalities;
        self
    }

    /// The same tree whose bases `links` move as prescribed: their free joints have the velocity that they are given, whatever acts. They are the
    /// first links.
    ///
    /// # Panics
    /// When one of them is no link on a free joint, or comes after a link that is none of them.
    #[must_use]
    pub fn with_prescribed(mut self, links: &[usize]) -> Self {
        self.held = if links.is_empty() { Vec::new() } else { vec![false; self.dofs()] };
        for &link in links {
            let [slot] = self.joints_of(link) else { panic!("a prescribed base has one joint") };
            assert!(slot.joint.kind.is_free(), "a prescribed base has a free joint");
            let dofs = slot.dofs();
            self.held[dofs].fill(true);
        }
        assert!(self.held.is_sorted_by(|a, b| a >= b), "prescribed bases come first");
        self
    }

    /// True when a base moves as prescribed.
    #[inline]
    pub fn has_prescribed(&self) -> bool {
        !self.held.is_empty()
    }

    /// True for a dof whose velocity a motor holds ([`Equality::Rate`]).
    pub(crate) fn holds_rate(&self, dof: usize) -> bool {
        let rates = self.equalities().iter().rev().take(self.rates);
        rates.into_iter().any(|equality| matches!(*equality, Equality::Rate { dof: of } if of == dof))
    }

    /// True for a dof whose velocity is prescribed.
    #[inline]
    pub fn is_held(&self, dof: usize) -> bool {
        self.held.get(dof) == Some(&true)
    }

    /// Room for its factored mass matrix.
    pub fn new_ldl(&self) -> TreeLdl {
        let held = self.held.iter().take_while(|held| **held).count();
        TreeLdl::new(&self.dof_parent).with_held(held)
    }

    /// Coordinates at which the two frames of every joint coincide, and a free base sits on the world's frame.
    pub fn neutral(&self) -> Vec<f64> {
        self.joints.iter().flat_map(|slot| slot.joint.kind.neutral()).copied().collect()
    }
}

fn check(i: usize, link: &Link) -> Result<(), TreeError> {
    if link.parent.is_some_and(|parent| parent >= i) {
        return Err(TreeError::Order { link: i, parent: link.parent.unwrap_or_default() });
    }
    if link.joints.iter().any(|joint| joint.kind.is_free()) {
        if let Some(parent) = link.parent {
            return Err(TreeError::FreeInside { link: i, parent });
        }
        if link.joints.len() > 1 {
            return Err(TreeError::FreeAmongOthers { link: i, joints: link.joints.len() });
        }
    }
    let numbers = Numbers { link: i };
    numbers.not_negative("mass [kg]", link.mass)?;
    numbers.check("gravity_scale", link.gravity_scale, link.gravity_scale.is_finite(), "finite")?;
    numbers.check("inertia (trace)", link.inertia.trace(), link.inertia.is_finite(), "finite")?;
    numbers.check("centre of mass (length)", link.com.length(), link.com.is_finite(), "finite")?;
    link.joints.iter().try_for_each(|joint| check_joint(&numbers, joint))
}

fn check_joint(numbers: &Numbers, joint: &Joint) -> Result<(), TreeError> {
    numbers.not_negative("armature", joint.armature)?;
    numbers.not_negative("damping", joint.damping)?;
    numbers.not_negative("stiffness", joint.stiffness)?;
    numbers.check("rest", joint.rest, joint.rest.is_finite(), "finite")?;
    numbers.check("pitch", joint.pitch, joint.pitch.is_finite(), "finite")?;
    let length = joint.axis.length();
    numbers.above_zero("axis (length)", length)?;
    for pose in [joint.parent_from_joint, joint.child_from_joint] {
        numbers.above_zero("joint orientation (length)", pose.rotation.length())?;
        let at = pose.translation;
        numbers.check("joint position (length)", at.length(), at.is_finite(), "finite")?;
    }
    Ok(())
}

/// Checks of the numbers of one link.
struct Numbers {
    link: usize,
}

impl Numbers {
    fn check(&self, what: &'static str, value: f64, good: bool, must: &'static str) -> Result<(), TreeError> {
        if good { Ok(()) } else { Err(TreeError::Number { link: self.link, what, value, must }) }
    }

    fn not_negative(&self, what: &'static str, x: f64) -> Result<(), TreeError> {
        self.check(what, x, x >= 0.0 && x.is_finite(), "finite and not below 0")
    }

    fn above_zero(&self, what: &'static str, x: f64) -> Result<(), TreeError> {
        self.check(what, x, x > 0.0 && x.is_finite(), "above 0 and finite")
    }
}
