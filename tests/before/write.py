"""Writes the data of this folder. It belongs to version 0.1, before names were changed, and is never run again:

OMP_NUM_THREADS=1 .venv/bin/python tests/before/write.py

What it wrote is what users of that version have on their disks; test_before.py holds later code to it. Written by hand
is recipe/full.toml alone.
"""

import json
import os
import random
import shutil
import signal
import tempfile
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

import click
import torch
from addresses import decoded
from safetensors.torch import save_file

import regard
from regard.checkpoints import load_model, save_model
from regard.checkpoints.files import write_manifest
from regard.checkpoints.hub import FAMILIES as HUB
from regard.checkpoints.hub import build, family_of
from regard.checkpoints.hub.encoder_decoder import KIND
from regard.checkpoints.options import Options
from regard.cli.main import COMMANDS
from regard.cli.main import regard as command_line
from regard.looking.prune import prune
from regard.models import AlignConfig, AlignerConfig, MemoryConfig, OutputConfig, RecurrentConfig
from regard.models.vision import GlimpseConfig
from regard.tasks.writing import Settings
from regard.training import Stopped, read_recipe, train
from regard.training.reading import flat
from regard.training.reports import Silent
from regard.viewer.learn import topics

HERE = Path(__file__).parent
WORDS = 24
BERT = {
    "vocab_size": WORDS, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 12,
    "max_position_embeddings": 12,
}  # fmt: skip
ROBERTA = BERT | {"pad_token_id": 1, "type_vocab_size": 1}
GPT2 = {"vocab_size": WORDS, "n_embd": 8, "n_layer": 2, "n_head": 2, "n_positions": 12}
LLAMA = {
    "vocab_size": WORDS, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 12,
}  # fmt: skip
BART = {"vocab_size": WORDS, "d_model": 8, "max_position_embeddings": 12, "activation_function": "relu"}
for side in ("encoder", "decoder"):
    BART |= {f"{side}_layers": 1, f"{side}_attention_heads": 2, f"{side}_ffn_dim": 12}
T5 = {"vocab_size": WORDS, "d_model": 8, "d_kv": 3, "d_ff": 12, "num_layers": 1, "num_heads": 2}
XL = {
    "words": {"vocabulary": WORDS},
    "stack": {
        "layers": 2, "width": 8, "window": 4, "attention": {"heads": 2, "score": "xl"}, "inner": {"width": 12},
        "norm": {},
    },
    "output": {},
}  # fmt: skip
VISION = {"size": 6, "patch": 2, "labels": 4, "width": 8, "layers": 2, "heads": 2, "inner": 12}
WRITER = {"is_decoder": True, "add_cross_attention": True}
LABELS = {"num_labels": 3}
FAMILIES = {
    "albert": (BERT | {"embedding_size": 4, "num_hidden_layers": 3}, "AlbertForMaskedLM"),
    "albert-pretraining": (BERT | {"embedding_size": 4, "num_hidden_groups": 2}, "AlbertForPreTraining"),
    "bart": (BART, "BartForConditionalGeneration"),
    "bert": (BERT, "BertForMaskedLM"),
    "bert-pretraining": (BERT, "BertForPreTraining"),
    "bert-labels": (BERT | LABELS, "BertForSequenceClassification"),
    "bert-generation": (BERT, "BertGenerationEncoder"),
    "bert-generation-decoder": (BERT | {"is_decoder": True}, "BertGenerationDecoder"),
    "camembert": (ROBERTA, "CamembertForMaskedLM"),
    "distilbert": (
        {"vocab_size": WORDS, "dim": 8, "n_layers": 2, "n_heads": 2, "hidden_dim": 12, "max_position_embeddings": 12},
        "DistilBertForMaskedLM",
    ),
    "encoder-decoder": (
        {"encoder": BERT | {"model_type": "bert"}, "decoder": GPT2 | WRITER | {"model_type": "gpt2"}},
        "EncoderDecoderModel",
    ),
    "encoder-decoder-bridge": (
        {
            "encoder": ROBERTA | {"model_type": "roberta"},
            "decoder": BERT | WRITER | {"model_type": "bert", "hidden_size": 12},
        },
        "EncoderDecoderModel",
    ),
    "esm": (
        BERT | {"position_embedding_type": "rotary", "token_dropout": False, "pad_token_id": 1, "mask_token_id": 2},
        "EsmForMaskedLM",
    ),
    "gpt2": (GPT2, "GPT2LMHeadModel"),
    "gpt2-labels": (GPT2 | LABELS | {"pad_token_id": 0}, "GPT2ForSequenceClassification"),
    "llama": (LLAMA, "LlamaForCausalLM"),
    "marian": (BART | {"pad_token_id": 0}, "MarianMTModel"),
    "mistral": (LLAMA | {"sliding_window": 3}, "MistralForCausalLM"),
    "openai-gpt": (GPT2, "OpenAIGPTLMHeadModel"),
    "qwen2": (LLAMA, "Qwen2ForCausalLM"),
    "roberta": (ROBERTA, "RobertaForMaskedLM"),
    "t5": (T5, "T5ForConditionalGeneration"),
    "t5-encoder": (T5 | {"feed_forward_proj": "gated-gelu"}, "T5EncoderModel"),
    "regard-vision": (VISION, "Vision"),
    "regard-vision-set": (VISION | {"patch": 1, "places": False, "pool": "mean"}, "Vision"),
    "regard-xl": (XL, "XL"),
    "xlm-roberta": (ROBERTA, "XLMRobertaForMaskedLM"),
}
"""Told as their files have it. What stands behind a hyphen is our name of a second model of the family."""

