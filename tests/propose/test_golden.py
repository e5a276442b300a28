"""Prompts and feedback as they are sent; `python -m tests.propose.test_golden` writes the files anew."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from metalift import pipeline
from metalift.pipeline.proposer import Proposer
from tests.propose.test_loops import GCD
from tests.support.scripted import Scripted

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
LAMBDA = """\
float weighted(const float *lambda, const float *total, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += lambda[i] * total[i];
  return s;
}
"""
ANSWERS = (
    "def weighted(lambda_, total_, n):\n    return sums(times(lambda_[:n], total_[:n]))",
    "def weighted(lambda_, total_, n):\n    return total(times(lambda_[:n], 2.0))",
    "def weighted(lambda_, total_, n):\n    return mean(times(lambda_, total_[:n]))",
    "def weighted(lambda_, total_, n):\n    return total(times(lambda_[:n], total_[:n])",
    "I cannot do this.",
)
REASON = re.compile(r" fails: .*?\. There")  # depends on how fast the machine is
UNPROVED = GCD.replace("x == a_now and ", "")


def asked(folder: Path) -> dict[str, str]:
    """Every prompt of two sessions, by the name of its file; of later ones what goes back."""
    source = folder / "weighted.c"
    source.write_text(LAMBDA)
    sessions = {
        "weighted": (source, "vectors_driver.py", Scripted(ANSWERS)),
        "gcd": (HERE / "loops.c", "numbers_driver.py", Scripted([GCD.replace("a_now > 0", "a_now > b_now"), UNPROVED, "no"])),
    }
    texts: dict[str, str] = {}
    for name, (path, driver, asker) in sessions.items():
        pipeline.lift(path, functions=[name], driver=str(HERE / driver), timeout=2.0, proposer=Proposer(False, asker))
        first, *later = (question.text for question in asker.questions)
        texts[f"{name}-1.prompt.md"] = first
        for attempt, text in enumerate(later, 2):
            assert text.startswith(first.rstrip())
            back = text.removeprefix(first.rstrip()).lstrip()
            texts[f"{name}-{attempt}.feedback.md"] = REASON.sub(" fails: (the solver's reason). There", back)
    return texts


def test_prompts_and_feedback_are_the_golden_files(tmp_path: Path) -> None:
    found = asked(tmp_path)
    assert sorted(found) == sorted(path.name for path in GOLDEN.iterdir())
    for name, text in found.items():
        assert text == (GOLDEN / name).read_text(encoding="utf-8"), name


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for old in GOLDEN.iterdir():
        old.unlink()
    with tempfile.TemporaryDirectory() as made:
        for file, content in asked(Path(made)).items():
            (GOLDEN / file).write_text(content, encoding="utf-8")
