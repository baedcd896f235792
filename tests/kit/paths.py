"""Where things are."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "data"

# Real lattices, lists and judgments, which are no part of the repository.
DATA = Path(os.environ.get("LATTICEMETRIC_DATA", ROOT.parent / "shared" / "data"))
