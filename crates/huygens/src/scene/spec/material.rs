//! Materials, and how two of them act together.

use super::{Color, Scene, Shape};
use crate::scene::Named;
use crate::scene::keys::{Holds, needed, table, told};
use huygens_math::Vec3;
use huygens_math::scalar::{max, min};

/// What a surface does in contact, as a scene writes it: what is `None` was not written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SurfaceSpec {
    /// Static and dynamic friction coefficient at once. Default 0.5.
    pub friction: Option<f64>,
    /// Friction coefficient while the surfaces stick. Default `friction`, else `friction_dynamic`.
    pub friction_static: Option<f64>,
    /// Friction coefficient while they slide. Default `friction`, else `friction_static`.
    pub friction_dynamic: Option<f64>,
    /// Friction against spinning about the normal, as a lever [m]. Default 0.
    pub friction_torsional: Option<f64>,
    /// Friction against rolling, as a lever [m]. Default 0.
    pub friction_rolling: Option<f64>,
    /// Coefficient of restitution, 0 to 1. Default 0.
    pub restitution: Option<f64>,
}

table!(
    SurfaceSpec {
        friction,
        friction_static,
        friction_dynamic,
        friction_torsional,
        friction_rolling,
        restitution
    } | v
        | {
            let coefficient = Holds::NotNegative("a friction coefficient");
            let lever = Holds::NotNegative("a friction lever");
            v.option(told("friction", "0.5", "static and dynamic friction at once"), friction, coefficient);
            v.option(
                told(
                    "friction_static",
                    "`friction`",
                    "coefficient while nothing slides; alone it stands for both",
                ),
                friction_static,
                coefficient,
            );
            v.option(
                told(
                    "friction_dynamic",
                    "`friction`",
                    "coefficient while it slides; alone it stands for both",
                ),
                friction_dynamic,
                coefficient,
            );
            v.option(
                told("friction_torsional", "0", "lever of friction about the normal [m]"),
                friction_torsional,
                lever,
            );
            v.option(
                told("friction_rolling", "0", "lever of friction about axes in the contact plane [m]"),
                friction_rolling,
                lever,
            );
            v.option(
                told("restitution", "0", "share of the approach speed that comes back, from 0 to 1"),
                restitution,
                Holds::Within([0.0, 1.0], "a coefficient of restitution"),
            );
        }
);

impl SurfaceSpec {
    /// `base`, with what is written here put over it.
    pub fn over(&self, base: &Surface) -> Surface {
        // One coefficient for both wins over what lies below, the special ones win over it; one special coefficient
        // alone stands for both, so that `friction_static = 0.1` does not leave 0.5 for sliding.
        let both = self.friction.or(match (self.friction_static, self.friction_dynamic) {
            (Some(one), None) | (None, Some(one)) => Some(one),
            _ => None,
        });
        Surface {
            friction_static: self.friction_static.or(both).unwrap_or(base.friction_static),
            friction_dynamic: self.friction_dynamic.or(both).unwrap_or(base.friction_dynamic),
            friction_torsional: self.friction_torsional.unwrap_or(base.friction_torsional),
            friction_rolling: self.friction_rolling.unwrap_or(base.friction_rolling),
            restitution: self.restitution.unwrap_or(base.restitution),
        }
    }
}

/// What a surface does in contact, every number known.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Surface {
    /// Friction coefficient while the surfaces stick.
    pub friction_static: f64,
    /// Friction coefficient while they slide.
    pub friction_dynamic: f64,
    /// Friction against spinning about the normal, as a lever [m].
    pub friction_torsional: f64,
    /// Friction against rolling, as a lever [m].
    pub friction_rolling: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
}

impl Default for Surface {
    fn default() -> Self {
        Self {
            friction_static: 0.5,
            friction_dynamic: 0.5,
            friction_torsional: 0.0,
            friction_rolling: 0.0,
            restitution: 0.0,
        }
    }
}

/// A material: `[materials.NAME]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Material {
    /// Density [kg/m³]. Default 1000.
    pub density: Option<f64>,
    /// Friction and restitution.
    pub surface: SurfaceSpec,
    /// Velocity with which the surface moves along itself, like a conveyor belt, in the axes of the body that carries it [m/s];
    /// of it, what lies in the plane of a contact counts. Default 0. The body is then among the drivers, with the work of the belt.
    pub surface_velocity: Option<Vec3>,
    /// With `combine = "priority"` the material with the higher number decides. Default 0.
    pub priority: Option<i32>,
    /// Colour of bodies made of it in pictures.
    pub color: Option<Color>,
}

