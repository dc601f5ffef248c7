"""A model that pays for each call: nothing is sent before the daemon has committed what it may cost at most."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from genai_prices import Usage
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelRequestRejectedError,
    ModelTimeoutError,
    UnexpectedModelBehavior,
    UserError,
)
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage
from pydantic_core import to_json

from memoryd.worker.agents.asking.fitting import tokens_at_most
from memoryd.worker.agents.asking.refusals import is_refusal
from memoryd.worker.agents.brief import AgentFault, Cost, Need, Purse
from memoryd.worker.agents.model.clients import Malformed, NotAnApi
from memoryd.worker.agents.model.grades import MANNERS
from memoryd.worker.agents.model.prices import price
from memoryd.worker.agents.providers import Endpoint

GROWTH = 1.5  #: of what is sent, from one call to the next, when a model has looked at something
_CONTEXT = re.compile(r"context[ _](?:size|length|window|overflow)|(?:maximum|exceed\w*) context", re.IGNORECASE)
FRAME_TOKENS = 300  #: what interfaces put around texts and tools

E = TypeVar("E", bound=BaseException)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Of one run."""

    calls: int
    tokens: int
    ends_mono: float  #: when its time is over, by the loop's clock


class PayingModel(WrapperModel):
    """Reserves before each request, and says after it what it has cost."""

    def __init__(self, wrapped: Model, *, endpoint: Endpoint, purse: Purse, limits: Limits) -> None:
        super().__init__(wrapped)
        self.endpoint = endpoint
        self.manner = MANNERS[endpoint.grade]
        self.purse = purse
        self.limits = limits
        self.calls = 0
        self.tokens = 0  #: spent, or reserved where nothing was told
        self.last_need = 0  #: tokens of the newest call
        self.asks_again = False  #: the newest call is wanted because the answer before it was none

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Make one call.

        :raises AgentFault: `budget`: refused by the daemon; `no-end`: the run's own limits are used up
        """
        need = self._need(messages, model_settings, model_request_parameters)
        looked = any(isinstance(part, ToolReturnPart) for part in messages[-1].parts)
        self.asks_again = len(messages) > 1 and not looked
        if self.calls >= self.limits.calls:
            raise AgentFault(
                "no-end", f"the model gave no answer in {self.calls} calls; raise max_steps or ask another"
            )
        if self.tokens + need.tokens > self.limits.tokens:
            raise AgentFault(
                "no-end", f"the run would need more than {self.limits.tokens} tokens; raise tokens_per_run"
            )
        reservation = await self.purse.reserve(need)
        self.calls += 1
        self.tokens += need.tokens
        self.last_need = need.tokens
        try:
            response = await super().request(messages, model_settings, model_request_parameters)
        except ModelAPIError as error:
            if malformed := cause_of(error, Malformed):
                raise await self._no_answer(reservation, need, malformed) from error
            if _cost_nothing(error):
                await self._settle(reservation, need, Cost())
            if _is_too_long(error):
                raise ModelContextWindowExceededError(self.model_name, "too long") from error
            raise
        except Malformed as error:
            raise await self._no_answer(reservation, need, error) from error
        except (AgentRunError, UserError, NotAnApi, TimeoutError, OSError):
            raise
        except Exception as error:  # its client stumbles over what it was given
            raise UnexpectedModelBehavior("no answer that its client can read") from error
        if cost := self._cost(response.usage):
            await self._settle(reservation, need, cost)
        if not self.manner.copies and not response.tool_calls and is_refusal(response.text or ""):
            raise ContentFilterError("the model will not")
        return response

    def has_spare(self, calls: int) -> bool:
        """Whether a call can be made and as many after it, each somewhat larger than the one before."""
        tokens_left = self.limits.tokens - self.tokens
        return self.limits.calls - self.calls > calls and tokens_left > (calls + 1) * GROWTH * self.last_need

    async def _no_answer(self, reservation: str, need: Need, told: Malformed) -> UnexpectedModelBehavior:
        if cost := self._cost(RequestUsage(input_tokens=told.tokens_in, output_tokens=told.tokens_out)):
            await self._settle(reservation, need, cost)
        return UnexpectedModelBehavior("an answer without a choice")

    async def _settle(self, reservation: str, need: Need, cost: Cost) -> None:
        self.tokens += cost.tokens_in + cost.tokens_out - need.tokens
        await self.purse.spent(reservation, cost)

    def _need(
        self, messages: list[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> Need:
        tokens_in = FRAME_TOKENS + sum(map(tokens_at_most, _texts(messages, parameters)))
        tokens_out = (settings or {}).get("max_tokens", 0)
        usd = price(self.endpoint, Usage(input_tokens=tokens_in, output_tokens=tokens_out))
        return Need(tokens=tokens_in + tokens_out, usd=usd)

    def _cost(self, usage: RequestUsage) -> Cost | None:
        """What a call has cost; None when the provider does not tell: then all that was reserved is spent."""
        if usage.unmeasured_requests or not (usage.input_tokens or usage.output_tokens):
            return None
        told = Usage(
            input_tokens=usage.input_tokens, output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cache_read_tokens, cache_write_tokens=usage.cache_write_tokens,
        )  # fmt: skip
        return Cost(
            tokens_in=usage.input_tokens, tokens_out=usage.output_tokens, tokens_cached=usage.cache_read_tokens,
            usd=price(self.endpoint, told),
        )  # fmt: skip


def _texts(messages: list[ModelMessage], parameters: ModelRequestParameters) -> Iterator[str]:
    """Everything that a request sends, as text."""
    for message in messages:
        if isinstance(message, ModelRequest) and message.instructions:
            yield message.instructions
        for part in message.parts:
            content = getattr(part, "content", None) or getattr(part, "args", None) or ""
            yield content if isinstance(content, str) else to_json(content, fallback=str).decode()
    for tool in (*parameters.function_tools, *parameters.output_tools):
        yield to_json((tool.name, tool.description, tool.parameters_json_schema)).decode()
    if parameters.output_object:
        yield to_json(parameters.output_object.json_schema).decode()


def _cost_nothing(error: ModelAPIError) -> bool:
    """Whether no provider charges for it: refused, failed there, or never reached."""
    if isinstance(error, ModelHTTPError) or caused_by(error, NotAnApi):
        return True
    unsent = isinstance(error, ModelConnectionError) and error.phase in ("connect", "pool")
    return unsent and not (isinstance(error, ModelTimeoutError) and error.phase is None)


def _is_too_long(error: ModelAPIError) -> bool:
    """Whether a server of one's own refuses a request as longer than the model's context; each has words of its own."""
    words = f"{error.provider_error_code} {error.provider_error_type} {error.message}"
    return isinstance(error, ModelRequestRejectedError) and bool(_CONTEXT.search(words))


def caused_by(error: BaseException, kind: type[BaseException]) -> bool:
    """Whether an error was raised from one of a kind, at whatever distance."""
    return cause_of(error, kind) is not None


def cause_of(error: BaseException, kind: type[E]) -> E | None:
    """The error of that kind from which an error was raised."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, kind):
        cause = cause.__cause__ or cause.__context__
    return cause
