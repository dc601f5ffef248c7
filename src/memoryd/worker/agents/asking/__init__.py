"""What agents that ask a model share: prompt, schema of the answer, its way into proposals. No model library.

`prompt.sheet` shows a brief in parts, `answer.read_text` reads what comes back, `Filing` makes it a `Done`.
"""