table!(
    Material { density, surface_velocity, priority, color, surface } | v | {
        v.option(told("density", "1000", "[kg/m³]"), density, Holds::Positive("a density"));
        v.inner(surface);
        v.option(
            told(
                "surface_velocity",
                "0",
                "velocity of the surface along itself, in the axes of the body: a conveyor belt [m/s]",
            ),
            surface_velocity,
            Holds::Finite,
        );
        v.option(
            told("priority", "0", "with `combine = \"priority\"` the higher one's numbers hold"),
            priority,
            Holds::Elsewhere,
        );
        v.option(
            told("color", "by the name of the body", "of bodies made of it, in pictures: `\"#rrggbb\"`"),
            color,
            Holds::Elsewhere,
        );
    }
);

table!(
    PairSpec { a, b, surface } | v | {
        v.value(needed("a", "the name of a material"), a, Holds::Elsewhere);
        let meaning = "the name of the other material, or of the same";
        v.value(needed("b", meaning), b, Holds::Elsewhere);
        v.inner(surface);
    }
);

impl Material {
    /// Density of a shape that names neither a density nor a material [kg/m³].
    pub const DEFAULT_DENSITY: f64 = 1000.0;
}

/// What two materials do together: `[[pair]]`. It wins over every combine rule; what it leaves out is combined.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairSpec {
    /// Name of one material.
    pub a: String,
    /// Name of the other; may be the same.
    pub b: String,
    /// Friction and restitution of the two.
    pub surface: SurfaceSpec,
}

/// How two materials that no `[[pair]]` names act together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Combine {
    /// Only as `[[pair]]` says: two materials that can meet and have no pair are an error.
    Table,
    /// The larger coefficient.
    Max,
    /// The smaller coefficient.
    Min,
    /// The arithmetic mean.
    Mean,
    /// The geometric mean.
    #[default]
    Geometric,
    /// The coefficients of the material with the higher `priority`; the geometric mean on a tie.
    Priority,
}

impl Named for Combine {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("table", Self::Table),
        ("max", Self::Max),
        ("min", Self::Min),
        ("mean", Self::Mean),
        ("geometric", Self::Geometric),
        ("priority", Self::Priority),
    ];
}

impl Combine {
    /// What surfaces `a` and `b` with priorities `pa` and `pb` do together. Symmetric in the two.
    pub fn surfaces(self, (a, pa): (&Surface, i32), (b, pb): (&Surface, i32)) -> Surface {
        let by = |rule: fn(f64, f64) -> f64| Surface {
            friction_static: rule(a.friction_static, b.friction_static),
            friction_dynamic: rule(a.friction_dynamic, b.friction_dynamic),
            friction_torsional: rule(a.friction_torsional, b.friction_torsional),
            friction_rolling: rule(a.friction_rolling, b.friction_rolling),
            restitution: rule(a.restitution, b.restitution),
        };
        match self {
            Self::Max => by(max),
            Self::Min => by(min),
            Self::Mean => by(|x, y| 0.5 * (x + y)),
            Self::Priority if pa > pb => *a,
            Self::Priority if pb > pa => *b,
            Self::Table | Self::Geometric | Self::Priority => by(geometric),
        }
    }
}

/// √(xy), and exactly x where both are equal: the square root of a square may be off by one bit.
fn geometric(x: f64, y: f64) -> f64 {
    if x == y { x } else { (x * y).sqrt() }
}

impl Shape {
    /// Numbers of its own, which go before those of its material.
    pub(crate) fn own_surface(&self) -> SurfaceSpec {
        SurfaceSpec { friction: self.friction, restitution: self.restitution, ..SurfaceSpec::default() }
    }
}

impl Scene {
    /// Friction and restitution of one shape: its own numbers over its material's over the defaults.
    pub fn surface_of(&self, shape: &Shape) -> Surface {
        let material = self.material_of(shape).surface.over(&Surface::default());
        shape.own_surface().over(&material)
    }

