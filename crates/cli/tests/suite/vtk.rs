//! `--out` for ParaView, read back by meshio and by VTK's own reader.

use crate::common::{folder, huygens, path, text};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Python with meshio and VTK: installed into a folder of the tests where it is not there yet. `None`, with a note, where Python is
/// missing or the packages cannot be installed.
fn python() -> Option<PathBuf> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vtk-python");
    let python = home.join("bin/python");
    let works = |python: &Path| {
        let imports = Command::new(python).args(["-c", "import meshio, numpy, vtk"]).output();
        imports.is_ok_and(|output| output.status.success())
    };
    if works(&python) {
        return Some(python);
    }
    let made = Command::new("python3").args(["-m", "venv"]).arg(&home).output();
    if !made.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no Python here, so meshio and VTK read nothing back");
        return None;
    }
    let packages = ["-m", "pip", "install", "--quiet", "meshio==5.3.5", "numpy", "vtk"];
    let _ = Command::new(&python).args(packages).output();
    if !works(&python) {
        eprintln!("skipped: pip cannot install meshio and vtk here, so they read nothing back");
        return None;
    }
    Some(python)
}

/// What a program says that reads files.
fn read(python: &Path, code: &str, folder: &Path) -> String {
    let output = Command::new(python).args(["-c", code]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout).trim().to_owned()
}

const MECHANISM: &str = r#"[world]
dt = 0.005
steps = 10
[[body]]
name = "floor"
motion = "static"
shape = { kind = "half-space" }
[[body]]
name = "box"
position = [0, 0, 0.5]
shape = { kind = "box", size = [1, 1, 1] }
[[body]]
name = "bob"
position = [4, 0, 3]
shapes = [{ kind = "sphere", radius = 0.2 }, { kind = "cylinder", radius = 0.05, length = 1, axis = "x" }]
[[joint]]
name = "pivot"
child = "bob"
anchor = [3, 0, 3]
axis = [0, 1, 0]
"#;

const MESHIO: &str = r#"
import meshio, numpy
surfaces = meshio.read("run/surfaces_0000010.vtu")
cells = surfaces.cells_dict["triangle"]
body = surfaces.cell_data["body"][0].ravel()
static = surfaces.cell_data["static"][0].ravel()
assert set(body) == {0, 1, 2} and set(body[static == 1]) == {2}, (set(body), set(static))
box = surfaces.points[numpy.unique(cells[body == 0])]
assert len(cells[body == 0]) == 12 and numpy.allclose(box.max(axis=0) - box.min(axis=0), 1, atol=1e-6), box
assert surfaces.cell_data["speed"][0].shape[0] == len(cells)
contacts = meshio.read("run/contacts_0000010.vtu")
force = contacts.cell_data["force"][0]
assert len(contacts.cells_dict["line"]) == len(force) == 4
assert abs(force[:, 2].sum()) > 9000, force
assert set(contacts.cell_data["bodies"][0].ravel()) == {0, 2}
start = meshio.read("run/contacts_0000000.vtu")
assert "line" not in start.cells_dict and not start.cell_data["force"][0].any(), start
joints = meshio.read("run/joints_0000010.vtu")
assert numpy.allclose(joints.points, [[3, 0, 3]], atol=1e-9), joints.points
assert joints.point_data["q"].size == 1 and abs(joints.point_data["q"].ravel()[0]) > 1e-4
assert numpy.allclose(joints.point_data["axis"], [[0, 1, 0]])
bodies = meshio.read("run/bodies_0000010.vtu")
assert bodies.points.shape == (2, 3) and bodies.point_data["velocity"].shape == (2, 3)
names = [line.split(",") for line in open("run/names.csv").read().split()]
assert names[1:] == [["0", "box", "0"], ["1", "bob", "0"], ["2", "floor", "1"]], names
legacy = meshio.read("still.vtk")
assert len(legacy.cells_dict["triangle"]) == len(cells) and set(legacy.cell_data["body"][0].ravel()) == {0, 1, 2}
print("read")
"#;

const VTK: &str = r#"
import vtk
def grid(name):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(name)
    reader.Update()
    assert reader.GetErrorCode() == 0
    return reader.GetOutput()
surfaces = grid("run/surfaces_0000010.vtu")
assert surfaces.GetCellType(0) == 5 and surfaces.GetNumberOfCells() > 100
assert surfaces.GetCellData().GetArray("body").GetRange() == (0.0, 2.0)
assert grid("run/contacts_0000010.vtu").GetCellData().GetArray("force").GetNumberOfTuples() == 4
assert grid("run/contacts_0000000.vtu").GetCellType(0) == 1
assert grid("run/joints_0000003.vtu").GetPointData().GetArray("q").GetNumberOfTuples() == 1
assert abs(grid("run/bodies_0000004.vtu").GetFieldData().GetArray("TimeValue").GetValue(0) - 0.02) < 1e-12
reader = vtk.vtkUnstructuredGridReader()
reader.SetFileName("still.vtk")
reader.ReadAllScalarsOn()
reader.Update()
legacy = reader.GetOutput()
assert legacy.GetNumberOfCells() == surfaces.GetNumberOfCells() and legacy.GetCellData().HasArray("static")
print("read")
"#;

#[test]
fn meshio_and_vtk_read_surfaces_contacts_joints_and_names() {
    let folder = folder("vtk");
    let scene = path(&folder, "mechanism.toml");
    std::fs::write(&scene, MECHANISM).unwrap();
    for file in ["run.pvd", "still.vtk"] {
        let output = huygens(&["run", &scene, "--out", &path(&folder, file)]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    for collection in ["run.pvd", "run_surfaces.pvd", "run_contacts.pvd", "run_joints.pvd"] {
        let listed = std::fs::read_to_string(folder.join(collection)).unwrap();
        assert_eq!(listed.matches("<DataSet timestep=").count(), 11, "{collection}");
    }
    assert!(
        std::fs::read_to_string(folder.join("still.vtk")).unwrap().starts_with("# vtk DataFile Version 3.0")
    );
    let series = std::fs::read_to_string(folder.join("still.vtk.series")).unwrap();
    let series: serde_json::Value = serde_json::from_str(&series).unwrap();
    assert_eq!(series["files"].as_array().unwrap().len(), 11);
    let Some(python) = python() else { return };
    assert_eq!(read(&python, MESHIO, &folder), "read");
    assert_eq!(read(&python, VTK, &folder), "read");
}

#[test]
fn grids_of_an_earlier_run_do_not_stay_behind() {
    let folder = folder("vtk_again");
    let out = path(&folder, "run.pvd");
    let grids = || std::fs::read_dir(folder.join("run")).unwrap().count();
    huygens(&["run", "jsim/drop", "--steps", "20", "--out", &out]);
    assert_eq!(grids(), 4 * 21 + 1);
    std::fs::write(folder.join("run/mine.vtu"), "").unwrap();
    huygens(&["run", "jsim/drop", "--steps", "3", "--out", &out]);
    assert_eq!(grids(), 4 * 4 + 2, "what is not ours stays");
}
