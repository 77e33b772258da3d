//! Meshes come in as they are, and broken files with a reason.

use super::{stl::is_text, *};
use huygens_geometry::CollisionShape;
use huygens_math::{SplitMix, Vec3};
use std::fmt::Write as _;

fn tetrahedron() -> TriangleSoup {
    TriangleSoup {
        vertices: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    }
}

/// Random vertices with single-precision coordinates, all of them used.
fn random_soup(r: &mut SplitMix) -> TriangleSoup {
    let n = 4 + r.index(20);
    let vertices: Vec<Vec3> = (0..n).map(|_| (r.in_cube() * 3.0).as_vec3().as_dvec3()).collect();
    let triangles = (0..n as u32).map(|i| [i, (i + 1) % n as u32, (i + 2) % n as u32]).collect();
    TriangleSoup { vertices, triangles }
}

fn corners(soup: &TriangleSoup) -> Vec<[Vec3; 3]> {
    soup.triangles.iter().map(|t| t.map(|i| soup.vertices[i as usize])).collect()
}

fn binary_stl(soup: &TriangleSoup) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes[..9].copy_from_slice(b"solid abc");
    bytes.extend((soup.triangles.len() as u32).to_le_bytes());
    for triangle in corners(soup) {
        bytes.extend([0; 12]);
        for v in triangle {
            v.to_array().into_iter().for_each(|x| bytes.extend((x as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn text_stl(soup: &TriangleSoup) -> String {
    let mut text = String::from("solid a name with endsolid in it\n");
    for triangle in corners(soup) {
        text += " facet normal 0 0 0\n  outer loop\n";
        for v in triangle {
            writeln!(text, "   vertex {} {:e} {:?}", v.x, v.y, v.z).unwrap();
        }
        text += "  endloop\n endfacet\n";
    }
    text + "endsolid a name\n"
}

fn text_obj(soup: &TriangleSoup) -> String {
    let mut text = String::from("# made by hand\nmtllib a.mtl\no thing\nvn 0 0 1\nvt 0 0\n");
    for v in &soup.vertices {
        writeln!(text, "v {} {:e} {:?}", v.x, v.y, v.z).unwrap();
    }
    for [a, b, c] in &soup.triangles {
        writeln!(text, "f {}/1/1 {}//1 {}", a + 1, b + 1, c + 1).unwrap();
    }
    text
}

fn message(result: Result<TriangleSoup, MeshError>) -> String {
    result.expect_err("must be refused").to_string()
}

#[test]
fn all_three_kinds_give_the_same_triangles_to_the_last_bit() {
    let mut r = SplitMix::new(1);
    for _ in 0..200 {
        let soup = random_soup(&mut r);
        assert_eq!(read_obj("a.obj", text_obj(&soup).as_bytes()).unwrap(), soup);
        for bytes in [binary_stl(&soup), text_stl(&soup).into_bytes()] {
            let found = read_stl("a.stl", &bytes).unwrap();
            assert_eq!(corners(&found), corners(&soup));
            assert_eq!(found.vertices.len(), soup.vertices.len(), "equal vertices become one");
        }
    }
}

#[test]
fn valid_files_read_as_stl_io_and_tobj_read_them() {
    let mut r = SplitMix::new(2);
    for _ in 0..100 {
        let soup = random_soup(&mut r);
        for bytes in [binary_stl(&soup), text_stl(&soup).into_bytes()] {
            // A binary header that begins with `solid` may be beyond stl_io.
            let mut plain = bytes.clone();
            if !is_text(&bytes) {
                plain[0] = b'S';
            }
            let theirs = stl_io::read_stl(&mut std::io::Cursor::new(&plain)).unwrap();
            let at = |i: usize| Vec3::from_array(theirs.vertices[i].0.map(f64::from));
            let theirs: Vec<[Vec3; 3]> = theirs.faces.iter().map(|f| f.vertices.map(at)).collect();
            assert_eq!(corners(&read_stl("a.stl", &bytes).unwrap()), theirs);
        }
        let text = text_obj(&soup);
        let options = tobj::LoadOptions { triangulate: true, ..Default::default() };
        let none = |_: &std::path::Path| Err(tobj::LoadError::OpenFileFailed);
        let (models, _) = tobj::load_obj_buf(&mut text.as_bytes(), &options, none).unwrap();
        let mesh = &models[0].mesh;
        let at = |i: &u32| {
            let p = &mesh.positions[3 * *i as usize..];
            Vec3::new(f64::from(p[0]), f64::from(p[1]), f64::from(p[2]))
        };
        let theirs: Vec<[Vec3; 3]> =
            mesh.indices.chunks(3).map(|t| [at(&t[0]), at(&t[1]), at(&t[2])]).collect();
        assert_eq!(corners(&read_obj("a.obj", text.as_bytes()).unwrap()), theirs);
    }
}

#[test]
fn polygons_negative_indices_comments_and_joined_lines_are_understood() {
    let text = "v 0 0 0 # origin\r\nv 1 0 0\r\nV 1 1 0 1.0\nv 0 1 0 0.5 0.5 0.5\nf -4 -3 \\\n -2 -1\n";
    let soup = read_obj("a.obj", text.as_bytes()).unwrap();
    assert_eq!(soup.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(soup.vertices[2], Vec3::new(1.0, 1.0, 0.0));
}

#[test]
fn two_solids_in_one_file_are_one_mesh() {
    let one = text_stl(&tetrahedron());
    let both = read_stl("a.stl", format!("{one}{}", one.to_uppercase()).as_bytes()).unwrap();
    assert_eq!((both.vertices.len(), both.triangles.len()), (4, 8));
}

#[test]
fn broken_binary_stl_names_byte_value_and_remedy() {
    let good = binary_stl(&tetrahedron());
    let cut = message(read_stl("a.stl", &good[..good.len() - 1]));
    assert_eq!(
        cut,
        "a.stl, byte 80: 4 triangles are announced, which take 284 bytes, but the file has 283. Copy or export it again."
    );
    let mut more = good.clone();
    more[80] = 5;
    assert!(message(read_stl("a.stl", &more)).contains("5 triangles are announced, which take 334 bytes"));
    more[83] = 0xFF;
    assert!(message(read_stl("a.stl", &more)).contains("4278190085 triangles are announced"));
    assert!(message(read_stl("a.stl", &good[..83])).starts_with("a.stl, "));
    assert!(message(read_stl("a.stl", &[0; 20])).starts_with("a.stl, byte 20: the file ends where"));
    assert!(message(read_stl("a.stl", b"")).contains("ends where"));
    assert!(message(read_stl("a.stl", &[0; 84])).contains("0 triangles"));
    let mut nan = good.clone();
    nan[84 + 12 + 4..84 + 12 + 8].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(
        message(read_stl("a.stl", &nan)),
        "a.stl, byte 100: y of the vertex is NaN; must be finite. Mend the vertex, or export the mesh again."
    );
}

#[test]
fn broken_text_stl_names_line_value_and_remedy() {
    let good = text_stl(&tetrahedron());
    let cases = [
        ("vertex 0 0e0 0.0", "vertex 0 zero 0", "line 4: y of the vertex is `zero`, which is no number."),
        ("vertex 0 0e0 0.0", "vertex 0 0 nan", "line 4: z of the vertex is NaN; must be finite."),
        ("vertex 0 0e0 0.0", "vertex 0 -1e999 0", "line 4: y of the vertex is -inf; must be finite."),
        ("vertex 0 0e0 0.0", "vertex 0 0", "line 5: z of the vertex is `vertex`, which is no number."),
        ("vertex 0 0e0 0.0", "vertex 0 0 0 0", "line 4: found `0` where `vertex` should come."),
        ("endloop", "loopend", "line 7: found `loopend` where `endloop` should come."),
        ("normal 0 0 0", "normal 0 0 up", "line 2: a number of the normal is `up`"),
        ("endsolid a name", "", "the file ends where `facet` or `endsolid` should come."),
    ];
    for (old, new, expected) in cases {
        let text = good.replacen(old, new, 1);
        let found = message(read_stl("a.stl", text.as_bytes()));
        assert!(found.starts_with("a.stl, line ") && found.contains(expected), "{found}");
    }
    assert!(message(read_stl("a.stl", b"solid nothing\nendsolid")).contains("0 triangles"));
    let long = format!("solid\n{}\n", "x".repeat(1000));
    assert!(message(read_stl("a.stl", long.as_bytes())).len() < 200);
}

#[test]
fn broken_obj_names_line_value_and_remedy() {
    let cases = [
        ("", "0 triangles"),
        ("v 0 0 0\n", "0 triangles"),
        ("v 0 0\n", "line 1: 2 numbers where x, y and z of a vertex should come."),
        ("v 0 0 inf\n", "line 1: z of the vertex is inf; must be finite."),
        ("v 0 0 NaN\n", "line 1: z of the vertex is NaN; must be finite."),
        ("v 0 0 1e400\n", "line 1: z of the vertex is inf; must be finite."),
        ("v 0 0 0x1\n", "line 1: z of the vertex is `0x1`, which is no number."),
        ("v 0 0 0\nf 1\n", "line 2: 1 numbers where three or more corners of a face should come."),
        ("v 0 0 0\nf 1 1 2\n", "line 2: the face names vertex 2, but 1 vertices stand before it"),
        ("v 0 0 0\nf 1 1 0\n", "line 2: the face names vertex 0, but 1 vertices"),
        ("v 0 0 0\nf 1 1 -2\n", "line 2: the face names vertex -2, but 1 vertices"),
        ("v 0 0 0\nf 1 1 -9223372036854775808\n", "line 2: the face names vertex -9223372036854775808"),
        ("v 0 0 0\nf 1 1 99999999999999999999\n", "line 2: a corner of the face is `99999999999999999999`"),
        ("v 0 0 0\nf 1/1/1/1 1 1\n", "line 2: a corner of the face is `1/1/1/1`"),
        ("\n\nvertex 0 0 0\n", "line 3: found `vertex` where a statement of the OBJ format"),
        ("v 0 0 0\nf 1 \\", "line 2: 1 numbers"),
    ];
    for (text, expected) in cases {
        let found = message(read_obj("a.obj", text.as_bytes()));
        assert!(found.starts_with("a.obj") && found.contains(expected), "{found}");
        assert!(found.ends_with('.'), "{found}");
    }
}

#[test]
fn the_crates_for_stl_and_obj_refuse_good_files_and_take_bad_ones() {
    // Why the readers are our own; should this fail one day, look at the crates again.
    let stl = |bytes: &[u8]| stl_io::read_stl(&mut std::io::Cursor::new(bytes)).ok().map(|s| s.faces.len());
    let mut good = binary_stl(&tetrahedron().scaled(-0.3));
    good[9] = b'\n';
    assert_eq!(read_stl("a.stl", &good).unwrap().triangles.len(), 4);
    assert_eq!(stl(&good), None, "of 4 triangles in a binary file whose header is the line `solid abc`");
    let mut longer = good.clone();
    longer[0] = b'S';
    longer.extend([1; 50]);
    assert_eq!(stl(&longer), Some(4), "of 5 triangles where the header announces 4");
    let none = |_: &std::path::Path| Err(tobj::LoadError::OpenFileFailed);
    let bad = "v 0 0 nan\nv 1 0 0\nv 0 1 0\nnonsense 1 2\nf 1 2 3\n";
    let tobj = tobj::load_obj_buf(&mut bad.as_bytes(), &tobj::LoadOptions::default(), none);
    assert!(tobj.is_ok(), "a coordinate that is not a number and a statement that does not exist");
}

#[test]
fn the_hull_of_a_file_is_the_hull_of_its_vertices() {
    let mut r = SplitMix::new(3);
    for _ in 0..50 {
        let soup = random_soup(&mut r);
        let (CollisionShape::Hull(file), CollisionShape::Hull(points)) = (
            read_stl("a.stl", &binary_stl(&soup)).unwrap().scaled(0.001).hull().unwrap(),
            CollisionShape::hull(&soup.clone().scaled(0.001).vertices).unwrap(),
        ) else {
            panic!("hulls are hulls")
        };
        assert_eq!((file.vertices(), file.edges()), (points.vertices(), points.edges()));
    }
    let flat = TriangleSoup { vertices: vec![Vec3::ZERO, Vec3::X, Vec3::Y], triangles: vec![[0, 1, 2]] };
    assert!(flat.hull().unwrap_err().to_string().contains("3 different points"));
}

#[test]
fn a_turned_box_in_single_precision_has_six_faces() {
    let mut r = SplitMix::new(4);
    for _ in 0..100 {
        let (q, at) = (r.rotation(), r.in_cube() * 20.0);
        let size = Vec3::new(r.range(0.2, 2.0), r.range(0.2, 2.0), r.range(0.2, 2.0));
        let corner = |i: u32| {
            let sign = |bit: u32| if i & bit == 0 { -0.5 } else { 0.5 };
            (q * (size * Vec3::new(sign(1), sign(2), sign(4))) + at).as_vec3().as_dvec3()
        };
        let soup = TriangleSoup {
            vertices: (0..8).map(corner).collect(),
            triangles: vec![[0, 1, 2], [2, 1, 3], [4, 5, 6], [6, 5, 7]],
        };
        let CollisionShape::Hull(hull) = read_stl("a.stl", &binary_stl(&soup)).unwrap().hull().unwrap()
        else {
            panic!("a hull is a hull")
        };
        assert_eq!((hull.vertices().len(), hull.face_count()), (8, 6));
    }
}

#[test]
fn files_are_told_apart_by_their_names() {
    let dir = std::env::temp_dir().join(format!("huygens-mesh-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let soup = tetrahedron();
    std::fs::write(dir.join("a.STL"), binary_stl(&soup)).unwrap();
    std::fs::write(dir.join("a.obj"), text_obj(&soup)).unwrap();
    assert_eq!(corners(&read(&dir.join("a.STL")).unwrap()), corners(&soup));
    assert_eq!(read(&dir.join("a.obj")).unwrap(), soup);
    assert!(message(read(&dir.join("a.ply"))).contains("ends in `ply`"));
    assert!(message(read(&dir.join("b.stl"))).contains("cannot be read"));
    std::fs::remove_dir_all(&dir).unwrap();
}

/// Flips, drops, doubles or cuts some bytes.
fn mutate(r: &mut SplitMix, good: &[u8]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..1 + r.index(4) {
        if bytes.is_empty() {
            break;
        }
        let at = r.index(bytes.len());
        match r.index(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, b"0-e/\\ \n."[r.index(8)]),
            3 => bytes[at] = r.index(256) as u8,
            4 => {
                let end = (at + r.index(30)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => bytes[at] ^= 1 << r.index(8),
        }
    }
    bytes
}

#[test]
fn a_hundred_thousand_damaged_files_never_panic() {
    let mut r = SplitMix::new(5);
    let soup = tetrahedron();
    let good = [binary_stl(&soup), text_stl(&soup).into_bytes(), text_obj(&soup).into_bytes()];
    let (mut fine, mut hulls) = (0, 0);
    for round in 0..102_000 {
        let kind = round % 3;
        let bytes = mutate(&mut r, &good[kind]);
        let found = if kind == 2 { read_obj("a.obj", &bytes) } else { read_stl("a.stl", &bytes) };
        match found {
            Ok(soup) => {
                fine += 1;
                assert!(soup.vertices.iter().all(|v| v.is_finite()));
                assert!(soup.triangles.iter().flatten().all(|i| (*i as usize) < soup.vertices.len()));
                hulls += usize::from(soup.hull().is_ok());
            }
            Err(error) => assert!(error.to_string().len() > 20),
        }
    }
    println!("{fine} of 102000 damaged files still read, {hulls} of those have a hull");
    assert!(fine > 1000 && hulls > 1000);
}
