//! Conversion of small STEP files, rule by rule.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Cursor;

use domain::content::object::ObjectKind;
use domain::text::Name;
use import::step::limits;
use import::{Conversion, DraftObject, Settings, convert};
use insta::assert_snapshot;
use serde_json::{Map, Value, json};

/// Builds a data section with increasing instance names.
#[derive(Default)]
struct Part21 {
    data: String,
    last: u64,
}

impl Part21 {
    /// Adds an instance and returns its name.
    fn add(&mut self, right: &str) -> u64 {
        self.last += 1;
        writeln!(self.data, "#{}={right};", self.last).unwrap();
        self.last
    }

    /// Adds a product with definition and shape property.
    fn product(&mut self, id: &str, name: &str) -> Product {
        let product = self.add(&format!("PRODUCT('{id}','{name}','',(#900))"));
        let formation = self.add(&format!("PRODUCT_DEFINITION_FORMATION('v1','',#{product})"));
        let definition = self.add(&format!("PRODUCT_DEFINITION('design','',#{formation},#901)"));
        let shape = self.add(&format!("PRODUCT_DEFINITION_SHAPE('','',#{definition})"));
        Product { definition, shape }
    }

    /// Adds a usage of one product in another, with a shape property.
    fn usage(&mut self, name: &str, whole: Product, part: Product) -> (u64, u64) {
        let usage = self.add(&format!(
            "NEXT_ASSEMBLY_USAGE_OCCURRENCE('{name}','{name}','',#{},#{},$)",
            whole.definition, part.definition
        ));
        (usage, self.add(&format!("PRODUCT_DEFINITION_SHAPE('','',#{usage})")))
    }

    /// Adds a representation of a product's shape.
    fn represent(&mut self, product: Product, items: &str, context: u64) -> u64 {
        let representation = self.add(&format!("SHAPE_REPRESENTATION('',({items}),#{context})"));
        self.add(&format!("SHAPE_DEFINITION_REPRESENTATION(#{},#{representation})", product.shape));
        representation
    }

    /// Adds a placement at a point with these directions of its z-axis and x-axis.
    fn axes(&mut self, point: &str, z: &str, x: &str) -> u64 {
        let point = self.add(&format!("CARTESIAN_POINT('',({point}))"));
        let z = self.add(&format!("DIRECTION('',({z}))"));
        let x = self.add(&format!("DIRECTION('',({x}))"));
        self.add(&format!("AXIS2_PLACEMENT_3D('',#{point},#{z},#{x})"))
    }

    fn at(&mut self, point: &str) -> u64 {
        self.axes(point, "0.,0.,1.", "1.,0.,0.")
    }

    /// Adds a context in millimetres.
    fn millimetres(&mut self) -> u64 {
        let unit = self.add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))");
        let angle = self.add("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))");
        self.context(&format!("#{unit},#{angle}"))
    }

    /// Adds a context in inches.
    fn inches(&mut self) -> u64 {
        let base = self.add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))");
        let measure = self.add(&format!("LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#{base})"));
        let unit =
            self.add(&format!("(CONVERSION_BASED_UNIT('INCH',#{measure})LENGTH_UNIT()NAMED_UNIT(#902))"));
        self.context(&format!("#{unit}"))
    }

    fn context(&mut self, units: &str) -> u64 {
        self.add(&format!(
            "(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNIT_ASSIGNED_CONTEXT(({units}))REPRESENTATION_CONTEXT('',''))"
        ))
    }

    /// Places a usage: `operator` maps its first representation to its second.
    fn place(&mut self, shape: u64, first: u64, second: u64, operator: u64) {
        let relation = self.add(&format!(
            "(REPRESENTATION_RELATIONSHIP('','',#{first},#{second})\
             REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#{operator})SHAPE_REPRESENTATION_RELATIONSHIP())"
        ));
        self.add(&format!("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#{relation},#{shape})"));
    }

    fn read(&self) -> Conversion {
        read("file.stp", file(&self.data))
    }
}

#[derive(Clone, Copy)]
struct Product {
    definition: u64,
    shape: u64,
}

fn file(data: &str) -> String {
    format!(
        "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AP'));\nENDSEC;\nDATA;\n{data}ENDSEC;\nEND-ISO-10303-21;\n"
    )
}

