//! `cargo xtask dist`: the program `atelier` as one static file for each architecture of Linux. zig is the C compiler and
//! the linker, so that no system has to have a cross compiler.

use std::fs;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::console;
use crate::log;
use crate::process::output;
use crate::provision::packages;
use crate::workspace::Workspace;

/// Type of the program header that names a loader of shared libraries.
const INTERPRETER: [u8; 4] = 3_u32.to_le_bytes();

/// Arguments of `cargo xtask dist`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Targets to build, among those of musl
    #[arg(
        long,
        value_name = "TARGET",
        default_values = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"]
    )]
    target: Vec<String>,
}

/// Builds `target/dist/atelier-<target>` for each target.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let zig = packages::find_or_install_zig(&workspace)?;
    console::build(&workspace)?;
    let folder = workspace.target.join("dist");
    fs::create_dir_all(&folder)?;
    for target in &args.target {
        output("rustup target add", Command::new("rustup").args(["target", "add", target]))?;
        let mut build = Command::new(zig.join("bin/cargo-zigbuild"));
        build
            .args(["zigbuild", "--profile", "dist", "--package", "cli", "--bin", "atelier"])
            .args(["--target", target])
            .current_dir(&workspace.root)
            .env("CARGO_ZIGBUILD_ZIG_PATH", zig.join("ziglang/zig"));
        ensure!(
            build.status().context("start cargo-zigbuild")?.success(),
            "atelier doesn't build for {target}"
        );
        let built = workspace.target.join(target).join("dist/atelier");
        let bytes = fs::read(&built).with_context(|| format!("read {}", built.display()))?;
        ensure!(is_static(&bytes), "{} needs shared libraries", built.display());
        let file = folder.join(format!("atelier-{target}"));
        fs::copy(&built, &file)?;
        log(file.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// True for an ELF file of 64 bits, little endian, that no loader of shared libraries has to start.
fn is_static(file: &[u8]) -> bool {
    let number = |at: usize, length: usize| {
        let bytes = file.get(at..at.checked_add(length)?)?;
        let number = bytes.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        usize::try_from(number).ok()
    };
    // Offset, size and number of the program headers.
    let (Some(first), Some(size), Some(count)) = (number(32, 8), number(54, 2), number(56, 2)) else {
        return false;
    };
    let headers = file.get(first..).unwrap_or_default().chunks(size.max(1)).take(count);
    file.starts_with(b"\x7fELF\x02\x01")
        && headers.into_iter().all(|header| !header.starts_with(&INTERPRETER))
}

#[cfg(test)]
mod tests {
    use super::is_static;

    #[test]
    fn this_program_is_not_static_and_a_text_is_no_program() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(!is_static(&own));
        assert!(!is_static(b"#!/bin/sh"));
    }

    #[test]
    fn a_program_whose_headers_name_no_interpreter_is_static() {
        let mut program = b"\x7fELF\x02\x01".to_vec();
        program.resize(64 + 2 * 56, 0);
        (program[32], program[54], program[56]) = (64, 56, 2);
        program[64] = 1;
        assert!(is_static(&program));
        program[64 + 56] = 3;
        assert!(!is_static(&program));
    }
}
