//! Designs as programs export them: names, properties, materials, layers and external files. Real files are in
//! `../shared/inputs/tools` or in `ATELIER_TEST_INPUTS`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::io::Cursor;
use std::path::{Path, PathBuf};

use domain::text::Name;
use import::{Conversion, Settings, convert};
use serde_json::{Value, json};

/// A real export; prints that it is not tested where the file is missing.
fn export(name: &str) -> Option<Conversion> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/inputs");
    let said = std::env::var_os("ATELIER_TEST_INPUTS").map(PathBuf::from);
    let folders = said.into_iter().chain([beside.clone(), beside.join("../../../shared/inputs")]);
    let file = folders.map(|folder| folder.join(name)).find(|file| file.is_file());
    let Some(file) = file else {
        eprintln!("NOT TESTED: {name} is neither in ../shared/inputs nor in ATELIER_TEST_INPUTS");
        return None;
    };
    Some(read(file.file_name().unwrap().to_str().unwrap(), &std::fs::read(&file).unwrap()))
}

fn read(name: &str, text: &[u8]) -> Conversion {
    convert(&Name::sanitize(name).unwrap(), Cursor::new(text), &Settings::default(), std::io::sink()).unwrap()
}

fn names(conversion: &Conversion) -> Vec<&str> {
    conversion.objects().iter().map(|object| object.name.as_str()).collect()
}

/// The definition of the first object called so.
fn definition(conversion: &Conversion, name: &str) -> Value {
    let object = conversion.objects().iter().find(|object| object.name.as_str() == name).unwrap();
    object.data["definition"].clone()
}

/// An assembly of one part, called `whole` and `part`, with these statements about the definition `#7` of the part.
fn with(statements: &str) -> Conversion {
    let text = format!(
        "ISO-10303-21;HEADER;ENDSEC;DATA;
#1=PRODUCT('whole','whole','',());#2=PRODUCT_DEFINITION_FORMATION('','',#1);#3=PRODUCT_DEFINITION('','',#2,$);
#5=PRODUCT('part','part','',());#6=PRODUCT_DEFINITION_FORMATION('','',#5);#7=PRODUCT_DEFINITION('','',#6,$);
#8=PRODUCT_DEFINITION_SHAPE('','',#7);#9=NEXT_ASSEMBLY_USAGE_OCCURRENCE('1','','',#3,#7,$);
{statements}ENDSEC;END-ISO-10303-21;"
    );
    read("a.stp", text.as_bytes())
}

#[test]
fn rows_have_the_names_of_their_occurrences_and_no_placeholders() {
    if let Some(assembly) = export("tools/cad-left-right.step") {
        assert_eq!(names(&assembly), ["top", "left", "right"]);
        assert_eq!(definition(&assembly, "right")["name"], "left");
    }
    for name in ["cad-gmsh-first.step", "cad-moved-part.step"] {
        let Some(assembly) = export(&format!("tools/{name}")) else { continue };
        assert!(assembly.objects().iter().all(|object| object.name.as_str() == name));
        let written = serde_json::to_string(&assembly).unwrap();
        for placeholder in ["translator", "=>[", "COMPOUND"] {
            assert!(!written.contains(placeholder), "{written}");
        }
    }
}

#[test]
fn an_export_again_has_the_same_objects() {
    for (first, second) in
        [("bolts-4", "bolts-4-exported-again"), ("gmsh-first", "gmsh-second"), ("bolts-4", "bolts-4")]
    {
        let all = [first, second].map(|name| export(&format!("tools/cad-{name}.step")));
        let [Some(first), Some(second)] = all else { continue };
        let data = |conversion: &Conversion| -> Vec<Value> {
            conversion.objects().iter().map(|object| json!(object.data)).collect()
        };
        assert_eq!(data(&first), data(&second));
    }
}

#[test]
fn equal_shapes_have_one_fingerprint_wherever_they_are() {
    let exports = ["bolts-4", "bolts-5"].map(|name| export(&format!("tools/cad-{name}.step")));
    let [Some(four), Some(five)] = exports else { return };
    let geometry = |conversion: &Conversion, name: &str| definition(conversion, name)["geometry"].clone();
    assert_eq!(geometry(&four, "bolt 1"), geometry(&five, "bolt 5"));
    assert_ne!(geometry(&four, "bolt 1"), geometry(&four, "plate"));
    assert_eq!(geometry(&four, "top"), Value::Null, "an assembly has none");
}

