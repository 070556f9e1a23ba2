//! Detection of a source file's language by name and content. The languages are those of GitHub's Linguist, and those
//! of machines, circuits and simulations.

use std::path::Path;
use std::sync::LazyLock;

use linguist::{DetectedLanguage, definitions, detect_language, detect_language_by_extension};
use linguist_types::LanguageType;

use super::engineering;

/// Linguist's name for notebooks of Jupyter.
pub(super) const NOTEBOOK: &str = "Jupyter Notebook";

/// Bytes of content that heuristics search.
const CONTENT_MAX_BYTES: usize = 50 * 1024;

/// Languages of markup and data, by Linguist's types, that count as source here.
const ALSO_SOURCE: [&str; 16] = [
    NOTEBOOK,
    "Astro",
    "CSS",
    "GraphQL",
    "HTML",
    "Less",
    "Protocol Buffer",
    "SCSS",
    "SQL",
    "Sass",
    "Stylus",
    "Svelte",
    "TeX",
    "Vue",
    "HTML+ERB",
    "Blade",
];

/// The language of a file by name and beginning; `None` if it isn't source.
pub(super) fn of(name: &str, beginning: &str) -> Option<&'static str> {
    let content = beginning.get(..beginning.floor_char_boundary(CONTENT_MAX_BYTES)).unwrap_or_default();
    // Linguist compares the last component, which `..` lacks.
    let path = Path::new(name);
    let lower = name.to_lowercase();
    let extension = extension(&lower);
    if let Some(language) = engineering::by_content(extension, content) {
        return Some(language);
    }
    let detected = [path, Path::new(&lower)].into_iter().find_map(|path| {
        // A heuristic that takes too long fails; the extension remains.
        let found = detect_language(path, Some(content)).or_else(|_| detect_language_by_extension(path));
        choose(path, found.unwrap_or_default())
    });
    let Some(detected) = detected.or_else(|| by_shebang(content)) else {
        return engineering::by_extension(extension);
    };
    is_source(detected).then_some(detected)
}

/// The last part of a file name; empty without one.
fn extension(name: &str) -> &str {
    Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// The language with a name or alias, in any case.
pub(super) fn named(name: &str) -> Option<&'static str> {
    let name = name.trim().to_lowercase();
    let by_alias = |aliases: &[String]| aliases.contains(&name);
    let found = definitions::LANGUAGES.iter().find(|(known, language)| {
        known.to_lowercase() == name || language.aliases.as_deref().is_some_and(by_alias)
    });
    found.map(|(known, _)| known.as_str())
}

/// Of several languages with the same extension, that of engineering, else the one that lists it first.
fn choose(path: &Path, found: Vec<DetectedLanguage>) -> Option<&'static str> {
    let plain = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if let ([_, _, ..], Some(preferred)) = (found.as_slice(), engineering::preferred(plain)) {
        return Some(preferred);
    }
    let extension = format!(".{plain}");
    let own = |language: &&DetectedLanguage| {
        language
            .definition
            .extensions
            .as_ref()
            .and_then(|all| all.first())
            .is_some_and(|first| *first == extension)
    };
    found.iter().find(own).or_else(|| found.first()).map(|language| language.name)
}

fn is_source(language: &str) -> bool {
    let definition = definitions::LANGUAGES.get(language);
    let is_programming =
        definition.is_some_and(|language| language.language_type == LanguageType::Programming);
    is_programming || ALSO_SOURCE.contains(&language)
}

/// Languages by interpreter.
static INTERPRETERS: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let mut interpreters: Vec<(&str, &str)> = definitions::LANGUAGES
        .iter()
        .flat_map(|(name, language)| {
            language.interpreters.iter().flatten().map(move |by| (by.as_str(), name.as_str()))
        })
        .collect();
    interpreters.sort_unstable();
    interpreters
});

