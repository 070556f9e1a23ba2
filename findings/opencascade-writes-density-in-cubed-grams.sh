#!/usr/bin/env bash
# cadquery-ocp 8.0.1.1.0 (PyPI): OpenCascade 8.0.1.
#
# The density of a material, which XCAFDoc_MaterialTool takes in g/cm³, is written to STEP with the unit
# gram³·centimetre²: the DERIVED_UNIT has the exponents 3 for the gram and 2 for the centimetre, where a density has 1
# and -3. The value is right, and readers that compute with the unit as written get a density that no material has.
#
# Seen on 27 November 2026: two DERIVED_UNIT_ELEMENTs, "GRAM 3." and "METRE 2.".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv packages
packages/bin/pip install --quiet cadquery-ocp==8.0.1.1.0
cat > write.py <<'PYTHON'
import re

from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
from OCP.STEPCAFControl import STEPCAFControl_Writer
from OCP.STEPControl import STEPControl_StepModelType
from OCP.TCollection import TCollection_ExtendedString, TCollection_HAsciiString as Text
from OCP.TDocStd import TDocStd_Document
from OCP.XCAFApp import XCAFApp_Application
from OCP.XCAFDoc import XCAFDoc_DocumentTool

document = TDocStd_Document(TCollection_ExtendedString("BinXCAF"))
XCAFApp_Application.GetApplication_s().InitDocument(document)
shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
materials = XCAFDoc_DocumentTool.MaterialTool_s(document.Main())
box = shapes.AddShape(BRepPrimAPI_MakeBox(10.0, 10.0, 10.0).Shape())
names = [Text(name) for name in ("steel", "carbon steel", "density", "POSITIVE_RATIO_MEASURE")]
materials.SetMaterial(box, materials.AddMaterial(names[0], names[1], 7.85, names[2], names[3]))
writer = STEPCAFControl_Writer()
writer.SetMaterialMode(True)
writer.Transfer(document, STEPControl_StepModelType.STEPControl_AsIs)
writer.Write("box.step")

text = open("box.step").read().replace("\n", "")
units = dict(re.findall(r"#(\d+) = \(([^;]*SI_UNIT[^;]*)\);", text))
for unit, exponent in re.findall(r"DERIVED_UNIT_ELEMENT\(#(\d+),([^)]*)\)", text):
    print(re.search(r"GRAM|METRE", units[unit]).group(), exponent)
PYTHON
packages/bin/python write.py | grep -E '^(GRAM|METRE) ' > seen
cat > expected <<'SEEN'
GRAM 3.
METRE 2.
SEEN
diff expected seen
echo "as seen on 27 November 2026"
