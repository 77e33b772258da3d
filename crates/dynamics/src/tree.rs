//! The description of an articulated tree: links, each hanging on its parent by a joint.

use crate::joint::{Joint, JointKind};
use huygens_math::{Pose, Sym3, TreeLdl, Vec3};
use std::ops::Range;

/// A rigid link and the joint that it hangs on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Index of the parent link, which comes before; `None` for the world.
    pub parent: Option<usize>,
    /// The joint to the parent.
    pub joint: Joint,
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass in the link's frame [m].
    pub com: Vec3,
    /// Inertia about the centre of mass in the link's axes [kg m²].
    pub inertia: Sym3,
    /// Share of gravity that acts on it; 1 unless stated.
    pub gravity_scale: f64,
}

impl Link {
    /// A link whose frame has its origin in the centre of mass.
    pub const fn new(parent: Option<usize>, joint: Joint, mass: f64, inertia: Sym3) -> Self {
        Self { parent, joint, mass, com: Vec3::ZERO, inertia, gravity_scale: 1.0 }
    }

    /// The same link with its centre of mass elsewhere in its frame [m].
    #[must_use]
    pub const fn with_com(self, com: Vec3) -> Self {
        Self { com, ..self }
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

/// An articulated tree with the layout of its coordinates and dofs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    links: Vec<Link>,
    joint_from_child: Vec<Pose>,
    first_coordinate: Vec<usize>,
    first_dof: Vec<usize>,
    /// Dof that each dof hangs on.
    dof_parent: Vec<Option<usize>>,
    /// Last dof on the path from the world to each link, its own joint included.
    last_dof: Vec<Option<usize>>,
    armature: Vec<f64>,
    damping: Vec<f64>,
}

impl Tree {
    /// A tree of `links`, parents before children. Axes are brought to unit length, quaternions too.
    ///
    /// # Errors
    /// When the order is wrong, a free joint does not hang on the world, or a number is not in its range.
    pub fn new(links: Vec<Link>) -> Result<Self, TreeError> {
        let mut tree = Self { first_coordinate: vec![0], first_dof: vec![0], ..Self::default() };
        for (i, mut link) in links.into_iter().enumerate() {
            check(i, &link)?;
            link.joint.axis = link.joint.axis.normalize();
            link.joint.parent_from_joint.rotation = link.joint.parent_from_joint.rotation.normalize();
            link.joint.child_from_joint.rotation = link.joint.child_from_joint.rotation.normalize();
            tree.push(link);
        }
        Ok(tree)
    }

    fn push(&mut self, link: Link) {
        let (kind, i) = (link.joint.kind, self.links.len());
        let mut above = link.parent.and_then(|p| self.last_dof[p]);
        for dof in self.first_dof[i]..self.first_dof[i] + kind.dofs() {
            self.dof_parent.push(above);
            let driven = kind != JointKind::Free;
            self.armature.push(if driven { link.joint.armature } else { 0.0 });
            self.damping.push(if driven { link.joint.damping } else { 0.0 });
            above = Some(dof);
        }
        self.last_dof.push(above);
        self.first_coordinate.push(self.first_coordinate[i] + kind.coordinates());
        self.first_dof.push(self.first_dof[i] + kind.dofs());
        self.joint_from_child.push(link.joint.child_from_joint.inverse());
        self.links.push(link);
    }

    /// The links.
    #[inline]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Numbers that describe its position.
    #[inline]
    pub fn coordinates(&self) -> usize {
        self.first_coordinate.last().copied().unwrap_or(0)
    }

    /// Numbers that describe its velocity.
    #[inline]
    pub fn dofs(&self) -> usize {
        self.dof_parent.len()
    }

    /// Where the coordinates of a link's joint lie.
    #[inline]
    pub fn coordinates_of(&self, link: usize) -> Range<usize> {
        self.first_coordinate[link]..self.first_coordinate[link + 1]
    }

    /// Where the dofs of a link's joint lie.
    #[inline]
    pub fn dofs_of(&self, link: usize) -> Range<usize> {
        self.first_dof[link]..self.first_dof[link + 1]
    }

    /// The dofs that move a link, from its own joint up to the world.
    #[inline]
    pub fn path(&self, link: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.last_dof[link], |&dof| self.dof_parent[dof])
    }

    /// The dof itself and all that it hangs on, up to the world.
    #[inline]
    pub(crate) fn path_from_dof(&self, dof: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(dof), |&dof| self.dof_parent[dof])
    }

    /// Inertia of the drive of each dof [kg m² or kg].
    #[inline]
    pub fn armature(&self) -> &[f64] {
        &self.armature
    }

    /// Damping of each dof.
    #[inline]
    pub fn damping(&self) -> &[f64] {
        &self.damping
    }

    #[inline]
    pub(crate) fn joint_from_child(&self, link: usize) -> &Pose {
        &self.joint_from_child[link]
    }

    /// Room for its factored mass matrix.
    pub fn new_ldl(&self) -> TreeLdl {
        TreeLdl::new(&self.dof_parent)
    }

    /// Coordinates at which every hinge is at zero and a free base sits on the world's frame.
    pub fn neutral(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.coordinates()];
        for (i, link) in self.links.iter().enumerate() {
            if link.joint.kind == JointKind::Free {
                q[self.first_coordinate[i] + 3] = 1.0;
            }
        }
        q
    }
}

fn check(i: usize, link: &Link) -> Result<(), TreeError> {
    if let Some(parent) = link.parent {
        if parent >= i {
            return Err(TreeError::Order { link: i, parent });
        }
        if link.joint.kind == JointKind::Free {
            return Err(TreeError::FreeInside { link: i, parent });
        }
    }
    let number = |what, value: f64, good: bool, must| {
        if good { Ok(()) } else { Err(TreeError::Number { link: i, what, value, must }) }
    };
    let joint = &link.joint;
    let not_negative = |x: f64| x >= 0.0 && x.is_finite();
    number("mass [kg]", link.mass, not_negative(link.mass), "finite and not below 0")?;
    number("armature", joint.armature, not_negative(joint.armature), "finite and not below 0")?;
    number("damping", joint.damping, not_negative(joint.damping), "finite and not below 0")?;
    number("gravity_scale", link.gravity_scale, link.gravity_scale.is_finite(), "finite")?;
    number("inertia (trace)", link.inertia.trace(), link.inertia.is_finite(), "finite")?;
    number("centre of mass (length)", link.com.length(), link.com.is_finite(), "finite")?;
    let length = joint.axis.length();
    number("axis (length)", length, length > 0.0 && length.is_finite(), "above 0 and finite")?;
    for pose in [joint.parent_from_joint, joint.child_from_joint] {
        let norm = pose.rotation.length();
        number("joint orientation (length)", norm, norm > 0.0 && norm.is_finite(), "above 0 and finite")?;
        let at = pose.translation;
        number("joint position (length)", at.length(), at.is_finite(), "finite")?;
    }
    Ok(())
}