#[test]
fn properties_materials_and_layers_have_their_units() {
    if let Some(assembly) = export("tools/cad-properties-ap242.step") {
        let plate = definition(&assembly, "inst_sp");
        assert_eq!(plate["properties"], json!({ "Part number": "PN-001", "Rev": 3, "Mass": 0.047 }));
        let point = plate["validation"]["centroid"].clone();
        assert_eq!(point["unit"], "millimetre");
        assert_eq!(
            plate["validation"],
            json!({
                "volume": { "value": 6000.0, "unit": "millimetre³" },
                "surfaceArea": { "value": 2200.0, "unit": "millimetre²" },
                "centroid": point,
            })
        );
        assert_eq!(definition(&assembly, "inst_sq").get("properties"), None);
    }
    if let Some(assembly) = export("tools/cad-material.step") {
        let plate = definition(&assembly, "inst_sp");
        // OpenCascade's powers of mass and length.
        let density = json!({ "value": 7.85, "unit": "gram/centimetre³" });
        assert_eq!(plate["material"], json!({ "name": "S235", "description": "Steel", "density": density }));
        assert_eq!(plate["layers"], json!(["Layer 7"]));
        let part = assembly.objects().iter().find(|object| object.name.as_str() == "inst_sp").unwrap();
        assert_eq!(part.data["units"]["length"]["name"], "millimetre", "not that of the density");
    }
    if let Some(assembly) = export("open/step/dm1-id-214.stp") {
        let bolt = definition(&assembly, "bolt_3");
        let density = json!({ "value": 0.285_230_375_059_732, "unit": "pound/inch³" });
        let material = json!({ "id": "AMS 5613", "name": "Greek Ascoloy", "density": density });
        assert_eq!(bolt["material"], material);
        assert_eq!(bolt["validation"]["volume"]["unit"], "inch³");
    }
}

#[test]
fn files_that_a_master_names_are_external() {
    for (file, parts) in [
        ("tools/cad-external-master.step", vec![("plate", "part_plate.stp"), ("pin", "part_pin.stp")]),
        ("open/step/s1-c5-214.stp", vec![("*DIT36", "TAIL.stp"), ("*DIT57", "FOOT.stp")]),
    ] {
        let Some(assembly) = export(file) else { continue };
        for (name, external) in parts {
            assert_eq!(definition(&assembly, name)["external"], external, "{file}");
        }
    }
    // A part with a shape has its documents beside it.
    let part = with(
        "#20=DOCUMENT_FILE('17','drawing.pdf','',$,'',$);#21=APPLIED_DOCUMENT_REFERENCE(#20,'',(#7));
#22=FACETED_BREP_SHAPE_REPRESENTATION('',(),$);#23=SHAPE_DEFINITION_REPRESENTATION(#8,#22);
#24=APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT('docs/drawing.pdf',$,$,(#20));",
    );
    assert_eq!(definition(&part, "part")["documents"], json!(["docs/drawing.pdf"]));
    assert_eq!(definition(&part, "part").get("external"), None);
}

