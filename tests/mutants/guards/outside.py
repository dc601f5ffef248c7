"""Files, sockets and processes that are none of ours."""

from mutants.guard import Guard

_FSIO = "unit/test_fsio.py::"
_ACCEPTANCE = "unit/memory/test_acceptance.py::"
_SERVER = "unit/ipc/test_server.py::"
_PROVIDER = "integration/test_provider.py::"

OUTSIDE = (
    Guard(
        name="no-links",
        promise="no path goes through a link",
        file="fsio.py",
        old="_RESOLVE = 0x02 | 0x04 | 0x08",
        new="_RESOLVE = 0",
        tests=(f"{_FSIO}test_no_path_leads_out_or_through_a_link",),
    ),
    Guard(
        name="no-links-portable",
        promise="nor where openat2 is missing",
        file="fsio.py",
        old="os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=here)",
        new="os.open(part, _FOLDER, dir_fd=here)",
        tests=(f"{_FSIO}test_no_path_leads_out_or_through_a_link",),
    ),
    Guard(
        name="regular-files",
        promise="a pipe or device is not opened",
        file="fsio.py",
        old="    if flags & os.O_DIRECTORY or stat.S_ISREG(os.fstat(fd).st_mode):\n",
        new="    if True:\n",
        tests=(f"{_FSIO}test_what_is_no_regular_file_is_refused_without_waiting",),
    ),
    Guard(
        name="dot-names",
        promise="no proposal writes a dot name",
        file="memory/path_rules.py",
        old='    if name.startswith("."):\n',
        new="    if False:\n",
        tests=("unit/memory/test_directory.py::test_other_paths_are_refused_with_the_rule",),
    ),
    Guard(
        name="run-writes-memory",
        promise="a run writes nowhere else",
        file="memory/draft_rules.py",
        old="    paths_stay_inside,\n    frontmatter",
        new="    frontmatter",
        tests=(f"{_ACCEPTANCE}test_a_draft_writes_nowhere_else",),
    ),
    Guard(
        name="peer",
        promise="another user is turned away",
        file="ipc/server.py",
        old="        if peer is None or peer.uid != os.getuid():\n",
        new="        if peer is None:\n",
        tests=(f"{_SERVER}test_another_users_process_is_turned_away",),
    ),
    Guard(
        name="socket-folder",
        promise="the socket's folder is ours alone",
        file="ipc/server.py",
        old="found.st_uid != os.getuid() or found.st_mode & 0o077:",
        new="found.st_uid != os.getuid():",
        tests=(f"{_SERVER}test_a_directory_open_to_others_is_refused_and_left_as_it_is",),
    ),
    Guard(
        name="cage-files",
        promise="an agent reaches no file of the person",
        file="worker/agents/child/cage.py",
        old="        landlock.restrict([*rules,",
        new="        list([*rules,",
        tests=("unit/worker/agents/child/test_cage.py::test_files_of_the_person_and_of_memoryd_are_out_of_reach",),
    ),
    Guard(
        name="cage-calls",
        promise="nor other processes and their limits",
        file="worker/agents/child/cage.py",
        old="    seccomp.restrict(modes=order.modes)\n",
        new="",
        tests=("unit/worker/agents/child/test_cage.py",),
    ),
    Guard(
        name="uncaged",
        promise="without a cage nothing is run",
        file="worker/agents/child/cage.py",
        old="    if not order.allow_uncaged:\n        raise",
        new="    if False:\n        raise",
        tests=(
            "unit/worker/agents/child/test_cage.py::test_without_any_cage_nothing_is_run_unless_a_person_allows_it",
        ),
    ),
    Guard(
        name="archive-sums",
        promise="a damaged archive changes nothing",
        file="daemon/archive/container.py",
        old="    if wrong:\n",
        new="    if False:\n",
        tests=("integration/test_archive.py::test_a_damaged_or_made_up_archive_changes_nothing",),
    ),
    Guard(
        name="provider-off-record",
        promise="an external memory provider is told nothing of what is off the record",
        file="daemon/provider/recalled.py",
        old="return None if directory is None or self.off_record(directory, cwd) else directory",
        new="return directory",
        tests=(f"{_PROVIDER}test_nothing_goes_out_of_a_paused_or_excluded_folder_nor_of_a_sub_agent",),
    ),
    Guard(
        name="provider-since",
        promise="an external memory provider is told nothing of the time before it",
        file="daemon/journal/provided.py",
        old="    (seq,) = connection.execute(\"select value from counters where name = 'seq'\").fetchone()\n",
        new="    seq = 0\n",
        tests=(
            "unit/daemon/journal/test_provided.py"
            "::test_it_begins_at_the_newest_event_goes_on_where_it_was_and_another_one_begins_anew",
        ),
    ),
    Guard(
        name="provider-tools",
        promise="agents call those tools of an external memory provider alone that are offered",
        file="daemon/handlers/provider.py",
        old='        if params.tool not in offered and "*" not in offered:\n',
        new="        if False:\n",
        tests=(f"{_PROVIDER}test_a_memory_that_is_saved_is_told_and_its_tools_are_called_for_agents",),
    ),
)
