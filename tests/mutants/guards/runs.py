"""Jobs and runs, a person's edits beside them, and what they cost."""

from mutants.guard import Guard

_APPLY = "unit/memory/test_apply.py::"
_QUEUE = "unit/daemon/journal/test_queue.py::"
_LEDGER = "unit/daemon/journal/test_ledger.py::"
_UPKEEP = "unit/daemon/journal/test_upkeep.py::"
_ACCEPTANCE = "unit/memory/test_acceptance.py::"

RUNS = (
    Guard(
        name="token-at-intent",
        promise="a run without its job begins no apply",
        file="daemon/journal/runs.py",
        old="            _check_token(connection, run)\n            rows = ",
        new="            rows = ",
        tests=(f"{_QUEUE}test_a_run_whose_token_is_gone_commits_nothing",),
    ),
    Guard(
        name="token-at-commit",
        promise="a run without its job commits nothing",
        file="daemon/journal/runs.py",
        old="    _check_token(connection, run)\n    for change in commit.changes:",
        new="    for change in commit.changes:",
        tests=(f"{_QUEUE}test_a_run_whose_token_is_gone_commits_nothing",),
    ),
    Guard(
        name="token-at-end",
        promise="a run without its job settles nothing",
        file="daemon/journal/queue.py",
        old="    return bool(row and row[0] == job.run_id)\n",
        new="    return True\n",
        tests=(f"{_QUEUE}test_a_run_whose_token_is_gone_settles_nothing",),
    ),
    Guard(
        name="attempts-at-claim",
        promise="a job that kills the daemon ends",
        file="daemon/journal/queue.py",
        old="attempts = attempts + 1 where dir",
        new="attempts = attempts where dir",
        tests=(f"{_QUEUE}test_a_job_that_kills_the_daemon_still_ends",),
    ),
    Guard(
        name="one-run-a-directory",
        promise="a directory that is being run is not claimed",
        file="daemon/journal/queue.py",
        old='attempts, reason from jobs where run_id is null and {WAITING}"',
        new='attempts, reason from jobs where {WAITING}"',
        tests=(f"{_QUEUE}test_a_directory_that_is_being_run_is_not_claimed_again_although_more_is_due",),
    ),
    Guard(
        name="watermark-partial",
        promise="a run that cut its texts moves no watermark",
        file="daemon/journal/queue.py",
        old="    if not partial:\n        connection.execute(",
        new="    if True:\n        connection.execute(",
        tests=(f"{_QUEUE}test_what_becomes_due_while_a_compaction_run_reads_is_read_whole_afterwards",),
    ),
    Guard(
        name="watermark-monotone",
        promise="a watermark never goes back",
        file="daemon/journal/queue.py",
        old="where dir = ?2 and watermark < ?1",
        new="where dir = ?2",
        tests=(f"{_QUEUE}test_a_run_that_ends_before_what_is_consolidated_takes_no_watermark_back",),
    ),
    Guard(
        name="keep-unread",
        promise="retention takes nothing unread",
        file="daemon/journal/upkeep.py",
        old="    where events.seq <= watermark and (at < ? or ?)",
        new="    where (at < ? or ?)",
        tests=(f"{_UPKEEP}test_what_is_not_consolidated_is_kept_however_old",),
    ),
    Guard(
        name="heal",
        promise="a lost job is found again",
        file="daemon/journal/upkeep.py",
        old='        enqueue_latest(connection, dir_path, due_seq, "idle", now)\n    return len(rows)',
        new="        pass\n    return len(rows)",
        tests=(f"{_UPKEEP}test_a_lost_job_is_found_again",),
    ),
)

