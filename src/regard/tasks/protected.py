"""Protected spans are carried through a translation: written freely, with stand-ins, or piece by piece.

A sentence with amounts alone is written as it is. Where a span was damaged by that, or is something else, it is written
with words in the place of its spans that a model copies, and where one of these is lost, too, with other words. What is
between the spans is translated by itself where nothing else keeps them: so none is ever lost. One digit is not worth
that: a sentence that lacks nothing else is written once more, and what it still lacks is said.
"""

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from regard.decoding import DecodeResult, Hypothesis
from regard.tasks.generation_config import GenerationConfig
from regard.tasks.inputs import SourceSentence, SourceText
from regard.tasks.processors.translate import TranslateProcessor
from regard.tasks.translation import Translation, TranslationDraft, WrittenTranslation
from regard.tasks.warnings import coverage_warnings, is_collapsed, is_repeating, is_short
from regard.text.spans import Protection
from regard.text.stand_ins import StandInKind

Write = Callable[[Sequence[SourceText], GenerationConfig], list[WrittenTranslation]]
"""The hypotheses for each sentence of each text."""
WrittenSentence = tuple[SourceSentence, DecodeResult | None]
WrittenTexts = tuple[list[SourceText], list[WrittenTranslation]]
"""What was read in the end for each text, and what was written for it."""


@dataclass(frozen=True)
class WriteRequest:
    """Texts that are to be written now, so that it can be told what comes after."""

    texts: Sequence[SourceText]
    config: GenerationConfig


Rounds = Generator[WriteRequest, list[WrittenTranslation], WrittenTexts]
"""One request after the other, told what was written for each: whoever goes through them may do other things."""
FORMS = ("free", "stand-ins", "names", "numbers")
"""How a sentence with spans is given to the model, one way after the other, before it is taken to pieces."""
WORD = re.compile(r"\s*\w+\s*")
ONLY: dict[str, StandInKind] = {"names": "names", "numbers": "numbers"}
"""Stand-ins of a form that has those of one kind alone."""


def written_tokens(written: Sequence[WrittenSentence]) -> int:
    return sum(len(result.best.ids) for _, result in written if result and result.hypotheses)


def is_broken(written: Sequence[WrittenSentence]) -> bool:
    """Whether something was not written to its end, or says the same again and again, or does not where its source
    does."""
    return any(
        not result.best.is_finished or is_repeating(sentence, result.best) or is_collapsed(sentence, result.best)
        for sentence, result in written
        if result and result.hypotheses
    )


def wants_clauses(written: Sequence[WrittenSentence]) -> bool:
    """Whether most of a sentence is missing, or it loops, or does not where the sentence does."""
    return any(
        is_short(sentence, result.best) or is_repeating(sentence, result.best) or is_collapsed(sentence, result.best)
        for sentence, result in written
        if result and result.hypotheses
    )