SIDES = RecurrentConfig(WORDS, 6, 4, 2), RecurrentConfig(WORDS, 6, 8, 2)
BAHDANAU = AlignerConfig(*SIDES, AlignConfig("additive", "before", inner=5))
LUONG = AlignerConfig(*SIDES, AlignConfig("bilinear", "after"), deep="tanh", skips=False)
BETWEEN = AlignerConfig(
    *(RecurrentConfig(WORDS, 6, width) for width in (4, 8)),
    AlignConfig("multihead", "between", 4),
    narrow=8,
    begins=False,
    deep=None,
    skips=False,
)
CONFIGS = {
    "regard-alignment-bahdanau": BAHDANAU,
    "regard-alignment-lstm": replace(BAHDANAU, cell="lstm", deep="tanh", feeding=True),
    "regard-alignment-general": LUONG,
    "regard-alignment-multihead": replace(LUONG, align=AlignConfig("multihead", "after", heads=4)),
    "regard-alignment-between": BETWEEN,
    "regard-alignment-monotonic": replace(LUONG, align=AlignConfig("dot", "after", local="monotonic", reach=1)),
    "regard-alignment-predictive": replace(LUONG, align=AlignConfig("bilinear", "after", local="predictive", reach=2)),
    "regard-alignment-none": replace(BAHDANAU, align=None),
    "regard-alignment-shared": replace(
        BAHDANAU, reads=SIDES[1], writes=SIDES[1], shared=True, output=OutputConfig(tied=True), begins=False
    ),
    "e2k": BETWEEN,
    "regard-memory": MemoryConfig(WORDS, 8, hops=2, memories=6, longest=5),
    "regard-memory-layerwise": MemoryConfig(
        WORDS, 8, hops=2, tying="layerwise", projects=True, memories=6, longest=0, fills=True, copies=2
    ),
    "regard-vision-glimpse": GlimpseConfig(size=6, labels=4, width=8, glimpses=3),
}
"""Those whose files say all that our configs say."""
ARCHITECTURES = {"regard-alignment": "Aligner", "e2k": "S2S", "regard-memory": "Memory", "regard-vision": "Glimpse"}
PRUNED = {
    "marian": {"encoder.0.self": [1], "decoder.0.cross": [0]},
    "albert": {"encoder.*.self": [0]},
    "regard-xl": {"decoder.1.self": [0]},
    "regard-vision": {"encoder.0.self": [1]},
    "regard-alignment-multihead": {"align": [0, 2]},
}


def built(name):
    """A model with weights so large that every head matters, and what its files are told."""
    torch.manual_seed(len(name))
    config = {"model_type": max((kind for kind in (*HUB, KIND) if name.startswith(kind)), key=len)}
    if name in CONFIGS:
        ours, architecture = CONFIGS[name], ARCHITECTURES[config["model_type"]]
    else:
        told, architecture = FAMILIES[name]
        config |= told
        ours = family_of(config, name).read(Options(config, name), architecture)
    model = build(ours)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.3)
    return model.eval(), config, architecture


def inputs(name):
    """What a model is given, in order; `mask` is by its name, True for tokens."""
    chance = torch.Generator().manual_seed(1)
    if name.startswith("regard-vision"):
        return {"0": torch.rand(2, 6, 6, generator=chance)}
    if name.startswith("regard-memory"):
        story, question = (torch.randint(1, WORDS, shape, generator=chance) for shape in ((2, 4, 5), (2, 3)))
        story[1, 2:], story[:, :, 4] = 0, 0
        return {"0": story, "1": question}
    source, target = (torch.randint(3, WORDS, (2, length), generator=chance) for length in (6, 4))
    mask = torch.arange(6) < torch.tensor([[6], [4]])
    source = source.where(mask, 0)
    pairs = ("bart", "marian", "t5", "regard-alignment", "e2k", "encoder-decoder")
    writes = name.startswith(pairs) and name != "t5-encoder"
    return {"0": source, **({"1": target} if writes else {}), "mask": mask}


