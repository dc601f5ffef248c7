"""Copies: the events of a copied session, and the events that they repeat. A purge of these takes them along."""

MIGRATION = """
    create table copies (
        seq integer primary key references events (seq) on delete cascade,
        source integer not null, session integer not null  -- the first of them when a copy was copied, and its session
    ) without rowid;
    create index copies_by_session on copies (session);
"""

#: of a row of `events`: it repeats another one, which is still there
COPIED = "exists (select 1 from copies join events first on first.seq = source where copies.seq = events.seq)"
