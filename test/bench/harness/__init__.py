"""What the measures share: candidates and servers, statistics and tables."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test/support"))