@torch.no_grad()
def answer(model, given):
    mask = {"real": given["mask"]} if "mask" in given else {}
    return model(*(given[key] for key in "01" if key in given), **mask)


def write_checkpoints():
    for name in [*FAMILIES, *CONFIGS, *(f"pruned-{name}" for name in PRUNED)]:
        whole = name.removeprefix("pruned-")
        model, config, architecture = built(whole)
        if whole != name:
            model = prune(model, PRUNED[whole])
        folder, given = HERE / "checkpoints" / name, inputs(whole)
        save_model(model, folder, config, architecture)
        again = answer(load_model(folder).model, given).contiguous()
        assert torch.equal(again, answer(model, given)), name
        save_file(given | {"logits": again}, folder.parent / f"{name}.safetensors")


def write_edits():
    """A file for each kind of edit, and one with all of them."""
    model, given, found = load_model(HERE / "checkpoints/marian").model, inputs("marian"), {}
    ways = {
        "hide": lambda edits: (
            edits.hide([1]),
            edits.hide(source=[2], target=[1]),
            edits.add({"do": "hide", "places": [1]}),
        ),
        "scale": lambda edits: (
            edits.head("encoder.0.self", 0).off(),
            edits.head("decoder.*", [0, 1]).scale(0.5),
            edits.head("*.cross", 1).scale(torch.tensor(1.5)),
        ),
        "temper": lambda edits: (
            edits.head("encoder.0.self", 1).temper(0.5),
            edits.add({"do": "temper", "place": "decoder.0.self", "heads": None, "temperature": 3}),
        ),
        "set": lambda edits: (
            edits.head("decoder.0.cross", 0).set([0.25, 0, 0, 0.75, 0, 0], rows=[1, 2]),
            edits.head("encoder.0.self", [0]).set(torch.eye(6)[[3, 0]], rows=[0, 3]),
        ),
    }
    ways["all"] = lambda edits: [way(edits) for name, way in ways.items() if name != "all"]
    (HERE / "edits").mkdir()
    for name, way in ways.items():
        with regard.edit(model) as edits:
            way(edits)
            edits.save(HERE / f"edits/{name}.json")
            found[name] = answer(model, given)
        assert not torch.equal(found[name], answer(model, given)), name
    save_file(found, HERE / "edits/logits.safetensors")


TRAINED = {
    "marian": """run = "run"
[data]
train = ["train.tsv"]
valid = ["valid.tsv"]
[tokenizer]
kind = "words"
size = 0
[model]
width = 8
heads = 2
layers = 1
inner = 12
dropout = 0.2
[train]
steps = 12
tokens = 48
rate = 0.01
warmup = 4
label_smoothing = 0.1
frozen = ["encoder.0.self"]
save_every = 4
keep = 1
log_every = 4
evaluate_every = 5
""",
    "xl": """run = "run"
[data]
train = ["train.txt"]
valid_share = 0.2
windows = "carried"
[tokenizer]
kind = "characters"
size = 0
[model]
kind = "xl"
width = 8
layers = 1
heads = 2
inner = 12
length = 8
memory = 12
[train]
objective = "next-token"
steps = 12
rows = 3
rate = 0.01
warmup = 4
save_every = 4
keep = 1
log_every = 4
""",
}


class Stopping(Silent):
    """Stops a training after six steps."""

    def step(self, step, values):
        if step == 6:
            os.kill(os.getpid(), signal.SIGTERM)


def write_text(folder):
    chance = random.Random(3)
    words = ["the", "cat", "dog", "bird", "sees", "hears", "a", "big", "small", "old", "red", "house", "tree"]
    for name, count in (("train", 40), ("valid", 5)):
        lines = [" ".join(chance.choices(words, k=chance.randint(1, 6))) for _ in range(count)]
        pairs = [f"{line}\t{' '.join(reversed(line.upper().split()))}\n" for line in lines]
        (folder / f"{name}.tsv").write_text("".join(pairs))
    (folder / "train.txt").write_text("".join(f"the {one} sees a {other} .\n" for one in words for other in words[:3]))


def write_training():
    for name, recipe in TRAINED.items():
        with tempfile.TemporaryDirectory() as home:
            folder = Path(home).resolve()
            (folder / "recipe.toml").write_text(recipe)
            write_text(folder)
            read = read_recipe(folder / "recipe.toml")
            final = train(replace(read, run=str(folder / "whole")), reporting=Silent())
            with suppress(Stopped):
                train(read, reporting=Stopping())
            kept = [folder / "recipe.toml", *(Path(file) for file in (*read.data.train, *read.data.valid))]
            into = HERE / "training" / name
            into.mkdir(parents=True)
            for path in kept:
                shutil.copy(path, into)
            shutil.copytree(folder / "run", into / "run", ignore=shutil.ignore_patterns(".lock", "cache"))
            shutil.copytree(final, into / "final")
            make_relative(into, folder)


