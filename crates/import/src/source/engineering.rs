//! Languages of machines, circuits, controllers and simulations, whose extensions Linguist gives to others or lacks.
//!
//! Extensions collide here (`.nc` is G-code and nesC), so most rules ask for a sign in the text.

use regex_lite::Regex;

/// Languages by extension and a regular expression that finds a sign of the language. The first that fits counts.
const BY_CONTENT: &[(&str, &[&str], &str)] = &[
    // Circuits. They come first, because a transistor looks like a command of a machine: `M1 n1 n2`.
    ("LTspice Schematic", &["asc"], r"\AVersion 4(?:\.\d)?\s+SHEET\b"),
    (
        "SPICE",
        &["cdl", "cir", "ckt", "hsp", "net", "sp", "spi", "spice", "sub"],
        concat!(
            concat!(
                r"(?mi)^\s*\.(?:subckt|model|ends?|tran|ac|dc|op|include|inc|lib|param|options?|",
                r"temp|print|meas(?:ure)?)\b|"
            ),
            r"^[RCLV]\w*[ \t]+\w+[ \t]+\w+[ \t]+[\d.]+\w*"
        ),
    ),
    ("SPICE", &["inc", "lib", "mdl", "mod", "model"], r"(?mi)^\s*\.(?:subckt|model)\s+\w"),
    // Robots.
    ("FANUC TP", &["ls"], r"(?m)^\s*/PROG\b"),
    ("KAREL", &["kl"], r"(?mi)^\s*PROGRAM\s+\w+"),
    (
        "RAPID",
        &["mod", "modx", "prg", "sys", "sysx"],
        concat!(
            r"(?mi)^\s*(?:ENDMODULE\b|Move(?:J|L|C|AbsJ)\s|",
            r"MODULE\s+\w+\s*(?:\([\w,\s]*\))?\s*$|(?:PERS|CONST)\s+robtarget\b)"
        ),
    ),
    (
        "KUKA Robot Language",
        &["dat", "src", "sub"],
        r"(?mi)^\s*(?:&(?:ACCESS|REL|PARAM)\b|(?:GLOBAL\s+)?DEF(?:FCT)?\s+[\w ]+\(|DEFDAT\s+\w+|;FOLD\b)",
    ),
    ("INFORM", &["jbi"], r"(?m)^\s*/JOB\b"),
    (
        "URScript",
        &["script"],
        r"(?m)^\s*(?:def\s+\w+\s*\(.*\):|(?:movej|movel|movep|movec|textmsg|set_\w+)\s*\(|thread\s+\w+|sec\s+\w+\()",
    ),
    ("Kawasaki AS", &["as", "pg"], r"(?m)^\s*\.PROGRAM\b"),
    ("PDL2", &["pdl"], r"(?mi)^\s*PROGRAM\s+\w+"),
    ("SPEL+", &["prg"], r"(?mi)^\s*Fend\b"),
    ("MELFA BASIC", &["mb4", "mb5", "mb6", "prg"], r"(?mi)^\s*(?:\d+\s+)?(?:Mov|Mvs|Mvr|Ovrd|Servo On)\s"),
    // Machine tools.
    ("Heidenhain Klartext", &["h", "hnc"], r"(?m)^\s*(?:\d+\s+)?BEGIN PGM\b"),
    (
        "G-code",
        &[
            "anc", "arc", "cnc", "din", "dnc", "eia", "fan", "fnc", "g", "gc", "gcd", "gcode", "iso", "knc",
            "maz", "min", "mpf", "nc", "nc1", "ncc", "ncd", "ncg", "ncp", "ngc", "pim", "ptp", "spf", "ssb",
            "sub", "tap",
        ],
        concat!(
            r"(?mi)\A\s*%[^\n]*\n\s*[:O]\d{1,8}\b|^%_N_\w+_[MS]PF|",
            r"^\s*(?:/\d?\s*)?(?:[N:]\d+\s*)?(?:[OT]\d+\s*)?[GM]\d{1,3}(?:\.\d)?(?:\s*[A-Z][-+.=\d]|\s*$|\s*[;(])"
        ),
    ),
    // Numbered programs of Fanuc's controls have no extension.
    ("G-code", &[""], r"\A\s*%\s*\n\s*[:O]\d{1,8}\b"),
    (
        "APT",
        &["apt", "aptsource", "cl", "cldata", "cls", "ncl"],
        r"(?mi)^\s*(?:PARTNO\b|(?:FEDRAT|GOTO|CUTTER|SPINDL|LOADTL|TOOL PATH|COOLNT|RAPID)\s*/)",
    ),
    (
        "JavaScript",
        &["cps"],
        r"(?m)^\s*(?:(?:description|vendor|extension|capabilities|certificationLevel)\s*=|function on\w+\s*\()",
    ),
    ("Mastercam Post", &["pst"], r"(?m)^\s*\[POST_VERSION\]|^\s*p\w+\$?\s+#|^#\s*Post"),
    ("LinuxCNC HAL", &["hal"], r"(?m)^\s*(?:loadrt|loadusr|addf|setp|net|source)\s"),
    // Robots' models.
    ("Xacro", &["urdf", "xacro"], r"xmlns:xacro|<xacro:"),
    ("URDF", &["srdf", "urdf", "xacro"], r"<robot\b"),
    ("SDFormat", &["sdf", "world"], r"<sdf\b"),
    // Programmable controllers.
    ("EXPRESS", &["exp"], r"(?mi)^\s*SCHEMA\s+\w+\s*;"),
    (
        "Structured Text",
        &["db", "exp", "iecst", "scl", "st", "stx", "udt"],
        concat!(
            r"(?mi)^\s*(?:END_\w+|VAR(?:_\w+)?\s*(?:$|\(\*|//)|FUNCTION_BLOCK\b|ORGANIZATION_BLOCK\b|DATA_BLOCK\b|",
            r"(?:FUNCTION|PROGRAM|TYPE)\s+[\w.#]+\s*(?::|$)|(?-i:IF\b.+\bTHEN\b))"
        ),
    ),
    ("Structured Text", &["fun", "typ", "var"], r"(?m)^\s*(?:END_(?:FUNCTION\w*|STRUCT|TYPE|VAR)\b|VAR\s*$)"),
    (
        "SKILL",
        &["il", "ile", "ils"],
        concat!(r"(?m)^\s*\(?\s*(?:procedure|defun|let|prog|foreach|when|load|axl\w+|db\w+|", r"hi\w+)\s*\("),
    ),
    ("SKILL", &["il", "ile", "ils"], r"(?m)^\s*\((?:procedure|defun|let|setq|load)\b"),
    ("Instruction List", &["il"], r"(?m)^\s*(?:LDN?|STN?|ANDN?|ORN?|CALC?|JMPC?)\s+[%\w]"),
    // Circuits as hardware descriptions.
    (
        "Tcl",
        &["do"],
        concat!(
            r"(?m)^\s*(?:v(?:lib|map|log|com|sim)\s|add (?:wave|list|log)\b|run\s+(?:-all|\d)|",
            r"onerror\s|quietly Wave|wave\s|force\s)"
        ),
    ),
    (
        "Linker Script",
        &["cmd", "sct"],
        concat!(r"(?m)^\s*(?:MEMORY|SECTIONS)\s*(?:\{|$)|^\s*--?(?:stack|heap)(?:_size)?\b|", r"^\s*LR_\w+"),
    ),
    // Simulations.
    (
        "GetDP",
        &["pro"],
        r"(?m)^\s*(?:Group|Function|FunctionSpace|Formulation|Constraint|Jacobian|Resolution)\s*\{",
    ),
    (
        "Creo",
        &["pro"],
        concat!(
            concat!(
                r"(?mi)^\s*(?:mapkey\b|VERSION\s+(?:REV|\d)|END (?:INPUT|RELATIONS|ADD)\b|(?:pro|",
                r"drawing|search|template|bom|"
            ),
            concat!(
                r"tolerance|def|default|part|system|trail|sketcher|display|save|override|",
                r"file_open|menu|part_table)_\w+\s+[^\s=:({,])"
            )
        ),
    ),
    ("Netgen", &["geo", "in2d"], r"(?m)^\s*(?:algebraic3d|splinecurves2d)"),
    (
        "Gmsh",
        &["geo"],
        concat!(
            concat!(
                r"(?m)^\s*(?:SetFactory\s*\(|(?:Point|Line|Circle|Ellipse|Spline|BSpline|Curve|",
                r"Surface|Volume|Plane Surface|"
            ),
            r"(?:Line|Curve|Surface) Loop|Ruled Surface|Physical \w+|Box|Cylinder|Sphere|Rectangle|Disk)\s*\(|",
            r"(?:Extrude|Recombine|Transfinite)\b|Mesh\s*\.|Merge\s+)"
        ),
    ),
    ("Radioss", &["rad"], r"(?m)^(?:#RADIOSS|/BEGIN)\b"),
    (
        "LS-DYNA",
        &["dyn", "inc", "k", "key"],
        concat!(r"(?mi)^\*(?:KEYWORD|NODE|ELEMENT_|PART|CONTROL_|MAT_|SECTION_|DATABASE_|", r"DEFINE_)"),
    ),
    (
        "APDL",
        &["ans", "apdl", "cdb", "dat", "inp", "mac"],
        concat!(
            r"(?mi)^\s*(?:/(?:PREP7|SOLU|POST1|POST26|CLEAR|FILN\w*|BATCH|TITLE|UNITS|NOPR)\b|ET,\s*\w+,|MP,\s*\w+,|",
            r"\*(?:DO|SET|DIM|IF|GET|CFOPEN|AFUN),)"
        ),
    ),
    (
        "Nastran",
        &["bdf", "blk", "dat", "fem", "inp", "nas"],
        concat!(
            r"(?mi)^(?:SOL\s+\w+\s*$|CEND\b|BEGIN\s+BULK|ENDDATA\b|(?:GRID|CQUAD4|CTRIA3|",
            r"CTETRA|CHEXA|CBAR|MAT1|PSHELL)[\s,*]\s*\d)"
        ),
    ),
    (
        "Abaqus",
        &["inp"],
        concat!(
            r"(?mi)^\*(?:HEADING|NODE|ELEMENT|PART|MATERIAL|STEP|BOUNDARY|ASSEMBLY|INCLUDE|",
            r"ELASTIC|NSET|ELSET|\w+ SECTION)\b"
        ),
    ),
    ("Python", &["comm"], r"(?m)\b(?:DEBUT|POURSUITE)\s*\(|^\s*(?:import|from)\s+code_aster\b"),
    ("MOOSE", &["i"], r"(?m)^\s*\[(?:Mesh|Variables|Kernels|BCs|Executioner|Outputs)\]"),
    ("Fluent Journal", &["jou"], r"(?m)^\s*/?(?:file|define|solve|grid|mesh|display|report)/|^\s*\(cx-"),
    ("Cubit", &["jou"], r"(?mi)^\s*(?:reset|brick|create|volume|mesh|block|webcut|sideset|nodeset)\b"),
    (
        "Adams",
        &["cmd"],
        concat!(
            r"(?mi)^\s*(?:defaults|model|part|marker|variable|constraint|force|",
            r"simulation)\s+(?:create|set|modify|model|single)\b"
        ),
    ),
    ("Maple", &["mpl"], r"(?m)\bproc\s*\(|^\s*restart\b|:=.*[;:]\s*$"),
    ("Maxima", &["mac"], r"(?m)\bkill\s*\(all\)|[$;]\s*$"),
    // Design.
    ("FeatureScript", &["fs"], r"(?m)^\s*FeatureScript\s+\d+\s*;|\bdefineFeature\s*\("),
    (
        "DCL",
        &["dcl"],
        concat!(
            r"(?m)^\s*\w+\s*:\s*dialog\b|:\s*(?:button|boxed_\w+|column|dialog|edit_box|",
            r"list_box|row|text|toggle)\s*\{"
        ),
    ),
    (
        "AutoLISP",
        &["lsp"],
        r"(?mi)\(defun\s+c:|\((?:command|vl-load-com|entget|entmake|ssget|setvar|getvar|getpoint|vla?x?-\w+|princ\))",
    ),
    (
        "CAPL",
        &["can", "cin"],
        concat!(
            r"(?m)^\s*(?:on\s+(?:message|start|key|timer|signal|preStart)\b|variables\b|",
            r"includes\b)"
        ),
    ),
    ("LIN Description File", &["ldf"], r"LIN_description_file"),
    (
        "ROS Interface",
        &["action", "msg", "srv"],
        concat!(
            r"(?m)^\s*(?:(?:std|geometry|sensor)_msgs/\w+|u?int(?:8|16|32|64)|float(?:32|64)|",
            r"string|bool)(?:\[\d*\])?\s+\w+"
        ),
    ),
];

