"""English-German text of many kinds becomes one training file and one tokeniser: python recipes/general.py --help.

Tatoeba's pairs come with other names and numbers (names.py), parliament thinned to sentences of ordinary length, speech
and encyclopedia three times, the rest once, technical text thinned. Some pairs are written again as people write: in
small letters, without the last point, two sentences behind one another, with other numbers; and some sentences of the
language that is written are read as they are, so that what needs no translation comes back.

    python recipes/general.py text ../shared/data runs/general/en-de.tsv --reads english --tatoeba 4
    python recipes/general.py tokenizer runs/general/en-de.tsv runs/general/tokenizer --size 11000
    python recipes/general.py widen en-de runs/general/tokenizer runs/general/start-en-de --layers 4 2
"""

import random
import sys
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parent))
from names import Inventor, Pair, agreed, counts_alike, found_names, hurried, more, named, numbered

from regard.text.lines import read_lines

THRICE = ("covost2-commonvoice", "mlqe-pe-wikipedia")
TWICE = ("storybooks",)
ONCE = ("gutenberg-google-mt", "learnosm", "monero-site", "opensource-guide", "ms-for-beginners", "rust-book")
THINNED = {"ethereum-org": 0.5, "godot-docs": 0.4}
SIDES = ("encoder", "decoder")
KEPT = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json")  # beside the weights
PARLIAMENT, SHORTEST, LONGEST = 380_000, 4, 40  # pairs, and words of their English side


def read(path: Path) -> list[Pair]:
    pairs = (line.split("\t")[:2] for line in read_lines(path))
    return [(english, german) for english, german in pairs]


def joined(pairs: list[Pair], count: int, draw: random.Random) -> list[Pair]:
    """Two or three sentences behind one another, as in a paragraph."""
    drawn = (draw.choices(pairs, k=draw.choice([2, 2, 3])) for _ in range(count))
    rows = [(" ".join(one[0] for one in some), " ".join(one[1] for one in some)) for some in drawn]
    return [row for row in rows if len(row[0].split()) <= LONGEST]


def unpointed(pair: Pair) -> Pair | None:
    """The pair without the point at its end, as headlines are written."""
    english, german = pair
    return (english[:-1], german[:-1]) if english.endswith(".") and german.endswith(".") else None


def general(data: Path, reads: str, seed: int, tatoeba_times: int, extra: list[Pair]) -> list[Pair]:
    draw = random.Random(seed)
    tatoeba = read(data / "tatoeba-en-de" / "train.tsv.xz")
    folder = data / "general-en-de"
    parliament = [
        pair
        for pair in read(folder / "europarl.tsv.xz")
        if SHORTEST <= len(pair[0].split()) <= LONGEST and counts_alike(pair)
    ]
    parliament = draw.sample(parliament, min(PARLIAMENT, len(parliament)))
    rest: list[Pair] = []
    for times, names in ((3, THRICE), (2, TWICE), (1, ONCE)):
        for name in names:
            rest += times * read(folder / f"{name}.tsv.xz")
    for name, share in THINNED.items():
        pairs = read(folder / f"{name}.tsv.xz")
        rest += draw.sample(pairs, int(share * len(pairs)))
    rest = [pair for pair in rest if len(pair[0].split()) <= 2 * LONGEST]
    written = [*parliament, *rest, *(pair for pair in extra if counts_alike(pair))]
    names = found_names([*tatoeba, *parliament])
    inventor = Inventor.of([*tatoeba, *rest], names, draw)
    some = draw.sample(written, len(written))
    again: list[Pair | None] = []
    again += [numbered(pair, inventor.number) for pair in some if any(map(str.isdigit, pair[0]))][:120_000]
    again += [row for row in (named(pair, set(names), inventor.name) for pair in 2 * some) if row][:200_000]
    again += hurried(draw.sample(written, 60_000), reads, 15_000, draw)[:15_000]
    again += [unpointed(pair) for pair in draw.sample(written, 15_000)]
    again += joined(tatoeba, 25_000, draw)
    again += joined([pair for pair in rest if len(pair[0].split()) < 15], 10_000, draw)
    target = 1 if reads == "english" else 0
    again += [(pair[target], pair[target]) for pair in draw.sample([*tatoeba, *rest], 8_000)]
    everyday = more(tatoeba, times=1, odd=4000, seed=seed, reads=reads, hurry=10_000)
    own = set(names)  # every other one of these comes with names that it does not have
    copies = [pair for _ in range(tatoeba_times) for pair in tatoeba]
    copies = [(named(pair, own, inventor.name) if draw.random() < 0.5 else None) or pair for pair in copies]
    pairs = [*everyday, *map(agreed, written), *(pair for pair in again if pair is not None), *copies]
    draw.shuffle(pairs)
    return pairs


