"""LibreTranslate with one of our translators, for bench/serving.py: run by a Python that has it, outside of this tree.

    python bench/libretranslate_peer.py FOLDER PORT THREADS [--loop]

FOLDER is what `regard convert en-de FOLDER --to ctranslate2` wrote. The server, its translate loop, Argos Translate and
CTranslate2 are LibreTranslate's own. Two things are ours, because they cannot be had otherwise: the tokenizer, of which
Argos knows only sentencepiece's, and sentences that are split after . ! ? instead of by a model that is downloaded.

`--loop` is for where LibreTranslate is not installed: CTranslate2 alone behind a plain server, one text after the other
with the same settings.
"""

import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

END = "</s>"


class FolderTokenizer:
    """The tokenizer.json of a folder as Argos calls one."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    def encode(self, sentence: str) -> list[str]:
        return self.tokenizer.encode(sentence).tokens

    def decode(self, tokens: Sequence[str]) -> str:
        ids = [self.tokenizer.token_to_id(token) for token in tokens]
        return self.tokenizer.decode([number for number in ids if number is not None])


def split_sentences(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.!?])\s+", text) if part]


def serve_libretranslate(folder: Path, port: int, threads: int) -> None:
    with tempfile.TemporaryDirectory() as packages:
        for source, target in (("en", "de"), ("de", "en")):  # with fewer than two it looks for others on the net
            package = Path(packages) / f"{source}_{target}"
            package.mkdir()
            (package / "model").symlink_to(folder.resolve(), target_is_directory=True)
            fields = {"package_version": "1.0", "argos_version": "1.0", "from_code": source, "to_code": target}
            names = {"en": "English", "de": "German"}
            fields |= {"from_name": names[source], "to_name": names[target]}
            (package / "metadata.json").write_text(json.dumps(fields))
        os.environ |= {"ARGOS_PACKAGES_DIR": packages, "ARGOS_INTRA_THREADS": str(threads)}
        from argostranslate import package as argos_package  # type: ignore[import-not-found]
        from argostranslate import sbd  # type: ignore[import-not-found]

        tokenizer = FolderTokenizer(folder)
        argos_package.Package.tokenizer = tokenizer  # type: ignore[attr-defined]
        sbd.MiniSBDSentencizer.split_sentences = lambda self, text: split_sentences(text)
        from libretranslate.main import main  # type: ignore[import-not-found]

        sys.argv = ["libretranslate", "--host", "127.0.0.1", "--port", str(port), "--disable-web-ui"]
        main()


def serve_loop(folder: Path, port: int, threads: int) -> None:
    import ctranslate2

    translator, tokenizer = ctranslate2.Translator(str(folder), intra_threads=threads), FolderTokenizer(folder)

    def translate(text: str) -> str:
        sentences = [tokenizer.encode(sentence) for sentence in split_sentences(text)]
        results = translator.translate_batch(
            sentences, beam_size=4, length_penalty=0.2, max_batch_size=32, batch_type="tokens", replace_unknowns=True
        )
        return tokenizer.decode([token for result in results for token in result.hypotheses[0]])

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            fields = json.loads(self.rfile.read(int(self.headers["content-length"])))
            texts = fields["q"]
            answer = translate(texts) if isinstance(texts, str) else [translate(text) for text in texts]
            body = json.dumps({"translatedText": answer}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 128

    Server(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    serve = serve_loop if "--loop" in sys.argv else serve_libretranslate
    serve(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
