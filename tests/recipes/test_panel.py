"""recipes/panel.py: what a translator reached is written into its card, and nothing else of it changes."""

import importlib.util
import json
from pathlib import Path

from huggingface_hub import ModelCard

from regard.card import read_card

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("panel", ROOT / "recipes" / "panel.py")
panel = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(panel)

SIGNATURES = {"bleu": "nrefs:1|tok:13a", "chrf": "nrefs:1|nc:6"}
COUNTS = {"sentences": 1000, "damaged": 12, "hard_inputs": 900, "loops": 3}
SCORES = {
    "everyday": {"texts": 1973, "beam": 4, "scores": {"bleu": 41.5, "chrf": 60.25, "perplexity": 3.9}},
    "news": {"texts": 3000, "beam": 4, "scores": {"bleu": 14.125, "chrf": 45.0, "perplexity": 21.0}},
}


def scored_card():
    card = (ROOT / "src/regard/builtin/en-de/README.md").read_text(encoding="utf-8")
    measured = {name: one | {"signatures": SIGNATURES} for name, one in SCORES.items()}
    return card, panel.scored(card, "en-de", measured, COUNTS)


def test_a_card_has_every_set_for_people_and_for_programs(tmp_path):
    _, after = scored_card()
    (tmp_path / "README.md").write_text(after, encoding="utf-8")
    results = ModelCard(after).data.eval_results
    assert {(one.dataset_name, one.metric_name): one.metric_value for one in results} == {
        (name, panel.NAMES[key]): value for name, one in SCORES.items() for key, value in one["scores"].items()
    }
    assert read_card(tmp_path).scores == {"BLEU": 41.5, "chrF": 60.25, "perplexity": 3.9}  # the first set's
    assert "| news | 3,000 | 14.12 | 45.00 | 21.00 |" in after
    assert "- BLEU: `nrefs:1|tok:13a`" in after
    assert "numbers and dates 12 lose one of them; of 900 inputs" in after


def test_the_rest_of_a_card_stays_and_scoring_again_changes_nothing():
    before, after = scored_card()
    assert after.partition("## Limits")[2] == before.partition("## Limits")[2]
    assert (
        after.partition("\n# en-de")[2].partition("## Scores")[0]
        == before.partition("\n# en-de")[2].partition("## Scores")[0]
    )
    measured = {name: one | {"signatures": SIGNATURES} for name, one in SCORES.items()}
    assert panel.scored(after, "en-de", measured, COUNTS) == after


def test_an_entry_is_added_to_what_a_folder_says(tmp_path):
    path = tmp_path / "generation_config.json"
    path.write_text(json.dumps({"num_beams": 4, "alignment": "decoder.0.cross"}))
    after = json.loads(panel.with_entry(path, "alignment", "decoder.1.cross:2"))
    assert after == {"num_beams": 4, "alignment": "decoder.1.cross:2"}
