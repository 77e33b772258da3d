//! Who takes part: contact models, each with a way to undo overlap.

use crate::{Failure, models};
use huygens::Scene;
use huygens::contact::SolverKind;
use huygens::scene::{StabilisationSpec, suggest};

/// The words after a `+`.
const STABILISATIONS: [&str; 3] = ["none", "baumgarte", "split-impulse"];

/// One way to run the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// What it is called in every table.
    pub name: String,
    /// The contact model.
    pub kind: SolverKind,
    /// How overlap is undone.
    pub stabilisation: StabilisationSpec,
    /// It judges the others: its answer is as near to the law as can be had.
    pub reference: bool,
}

impl Contender {
    /// A model with a stabilisation; the name tells of it when it biases velocities or was asked for by name.
    fn new(kind: SolverKind, stabilisation: StabilisationSpec, tell: bool) -> Self {
        let tell = tell || matches!(stabilisation, StabilisationSpec::Baumgarte { .. });
        let name = if tell { format!("{kind}+{}", word(&stabilisation)) } else { kind.name().to_owned() };
        Self { name, kind, stabilisation, reference: false }
    }

    /// The scene as it is, judged by nobody.
    pub fn of_scene(scene: &Scene) -> Option<Self> {
        Some(Self::new(scene.world.solver.parse().ok()?, scene.world.stabilisation, false))
    }

    /// Its scene.
    pub fn scene(&self, base: &Scene) -> Scene {
        let mut scene = base.clone();
        scene.world.solver = self.kind.name().to_owned();
        scene.world.stabilisation = self.stabilisation;
        scene
    }

    /// Why it cannot run any scene, where that is known beforehand.
    pub fn misfit(&self) -> Option<&'static str> {
        let biased = matches!(self.stabilisation, StabilisationSpec::Baumgarte { .. });
        if biased && self.kind.displaces() {
            Some("this model has no velocity bias: it undoes overlap by displacements of its own")
        } else if biased && self.kind.is_soft() {
            Some("this model has no velocity bias: its springs undo overlap")
        } else {
            None
        }
    }
}

/// The word of a stabilisation, as in scene files.
pub fn word(stabilisation: &StabilisationSpec) -> &'static str {
    match stabilisation {
        StabilisationSpec::None => STABILISATIONS[0],
        StabilisationSpec::Baumgarte { .. } => STABILISATIONS[1],
        StabilisationSpec::SplitImpulse { .. } => STABILISATIONS[2],
    }
}

/// The reference first, then the models of `list`, or of the default: every model without a velocity bias, and, when the
/// scene asks for Baumgarte, the scene's own model and the reference with it.
pub fn choose(scene: &Scene, list: Option<&str>) -> Result<Vec<Contender>, Failure> {
    let reference = reference(scene);
    let mut chosen = vec![reference.clone()];
    let mut add = |contender: Contender| {
        let twin = contender.kind == reference.kind && contender.stabilisation == reference.stabilisation;
        if !twin && !chosen.iter().any(|other| other.name == contender.name) {
            chosen.push(contender);
        }
    };
    match list {
        None => {
            SolverKind::ALL.iter().for_each(|kind| add(Contender::new(*kind, unbiased(scene), false)));
            if unbiased(scene) != scene.world.stabilisation {
                let own = scene.world.solver.parse().ok();
                let biased = [own, Some(reference.kind)].into_iter().flatten();
                biased
                    .filter(|kind| !kind.displaces() && !kind.is_soft())
                    .for_each(|kind| add(Contender::new(kind, scene.world.stabilisation, true)));
            }
        }
        Some(list) => {
            for word in models::words("--solvers", list)? {
                named(scene, word)?.into_iter().for_each(&mut add);
            }
        }
    }
    Ok(chosen)
}

/// The reference leaves velocities alone, whatever the scene asks: a bias is no part of the law.
fn reference(scene: &Scene) -> Contender {
    Contender { reference: true, ..Contender::new(models::REFERENCE, unbiased(scene), false) }
}