@click.group()
def main() -> None:
    """English-German text of many kinds."""


@main.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--reads", type=click.Choice(["english", "german"]), required=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--tatoeba", default=0, show_default=True, help="How often its pairs come once more, as they are.")
@click.option("--extra", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Pairs to add: .tsv.")
def text(data: Path, target: Path, reads: str, seed: int, tatoeba: int, extra: Path | None) -> None:
    """Write the English<TAB>German pairs of the folder DATA to TARGET."""
    pairs = general(data, reads, seed, tatoeba, read(extra) if extra else [])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(f"{english}\t{german}\n" for english, german in pairs), encoding="utf-8")
    click.echo(f"{len(pairs):,} pairs, {sum(len(pair[0].split()) for pair in pairs):,} English words: {target}")


@main.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--size", default=11_000, show_default=True)
def tokenizer(source: Path, folder: Path, size: int) -> None:
    """Learn pieces of both languages from SOURCE; each digit is a piece of its own, so that numbers are copied."""
    import tokenizers
    from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

    from regard.text import load_tokenizer

    made = tokenizers.Tokenizer(models.BPE())
    made.normalizer = normalizers.Sequence([normalizers.Prepend(" ")])
    digits = pre_tokenizers.Split(Regex(" ?[0-9]"), "isolated")
    made.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    made.decoder = decoders.Sequence([decoders.ByteLevel(), decoders.Strip(" ", 1, 0)])
    texts = (side for pair in read(source) for side in pair)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    specials = ["<pad>", "</s>"]
    made.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=size, special_tokens=specials, initial_alphabet=alphabet, show_progress=False, min_frequency=20
        ),
    )
    ends = [("</s>", 1)]
    made.post_processor = tokenizers.processors.TemplateProcessing("$A </s>", "$A </s> $B:1 </s>:1", ends)
    folder.mkdir(parents=True, exist_ok=True)
    made.save(str(folder / "tokenizer.json"))
    known = Path(__file__).parents[1] / "src/regard/builtin/en-de/tokenizer_config.json"
    (folder / "tokenizer_config.json").write_bytes(known.read_bytes())
    click.echo(f"{made.get_vocab_size():,} pieces: {load_tokenizer(folder)}")


