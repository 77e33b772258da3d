//! Random scenes for `energy`: bodies that start free of overlap, with methods that never bring energy in; two of five have a mechanism.

use super::body::chance;
use super::crowd::Crowd;
use super::settings::Methods;
use huygens::Scene;
use huygens::contact::Compliance;
use huygens::math::SplitMix;

/// A random scene.
pub fn scene(random: &mut SplitMix, solver: &str) -> Scene {
    // By a stream of its own: scenes without a mechanism are those of the seeds from before there were any.
    let has_mechanism = chance(&mut SplitMix::new(random.clone().bits() ^ 0x6D65_6368), 0.4);
    let crowd = Crowd { methods: Methods::Passive, trees: false, ..Crowd::USUAL };
    if !has_mechanism {
        return crowd.scene(random, solver);
    }
    let mut scene = Crowd { bodies: [0, 3], mechanisms: 1.0, seconds: 4.0, most_steps: 1000, ..crowd }
        .scene(random, solver);
    // A limit that gives way holds energy that no coordinate tells.
    for joint in &mut scene.joints {
        joint.limit = Compliance::Rigid;
    }
    scene
}