PEOPLE = (
    Guard(
        name="directory-lock",
        promise="one at a time writes a directory",
        file="memory/shelf.py",
        old="                await stack.enter_async_context(self.place(path).lock)\n",
        new="                self.place(path)\n",
        tests=("unit/memory/test_shelf.py",),
    ),
    Guard(
        name="base-stands",
        promise="a save before the apply wins",
        file="memory/apply.py",
        old="raced = _stage(steps) or _verify(steps) or _install(steps)",
        new="raced = _stage(steps) or _install(steps)",
        tests=("unit/memory/test_apply.py",),
    ),
    Guard(
        name="what-came-out",
        promise="a save during the exchange wins",
        file="memory/slot.py",
        old="            if out == want:\n                return outs\n",
        new="            return outs\n",
        tests=(f"{_APPLY}test_a_save_between_check_and_change_wins_and_the_others_are_undone",),
    ),
    Guard(
        name="create-over-nothing",
        promise="a file that someone made first stays",
        file="memory/slot.py",
        old="            fsio.rename_noreplace(self.dir_fd, self.aside, self.name)\n        except",
        new="            fsio.rename(self.dir_fd, self.aside, self.name)\n        except",
        tests=(f"{_APPLY}test_a_file_that_someone_creates_first_stays",),
    ),
    Guard(
        name="edit-aside",
        promise="an edit of what was moved aside is kept",
        file="memory/recovery.py",
        old="    if short_hash(content) in aside.ours:\n",
        new="    if True:\n",
        tests=(f"{_APPLY}test_an_edit_of_the_moved_file_goes_on_top",),
    ),
    Guard(
        name="roll-back-ours",
        promise="recovery puts back only what is ours",
        file="memory/recovery.py",
        old="    if isinstance(stands, bytes) and digest(stands) == change.new:\n",
        new="    if isinstance(stands, bytes):\n",
        tests=(f"{_APPLY}test_a_roll_back_keeps_what_a_person_saved_on_top",),
    ),
    Guard(
        name="persons-lines",
        promise="a person's lines in a summary stay",
        file="memory/desk.py",
        old="        kept = self._persons_lines(key, proposal.content)\n",
        new="        kept: list[str] = []\n",
        tests=("unit/memory/test_draft.py::test_a_summary_is_replaced_and_the_persons_lines_in_it_stay",),
    ),
    Guard(
        name="stuck-version",
        promise="an undo leaves the version of a file that cannot come back",
        file="memory/undoing.py",
        old="    if past.before is None and stuck & _rows_of(now):",
        new="    if False:",
        tests=("unit/memory/test_undoing.py",),
    ),
    Guard(
        name="lost-lines",
        promise="a run empties no memory",
        file="memory/draft_rules.py",
        old="    if lost <= allowed:\n",
        new="    if True:\n",
        tests=(f"{_ACCEPTANCE}test_a_run_may_lose_three_lines_or_a_quarter",),
    ),
    Guard(
        name="taken-back",
        promise="what a person took back stays away",
        file="memory/proposal_rules.py",
        old="    not_taken_back,  # before",
        new="    # before",
        tests=(f"{_ACCEPTANCE}test_a_fact_that_was_taken_back_needs_a_later_citation",),
    ),
    Guard(
        name="decision-commit",
        promise="a decision is settled in the transaction that commits its run",
        file="daemon/journal/runs.py",
        old="    settle_by(connection, run.id, now)\n",
        new="",
        tests=(
            "integration/test_reviewing.py::"
            "test_a_decision_that_was_cut_off_after_its_run_is_made_and_can_be_taken_back",
        ),
    ),
    Guard(
        name="inbox-flood",
        promise="what comes later pushes out of the inbox nothing that waits",
        file="daemon/journal/reviews.py",
        old='    if row["kind"] not in TELLING and _open_like(connection, row) >= MAX_OPEN:',
        new="    if False:",
        tests=(
            "integration/test_reviewing.py::"
            "test_what_waits_longest_is_not_pushed_out_and_what_finds_no_room_is_counted",
        ),
    ),
)


COSTS = (
    Guard(
        name="budget-windows",
        promise="no call over what an hour or a day allows",
        file="daemon/journal/ledger.py",
        old="    _require_room(_windows(connection, need, at, day, limits), need)\n",
        new="",
        tests=(f"{_LEDGER}test_zero_allows_nothing",),
    ),
    Guard(
        name="budget-run",
        promise="nor over what a run allows",
        file="daemon/journal/ledger.py",
        old="    _require_room_of_run(connection, run_id, need, limits)\n",
        new="",
        tests=(f"{_LEDGER}test_a_run_that_has_used_up_its_own_tokens_is_not_told_to_wait",),
    ),
    Guard(
        name="settled-once",
        promise="a cost counts once",
        file="daemon/journal/ledger.py",
        old=" where id = ? and settled_at is null returning",
        new=" where id = ? returning",
        tests=(f"{_LEDGER}test_only_the_first_word_about_a_cost_counts",),
    ),
    Guard(
        name="clock-back",
        promise="a clock put back frees no budget",
        file="daemon/journal/ledger.py",
        old="    at = max(rfc3339(now), last_at)\n",
        new="    at = rfc3339(now)\n",
        tests=(f"{_LEDGER}test_a_clock_that_was_put_back_for_a_while_frees_no_call",),
    ),
)
