import re
from base64 import b64encode
from hashlib import sha256

from diagram_examples import example_diagram

from regard.pictures.diagrams import Diagram, DiagramBox
from regard.pictures.diagrams.page import page


def test_a_page_has_the_drawing_and_a_line_for_every_part():
    diagram = example_diagram("transformer-base")
    text = page(diagram, links=".")
    assert diagram.svg(links=".") in text
    boxes = [box for box in diagram.boxes.values() if box.form in ("box", "slim")]
    assert text.count("<tr><td>") == len(boxes)
    assert '<a href="./src/regard/layers/multihead.py">Cross-attention</a>' in text


def test_only_its_own_styles_are_allowed_and_no_script():
    text = page(example_diagram("memory"))
    policy = re.search(r'content="(default-src [^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    for rules in re.findall(r"<style>(.*?)</style>", text, re.DOTALL):
        assert b64encode(sha256(rules.encode()).digest()).decode() in policy
    assert "<script" not in text


def test_names_cannot_break_out():
    hostile = "<script>alert(1)</script>"
    text = page(Diagram(hostile, hostile, DiagramBox("a", hostile, (hostile,), note=hostile)))
    assert "<script" not in text
