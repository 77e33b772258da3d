//! Settings of `<compiler>` and default classes of one model; models that are attached keep theirs.

use super::super::attributes::Element;
use super::super::defaults::Classes;
use super::super::error::Fault;
use super::super::orientation::Angles;
use super::super::xml::Node;
use std::path::{Path, PathBuf};

/// When mass properties come from geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum FromGeoms {
    Never,
    Always,
    Auto,
}

/// Settings of one model.
#[derive(Debug)]
pub(in super::super) struct Scope {
    pub folder: PathBuf,
    pub meshdir: String,
    pub strippath: bool,
    pub angles: Angles,
    pub autolimits: bool,
    pub fitaabb: bool,
    pub from_geoms: FromGeoms,
    pub group_range: [f64; 2],
    pub boundmass: f64,
    pub boundinertia: f64,
    pub balanceinertia: bool,
    pub settotalmass: f64,
    pub fusestatic: bool,
    pub discardvisual: bool,
    pub alignfree: bool,
    pub classes: Classes,
}

impl Scope {
    /// The settings that `root` states; a later `<compiler>` wins.
    pub fn read(root: &Node, folder: &Path) -> Result<Self, Fault> {
        let mut scope = Self {
            folder: folder.to_owned(),
            meshdir: String::new(),
            strippath: false,
            angles: Angles { unit: 1.0_f64.to_radians(), sequence: *b"xyz" },
            autolimits: true,
            fitaabb: false,
            from_geoms: FromGeoms::Auto,
            group_range: [0.0, 5.0],
            boundmass: 0.0,
            boundinertia: 0.0,
            balanceinertia: false,
            settotalmass: -1.0,
            fusestatic: false,
            discardvisual: false,
            alignfree: false,
            classes: Classes::read(root)?,
        };
        for node in root.all("compiler") {
            scope.put(&Element::plain(node))?;
        }
        Ok(scope)
    }

    fn put(&mut self, e: &Element<'_>) -> Result<(), Fault> {
        if e.get("coordinate").is_some_and(|a| a.value != "local") {
            let message = "global coordinates are no longer part of MJCF";
            return Err(e.fault(message, "Convert the model with MuJoCo 2.3.3 or older."));
        }
        let unit = |degree: bool| if degree { 1.0_f64.to_radians() } else { 1.0 };
        self.angles.unit =
            e.choice("angle", &[("degree", unit(true)), ("radian", unit(false))], self.angles.unit)?;
        if let Some(sequence) = e.get("eulerseq") {
            let letters = sequence.value.as_bytes();
            let good = letters.len() == 3 && letters.iter().all(|b| b"xyzXYZ".contains(b));
            match <[u8; 3]>::try_from(letters).ok().filter(|_| good) {
                Some(letters) => self.angles.sequence = letters,
                None => {
                    let message = format!("`eulerseq` is {:?}", sequence.value);
                    return Err(Fault::at(&sequence.place, message, "Write three of x, y, z, X, Y, Z."));
                }
            }
        }
        for name in ["assetdir", "meshdir"] {
            if let Some(dir) = e.get(name) {
                self.meshdir = dir.value.clone();
            }
        }
        let words = [("false", FromGeoms::Never), ("true", FromGeoms::Always), ("auto", FromGeoms::Auto)];
        self.from_geoms = e.choice("inertiafromgeom", &words, self.from_geoms)?;
        self.strippath = e.flag("strippath", self.strippath)?;
        self.autolimits = e.flag("autolimits", self.autolimits)?;
        self.fitaabb = e.flag("fitaabb", self.fitaabb)?;
        self.group_range = e.reals("inertiagrouprange", self.group_range)?;
        self.boundmass = e.real("boundmass", self.boundmass)?;
        self.boundinertia = e.real("boundinertia", self.boundinertia)?;
        self.balanceinertia = e.flag("balanceinertia", self.balanceinertia)?;
        self.settotalmass = e.real("settotalmass", self.settotalmass)?;
        self.fusestatic = e.flag("fusestatic", self.fusestatic)?;
        self.discardvisual = e.flag("discardvisual", self.discardvisual)?;
        self.alignfree = e.flag("alignfree", self.alignfree)?;
        Ok(())
    }
}
