"""Factor of safety of the bolts that hold a bracket (R2)."""

import json
from math import pi

import atelier

FORCE_N = atelier.input.get("force", 2500)
BOLTS = atelier.input.get("bolts", 3)
STRENGTH_MPA = 400  # class 4.6
ROOT_MM = 8.16  # M10, core of the thread


def factor(force: float, bolts: int) -> float:
    """Shear strength over shear stress, for bolts that share the force."""
    stress = force / bolts / (pi * ROOT_MM**2 / 4)
    return 0.6 * STRENGTH_MPA / stress


found = factor(FORCE_N, BOLTS)
print(json.dumps({"bolts": BOLTS, "force": FORCE_N, "factor": round(found, 1), "holds": found >= 2}))
