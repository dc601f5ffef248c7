from memoryd.daemon.provider.breaker import ALLOWED, FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, Breaker


class Time:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_some_answers_may_be_missing_and_then_it_is_left_alone_for_longer_each_time() -> None:
    time = Time()
    breaker = Breaker(now_mono=time)
    for _ in range(ALLOWED - 1):
        assert not breaker.failed("it was late")
    assert breaker.seconds_left == 0
    assert breaker.failed("it was late")
    assert breaker.seconds_left == FIRST_PAUSE_SECONDS
    pauses = []
    for _ in range(20):
        time.now += breaker.seconds_left
        assert breaker.seconds_left == 0
        assert breaker.failed("it cannot be started", at_once=True)
        pauses.append(breaker.seconds_left)
    assert pauses[:2] == [2 * FIRST_PAUSE_SECONDS, 4 * FIRST_PAUSE_SECONDS]
    assert pauses[-1] == LONGEST_PAUSE_SECONDS


def test_an_answer_forgives_all() -> None:
    breaker = Breaker(now_mono=Time())
    breaker.failed("it was late", at_once=True)
    breaker.answered()
    assert (breaker.seconds_left, breaker.reason) == (0, "")
    assert not breaker.failed("it was late")
