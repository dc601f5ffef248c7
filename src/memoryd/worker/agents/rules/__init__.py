"""The rules memory agent: learns from the user's own words, without a model."""

from memoryd.worker.agents.rules.agent import RulesAgent, learn, summaries

__all__ = ["RulesAgent", "learn", "summaries"]