fn read(name: &str, text: impl AsRef<[u8]>) -> Conversion {
    convert(&Name::sanitize(name).unwrap(), Cursor::new(text.as_ref()), &Settings::default(), std::io::sink())
        .unwrap()
}

/// The tree by kind and name, and the outcome of the conversion.
fn shown(conversion: &Conversion) -> String {
    let mut depths = Vec::new();
    let mut text = String::new();
    for DraftObject { name, object_type, parent, data, .. } in conversion.objects() {
        let depth = parent.map_or(0, |parent| depths[parent] + 1);
        depths.push(depth);
        let kind = serde_json::to_value(object_type.kind()).unwrap();
        let note = data.get("conversion").map(|note| format!(" {} {}", note["status"], note["code"]));
        writeln!(text, "{}{} {name}{}", "  ".repeat(depth), kind.as_str().unwrap(), note.unwrap_or_default())
            .unwrap();
    }
    text
}

/// Properties in alphabetical order, independent of the features of `serde_json` in the workspace.
fn sorted(properties: &Map<String, Value>) -> Map<String, Value> {
    let ordered: BTreeMap<_, _> = properties.iter().collect();
    let deep = |value: &Value| value.as_object().map(|inner| Value::Object(sorted(inner)));
    ordered
        .into_iter()
        .map(|(key, value)| (key.clone(), deep(value).unwrap_or_else(|| value.clone())))
        .collect()
}

fn placement(conversion: &Conversion, place: usize) -> Value {
    conversion.objects()[place].data["placement"].clone()
}