def make_relative(into, folder):
    """Recipes, on model cards too, without the folder that they were followed in; the sums with them."""
    for path in (into / "run/recipe.toml", *into.rglob("README.md")):
        told = path.read_text()
        for old, new in ((f'"{folder}/run"', '"."'), (f'"{folder}"', '".."'), (f"{folder}/", "")):
            told = told.replace(old, new)
        path.write_text(told)
    for path in into.rglob("manifest.json"):
        path.unlink()
        write_manifest(path.parent)


def write_translator():
    """What a translator's generation_config.json says besides: how capitals are read, which heads align words."""
    folder = shutil.copytree(HERE / "training/marian/final", HERE / "translator")
    path = folder / "generation_config.json"
    told = json.loads(path.read_text())
    told |= {"capitals": "small", "alignment": "2 decoder.0.cross:1 shifted + decoder.0.cross", "max_length": 16}
    path.write_text(json.dumps(told, indent=2) + "\n")
    (folder / "manifest.json").unlink()
    write_manifest(folder)
    settings = Settings(load_model(folder))
    task = regard.load(folder)
    answers = {}
    for text in ("the cat sees a dog", "THE OLD BIRD"):
        found = task(text)
        answers[text] = {"text": found.text, "alignment": found.alignment.weights.tolist()}
    look = settings.look()
    read = {"alignment": [asdict(part) for part in look.parts], "written": str(look), "capitals": settings.capitals()}
    write_json("translator.json", {"read": read, "answers": answers})


def write_recipe():
    recipe = flat(read_recipe(HERE / "recipe/full.toml"))
    told = {key: value.replace(str(HERE), ".") if isinstance(value, str) else value for key, value in recipe.items()}
    for key in ("data.train", "data.valid"):
        told[key] = [value.replace(str(HERE), ".") for value in told[key]]
    write_json("recipe/full.json", told)


def write_options():
    """Every command's options and arguments as click knows them."""
    found = {}
    for name in sorted(COMMANDS):
        command = command_line.get_command(click.Context(command_line), name)
        found[name] = [
            {
                "kind": one.param_type_name,
                "names": [*one.opts, *one.secondary_opts],
                "type": one.type.name,
                **({"choices": list(one.type.choices)} if isinstance(one.type, click.Choice) else {}),
                **({"is_flag": True} if getattr(one, "is_flag", False) else {}),
                **({"multiple": True} if getattr(one, "multiple", False) else {}),
            }
            for one in command.params
        ]
    write_json("options.json", found)


def write_addresses():
    """Every key of the page's address, and what the page's own code reads of it; Learn's as the server has them."""
    edits = json.loads((HERE / "edits/all.json").read_text())
    edits[1]["off"] = True
    one = {
        "text": "words=1&beam=2&sentence=1&tokens=16",
        "heads": "how=max&place=encoder.0.self&head=1",
        "links": "place=decoder.0.cross&heads=0,1&top=5&first=60",
        "map": "place=decoder.0.cross&head=1&how=max&at=3.5,2.0,40.00&scale=sinkless",
        "pair": "place=decoder.0.cross&head=1&pin=a2,b1&order=size&scale=log",
        "edit": f"scale=linear&edits={json.dumps(edits)}",
    }
    start = "model=en-de&text=Where is the station?"
    found = [f"#{view}?{start}&{rest}" for view, rest in one.items()]
    looks = ("alignment", "importance", "rollout", "lens", "diff", "models")
    found += [f"#inside?{start}&look={look}" for look in looks]
    found += [
        "",
        "#text?model=shakespeare&text=ROMEO:&temperature=0.8&seed=3&tokens=40",
        "#text?model=babi&text=Lily is gray.&second=What is Lily?",
        f"#inside?{start}&look=models&with=de-en&place=encoder.0.self&head=2",
        "#learn?topic=matrix&step=2",
    ]
    found += [f"#learn?topic={one.topic}&given={json.dumps(one.given)}" for one in topics().topics]
    write_json("addresses.json", dict(zip(found, decoded(found), strict=True)))


def write_json(name, told):
    (HERE / name).write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    torch.set_num_threads(1)
    for folder in ("checkpoints", "edits", "training", "translator"):
        shutil.rmtree(HERE / folder, ignore_errors=True)
    write_checkpoints()
    write_edits()
    write_training()
    write_translator()
    write_recipe()
    write_options()
    write_addresses()
    machine = {"capability": torch.backends.cpu.get_cpu_capability(), "torch": torch.__version__}
    write_json("machine.json", {"version": regard.__version__, **machine})


if __name__ == "__main__":
    main()
