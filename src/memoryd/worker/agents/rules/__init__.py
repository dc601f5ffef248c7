"""The rules memory agent: learns from the user's own words, without a model."""

from memoryd.worker.agents.rules.agent import RulesAgent, learn, summaries
from memoryd.worker.agents.rules.reading import Elected

__all__ = ["Elected", "RulesAgent", "learn", "summaries"]