    /// Velocity of the surface of one shape along itself, in the axes of its body [m/s].
    pub fn surface_velocity_of(&self, shape: &Shape) -> Vec3 {
        self.material_of(shape).surface_velocity.unwrap_or(Vec3::ZERO)
    }

    /// Density of one shape [kg/m³].
    pub fn density_of(&self, shape: &Shape) -> f64 {
        shape.density.or(self.material_of(shape).density).unwrap_or(Material::DEFAULT_DENSITY)
    }

    /// What two shapes do together: the pair of their materials over the combine rule.
    pub fn surface_between(&self, a: &Shape, b: &Shape) -> Surface {
        let priority = |shape| self.material_of(shape).priority.unwrap_or(0);
        let combined = self
            .world
            .combine
            .surfaces((&self.surface_of(a), priority(a)), (&self.surface_of(b), priority(b)));
        match self.pair_of(a.material.as_deref(), b.material.as_deref()) {
            Some(pair) => pair.surface.over(&combined),
            None => combined,
        }
    }

    /// The pair that names these two materials, in either order.
    pub fn pair_of(&self, a: Option<&str>, b: Option<&str>) -> Option<&PairSpec> {
        let (a, b) = (a?, b?);
        self.pairs.iter().find(|p| (p.a == a && p.b == b) || (p.a == b && p.b == a))
    }

    fn material_of(&self, shape: &Shape) -> Material {
        self.material_named(shape.material.as_deref())
    }

    /// The material of that name; the defaults where there is none.
    pub(crate) fn material_named(&self, name: Option<&str>) -> Material {
        name.and_then(|name| self.materials.get(name)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(friction: f64, restitution: f64) -> Surface {
        Surface { friction_static: friction, friction_dynamic: friction, restitution, ..Surface::default() }
    }

    #[test]
    fn combine_rules_are_symmetric_and_keep_equal_values() {
        let (a, b) = (surface(0.2, 0.9), surface(0.8, 0.1));
        for (_, rule) in Combine::NAMES {
            assert_eq!(rule.surfaces((&a, 1), (&b, 2)), rule.surfaces((&b, 2), (&a, 1)), "{rule:?}");
            assert_eq!(rule.surfaces((&a, 0), (&a, 0)), a, "{rule:?}");
        }
        assert_eq!(Combine::Max.surfaces((&a, 0), (&b, 0)), surface(0.8, 0.9));
        assert_eq!(Combine::Min.surfaces((&a, 0), (&b, 0)), surface(0.2, 0.1));
        assert_eq!(Combine::Mean.surfaces((&a, 0), (&b, 0)), surface(0.5, 0.5));
        assert_eq!(Combine::Priority.surfaces((&a, 1), (&b, 2)), b);
        assert!((Combine::Geometric.surfaces((&a, 0), (&b, 0)).friction_static - 0.4).abs() < 1e-16);
    }

    #[test]
    fn one_friction_number_stands_for_both_unless_the_other_is_written() {
        let base = Surface::default();
        let only_static = SurfaceSpec { friction_static: Some(0.1), ..SurfaceSpec::default() }.over(&base);
        assert_eq!((only_static.friction_static, only_static.friction_dynamic), (0.1, 0.1));
        let mixed =
            SurfaceSpec { friction: Some(0.3), friction_dynamic: Some(0.2), ..SurfaceSpec::default() };
        let mixed = mixed.over(&base);
        assert_eq!((mixed.friction_static, mixed.friction_dynamic), (0.3, 0.2));
    }

    #[test]
    fn a_pair_wins_over_the_combine_rule_in_either_order() {
        let mut scene = Scene::default();
        let ice = SurfaceSpec { friction: Some(0.1), restitution: Some(0.4), ..SurfaceSpec::default() };
        scene.materials.insert("ice".into(), Material { surface: ice, ..Material::default() });
        scene.materials.insert("steel".into(), Material::default());
        let own = SurfaceSpec { friction: Some(0.03), ..SurfaceSpec::default() };
        scene.pairs.push(PairSpec { a: "steel".into(), b: "ice".into(), surface: own });
        let shape = |name: &str| Shape { material: Some(name.into()), ..Shape::default() };
        let both = scene.surface_between(&shape("ice"), &shape("steel"));
        assert_eq!((both.friction_static, both.restitution), (0.03, 0.0));
    }
}
