"""What was acknowledged is there, once."""

from mutants.guard import Guard

_FSIO = "unit/test_fsio.py::"
_HOOK = "unit/ipc/test_hook.py::"
_APPLY = "unit/memory/test_apply.py::"
_JOURNAL = "unit/daemon/journal/test_journal.py::"
_UPKEEP = "unit/daemon/journal/test_upkeep.py::"

DURABLE = (
    Guard(
        name="sync-file",
        promise="a file is synced before its name changes",
        file="fsio.py",
        old="            write_all(fd, data)\n            sync(fd)\n",
        new="            write_all(fd, data)\n",
        tests=(f"{_FSIO}test_a_durable_write_syncs_the_file_before_its_name_and_the_folder_after",),
    ),
    Guard(
        name="sync-folder",
        promise="a name is synced before the call returns",
        file="fsio.py",
        old="        stage(parent_fd, path.name, data, mode)\n        sync_dir(parent_fd)\n",
        new="        stage(parent_fd, path.name, data, mode)\n",
        tests=(f"{_FSIO}test_a_durable_write_syncs_the_file_before_its_name_and_the_folder_after",),
    ),
    Guard(
        name="sync-applied",
        promise="names are synced before the commit point",
        file="memory/apply.py",
        old="            _sync(steps)\n            # 11.",
        new="            # 11.",
        tests=(f"{_APPLY}test_everything_is_synced_before_the_commit_point",),
    ),
    Guard(
        name="sync-journal",
        promise="a commit is synced before it is acknowledged",
        file="daemon/journal/writer.py",
        old='"synchronous = full"',
        new='"synchronous = normal"',
        tests=("unit/daemon/journal/test_writer.py",),
    ),
    Guard(
        name="sync-recovered",
        promise="what recovery found is synced before it answers",
        file="daemon/journal/journal.py",
        old='        connection.execute("pragma wal_checkpoint(truncate)")\n',
        new="",
        tests=(f"{_JOURNAL}test_what_recovery_found_in_the_wal_is_in_the_file_before_anyone_is_told_duplicate",),
    ),
    Guard(
        name="no-new-journal",
        promise="an emptied journal is no new one",
        file="daemon/journal/journal.py",
        old="        if was_there and not path.stat().st_size:",
        new="        if False:",
        tests=(f"{_JOURNAL}test_an_empty_journal_is_a_new_one_only_where_nothing_is_remembered",),
    ),
    Guard(
        name="no-tables-left",
        promise="a journal whose tables are gone is no new one",
        file="daemon/journal/journal.py",
        old="            if was_there and not schema.version_of(connection, path):",
        new="            if False:",
        tests=(f"{_JOURNAL}test_an_empty_journal_is_a_new_one_only_where_nothing_is_remembered",),
    ),
    Guard(
        name="exit-on-io-error",
        promise="nothing is tried twice after a failed sync",
        file="daemon/journal/writer.py",
        old="            self._on_io_error(error)\n",
        new="            pass\n",
        tests=(f"{_JOURNAL}test_an_io_error_stops_the_process_before_anything_is_acknowledged",),
    ),
    Guard(
        name="sync-spooled",
        promise="the hook syncs what it leaves",
        file="ipc/hook.py",
        old="        _sync(descriptor)\n        posix.rename",
        new="        posix.rename",
        tests=(f"{_HOOK}test_on_linux_file_and_folder_are_synced_around_the_rename",),
    ),
    Guard(
        name="sync-spool-folder",
        promise="and its name",
        file="ipc/hook.py",
        old="    _sync(directory)\n",
        new="",
        tests=(f"{_HOOK}test_on_linux_file_and_folder_are_synced_around_the_rename",),
    ),
    Guard(
        name="spool-removed-late",
        promise="a spooled file goes only when it was delivered",
        file="ipc/spool.py",
        old="        try:\n            await deliver(line)\n",
        new="        await asyncio.to_thread(self._remove, name)\n        try:\n            await deliver(line)\n",
        tests=("unit/ipc/test_spool.py::test_a_full_disk_ends_the_drain_and_costs_no_file",),
    ),
)

ONCE = (
    Guard(
        name="data-lock",
        promise="one daemon a data directory",
        file="daemon/lock.py",
        old="            _lock(fd)\n",
        new="            pass\n",
        tests=("unit/daemon/test_lock.py",),
    ),
    Guard(
        name="rehearsal",
        promise="a version that cannot start leaves the one that runs",
        file="daemon/serve.py",
        old='    rehearse(places.data / "state.db")\n    # 2.',
        new="    # 2.",
        tests=("unit/daemon/cli/test_process.py::test_a_version_that_cannot_start_leaves_the_one_that_runs",),
    ),
    Guard(
        name="open-door",
        promise="the socket that was handed over stays where clients look for it",
        file="ipc/server.py",
        old="        self._bound = None\n\n    async def close",
        new="\n    async def close",
        tests=("unit/ipc/test_succession.py",),
    ),
    Guard(
        name="local-disk",
        promise="no data on a network file system",
        file="daemon/lock.py",
        old="    if kind is not None:\n",
        new="    if False:\n",
        tests=("unit/daemon/test_lock.py",),
    ),
    Guard(
        name="event-id",
        promise="an id counts once",
        file="daemon/journal/journal.py",
        old="on conflict (id) do nothing returning seq",
        new="on conflict (id) do update set data = data returning seq",
        tests=(f"{_JOURNAL}test_the_same_id_twice_changes_nothing",),
    ),
    Guard(
        name="seq-counter",
        promise="seq has no gap and no double",
        file="daemon/journal/journal.py",
        old="    connection.execute(\"update counters set value = ? where name = 'seq'\", (seq,))\n",
        new="",
        tests=(f"{_JOURNAL}test_seqs_have_no_gaps_under_many_appenders",),
    ),
    Guard(
        name="turn-id",
        promise="a turn counts once",
        file="daemon/sessions.py",
        old="        if known_turn(turn_id):\n            return counters\n",
        new="",
        tests=("unit/daemon/test_sessions.py::test_a_turn_counts_once_for_its_id",),
    ),
    Guard(
        name="tombstone",
        promise="what retention removed does not come back",
        file="daemon/journal/journal.py",
        old="and not exists (select 1 from tombstones where digest = ?8)",
        new="and ?8 is not null",
        tests=(
            f"{_JOURNAL}test_a_purged_event_does_not_come_back",
            f"{_UPKEEP}test_old_consolidated_events_leave_a_tombstone_and_do_not_come_back",
        ),
    ),
    Guard(
        name="purge-rule",
        promise="what was purged before it came stays out",
        file="daemon/journal/journal.py",
        old="    if covers(",
        new="    if False and covers(",
        tests=(
            "integration/test_purge.py::test_what_was_purged_does_not_come_back_by_hook_spool_transcript_or_publish",
        ),
    ),
    Guard(
        name="text-once",
        promise="a text from hook and transcript is read once",
        file="worker/project.py",
        old=" if known.is_new(row.kind, utterance)",
        new="",
        tests=("unit/worker/test_project.py",),
    ),
)