@main.command()
@click.argument("name")
@click.argument("pieces", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--layers", type=int, nargs=2, default=(4, 2), show_default=True)
@click.option("--dropout", default=0.0, show_default=True, help="None, while there is more text than time.")
def widen(name: str, pieces: Path, folder: Path, layers: tuple[int, int], dropout: float) -> None:
    """A built-in translator NAME with other PIECES and layers, from its own weights, in FOLDER.

    A new piece begins as the mean of the old ones that spell it, a new layer as a copy of the last; of fewer layers the
    first and the last are taken.
    """
    import json
    from dataclasses import replace

    import tokenizers
    import torch

    import regard
    from regard.checkpoints import save_model
    from regard.models import build

    old = regard.load(name).model
    home = Path(regard.__file__).parent / "builtin" / name
    before, after = (tokenizers.Tokenizer.from_file(str(at / "tokenizer.json")) for at in (home, pieces))
    size, vocabulary = after.get_vocab_size(), before.get_vocab()

    def side(config, count):
        return replace(
            config,
            embedding=replace(config.embedding, vocabulary=size, dropout=dropout),
            stack=replace(config.stack, layers=count, dropout=dropout),
        )

    both = {stack: side(getattr(old.config, stack), count) for stack, count in zip(SIDES, layers, strict=True)}
    model, table = build(replace(old.config, **both)), old.state_dict()

    def spelled(number: int) -> list[int]:
        piece = after.id_to_token(number) or ""
        return [vocabulary[piece]] if piece in vocabulary else [token.id for token in before.model.tokenize(piece)]

    def grown(key: str, tensor: torch.Tensor) -> torch.Tensor:
        parts = key.split(".")
        if "blocks" in parts:
            at, stack = parts.index("blocks") + 1, parts[0]
            have, count, number = getattr(old.config, stack).stack.layers, both[stack].stack.layers, int(parts[at])
            parts[at] = str(round(number * (have - 1) / max(count - 1, 1)) if count < have else min(number, have - 1))
            return table[".".join(parts)].clone()
        if tensor.ndim == 2 and len(tensor) == size:
            return torch.stack([table[key][spelled(number)].mean(0) for number in range(size)])
        return table[key].clone()

    model.load_state_dict({key: grown(key, tensor) for key, tensor in model.state_dict().items()})
    config = json.loads((home / "config.json").read_text(encoding="utf-8"))
    kept = ("model_type", "eos_token_id", "pad_token_id", "decoder_start_token_id", "max_position_embeddings")
    files = [pieces / "tokenizer.json", pieces / "tokenizer_config.json"]
    save_model(model, folder, {key: config[key] for key in kept}, "MarianMTModel", files=files)
    click.echo(f"{sum(weight.numel() for weight in model.parameters()):,} parameters: {folder}")


@main.command()
@click.argument("start", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("model", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--share", default=0.5, show_default=True, help="How much of it is MODEL.")
def average(start: Path, model: Path, share: float) -> None:
    """Put the mean of the weights of MODEL and of the START it went on from in the place of MODEL.

    Both lie in one valley, and the middle is often better than either: it keeps more of what START knew.
    """
    from regard.checkpoints import load_model
    from regard.checkpoints.files import write_with_manifest
    from regard.checkpoints.save import model_files

    before, after = load_model(start), load_model(model)
    table = before.model.state_dict()
    mean = {name: table[name].lerp(weight, share) for name, weight in after.model.state_dict().items()}
    after.model.load_state_dict(mean)
    content = model_files(after.model, after.config, after.architecture, str(model))
    files = [model / name for name in (*KEPT[1:], "README.md") if (model / name).is_file()]
    write_with_manifest(model, lambda beside: content.write(beside, files))
    click.echo(f"{share:g} of it is what was learned: {model}")


@main.command()
@click.argument("model", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
def keep(model: Path, folder: Path) -> None:
    """Keep a MODEL to go on from in FOLDER, small: a byte for each weight, and a scale for each row of a matrix."""
    import lzma

    import torch
    from safetensors.torch import load_file, save_file

    kept: dict[str, torch.Tensor] = {}
    for name, tensor in load_file(model / "model.safetensors").items():
        if tensor.ndim == 2:
            scale = tensor.float().abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
            kept |= {
                f"{name}:bytes": (tensor.float() / scale).round().to(torch.int8),
                f"{name}:scale": scale[:, 0].half(),
            }
        else:
            kept[name] = tensor.half()
    folder.mkdir(parents=True, exist_ok=True)
    save_file(kept, folder / "weights.safetensors")
    for file in KEPT:
        (folder / f"{file}.xz").write_bytes(lzma.compress((model / file).read_bytes(), preset=9))
    click.echo(f"{sum(path.stat().st_size for path in folder.iterdir()):,} bytes: {folder}")


@main.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("model", type=click.Path(path_type=Path))
def unpack(folder: Path, model: Path) -> None:
    """The MODEL that `keep` kept in FOLDER, to start a training from."""
    import lzma

    from safetensors.torch import load_file, save_file

    kept = load_file(folder / "weights.safetensors")
    tensors = {name: tensor.float() for name, tensor in kept.items() if ":" not in name}
    for name in (name.removesuffix(":bytes") for name in kept if name.endswith(":bytes")):
        tensors[name] = kept[f"{name}:bytes"].float() * kept[f"{name}:scale"].float()[:, None]
    model.mkdir(parents=True, exist_ok=True)
    save_file(tensors, model / "model.safetensors", metadata={"format": "pt"})
    for file in KEPT:
        (model / file).write_bytes(lzma.decompress((folder / f"{file}.xz").read_bytes()))
    click.echo(f"{sum(tensor.numel() for tensor in tensors.values()):,} numbers: {model}")


if __name__ == "__main__":
    main()