class ProtectedWriter:
    """Has sentences written until their spans are whole."""

    processor: TranslateProcessor
    config: GenerationConfig
    forms: Sequence[str]

    def __init__(self, processor: TranslateProcessor, config: GenerationConfig, forms: Sequence[str] = FORMS) -> None:
        self.processor, self.config, self.forms = processor, config, forms

    def rounds(self, sources: Sequence[SourceText]) -> Rounds:
        """What is to be written, round by round; at the end, what was read and written for each text."""
        sentences = [(text, sentence) for text, source in enumerate(sources) for sentence in source.sentences]
        protections = [source.protection for source in sources]
        written: dict[int, list[WrittenSentence]] = {}
        lacking: dict[int, list[WrittenSentence]] = {}  # nothing but a digit: they are tried once more
        for form in self.forms:
            waiting = [
                (number, text, shaped)
                for number, (text, sentence) in enumerate(sentences)
                if number not in written and (shaped := self.shape(sentence, form)) is not None
            ]
            results = yield from self.round(waiting, is_first=form == self.forms[0])
            for (number, text, sentence), result in zip(waiting, results, strict=True):
                chosen = self.choose(sentence, result, protections[text])
                if chosen is not None:
                    written[number] = [(sentence, chosen)]
                elif number in lacking:
                    written[number] = lacking[number]
                elif (chosen := self.choose(sentence, result, protections[text], digits=False)) is not None:
                    lacking[number] = [(sentence, chosen)]
        written = lacking | written
        rest = [
            (number, text, self.processor.divide(sentence))
            for number, (text, sentence) in enumerate(sentences)
            if number not in written
        ]
        pieces_of_rest = yield from self.pieces([(text, parts) for _, text, parts in rest])
        for (number, *_), pieces in zip(rest, pieces_of_rest, strict=True):
            written[number] = pieces
        yield from self.repeat_words(sentences, sources, written)
        yield from self.split_short(sentences, sources, written)
        return self.join(sources, [text for text, _ in sentences], written)

    def repeat_words(
        self,
        sentences: Sequence[tuple[int, SourceSentence]],
        sources: Sequence[SourceText],
        written: dict[int, list[WrittenSentence]],
    ) -> Generator[WriteRequest, list[WrittenTranslation], None]:
        """Write a sentence that is one word again and again as the translation of that word, if it is one word, too."""
        repeated = [
            (number, text, words)
            for number, (text, sentence) in enumerate(sentences)
            if sources[text].is_split and (words := self.processor.split_words(sentence))
        ]
        results = yield from self.round([(number, text, words[0]) for number, text, words in repeated], is_first=True)
        for (number, _, words), result in zip(repeated, results, strict=True):
            best = result.best if result and result.hypotheses else None
            if best and best.is_finished and WORD.fullmatch(self.draft(words[0], best).decode(best.ids)):
                written[number] = [(word, result) for word in words]

    def split_short(
        self,
        sentences: Sequence[tuple[int, SourceSentence]],
        sources: Sequence[SourceText],
        written: dict[int, list[WrittenSentence]],
    ) -> Generator[WriteRequest, list[WrittenTranslation], None]:
        """Write sentences of which most is missing, or that loop, clause by clause, where that makes them better."""
        short: list[tuple[int, SourceText]] = []
        seeds: list[int] = []
        for number, (text, sentence) in enumerate(sentences):
            if sources[text].is_split and wants_clauses(written[number]):
                clauses = self.processor.split_clauses(sentence)
                if clauses:
                    short.append((number, SourceText(sentence.sentence, tuple(clauses), sources[text].protection)))
                    seeds.append(text)
        if not short:
            return
        writer = ProtectedWriter(self.processor, self.config.for_texts(seeds), self.forms)
        clauses_written = yield from writer.rounds([source for _, source in short])
        for (number, _), source, result in zip(short, *clauses_written, strict=True):
            new = list(zip(source.sentences, result.results, strict=True))
            if written_tokens(new) > written_tokens(written[number]) or is_broken(written[number]):
                written[number] = new

    def shape(self, sentence: SourceSentence, form: str) -> SourceSentence | None:
        """A sentence in the form in which the model is to read it, if it has that form."""
        if not sentence.spans:
            return sentence
        if any(span.is_break for span in sentence.spans):
            return None
        if form == "free":
            return sentence if all(span.is_number for span in sentence.spans) else None
        others = [span for span in sentence.spans if not span.is_figure]
        if 0 < len(others) < len(sentence.spans):  # figures are the model's, and only then no longer
            if form == "stand-ins":
                return self.processor.mask(sentence, others)
            return self.processor.mask(sentence, sentence.spans) if form == "names" else None
        return self.processor.mask(sentence, sentence.spans, only=ONLY.get(form))

    def round(
        self, waiting: Sequence[tuple[int, int, SourceSentence]], *, is_first: bool
    ) -> Generator[WriteRequest, list[WrittenTranslation], list[DecodeResult | None]]:
        """What is written for each sentence; of those that are written again, as many ways as the search keeps."""
        config = self.config.for_texts([text for _, text, _ in waiting])
        if not is_first and config.sampling is None:
            config = replace(config, num_hypotheses=max(config.beam, config.num_hypotheses))
        texts = [SourceText(sentence.sentence, (sentence,)) for _, _, sentence in waiting]
        results = (yield WriteRequest(texts, config)) if texts else []
        return [result.results[0] for result in results]

    def choose(
        self,
        sentence: SourceSentence,
        result: DecodeResult | None,
        protection: Protection | None,
        *,
        digits: bool = True,
    ) -> DecodeResult | None:
        """The hypotheses in which all spans are whole, those of one digit only with `digits`; None where there is none.
        A sentence without spans keeps all."""
        if result is None or protection is None or not sentence.spans:
            return result or DecodeResult(())
        whole = [
            hypothesis
            for hypothesis in result.hypotheses
            if self.is_whole(sentence, hypothesis, protection, digits=digits)
        ]
        return replace(result, hypotheses=tuple(whole[: self.config.num_hypotheses])) if whole else None

    def is_whole(
        self, sentence: SourceSentence, hypothesis: Hypothesis, protection: Protection, *, digits: bool
    ) -> bool:
        """Whether each span is in what was written."""
        draft = self.draft(sentence, hypothesis)
        text = draft.decode(hypothesis.ids)
        if sentence.masked is not None and (sentence.masked.restore(text) is None or not hypothesis.is_finished):
            return False
        return not protection.missing(sentence.sentence, draft.target_text(sentence, hypothesis), digits=digits)

    def draft(self, sentence: SourceSentence, hypothesis: Hypothesis) -> TranslationDraft:
        return TranslationDraft(sentence.sentence, (sentence,), (hypothesis,), self.processor.tokenizer.target)

    def pieces(
        self, waiting: Sequence[tuple[int, Sequence[SourceSentence]]]
    ) -> Generator[WriteRequest, list[WrittenTranslation], list[list[WrittenSentence]]]:
        """What is between the spans of sentences, written by itself."""
        config = self.config.for_texts([text for text, _ in waiting])
        texts = [SourceText("", tuple(parts)) for _, parts in waiting]
        results = (yield WriteRequest(texts, config)) if texts else []
        return [
            list(zip(source.sentences, result.results, strict=True))
            for source, result in zip(texts, results, strict=True)
        ]

    def join(
        self, sources: Sequence[SourceText], texts: Sequence[int], written: dict[int, list[WrittenSentence]]
    ) -> WrittenTexts:
        """The sentences of each text together again."""
        by_text: list[list[WrittenSentence]] = [[] for _ in sources]
        for number, text in enumerate(texts):
            by_text[text] += written[number]
        new_sources = [
            replace(source, sentences=tuple(sentence for sentence, _ in parts))
            for source, parts in zip(sources, by_text, strict=True)
        ]
        results = [
            WrittenTranslation(
                tuple(result if result and result.hypotheses else None for _, result in parts),
                self.config.num_hypotheses,
            )
            for parts in by_text
        ]
        return new_sources, results


def write_rounds(rounds: Rounds, write: Write) -> WrittenTexts:
    """All rounds, one after the other."""
    try:
        request = next(rounds)
        while True:
            request = rounds.send(write(request.texts, request.config))
    except StopIteration as end:
        return end.value


def with_coverage(answer: Translation) -> Translation:
    """A translation that warns of words that it never looked at, unless its length tells already."""
    if any(warning.kind == "length" for warning in answer.warnings):
        return answer
    return replace(answer, warnings=(*answer.warnings, *coverage_warnings(answer.source, answer.alignment)))
