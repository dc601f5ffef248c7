"""The durable record in `state.db`. No SQL for state stands outside this folder."""
