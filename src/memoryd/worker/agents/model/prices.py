"""What tokens cost, by the public list that `genai-prices` brings along. Nothing is fetched."""

from genai_prices import Usage, calc_price

from memoryd.worker.agents.providers import Endpoint


def price(endpoint: Endpoint, usage: Usage) -> float:
    """The price in US dollars; 0.0 for a model that is not in the list: its tokens are bounded alone."""
    if not endpoint.provider.prices:
        return 0.0
    try:
        return float(calc_price(usage, endpoint.model, provider_id=endpoint.provider.prices).total_price)
    except LookupError:
        return 0.0


def price_at_most(endpoint: Endpoint, tokens: int) -> float:
    """The price of so many tokens, in and out together, however they are divided; 0.0 where none is known."""
    return max(
        price(endpoint, Usage(input_tokens=tokens, output_tokens=0)),
        price(endpoint, Usage(input_tokens=0, output_tokens=tokens)),
    )
