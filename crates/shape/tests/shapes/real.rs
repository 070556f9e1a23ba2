//! Real files against OpenCascade. They are in `../shared/inputs` beside the repository or in `ATELIER_TEST_INPUTS`.

use std::path::{Path, PathBuf};

use super::{assert_like, faces, scene};

/// Name, box in millimetres, area in square millimetres, and the faces of its definitions, by OpenCascade 8.0.1.
const FILES: [(&str, [f64; 3], f64, u64); 14] = [
    ("#332_file.stp", [20.0, 20.0, 100.0], 7077.96, 7),
    ("7.STEP", [150.0, 270.0, 270.0], 1_637_709.8, 670),
    ("Hotend_Mount_Dragonfly_BMS_7_FINS.step", [30.8, 22.1899, 15.6], 3818.97, 49),
    ("MiniSB_adxl_mount_adafruit_LIS3DH.step", [50.34, 49.2233, 65.5193], 11_835.33, 702),
    ("Molex_SlimStack_54722-0804_2x40_P0.50mm_Vertical.step", [22.6, 6.0, 1.15], 679.032, 4852),
    ("RPi_or_BTT-Pico_Din_Mount.STEP", [63.975, 54.0, 27.83], 8603.42, 599),
    ("SCDR.stp", [1663.7634, 1021.0, 1653.216], 18_177_729.4, 1369),
    ("TestPoint_Bridge_Pitch2.54mm_Drill1.0mm.step", [3.34, 0.8, 5.07], 28.1231, 5),
    ("as1-oc-214.stp", [200.0, 150.0, 84.0], 141_079.3, 53),
    ("dm1-id-214.stp", [50.0, 87.0, 100.0], 31_850.91, 24),
    ("eight_cyl.stp", [499.4194, 195.866, 453.889], 125_663.7, 24),
    ("nist_ctc_01_asme1_ap242.stp", [800.0, 450.0, 150.0], 807_080.8, 117),
    ("stp_multiple_shp_at_root.stp", [64.719, 6.5278, 118.22], 13_877.1, 43),
    ("tia.step", [22.0, 22.0, 11.1506], 1690.924, 474),
];

/// The folder of real STEP files; prints that the test is skipped if it is absent.
pub(crate) fn folder() -> Option<PathBuf> {
    let beside = ["../../../shared/inputs", "../../../../shared/inputs"];
    let beside = beside.map(|path| Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    let said = std::env::var_os("ATELIER_TEST_INPUTS").map(PathBuf::from);
    let found =
        said.into_iter().chain(beside).map(|inputs| inputs.join("open/step")).find(|folder| folder.is_dir());
    if found.is_none() {
        eprintln!("NOT TESTED: no real inputs in ../shared/inputs or ATELIER_TEST_INPUTS");
    }
    found
}

#[test]
fn every_face_of_real_files_is_shown_where_opencascade_has_it() {
    let Some(folder) = folder() else { return };
    for (name, expected, expected_area, count) in FILES {
        let scene = scene(&folder.join(name));
        assert_eq!(faces(&scene), (count, count), "{name}");
        assert_like(name, &scene, expected, expected_area, [0.001, 0.005]);
    }
}
