"""What OpenAI's protocol asks, checked; what cannot be honoured is refused, and not passed over in silence."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from regard.serving.attention_query import AttentionQuery
from regard.serving.generating import PromptSettings
from regard.serving.limits import ServiceLimits
from regard.serving.refusals import Refusal
from regard.serving.service import Service

USUAL_COMPLETION = 16  # tokens, as the protocol has it where nobody says


def as_list(value: object) -> object:
    return [value] if isinstance(value, str) else [] if value is None else value


ShortTexts = Annotated[list[Annotated[str, Field(min_length=1, max_length=256)]], BeforeValidator(as_list)]
Texts = Annotated[list[str], BeforeValidator(as_list), Field(min_length=1)]


class StreamOptions(BaseModel):
    include_usage: bool = False


class OpenAIWriting(BaseModel):
    """What both ways of writing share."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore")

    model: str = Field(max_length=200)
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    n: int = Field(1, ge=1)
    seed: int | None = Field(None, ge=-(2**63), lt=2**63)
    stop: ShortTexts = Field([], max_length=4)
    stream: bool = False
    stream_options: StreamOptions | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    logit_bias: dict[str, float] | None = None
    attention: AttentionQuery | None = None
    edits: list[dict[str, Any]] | None = None

    def refuse_unsupported(self) -> None:
        """Raise for what would change the answer and is not done here."""
        for name in ("presence_penalty", "frequency_penalty", "logit_bias"):
            if getattr(self, name):
                raise Refusal(400, f"{name}: not supported here, leave it out", code="unsupported_parameter")
        if self.stream and self.attention is not None:
            raise Refusal(400, "attention: not with stream", code="unsupported_parameter")

    def prompt_settings(self, service: Service, max_new_tokens: int | None) -> PromptSettings:
        limits = service.limits
        if self.n > limits.choices:
            raise Refusal(400, f"n: at most {limits.choices} expected, got {self.n}")
        temperature = 1.0 if self.temperature is None else self.temperature
        return PromptSettings(
            max_new_tokens=limited(max_new_tokens, limits),
            choices=self.n,
            temperature=max(temperature, 1e-6) if temperature else 0.0,
            top_p=self.top_p or 1.0,
            seed=(self.seed or 0) % 2**31,
            stops=tuple(self.stop),
            edits=service.edits(self.edits),
        )


def limited(max_new_tokens: int | None, limits: ServiceLimits) -> int:
    return min(max_new_tokens or limits.max_new_tokens, limits.max_new_tokens)


class OpenAICompletion(OpenAIWriting):
    """Prompts to be continued."""

    prompt: Texts
    max_tokens: int | None = Field(None, ge=1)
    logprobs: int | None = Field(None, ge=0, le=20)
    echo: bool = False
    best_of: int | None = Field(None, ge=1)
    suffix: str | None = None

    def refuse_unsupported(self) -> None:
        super().refuse_unsupported()
        if self.echo or self.suffix or (self.best_of or 1) > self.n:
            raise Refusal(400, "echo, suffix, best_of: not supported here", code="unsupported_parameter")
        if self.stream and self.logprobs:
            raise Refusal(400, "logprobs: 0 with stream, those of others than the chosen token come at the end alone")


class TextPart(BaseModel):
    type: Literal["text"]
    text: str


class OpenAIMessage(BaseModel):
    """What somebody said."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[TextPart]

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)


class OpenAIChat(OpenAIWriting):
    """A talk to be gone on with."""

    messages: list[OpenAIMessage] = Field(min_length=1, max_length=1024)
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    logprobs: bool | None = None
    top_logprobs: int | None = Field(None, ge=0, le=20)
    tools: list[dict[str, Any]] | None = None
    response_format: dict[str, Any] | None = None

    def refuse_unsupported(self) -> None:
        super().refuse_unsupported()
        if self.tools:
            raise Refusal(400, "tools: not supported here", code="unsupported_parameter")
        if self.response_format and self.response_format.get("type") != "text":
            raise Refusal(400, "response_format: only text here", code="unsupported_parameter")
        if self.stream and self.top_logprobs:
            raise Refusal(400, "top_logprobs: not with stream")


class OpenAIEmbedding(BaseModel):
    """Texts whose vectors are wanted."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore")

    model: str = Field(max_length=200)
    input: Texts
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None
    edits: list[dict[str, Any]] | None = None