/// The scene's own stabilisation, or the default one where that would bias velocities.
fn unbiased(scene: &Scene) -> StabilisationSpec {
    match scene.world.stabilisation {
        StabilisationSpec::Baumgarte { .. } => StabilisationSpec::default(),
        own => own,
    }
}

/// The contenders of one word of `--solvers`.
fn named(scene: &Scene, text: &str) -> Result<Vec<Contender>, Failure> {
    let (model, stabilisation) = match text.split_once('+') {
        Some((model, choice)) => (model.trim(), Some(stabilised(scene, choice.trim())?)),
        None => (text, None),
    };
    let kinds =
        if model == "all" { SolverKind::ALL.to_vec() } else { vec![models::find("--solvers", model)?] };
    let contender = |kind| {
        let told = stabilisation.filter(|choice| *choice != unbiased(scene));
        Contender::new(kind, stabilisation.unwrap_or_else(|| unbiased(scene)), told.is_some())
    };
    Ok(kinds.into_iter().map(contender).collect())
}

/// The stabilisation of that word: the scene's own when it is of that kind, else with default numbers.
fn stabilised(scene: &Scene, choice: &str) -> Result<StabilisationSpec, Failure> {
    let own = scene.world.stabilisation;
    if word(&own) == choice {
        return Ok(own);
    }
    let share = StabilisationSpec::DEFAULT_SHARE;
    match choice {
        "none" => Ok(StabilisationSpec::None),
        "baumgarte" => Ok(StabilisationSpec::Baumgarte { erp: share, cap: None }),
        "split-impulse" => Ok(StabilisationSpec::default()),
        _ => Err(Failure::Input(format!(
            "error: --solvers: there is no stabilisation `{choice}`\n  = help: {}",
            suggest(choice, STABILISATIONS.into_iter())
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(scene: &Scene, list: Option<&str>) -> Vec<String> {
        let chosen = choose(scene, list).unwrap_or_else(|_| panic!("{list:?} is a list"));
        assert!(chosen[0].reference && chosen[1..].iter().all(|contender| !contender.reference));
        chosen[1..].iter().map(|contender| contender.name.clone()).collect()
    }

    fn baumgarte() -> Scene {
        Scene::new()
            .solver("sequential-impulse")
            .stabilisation(StabilisationSpec::Baumgarte { erp: 0.7, cap: None })
    }

    #[test]
    fn by_default_every_model_runs_and_none_twice() {
        let chosen = choose(&Scene::new(), None).unwrap_or_default();
        for kind in SolverKind::ALL {
            assert!(chosen.iter().any(|contender| contender.kind == *kind), "{kind}");
        }
        let mut names: Vec<&String> = chosen.iter().map(|contender| &contender.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), chosen.len());
    }

    #[test]
    fn a_scene_with_baumgarte_runs_with_and_without_it() {
        let names = names(&baumgarte(), None);
        assert!(names.contains(&"sequential-impulse+baumgarte".to_owned()), "{names:?}");
        let biased = Contender::new(SolverKind::SequentialImpulse, baumgarte().world.stabilisation, true);
        assert_eq!(biased.scene(&baumgarte()).world.stabilisation, baumgarte().world.stabilisation);
        let reference = reference(&baumgarte());
        assert_eq!(word(&reference.stabilisation), "split-impulse", "a bias is no part of the law");
    }

    #[test]
    fn a_list_names_models_and_stabilisations() {
        let list = Some("soft-step, sequential-impulse+baumgarte,sequential-impulse+none");
        assert_eq!(
            names(&Scene::new(), list),
            ["soft-step", "sequential-impulse+baumgarte", "sequential-impulse+none"]
        );
        let all = names(&Scene::new(), Some("all+baumgarte"));
        assert_eq!(all.len(), SolverKind::ALL.len());
        for wrong in ["", "no-such", "soft-step+glue", ","] {
            assert!(choose(&Scene::new(), Some(wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_model_that_displaces_cannot_be_biased_and_says_so() {
        let biased = Contender::new(SolverKind::SoftStep, baumgarte().world.stabilisation, true);
        assert!(biased.misfit().is_some());
        assert!(Contender::new(SolverKind::SoftStep, StabilisationSpec::None, true).misfit().is_none());
    }
}