#[test]
fn items_of_every_kind_are_values() {
    let item = |item: &str| {
        let part = with(&format!(
            "#20=PROPERTY_DEFINITION('Key','',#7);#21=PROPERTY_DEFINITION_REPRESENTATION(#20,#22);
#22=REPRESENTATION('',(#23),$);#23={item};#24=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));"
        ));
        definition(&part, "part")["properties"]["Key"].clone()
    };
    for (written, value) in [
        ("DESCRIPTIVE_REPRESENTATION_ITEM('Key','O''Brien')", json!("O'Brien")),
        ("DESCRIPTIVE_REPRESENTATION_ITEM('Key','')", Value::Null),
        ("INTEGER_REPRESENTATION_ITEM('Key',3)", json!(3)),
        ("REAL_REPRESENTATION_ITEM('Key',3.)", json!(3.0)),
        ("BOOLEAN_REPRESENTATION_ITEM('Key',.T.)", json!(true)),
        ("VALUE_REPRESENTATION_ITEM('Key',COUNT_MEASURE(4.))", json!(4.0)),
        ("VALUE_REPRESENTATION_ITEM('Key',DESCRIPTIVE_MEASURE('x'))", json!("x")),
        (
            "MEASURE_REPRESENTATION_ITEM('Key',LENGTH_MEASURE(2.5),#24)",
            json!({ "value": 2.5, "unit": "millimetre" }),
        ),
        (
            "(LENGTH_MEASURE_WITH_UNIT()MEASURE_REPRESENTATION_ITEM()MEASURE_WITH_UNIT(LENGTH_MEASURE(2.5),#24)\
             REPRESENTATION_ITEM('Key'))",
            json!({ "value": 2.5, "unit": "millimetre" }),
        ),
        ("MEASURE_REPRESENTATION_ITEM('Key',LENGTH_MEASURE(2.5),$)", json!(2.5)),
        ("INTEGER_REPRESENTATION_ITEM('Key',1E400)", Value::Null),
        ("REPRESENTATION('Key',(#23),$)", Value::Null),
    ] {
        assert_eq!(item(written), value, "{written}");
    }
}

#[test]
fn hostile_details_are_ignored() {
    for statements in [
        // A property of itself, and aspects of each other.
        "#20=PROPERTY_DEFINITION('a','',#20);#21=PROPERTY_DEFINITION_REPRESENTATION(#20,#22);
#22=REPRESENTATION('',(#22,#23),$);#23=DERIVED_UNIT((#24));#24=DERIVED_UNIT_ELEMENT(#23,3.);",
        "#20=PROPERTY_DEFINITION('geometric validation property','volume',#25);
#21=PROPERTY_DEFINITION_REPRESENTATION(#20,#22);#22=REPRESENTATION('volume',(#23),$);
#23=MEASURE_REPRESENTATION_ITEM('',VOLUME_MEASURE(1.),#24);#24=DERIVED_UNIT((#24));
#25=SHAPE_ASPECT('','',#26,.F.);#26=SHAPE_ASPECT('','',#25,.F.);",
        "#20=DOCUMENT_PRODUCT_EQUIVALENCE('','',#20,#20);#21=APPLIED_DOCUMENT_REFERENCE(#20,'',(#7,#21,#99));",
        "#20=MAKE_FROM_USAGE_OPTION('','','',#7,#7,1,'',$);#21=MAKE_FROM_USAGE_OPTION('','','',#7,#99,1,'',$);",
        "#20=PRESENTATION_LAYER_ASSIGNMENT('a','',(#20,#7,#99));#21=MATERIAL_DESIGNATION($,(#7));",
        "#20=PROPERTY_DEFINITION();#21=PROPERTY_DEFINITION_REPRESENTATION(#20);#22=DOCUMENT_FILE();",
    ] {
        let conversion = with(statements);
        assert_eq!(names(&conversion), ["whole", "part"], "{statements}");
        assert_eq!(conversion.objects()[0].data.get("conversion"), None);
    }
    // More properties than are kept, and a layer of more items than a statement may have.
    let mut many = String::new();
    for id in (100..1_300).step_by(4) {
        let [next, then, last] = [1, 2, 3].map(|step| id + step);
        many.push_str(&format!(
            "#{id}=PROPERTY_DEFINITION('k{id}','',#7);#{next}=PROPERTY_DEFINITION_REPRESENTATION(#{id},#{then});\
             #{then}=REPRESENTATION('',(#{last}),$);#{last}=DESCRIPTIVE_REPRESENTATION_ITEM('','v');\n"
        ));
    }
    let items = "#7,".repeat(import::step::limits::STATEMENT_MAX / 3 + 1);
    many.push_str(&format!("#9000=PRESENTATION_LAYER_ASSIGNMENT('a','',({items}#7));"));
    let conversion = with(&many);
    let properties = definition(&conversion, "part")["properties"].as_object().unwrap().len();
    assert_eq!(properties, import::step::limits::PROPERTIES_MAX);
    assert_eq!(conversion.objects()[0].data.get("conversion"), None);
}
