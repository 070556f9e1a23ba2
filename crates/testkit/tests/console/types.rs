//! The types of the console's modules, which are written in their comments and checked by TypeScript. It needs npm;
//! without it the test prints that it is skipped.

use std::path::Path;
use std::process::Command;

use testkit::registry::npm;

#[test]
fn the_types_of_the_console_agree() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("console-types");
    let Some(folder) = npm(&folder, &["typescript@5.9.3"]) else { return };
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../console/assets");
    let mut check = Command::new(folder.join("node_modules/.bin/tsc"));
    check.args(["--checkJs", "--noEmit", "--strict", "--target", "es2024", "--module", "esnext"]);
    check.args(["--moduleResolution", "bundler", "--lib", "es2024,dom,dom.iterable,dom.asynciterable"]);
    let done = check.arg(assets.join("main.js")).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}