/// Languages whose extensions nobody else uses for text.
const BY_EXTENSION: &[(&str, &[&str])] = &[
    ("A2L", &["a2l"]),
    ("AADL", &["aadl"]),
    ("ABEL", &["abel", "abl"]),
    ("AHDL", &["tdf"]),
    ("APDL", &["apdl"]),
    ("AutoCAD Script", &["scr"]),
    ("AutoLISP", &["mnl"]),
    ("CUPL", &["pld"]),
    ("DBC", &["dbc"]),
    ("Devicetree", &["dts", "dtsi", "dtso"]),
    ("EAGLE ULP", &["ulp"]),
    ("Elmer", &["sif"]),
    ("FreeFEM", &["edp"]),
    ("G-code", &["eia", "gco", "mpf", "ngc"]),
    ("GPPL", &["gpp"]),
    ("GRIP", &["grs"]),
    ("Gowin Constraints", &["cst"]),
    ("INFORM", &["jbi"]),
    ("Instruction List", &["awl"]),
    ("KAREL", &["kl"]),
    ("KerML", &["kerml"]),
    ("KiCad Design Rules", &["kicad_dru"]),
    ("Knowledge Fusion", &["dfa"]),
    ("Lattice Preferences", &["lpf"]),
    ("Linker Script", &["icf"]),
    ("MEL", &["mel"]),
    ("Maxima", &["wxm"]),
    ("Modelica", &["mos"]),
    ("Open Shading Language", &["osl"]),
    ("PSL", &["psl"]),
    ("Physical Constraints File", &["pcf"]),
    ("Python", &["fcmacro", "fcscript"]),
    ("RAPID", &["modx", "sysx"]),
    ("Rockwell L5K", &["l5k"]),
    ("Rockwell L5X", &["l5x"]),
    ("SKILL", &["ile", "ils", "skill"]),
    ("SPICE", &["cdl", "cir", "ckt", "hsp", "spi", "spice"]),
    ("Spectre", &["scs"]),
    ("Structured Text", &["iecst", "scl", "tcdut", "tcgvl", "tcio", "tcpou"]),
    ("SysML", &["sysml"]),
    ("SystemRDL", &["rdl"]),
    ("SystemVerilog", &["sva"]),
    ("Tcl", &["cpf", "fdc", "ldc", "pdc", "qsf", "upf"]),
    ("URScript", &["urscript"]),
    ("User Constraints File", &["ncf", "ucf"]),
    ("VBA", &["swb"]),
    ("VBScript", &["catscript", "catvbs", "rvb"]),
    ("VHDL", &["bsd", "bsdl"]),
    ("Verilog", &["vg", "vo", "vqm"]),
    ("Verilog-AMS", &["va", "vams"]),
    ("Visual Basic .NET", &["ilogicvb"]),
    ("Yosys Script", &["ys"]),
];