#[test]
fn occurrences_of_a_product_share_its_definition_and_have_their_own_placements() {
    let mut file = Part21::default();
    let context = file.millimetres();
    let (whole, part) = (file.product("W", "whole"), file.product("P-1", "part"));
    let (zero, first) = (file.at("0.,0.,0."), file.at("1.,2.,3."));
    let second = file.axes("10.,0.,0.", "0.,0.,1.", "0.,1.,0.");
    let around = file.represent(whole, &format!("#{first},#{second}"), context);
    let inside = file.represent(part, &format!("#{zero}"), context);
    for (name, to) in [("a", first), ("b", second)] {
        let (_, shape) = file.usage(name, whole, part);
        let operator = file.add(&format!("ITEM_DEFINED_TRANSFORMATION('','',#{zero},#{to})"));
        file.place(shape, inside, around, operator);
    }
    let conversion = file.read();
    assert_snapshot!(shown(&conversion), @"
    assembly whole
      geometry a
      geometry b
    ");
    let [_, a, b] = conversion.objects() else { panic!() };
    assert_eq!(a.data["definition"], b.data["definition"]);
    let b = DraftObject { data: sorted(&b.data), ..b.clone() };
    assert_snapshot!(serde_json::to_string_pretty(&b).unwrap(), @r##"
    {
      "name": "b",
      "type": "Part",
      "parent": 0,
      "data": {
        "definition": {
          "id": "P-1",
          "name": "part",
          "version": "v1"
        },
        "occurrence": {
          "id": "b",
          "name": "b"
        },
        "placement": [
          [
            0.0,
            -1.0,
            0.0,
            10.0
          ],
          [
            1.0,
            0.0,
            0.0,
            0.0
          ],
          [
            0.0,
            0.0,
            1.0,
            0.0
          ],
          [
            0.0,
            0.0,
            0.0,
            1.0
          ]
        ],
        "units": {
          "length": {
            "metres": 0.001,
            "name": "millimetre"
          },
          "planeAngle": {
            "name": "radian",
            "radians": 1.0
          }
        }
      }
    }
    "##);
    assert_eq!(
        placement(&conversion, 1),
        json!([[1., 0., 0., 1.], [0., 1., 0., 2.], [0., 0., 1., 3.], [0., 0., 0., 1.]])
    );
}

#[test]
fn a_relation_with_swapped_representations_gives_the_same_placement() {
    let mut file = Part21::default();
    let context = file.millimetres();
    let (whole, part) = (file.product("W", ""), file.product("P", ""));
    let (from, to) = (file.at("1.,0.,0."), file.at("5.,0.,0."));
    let around = file.represent(whole, &format!("#{to}"), context);
    let inside = file.represent(part, &format!("#{from}"), context);
    let (_, shape) = file.usage("a", whole, part);
    let operator = file.add(&format!("ITEM_DEFINED_TRANSFORMATION('','',#{to},#{from})"));
    file.place(shape, around, inside, operator);
    assert_eq!(placement(&file.read(), 1)[0], json!([1., 0., 0., 4.]));
}

#[test]
fn a_placement_converts_units_of_the_part_to_units_of_the_assembly() {
    let mut file = Part21::default();
    let (millimetres, inches) = (file.millimetres(), file.inches());
    let (whole, part) = (file.product("W", ""), file.product("P", ""));
    let (from, to) = (file.at("1.,0.,0."), file.at("100.,0.,0."));
    let around = file.represent(whole, &format!("#{to}"), millimetres);
    let inside = file.represent(part, &format!("#{from}"), inches);
    let (_, shape) = file.usage("a", whole, part);
    let operator = file.add(&format!("ITEM_DEFINED_TRANSFORMATION('','',#{from},#{to})"));
    file.place(shape, inside, around, operator);
    let conversion = file.read();
    assert_eq!(placement(&conversion, 1)[0], json!([25.4, 0., 0., 74.6]));
    assert_eq!(
        conversion.objects()[0].data["units"],
        json!({
            "length": { "name": "millimetre", "metres": 0.001 },
            "planeAngle": { "name": "radian", "radians": 1.0 },
        })
    );
    assert_eq!(
        conversion.objects()[1].data["units"],
        json!({ "length": { "name": "inch", "metres": 0.0254 } })
    );
}

#[test]
fn complex_instances_of_placements_and_measures_are_read() {
    let mut simple = Part21::default();
    let mut complex = Part21::default();
    let read = |file: &mut Part21, is_complex: bool| {
        let (whole, part) = (file.product("W", ""), file.product("P", ""));
        let (millimetres, inches) = (file.millimetres(), file.inches());
        let from = file.axes("1.,2.,3.", "0.,1.,0.", "0.,0.,1.");
        let to = file.axes("10.,0.,0.", "1.,0.,0.", "0.,1.,0.");
        let first = file.represent(part, &format!("#{from}"), inches);
        let second = file.represent(whole, &format!("#{to}"), millimetres);
        let (_, shape) = file.usage("a", whole, part);
        let operator = file.add(&format!("ITEM_DEFINED_TRANSFORMATION('','',#{from},#{to})"));
        file.place(shape, first, second, operator);
        if is_complex {
            let changed = file.data.lines().map(|line| {
                let (name, right) = line.split_once('=').unwrap();
                let parameters = right.split_once('(').unwrap().1.trim_end_matches(");");
                match right.split('(').next().unwrap() {
                    "AXIS2_PLACEMENT_3D" => {
                        let [_, origin, z, x] = parameters.split(',').collect::<Vec<_>>()[..] else {
                            panic!()
                        };
                        format!(
                            "{name}=(AXIS2_PLACEMENT_3D({z},{x})GEOMETRIC_REPRESENTATION_ITEM()\
                             PLACEMENT({origin})REPRESENTATION_ITEM(''));\n"
                        )
                    }
                    "LENGTH_MEASURE_WITH_UNIT" => {
                        format!("{name}=(LENGTH_MEASURE_WITH_UNIT()MEASURE_WITH_UNIT({parameters}));\n")
                    }
                    _ => format!("{line}\n"),
                }
            });
            file.data = changed.collect();
        }
        file.read()
    };
    let expected = read(&mut simple, false);
    let same = read(&mut complex, true);
    assert!(complex.data.contains(")PLACEMENT(") && complex.data.contains(")MEASURE_WITH_UNIT("));
    assert_eq!(same, expected);
    assert!((placement(&same, 1)[0][3].as_f64().unwrap() - (10.0 - 2.0 * 25.4)).abs() < 1e-9);
    assert_eq!(same.objects()[1].data["units"]["length"]["name"], "inch");
}

#[test]
fn a_transformation_operator_may_move_scale_and_mirror() {
    let mut file = Part21::default();
    let context = file.millimetres();
    let (whole, part) = (file.product("W", ""), file.product("P", ""));
    let around = file.represent(whole, "", context);
    let inside = file.represent(part, "", context);
    let (_, shape) = file.usage("a", whole, part);
    let origin = file.add("CARTESIAN_POINT('',(7.,8.,9.))");
    let [x, y, z] =
        ["1.,0.,0.", "0.,-1.,0.", "0.,0.,1."].map(|axis| file.add(&format!("DIRECTION('',({axis}))")));
    let operator =
        file.add(&format!("CARTESIAN_TRANSFORMATION_OPERATOR_3D('','','',#{x},#{y},#{origin},2.,#{z})"));
    file.place(shape, inside, around, operator);
    assert_eq!(
        placement(&file.read(), 1),
        json!([[2., 0., 0., 7.], [0., -2., 0., 8.], [0., 0., 2., 9.], [0., 0., 0., 1.]])
    );
}

#[test]
fn mapped_items_place_usages_without_a_relation() {
    let mut file = Part21::default();
    let context = file.millimetres();
    let (whole, part) = (file.product("W", ""), file.product("P", ""));
    let zero = file.at("0.,0.,0.");
    let inside = file.represent(part, &format!("#{zero}"), context);
    let map = file.add(&format!("REPRESENTATION_MAP(#{zero},#{inside})"));
    let [one, two] = ["1.,0.,0.", "2.,0.,0."].map(|point| {
        let target = file.at(point);
        file.add(&format!("MAPPED_ITEM('',#{map},#{target})"))
    });
    file.represent(whole, &format!("#{one},#{two}"), context);
    file.usage("a", whole, part);
    file.usage("b", whole, part);
    let conversion = file.read();
    assert_eq!(placement(&conversion, 1)[0][3], 1.0);
    assert_eq!(placement(&conversion, 2)[0][3], 2.0);
}

#[test]
fn the_instances_of_a_placement_are_found_in_any_order() {
    let mut file = Part21::default();
    let context = file.millimetres();
    let (whole, part) = (file.product("W", ""), file.product("P", ""));
    let zero = file.at("0.,0.,0.");
    let around = file.represent(whole, "", context);
    let inside = file.represent(part, "", context);
    let (_, shape) = file.usage("a", whole, part);
    let operator = file.add(&format!("ITEM_DEFINED_TRANSFORMATION('','',#{zero},#5000001)"));
    file.place(shape, inside, around, operator);
    // Names decrease, so the index is useless, with 2 MB of geometry in between.
    let mut data = String::from("#5000002=CARTESIAN_POINT('',(4.,0.,0.));\n");
    for id in (10_000..60_000).rev() {
        writeln!(data, "#{id}=CARTESIAN_POINT('',(0.,0.,{id}.));").unwrap();
    }
    data.push_str("#5000001=AXIS2_PLACEMENT_3D('',#5000002,$,$);\n");
    data.push_str(&file.data);
    assert_eq!(placement(&read("a.stp", self::file(&data)), 1)[0][3], 4.0);
}

#[test]
fn several_roots_get_an_assembly_named_after_the_file() {
    let mut file = Part21::default();
    let [a, b, c] = ["a", "b", "c"].map(|name| file.product(name, name));
    file.usage("1", a, c);
    file.usage("2", b, c);
    let conversion = file.read();
    assert_snapshot!(shown(&conversion), @"
    assembly file.stp
      assembly a
        geometry 1
      assembly b
        geometry 2
    ");
    assert_eq!(conversion.objects()[0].data, *json!({ "header": { "schema": ["AP"] } }).as_object().unwrap());
}

#[test]
fn names_come_from_the_product_then_its_id_then_the_file() {
    let mut file = Part21::default();
    let root = file.product("", " ");
    for (id, name) in [("id", "name"), ("id only", ""), ("O''Brien \\X2\\03B1\\X0\\", "")] {
        let part = file.product(id, name);
        file.usage("", root, part);
    }
    assert_snapshot!(shown(&file.read()), @"
    assembly file.stp
      geometry name
      geometry id only
      geometry O'Brien α
    ");
}

#[test]
fn a_definition_whose_shape_is_nowhere_represented_is_an_object_only_within_an_assembly() {
    let file = |places_left_over: bool| {
        let mut file = Part21::default();
        let [part, left_over] = ["part", "left over"].map(|name| file.product(name, name));
        file.represent(part, "", 1);
        if places_left_over {
            file.usage("1", part, left_over);
        }
        file
    };
    assert_snapshot!(shown(&file(false).read()), @"geometry part");
    assert_snapshot!(shown(&file(true).read()), @"
    assembly part
      geometry 1
    ");
    // The representation may have been in the missing part.
    let whole = self::file(&file(false).data);
    let cut = whole.split_once("END-ISO").unwrap().0;
    assert_snapshot!(shown(&read("file.stp", cut)), @r#"
    assembly file.stp "partial" "STEP_TRUNCATED"
      geometry part
      geometry left over
    "#);
}

#[test]
fn a_product_without_shape_and_parts_is_not_an_object() {
    let mut file = Part21::default();
    file.product("part", "");
    let product = file.add("PRODUCT('steel','','',())");
    let formation = file.add(&format!("PRODUCT_DEFINITION_FORMATION('','',#{product})"));
    file.add(&format!("PRODUCT_DEFINITION('','',#{formation},#1)"));
    assert_snapshot!(shown(&file.read()), @"geometry part");
}

#[test]
fn a_cyclic_structure_is_refused() {
    for usages in [&[(0, 0)][..], &[(0, 1), (1, 0)], &[(0, 1), (1, 2), (2, 1)], &[(0, 1), (2, 3), (3, 3)]] {
        let mut file = Part21::default();
        let products = ["a", "b", "c", "d"].map(|name| file.product(name, ""));
        for (whole, part) in usages {
            file.usage("u", products[*whole], products[*part]);
        }
        assert_eq!(shown(&file.read()), "reference file.stp \"failed\" \"CYCLIC_PRODUCT_STRUCTURE\"\n");
    }
}

#[test]
fn dangling_references_are_ignored() {
    let mut file = Part21::default();
    let (whole, part) = (file.product("W", ""), file.product("P", ""));
    let nothing = Product { definition: 77_777, shape: 77_777 };
    file.usage("lost", whole, nothing);
    file.usage("lost", nothing, part);
    let (_, shape) = file.usage("a", whole, part);
    file.place(shape, 77_777, 77_778, 77_779);
    file.add("NEXT_ASSEMBLY_USAGE_OCCURRENCE('broken");
    file.add("NEXT_ASSEMBLY_USAGE_OCCURRENCE()");
    // A definition without a product is a root.
    let definition = file.add("PRODUCT_DEFINITION('','',#77777,#77777)");
    file.add(&format!("PRODUCT_DEFINITION_SHAPE('','',#{definition})"));
    assert_snapshot!(shown(&file.read()), @"
    assembly file.stp
      assembly W
        geometry a
      geometry file.stp
    ");
}

#[test]
fn comments_line_breaks_and_case_make_no_difference() {
    let plain = {
        let mut file = Part21::default();
        let (whole, part) =
            (file.product("W", "a;#7=PRODUCT(''x'');b"), file.product("P", "/* no comment */"));
        file.usage("", whole, part);
        file.data
    };
    let expected = shown(&read("a.stp", file(&plain)));
    assert_snapshot!(expected, @"
    assembly a;#7=PRODUCT('x');b
      geometry /* no comment */
    ");
    let each = |change: fn(&str, &str) -> String| {
        plain
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, right)| change(name, right))
            .collect::<String>()
    };
    let commented =
        each(|name, right| format!("/*'*/{name} /* ' ; */ = /* x */ {}\n", right.replace(",#", ",/*)*/#")));
    let broken = each(|name, right| format!("{name}\r\n=\r\n{}\r\n", right.replace(",#", "\r\n,\t#")));
    let lower = plain.replace("PRODUCT_", "product_").replace("NEXT_", "Next_");
    for data in [commented, broken, lower] {
        assert_eq!(shown(&read("a.stp", file(&data))), expected, "{data}");
    }
    let begun = format!("\u{feff}/* a ' comment; */ {}", file(&plain));
    assert_eq!(shown(&read("a.stp", begun)), expected);
    // Without the extension as well.
    assert_eq!(shown(&read("a.txt", file(&plain))), expected);
}

#[test]
fn complex_instances_of_the_structure_are_read() {
    let mut file = Part21::default();
    let (whole, part) = (file.product("W", ""), file.product("P", ""));
    file.add(&format!(
        "(ASSEMBLY_COMPONENT_USAGE('R1')NEXT_ASSEMBLY_USAGE_OCCURRENCE()PRODUCT_DEFINITION_RELATIONSHIP\
         ('7','seven','',#{},#{})PRODUCT_DEFINITION_USAGE())",
        whole.definition, part.definition
    ));
    let conversion = file.read();
    assert_snapshot!(shown(&conversion), @"
    assembly W
      geometry seven
    ");
    assert_eq!(conversion.objects()[1].data["occurrence"], json!({ "name": "seven", "designator": "R1" }));
}

#[test]
fn a_usage_with_a_quantity_has_value_and_unit() {
    let mut file = Part21::default();
    let (whole, bolt, hose) = (file.product("W", ""), file.product("bolt", ""), file.product("hose", ""));
    let pieces = file.add("(CONTEXT_DEPENDENT_UNIT('pieces')NAMED_UNIT(#903))");
    let count = file.add(&format!("MEASURE_WITH_UNIT(COUNT_MEASURE(4.),#{pieces})"));
    let metres = file.add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT($,.METRE.))");
    let length = file.add(&format!(
        "(LENGTH_MEASURE_WITH_UNIT()MEASURE_REPRESENTATION_ITEM()MEASURE_WITH_UNIT(LENGTH_MEASURE(2.5),#{metres})\
         REPRESENTATION_ITEM('length'))"
    ));
    file.add(&format!(
        "(ASSEMBLY_COMPONENT_USAGE($)NEXT_ASSEMBLY_USAGE_OCCURRENCE()PRODUCT_DEFINITION_RELATIONSHIP\
         ('1','bolts','',#{},#{})PRODUCT_DEFINITION_USAGE()QUANTIFIED_ASSEMBLY_COMPONENT_USAGE(#{count}))",
        whole.definition, bolt.definition
    ));
    file.add(&format!(
        "QUANTIFIED_ASSEMBLY_COMPONENT_USAGE('2','','',#{},#{},'R2',#{length})",
        whole.definition, hose.definition
    ));
    let conversion = file.read();
    assert_snapshot!(shown(&conversion), @"
    assembly W
      geometry bolts
      geometry hose
    ");
    let said = |place: usize| conversion.objects()[place].data["occurrence"].clone();
    assert_eq!(said(1), json!({ "name": "bolts", "quantity": { "value": 4.0, "unit": "pieces" } }));
    assert_eq!(said(2), json!({ "designator": "R2", "quantity": { "value": 2.5, "unit": "metre" } }));
}

#[test]
fn a_part_in_another_file_is_a_leaf_named_after_its_occurrence() {
    let mut file = Part21::default();
    let (whole, wheel) = (file.product("W", ""), Product { definition: 1_001, shape: 0 });
    file.usage("front left", whole, wheel);
    file.usage("", whole, wheel);
    file.usage("lost", whole, Product { definition: 1_003, shape: 0 });
    let text = format!(
        "ISO-10303-21;HEADER;FILE_SCHEMA(('AP242'));ENDSEC;REFERENCE;#1001=<wheel.stp#pd>;#1002=<lone.stp#x>;ENDSEC;\
         DATA;{}ENDSEC;END-ISO-10303-21;",
        file.data
    );
    let conversion = read("a.stp", text);
    assert_snapshot!(shown(&conversion), @"
    assembly W
      geometry front left
      geometry wheel.stp#pd
    ");
    let definition = &conversion.objects()[1].data["definition"];
    assert_eq!(*definition, json!({ "external": "wheel.stp#pd" }));
}

#[test]
fn a_file_with_sections_of_the_third_edition_is_read() {
    let mut part = Part21::default();
    part.product("Größe", "");
    let text = format!(
        "ISO-10303-21;HEADER;FILE_SCHEMA(('AP242'));ENDSEC;ANCHOR;<a>=#1;ENDSEC;REFERENCE;#99=<b.stp#c>;ENDSEC;\
         DATA('one',('AP242'));{}ENDSEC;DATA('two',('AP242'));#500=PLANE('',$);ENDSEC;END-ISO-10303-21;\
         SIGNATURE 'x;ENDSEC;",
        part.data
    );
    assert_snapshot!(shown(&read("a.stp", text)), @"geometry Größe");
}

#[test]
fn a_tree_with_too_many_occurrences_shows_each_product_once() {
    let mut file = Part21::default();
    let mut above = file.product("level 0", "");
    for level in 1..=17 {
        let below = file.product(&format!("level {level}"), "");
        file.usage("left", above, below);
        file.usage("right", above, below);
        above = below;
    }
    let conversion = file.read();
    assert_eq!(conversion.objects().len(), 18);
    let root = &conversion.objects()[0];
    assert_eq!(root.data["conversion"]["code"], "TOO_MANY_OCCURRENCES");
    assert_eq!(root.data["occurrences"], (1 << 18) - 1);
    assert_eq!(conversion.objects()[17].object_type.kind(), ObjectKind::Geometry);
}

#[test]
fn a_tree_with_too_much_text_shows_each_product_once_or_is_refused() {
    let long = "x".repeat(limits::TEXT_MAX_CHARS);
    let mut file = Part21::default();
    let mut above = file.product("0", &long);
    for uses in [10, 10, 10, 10, 8] {
        let below = file.product("below", &long);
        for _ in 0..uses {
            file.usage(&long, above, below);
        }
        above = below;
    }
    assert!(file.data.len() < 200_000);
    let conversion = file.read();
    assert_eq!(conversion.objects().len(), 6);
    let root = &conversion.objects()[0];
    assert_eq!(root.data["conversion"]["code"], "TOO_MANY_OCCURRENCES");
    assert_eq!(root.data["occurrences"], 91_111);

    let mut file = Part21::default();
    for _ in 0..=limits::TEXTS_MAX_BYTES / limits::TEXT_MAX_CHARS {
        file.product("", &long);
    }
    assert_eq!(shown(&file.read()), "reference file.stp \"failed\" \"PRODUCT_STRUCTURE_TOO_LARGE\"\n");
}

#[test]
fn too_many_products_and_too_deep_trees_are_refused() {
    let mut file = Part21::default();
    let mut above = file.product("0", "");
    for level in 1..=limits::DEPTH_MAX {
        let below = file.product(&level.to_string(), "");
        file.usage("u", above, below);
        above = below;
    }
    assert_eq!(shown(&file.read()), "reference file.stp \"failed\" \"PRODUCT_STRUCTURE_TOO_DEEP\"\n");

    let mut file = Part21::default();
    for _ in 0..=limits::OCCURRENCES_MAX {
        let definition = file.add("PRODUCT_DEFINITION('','',$,$)");
        file.add(&format!("PRODUCT_DEFINITION_SHAPE('','',#{definition})"));
    }
    assert_eq!(shown(&file.read()), "reference file.stp \"failed\" \"PRODUCT_STRUCTURE_TOO_LARGE\"\n");
}

#[test]
fn a_file_without_structure_becomes_a_reference_with_the_reason() {
    for (name, text, code) in [
        ("a.stp", file("#1=CARTESIAN_POINT('',(0.,0.,0.));\n"), "NO_PRODUCT_STRUCTURE"),
        ("a.stp", "solid of another kind".to_owned(), "NOT_STEP"),
        ("a.step", String::new(), "NOT_STEP"),
        ("a.p21", "ISO-10303-28;".to_owned(), "NOT_STEP"),
        ("a.stp", "ISO-10303-21;HEADER;ENDSEC;DATA;#1=PROD".to_owned(), "STEP_TRUNCATED"),
    ] {
        assert_eq!(shown(&read(name, text)), format!("reference {name} \"failed\" \"{code}\"\n"));
    }
    // A building has the same syntax but another format.
    assert_eq!(shown(&read("a.ifc", file(""))), "reference a.ifc\n");
}

#[test]
fn a_truncated_file_is_read_as_far_as_possible_and_marked_partial() {
    let mut part = Part21::default();
    part.product("P", "");
    let whole = file(&part.data);
    let cut = whole.split_once("END-ISO").unwrap().0;
    assert_eq!(shown(&read("a.stp", cut)), "geometry P \"partial\" \"STEP_TRUNCATED\"\n");
    // Only the last semicolon is missing.
    assert_eq!(shown(&read("a.stp", whole.trim_end().trim_end_matches(';'))), "geometry P\n");
}

#[test]
fn comments_are_allowed_like_white_space() {
    let mut plain = Part21::default();
    let context = plain.millimetres();
    let (whole, part) = (plain.product("W", ""), plain.product("P", ""));
    let (from, to) = (plain.at("0.,0.,0."), plain.at("1.,2.,3."));
    let around = plain.represent(whole, &format!("#{to}"), context);
    let inside = plain.represent(part, &format!("#{from}"), context);
    let (_, shape) = plain.usage("a", whole, part);
    let operator = plain.add(&format!("ITEM_DEFINED_TRANSFORMATION('','',#{from},#{to})"));
    plain.place(shape, inside, around, operator);
    let (before, after) = ("/* a;'b */", "/**/");
    let data = plain.data.replace('=', &format!("{before}={after}")).replace('(', "/*(*/(");
    let text = format!(
        "/* written; by */\n{before}ISO-10303-21{after};{after}HEADER{after};FILE_SCHEMA{after}(('AP'));ENDSEC{after};\
         {before}DATA{after};{data}{before}ENDSEC{after};{before}END-ISO-10303-21{after};"
    );
    for name in ["a.stp", "no extension"] {
        let commented = read(name, &text);
        assert_eq!(shown(&commented), "assembly W\n  geometry a\n", "{name}");
        assert_eq!(placement(&commented, 1), placement(&plain.read(), 1));
    }
}

#[test]
fn a_file_with_the_name_of_step_has_the_type_of_its_content() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x07\0\0\0\x05\x08\x02\0\0\0";
    let conversion = read("a.stp", png);
    let [picture] = conversion.objects() else { panic!() };
    assert_eq!(conversion.media_type(), "image/png");
    assert_eq!(picture.data["image"], json!({ "width": 7, "height": 5 }));
    assert_eq!(picture.data["conversion"]["code"], "NOT_STEP");
    let pdf = read("a.stp", b"%PDF-1.7\n");
    assert_eq!(shown(&pdf), "reference a.stp \"failed\" \"PDF_DAMAGED\"\n");
}

/// An assembly of one part, as a file.
fn plate() -> String {
    let mut part21 = Part21::default();
    let (plate, hole) = (part21.product("p", "Plate"), part21.product("h", "Hole"));
    part21.usage("1", plate, hole);
    let context = part21.millimetres();
    let origin = part21.at("0.,0.,0.");
    part21.represent(plate, &format!("#{origin}"), context);
    part21.represent(hole, &format!("#{origin}"), context);
    file(&part21.data)
}

#[test]
fn sections_in_small_letters_are_read() {
    let mut small = plate();
    for keyword in ["END-ISO-10303-21;", "ISO-10303-21;", "HEADER;", "ENDSEC;", "DATA;"] {
        small = small.replace(keyword, &keyword.to_lowercase());
    }
    assert_ne!(small, plate());
    assert_eq!(read("a.stp", &small), read("a.stp", plate()));
    assert_eq!(read("a.stp", &small).objects()[0].data.get("conversion"), None);
}

#[test]
fn a_packed_file_becomes_its_tree() {
    let gzip = |text: &str| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, text.as_bytes()).unwrap();
        gzip.finish().unwrap()
    };
    let zip = |files: &[(&str, &str)]| {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, text) in files {
            zip.start_file(*path, zip::write::SimpleFileOptions::default()).unwrap();
            std::io::Write::write_all(&mut zip, text.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    };
    let plate = plate();
    let tree = shown(&read("a.stp", &plate));
    for (name, packed, media_type) in [
        ("a.stp.gz", gzip(&plate), "application/gzip"),
        ("a.stpz", gzip(&plate), "application/gzip"),
        ("a.stpZ", zip(&[("a.stp", &plate)]), "model/step+zip"),
        ("a.zip", zip(&[("__MACOSX/._a.stp", "x"), ("b/a.stp", &plate)]), "model/step+zip"),
    ] {
        let conversion = read(name, &packed);
        assert_eq!((shown(&conversion), conversion.media_type()), (tree.clone(), media_type), "{name}");
        assert!(import::convert_unread(&Name::sanitize(name).unwrap(), &packed).is_none());
    }
    // Cut: what is there is read.
    let packed = gzip(&plate);
    let cut = read("a.stp.gz", &packed[..packed.len() - 30]);
    assert!(cut.objects()[0].data["conversion"]["code"].as_str().unwrap().starts_with("STEP_TRUNCATED"));
    for (name, packed) in [
        ("a.zip", zip(&[("a.stp", &plate), ("b.stp", &plate)])),
        ("a.txt.gz", gzip("text")),
        ("a.stpz", gzip("no design")),
        ("a.stpz", b"PK\x03\x04".to_vec()),
    ] {
        let conversion = read(name, &packed);
        assert_eq!(conversion.objects().len(), 1, "{name}");
        assert_eq!(conversion.objects()[0].object_type, import::DraftType::File, "{name}");
    }
}