/// The language of the interpreter in the first line, as in `#!/usr/bin/env -S python3.12 -u`.
fn by_shebang(content: &str) -> Option<&'static str> {
    let mut words = content.lines().next()?.strip_prefix("#!")?.split_whitespace();
    let last_part = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let mut program = last_part(words.next()?);
    if program == "env" {
        program = last_part(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
    }
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let known =
        |program: &str| INTERPRETERS.iter().find(|(by, _)| *by == program).map(|(_, language)| *language);
    known(&program).or_else(|| known(plain))
}

#[cfg(test)]
mod tests {
    use super::{named, of};

    #[test]
    fn languages_are_found_by_name_in_any_case_and_by_alias() {
        for (name, language) in [
            ("python", Some("Python")),
            ("R", Some("R")),
            ("c++", Some("C++")),
            ("golang", Some("Go")),
            ("qu", None),
        ] {
            assert_eq!(named(name), language, "{name}");
        }
    }

    #[test]
    fn languages_are_detected_by_name_then_by_content() {
        for (name, content, language) in [
            ("a.rs", "fn main() {}", Some("Rust")),
            ("A.PY", "", Some("Python")),
            ("Makefile", "all:", Some("Makefile")),
            ("Dockerfile", "FROM scratch", Some("Dockerfile")),
            ("a.h", "#include <vector>\nclass A {};", Some("C++")),
            ("a.h", "int a;", Some("C")),
            ("a.m", "@interface A", Some("Objective-C")),
            ("a.m", "function y = f(x)\n% f\n", Some("MATLAB")),
            ("a.ts", "let a: number;", Some("TypeScript")),
            ("a.sql", "select 1;", Some("SQL")),
            ("run", "#!/usr/bin/env -S python3.12 -u\n", Some("Python")),
            ("run", "#!/bin/bash", Some("Shell")),
            ("run", "#!", None),
            ("a.csv", "a,b", None),
            ("a.md", "# a", None),
            ("a.json", "{}", None),
            ("LICENSE", "MIT", None),
            ("notes.txt", "a", None),
            ("..", "a", None),
        ] {
            assert_eq!(of(name, content), language, "{name} {content}");
        }
    }