/// The languages of engineers among several that Linguist lists for an extension and can't tell apart.
const PREFERRED: &[(&str, &[&str])] = &[
    ("Fortran", &["f", "for"]),
    ("G-code", &["g"]),
    ("MATLAB", &["m"]),
    ("Modelica", &["mo"]),
    ("OpenCL", &["cl"]),
    ("Verilog", &["v"]),
];

/// The language that the text shows, for an extension in lower case.
pub(super) fn by_content(extension: &str, content: &str) -> Option<&'static str> {
    BY_CONTENT.iter().find_map(|(language, extensions, sign)| {
        let is_found = || Regex::new(sign).is_ok_and(|sign| sign.is_match(content));
        (extensions.contains(&extension) && is_found()).then_some(*language)
    })
}

/// The language of an extension, in lower case, that belongs to it alone.
pub(super) fn by_extension(extension: &str) -> Option<&'static str> {
    find(BY_EXTENSION, extension)
}

/// The most probable of several languages with this extension, in lower case.
pub(super) fn preferred(extension: &str) -> Option<&'static str> {
    find(PREFERRED, extension)
}

fn find(languages: &[(&'static str, &[&str])], extension: &str) -> Option<&'static str> {
    languages.iter().find(|(_, extensions)| extensions.contains(&extension)).map(|(language, _)| *language)
}

#[cfg(test)]
mod tests {
    use regex_lite::Regex;

    use super::BY_CONTENT;

    #[test]
    fn every_sign_is_a_regular_expression() {
        for (language, _, sign) in BY_CONTENT {
            assert!(Regex::new(sign).is_ok(), "{language}: {sign}");
        }
    }
}