    #[test]
    fn languages_of_engineering_are_detected_by_content_where_extensions_collide() {
        for (name, content, language) in [
            ("part.nc", "%\nO1000 (PART)\nG21 G90\nM30\n%\n", "G-code"),
            ("part.NC", "N10 G0X0Y0\r\nN20 M30\r\n", "G-code"),
            ("part.nc", "module PartC { uses interface Boot; }\n", "nesC"),
            ("O1000", "%\nO1000\nG0X0\n%", "G-code"),
            ("part.mpf", "", "G-code"),
            ("part.h", "0 BEGIN PGM PART MM\n1 TOOL CALL 1 Z\n", "Heidenhain Klartext"),
            ("motor.st", "FUNCTION_BLOCK FB_Motor\nVAR_INPUT\nEND_VAR\n", "Structured Text"),
            ("motor.st", "IF bStart THEN bRun := TRUE; END_IF;\n", "Structured Text"),
            ("motor.st", "Object subclass: #Motor\n  instanceVariableNames: ''\n", "Smalltalk"),
            ("Motor.TcPOU", "<?xml version=\"1.0\"?>\n<TcPlcObject>", "Structured Text"),
            ("ap242.exp", "SCHEMA part_model;\nENTITY part;\n", "EXPRESS"),
            ("motor.awl", "ORGANIZATION_BLOCK OB 1", "Instruction List"),
            ("amp.asc", "Version 4\r\nSHEET 1 880 680\r\n", "LTspice Schematic"),
            ("amp.sp", "* amplifier\n.subckt amp in out\n.ends\n", "SPICE"),
            ("amp.sp", "#include <sourcemod>\npublic void OnPluginStart() {}", "SourcePawn"),
            ("amp.sub", "* switch\n.SUBCKT sw 1 2\nM1 n1 n2 0 0 nmos\n.ENDS\n", "SPICE"),
            ("amp.net", "V1 in 0 5\nR1 in out 1k\n.end\n", "SPICE"),
            ("filter.va", "module filter(a, b);", "Verilog-AMS"),
            ("x.m", "x = 1;\ny = 2;\n", "MATLAB"),
            ("x.m", ":- module x.\n:- interface.\n", "Mercury"),
            ("plate.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0,0,0,1,1,1};\n", "Gmsh"),
            ("plate.geo", "#version 150\nlayout(triangles) in;\nvoid main() {}\n", "GLSL"),
            (
                "plate.fs",
                "FeatureScript 2345;\nimport(path : \"onshape/std/geometry.fs\");\n",
                "FeatureScript",
            ),
            ("plate.pro", "mapkey $F1 @MAPKEY_NAMEsave;\\\n", "Creo"),
            ("plate.pro", "pro plot_it, x\n  compile_opt idl2\nend\n", "IDL"),
            ("plate.dcl", "plate : dialog {\n  : button { key = \"ok\"; }\n}\n", "DCL"),
            ("plate.lsp", "(defun c:plate () (command \"line\"))", "AutoLISP"),
            ("plate.FCMacro", "import FreeCAD\n", "Python"),
            ("plate.CATScript", "Sub CATMain()\nEnd Sub\n", "VBScript"),
            ("top.do", "vlib work\nvcom top.vhd\nrun -all\n", "Tcl"),
            ("top.do", "use auto.dta\nregress mpg weight\n", "Stata"),
            ("top.v", "module top(input a);\nendmodule\n", "Verilog"),
            ("top.qsf", "set_global_assignment -name FAMILY \"Cyclone V\"\n", "Tcl"),
            ("top.lpf", "LOCATE COMP \"clk\" SITE \"P1\";\n", "Lattice Preferences"),
            ("pcell.il", "procedure( makeCell(lib)\n  let((a) a)\n)\n", "SKILL"),
            ("pick.ls", "/PROG  PICK\n/ATTR\n", "FANUC TP"),
            ("pick.mod", "MODULE Pick\n  PROC main()\n  ENDPROC\nENDMODULE\n", "RAPID"),
            ("pick.mod", "MODULE Pick;\nBEGIN\nEND Pick.\n", "Modula-2"),
            ("pick.src", "&ACCESS RVP\nDEF pick( )\nEND\n", "KUKA Robot Language"),
            ("pick.dat", "DEFDAT pick\nENDDAT\n", "KUKA Robot Language"),
            ("pick.script", "def pick():\n  movej([0,0,0,0,0,0])\nend\n", "URScript"),
            ("pick.urdf", "<?xml version=\"1.0\"?>\n<robot name=\"r\"/>\n", "URDF"),
            ("crash.k", "*KEYWORD\n*NODE\n", "LS-DYNA"),
            ("beam.inp", "*HEADING\n*NODE\n1, 0, 0, 0\n", "Abaqus"),
            ("beam.inp", "/PREP7\nET,1,SOLID185\n", "APDL"),
            ("beam.bdf", "SOL 101\nCEND\nBEGIN BULK\n", "Nastran"),
            ("kernel.cl", "__kernel void add(__global float* a) {}", "OpenCL"),
            ("dsp.cmd", "MEMORY\n{\n  RAM : origin = 0x0\n}\n", "Linker Script"),
            ("dsp.cmd", "@echo off\nset MEMORY=1\n", "Batchfile"),
            ("board.dts", "/dts-v1/;\n/ { };\n", "Devicetree"),
        ] {
            assert_eq!(of(name, content), Some(language), "{name} {content}");
        }
        // Data with the extensions of languages.
        for (name, content) in [
            ("parts.lib", "EESchema-LIBRARY Version 2.4\n"),
            ("board.net", "(export (version D)\n"),
            ("film.sub", "{1}{25}Hello\n"),
            ("font.bdf", "STARTFONT 2.1\n"),
            ("points.dat", "0 0\n1 2\n"),
            ("notes.txt", "G0 X0\n.subckt a b\n"),
            ("board.kicad_pcb", "(kicad_pcb (version 20240108))"),
        ] {
            assert_eq!(of(name, content), None, "{name} {content}");
        }
    }
}
