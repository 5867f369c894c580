"""Asks a live engine for many translations, within its limits, and keeps every answer.

Equal texts are asked once, and earlier answers come from the workspace. The rest is sent in batches, several
at a time. A call that fails for now is repeated after increasing waits. If a batch fails again and again, its
items are sent one by one, so each failure is an error of one item. Every answer is stored when it arrives, so
a killed run can resume.
"""

from __future__ import annotations

import hashlib
import queue
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from mtassay.data.errors import BusyError, ClosedError, RejectedError
from mtassay.data.nouns import Origin, Output, Request, RunContext, System
from mtassay.runtime.http_calls import redact
from mtassay.runtime.workspace import StoredAnswer
from mtassay.systems.live import DRY_RUN, Limits, LiveSystem

FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
CLAIMED_AHEAD = 4
"""Number of calls of each thread whose texts are claimed at once."""
LOOK_EVERY = 0.2
"""Seconds between two checks for answers that another process got."""
GIVE_UP_AFTER = 5
"""After this many final failures in a row, the service counts as down."""

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
_NO_TEXT = "the answer holds NUL or half a character, which no file of texts can hold"


CHARACTERS_A_TOKEN = 4
"""A rule of thumb for European languages, before tokens are counted."""


class AnswerStore(Protocol):
    """The interface of a store of answers, such as the workspace."""

    @property
    def newest_answer(self) -> int:
        """The number of the newest answer; 0 without any."""

    def find_answers(self, keys: Sequence[str], *, since: int = 0) -> Mapping[str, StoredAnswer]:
        """Return the newest answers by key, of those after the answer number `since`."""

    def keep_answers(
        self,
        signature: str,
        answers: Mapping[str, Output],
        *,
        requests: Mapping[str, Request],
        program: str = "",
    ) -> None:
        """Store answers to these requests at once and for good, with the fingerprint of the program."""

    def claim(self, keys: Sequence[str]) -> set[str]:
        """Claim keys; return those that no other process is asking for."""

    def release(self, keys: Iterable[str]) -> None:
        """Release these keys for others."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Upper limits for a run; `None` means no limit. `seconds` is the time for all of it."""

    calls: int | None = None
    characters: int | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Tally:
    """Progress of the work, in requests; `calls` and `characters` were paid for.

    `origin` has the number and the times of earlier answers.
    """

    total: int
    done: int = 0
    cached: int = 0
    failed: int = 0
    calls: int = 0
    characters: int = 0
    origin: Origin = field(default_factory=Origin)
    pause: float = 0.0
    """Seconds that the service asked us to wait, up to our limit; 0 without a request."""
    stopped: str = ""
    """Why asking stopped: the service is closed or down, or the budget is used up; empty if it did not."""

    def describe(self, name: str) -> str:
        """A progress message: the system asked, and anything besides plain answers."""
        notes = [f"{self.cached:,} cached"] if self.cached else []
        notes += [f"{self.failed:,} failed"] if self.failed else []
        notes += [f"it asks for a pause: {self.pause:g} s"] if self.pause else []
        return " · ".join([name, *notes])


def translate_all(
    system: LiveSystem,
    requests: Sequence[Request],
    *,
    answers: AnswerStore | None = None,
    budget: Budget | None = None,
    spent: Tally | None = None,
    report: Callable[[Tally], None] | None = None,
    began: int | None = None,
    fresh: bool = False,
) -> list[Output]:
    """One output per request, in order. A request that got no answer has `text=None` and the reason.

    Answers up to number `began` (default: all present ones) are earlier answers. With `fresh`, they are
    requested again, and the old ones stay. `spent` counts towards the budget.
    """
    tally = Tally(len(requests))
    tell = report or (lambda tally: None)
    if began is None:
        began = answers.newest_answer if answers else 0
    program, signature = system.program, system.signature  # both are computed
    keys = [answer_key(signature, request) for request in requests]
    known = answers.find_answers(list(dict.fromkeys(keys)), since=began if fresh else 0) if answers else {}
    tally.origin = _origin([known[key] for key in keys if key in known], began, program)
    outputs = {key: answer.output for key, answer in known.items()}
    waiting = {
        key: request
        for key, request in zip(keys, requests, strict=True)
        if key not in outputs and request.text is not None
    }
    tally.cached = sum(key in outputs for key in keys)
    tally.done = tally.cached
    tell(tally)
    times = dict.fromkeys(waiting, 0)
    for key in keys:
        if key in times:
            times[key] += 1
    claims = _Claims(answers, since=began if fresh else 0)
    work = _Work(system, waiting, budget or Budget(), tally, claims, spent)

    def keep(new: Mapping[str, Output]) -> dict[str, Output]:
        """Store answers without errors; return these."""
        good = {key: output for key, output in new.items() if output.error is None}
        ours = {key: output for key, output in good.items() if key not in claims.answered_elsewhere}
        if answers and ours:
            answers.keep_answers(signature, ours, requests=waiting, program=program)
        if answers and (failed := new.keys() - good.keys()):
            answers.release(failed)
        return good

    try:
        for new in work.results():
            good = keep(new)
            outputs.update(new)
            tally.done += sum(times[key] for key in new)
            tally.failed += sum(times[key] for key in new if key not in good)
            tally.origin += Origin(sum(times[key] for key in good))
            tell(tally)
    except BaseException:
        # Also store the answers so far after Ctrl-C or a bug.
        keep({key: o for key, o in dict(work.answered).items() if key not in outputs})
        if answers:
            answers.release(claims.mine)
        raise
    tally.stopped = work.stopped
    nothing = Output("", None, "there is no source text to translate")
    return [outputs.get(key, nothing)._replace(id=r.id) for key, r in zip(keys, requests, strict=True)]


@dataclass(frozen=True, slots=True)
class CallPlan:
    """The cost of asking: calls, characters to send, and available answers.

    `outputs` are those answers, one for each request, in order; requests still to ask have `text=None`.
    `price` is for a million tokens read, if known, and `read` counts all characters that the engine reads,
    with its prompt.
    """

    calls: int
    characters: int
    known: int
    outputs: Sequence[Output] = ()
    price: float | None = None
    read: int = 0

    def __add__(self, other: CallPlan) -> CallPlan:
        return CallPlan(
            self.calls + other.calls,
            self.characters + other.characters,
            self.known + other.known,
            price=other.price,
            read=self.read + other.read,
        )

    @property
    def cost(self) -> float | None:
        """The price of what the engine reads, if known."""
        if self.price is None:
            return None
        return (self.read or self.characters) / CHARACTERS_A_TOKEN * self.price / 1e6

    def describe(self, name: str) -> str:
        """The same as one line.

        >>> CallPlan(12, 5400, 3).describe("nmt")
        'nmt: 12 calls, 5,400 characters; 3 answers are there already'
        >>> CallPlan(1, 8_000_000, 0, price=0.25).describe("judge")
        'judge: 1 call, 8,000,000 characters (about 0.5 to read)'
        """
        told = f"{name}: {self.calls:,} call{'s' * (self.calls != 1)}, {self.characters:,} characters"
        if self.cost is not None and self.calls:
            told += f" (about {self.cost:.2g} to read)"
        if self.known:
            told += f"; {self.known:,} answer{'s are' if self.known != 1 else ' is'} there already"
        return told


def plan_calls(
    system: LiveSystem,
    requests: Sequence[Request],
    *,
    answers: AnswerStore | None = None,
    fresh: bool = False,
) -> CallPlan:
    """Estimate what `translate_all` would do if every call succeeds; nothing is asked."""
    signature = system.signature
    keys = [answer_key(signature, request) for request in requests]
    known = answers.find_answers(list(dict.fromkeys(keys))) if answers and not fresh else {}
    waiting = {
        key: request
        for key, request in zip(keys, requests, strict=True)
        if key not in known and request.text is not None
    }
    work = _Work(system, waiting, Budget(), Tally(0), _Claims(None, since=0))
    calls = sum(1 for _ in work._batches())
    nothing = Output("", None, DRY_RUN)
    outputs = [
        (known[key].output if key in known else nothing)._replace(id=request.id)
        for key, request in zip(keys, requests, strict=True)
    ]
    characters = sum(len(request.text or "") for request in waiting.values())
    price = next(iter(getattr(system, "price", ())), None)
    read = sum(map(system.characters_read, waiting.values()))
    return CallPlan(calls, characters, sum(key in known for key in keys), outputs, price, read)


class UnkeptContext(RunContext):
    """A context that asks live systems with retries and within limits, but stores nothing."""

    def progress(self, step: str, done: int, total: int | None) -> None:
        return None

    def recall(self, key: str) -> bytes | None:
        return None

    def remember(self, key: str, value: bytes) -> None:
        return None

    def ask(self, system: System, requests: Sequence[Request]) -> list[Output]:
        if isinstance(system, LiveSystem):
            return translate_all(system, requests)
        return super().ask(system, requests)


def _origin(stored: Sequence[StoredAnswer], began: int, program: str) -> Origin:
    """Where the available answers come from; `program` is the current one."""
    earlier = [answer for answer in stored if answer.number <= began]
    times = [answer.stored for answer in earlier]
    other = sum(bool(answer.program and program) and answer.program != program for answer in earlier)
    return Origin(len(stored), len(earlier), min(times, default=""), max(times, default=""), other)


@dataclass(slots=True)
class _Job:
    """Requests that are sent in one call."""

    keys: list[str]
    attempts_left: int
    not_before: float = 0.0
    failures: int = 0
    is_ours: bool = False


@dataclass(slots=True)
class _Event:
    """The result of a job: outputs, or its error."""

    job: _Job
    outputs: Sequence[Output] = ()
    error: BaseException | None = None


@dataclass(slots=True)
class _Pace:
    """Spreads calls to keep limits per second, and delays all calls if the service asks for it."""

    limits: Limits
    lock: threading.Lock = field(default_factory=threading.Lock)
    next_call: float = 0.0
    held_until: float = 0.0

    def reserve(self, characters: int) -> float:
        """Reserve the time of this call; return when it may be made."""
        per_call = 1 / self.limits.calls_per_second if self.limits.calls_per_second else 0.0
        rate = self.limits.characters_per_second
        with self.lock:
            start = max(time.monotonic(), self.next_call)
            self.next_call = start + max(per_call, characters / rate if rate else 0.0)
            return start

    def hold(self, until: float) -> None:
        """Delay all calls until then, even those that already have their time."""
        with self.lock:
            self.next_call = max(self.next_call, until)
            self.held_until = max(self.held_until, until)

    def wait(self, start: float) -> None:
        """Sleep until this time has come and nothing delays the call."""
        while (seconds := max(start, self.held_until) - time.monotonic()) > 0:
            time.sleep(seconds)


class _Claims:
    """Claims on texts by processes that need the same ones; without a store, everything is ours."""

    def __init__(self, answers: AnswerStore | None, *, since: int) -> None:
        self._answers = answers
        self._since = since
        self.mine: set[str] = set()
        self.elsewhere: set[str] = set()
        """The keys that another process is asking for."""
        self.answered_elsewhere: set[str] = set()
        self._looked = 0.0

    def take(self, keys: Sequence[str]) -> list[str]:
        """Claim keys for us; the others are asked for elsewhere."""
        if self._answers is None:
            return list(keys)
        taken = self._answers.claim(keys)
        self.mine |= taken
        self.elsewhere |= set(keys) - taken
        return [key for key in keys if key in taken]

    def known(self, keys: Sequence[str]) -> dict[str, Output]:
        """Answers to these keys that another process got meanwhile."""
        if self._answers is None or not keys:
            return {}
        found = self._answers.find_answers(list(keys), since=self._since)
        self.answered_elsewhere |= found.keys()
        self.elsewhere -= found.keys()
        return {key: answer.output for key, answer in found.items()}

    @property
    def is_due(self) -> bool:
        """Whether it is time to check for answers of other processes."""
        return bool(self.elsewhere) and time.monotonic() - self._looked > LOOK_EVERY

    def look(self) -> tuple[dict[str, Output], list[str]]:
        """Answers that others got by now, and keys that they gave up, which we may ask for."""
        self._looked = time.monotonic()
        known = self.known(sorted(self.elsewhere))
        freed = self.take(sorted(self.elsewhere))
        self.elsewhere -= set(freed)
        return known, freed


class _Work:
    """The calls of one run. Threads make them; the thread that iterates decides the next step."""

    def __init__(
        self,
        system: LiveSystem,
        requests: Mapping[str, Request],
        budget: Budget,
        tally: Tally,
        claims: _Claims,
        spent: Tally | None = None,
    ) -> None:
        self._system = system
        self._requests = requests
        self._limits = system.limits
        self._budget = budget
        self._before = spent or Tally(0)
        self._tally = tally
        self._claims = claims
        self._pace = _Pace(self._limits)
        self._deadline = None if budget.seconds is None else time.monotonic() + budget.seconds
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._events: queue.SimpleQueue[_Event] = queue.SimpleQueue()
        self._in_hand = 0
        self.answered: dict[str, Output] = {}
        """Queue of all answers; each thread adds its own, independent of the waiting thread."""
        self._busy_in_a_row = 0
        self._failed_in_a_row = 0
        self.stopped = ""

    def results(self) -> Iterator[dict[str, Output]]:
        """Yield outputs by key as they arrive; every key once."""
        todo = list(self._batches())[::-1]
        later: list[_Job] = []
        threads = [
            threading.Thread(target=self._make_calls, daemon=True)
            for _ in range(min(self._limits.in_flight, len(todo)))
        ]
        for thread in threads:
            thread.start()
        try:
            while todo or later or self._in_hand or self._claims.elsewhere:
                now = time.monotonic()
                if self._claims.is_due:
                    known, freed = self._claims.look()
                    todo += [_Job([key], self._limits.attempts) for key in freed]
                    if known:
                        yield known
                todo += [job for job in later if job.not_before <= now]
                later = [job for job in later if job.not_before > now]
                if self._deadline is not None and now > self._deadline:
                    self.stopped = self.stopped or f"the time of {self._budget.seconds:g} s is used up"
                is_held = self._pace.held_until > now
                while todo and self._in_hand < len(threads) and not self.stopped and not is_held:
                    known = self._claim(todo)
                    if known:
                        yield known
                    job = todo.pop()
                    if job.keys:
                        self._hand_out(job)
                if self.stopped and (todo or later or self._claims.elsewhere):
                    left = [key for job in todo + later for key in job.keys] + sorted(self._claims.elsewhere)
                    todo, later = [], []
                    self._claims.elsewhere.clear()
                    yield {key: Output("", None, self.stopped) for key in left}
                    continue
                if not (later or self._in_hand or self._claims.elsewhere):
                    continue  # others got answers for everything that was left
                arrived: dict[str, Output] = {}
                was_paused, self._tally.pause = self._tally.pause, 0.0
                for event in self._next_events(later):
                    self._in_hand -= 1
                    finished, again = self._settle(event)
                    arrived |= finished
                    later += [job for job in again if job.not_before]
                    todo += [job for job in again if not job.not_before]
                if arrived or self._tally.pause != was_paused:
                    yield arrived
        finally:
            for _ in threads:
                self._jobs.put(None)

    def _batches(self) -> Iterator[_Job]:
        """Group requests into batches within the limits."""
        keys: list[str] = []
        size = 0
        room = self._limits.batch_characters
        for key, request in self._requests.items():
            length = len(request.text or "")
            if keys and (len(keys) >= self._limits.batch or (room is not None and size + length > room)):
                yield _Job(keys, self._limits.attempts)
                keys, size = [], 0
            keys.append(key)
            size += length
        if keys:
            yield _Job(keys, self._limits.attempts)

    def _claim(self, jobs: Sequence[_Job]) -> dict[str, Output]:
        """Claim the last jobs, without texts that others ask for, and return answers that others got."""
        if jobs[-1].is_ours:
            return {}
        # Claim several jobs, since each claim is written to disk, but leave work for other processes.
        new = [job for job in jobs[-CLAIMED_AHEAD * self._limits.in_flight :] if not job.is_ours]
        free = set(self._claims.take([key for job in new for key in job.keys]))
        known = self._claims.known(sorted(free))
        for job in new:
            job.is_ours = True
            job.keys = [key for key in job.keys if key in free and key not in known]
        return known

    def _hand_out(self, job: _Job) -> None:
        characters = sum(len(self._requests[key].text or "") for key in job.keys)
        tally, budget = self._tally, self._budget
        calls, before = tally.calls + self._before.calls, self._before.characters
        if budget.calls is not None and calls + 1 > budget.calls:
            self.stopped = f"the budget of {budget.calls:,} calls is used up"
        elif budget.characters is not None and before + tally.characters + characters > budget.characters:
            self.stopped = f"the budget of {budget.characters:,} characters is used up"
        if self.stopped:
            self._events.put(_Event(job, error=ClosedError(self.stopped)))
        else:
            tally.calls += 1
            tally.characters += characters
            job.not_before = self._pace.reserve(characters)
            self._jobs.put(job)
        self._in_hand += 1

    def _make_calls(self) -> None:
        """The work of each thread: one job after another until none is left."""
        while (job := self._jobs.get()) is not None:
            self._pace.wait(job.not_before)
            requests = [self._requests[key] for key in job.keys]
            began = time.perf_counter()
            try:
                outputs = _checked(self._system, requests)
                seconds = {"seconds": round(time.perf_counter() - began, 4)}
                event = _Event(job, [o._replace(meta={**seconds, **o.meta}) for o in outputs])
                self.answered |= zip(job.keys, event.outputs, strict=True)
            except BaseException as error:  # a bug must reach the waiting thread
                event = _Event(job, error=error)
            self._events.put(event)

    def _next_events(self, later: Sequence[_Job]) -> list[_Event]:
        """Wait for an event; return at the latest when a job or the deadline is due."""
        due = [job.not_before for job in later]
        if self._pace.held_until > time.monotonic():
            due.append(self._pace.held_until)
        if self._deadline is not None:
            due.append(self._deadline)
        if self._claims.elsewhere:
            due.append(time.monotonic() + LOOK_EVERY)
        wait = max(min(due, default=time.monotonic() + 3600) - time.monotonic(), 0.0) + 0.001
        events = []
        try:
            events.append(self._events.get(timeout=wait))
            while True:
                events.append(self._events.get_nowait())
        except queue.Empty:
            return events

    def _settle(self, event: _Event) -> tuple[dict[str, Output], list[_Job]]:
        """Handle an event: outputs that are final, and jobs to repeat."""
        job, error = event.job, event.error
        if error is None:
            self._failed_in_a_row = self._busy_in_a_row = 0
            return dict(zip(job.keys, event.outputs, strict=True)), []
        reason = redact(" ".join(str(error).split()))
        if isinstance(error, BusyError):
            reason += _impatience(error, self._limits.timeout)
        if isinstance(error, ClosedError):
            self.stopped = self.stopped or reason
        elif isinstance(error, BusyError):
            self._busy_in_a_row += 1
            job.attempts_left -= 1
            job.failures += 1
            if job.attempts_left > 0:
                job.not_before = time.monotonic() + self._wait(job, error)
                return {}, [job]
            if len(job.keys) > 1:
                return {}, [_Job([key], 1, is_ours=True) for key in job.keys]
            self._failed_in_a_row += 1
            if self._failed_in_a_row >= GIVE_UP_AFTER:
                self.stopped = f"given up after {GIVE_UP_AFTER} failures in a row, the last: {reason}"
        elif isinstance(error, RejectedError):
            if len(job.keys) > 1:
                return {}, [_Job([key], self._limits.attempts, is_ours=True) for key in job.keys]
        else:
            raise error
        return {key: Output("", None, reason) for key in job.keys}, []

    def _wait(self, job: _Job, error: BusyError) -> float:
        """Return seconds before the next try: as the service wishes, or doubled each time, with jitter.

        It is at most the timeout of one call, because some services ask for a day or more.
        """
        longest = min(FIRST_WAIT * 2.0 ** (job.failures - 1), LONGEST_WAIT)
        jitter = int(job.keys[0][:4], 16) / 0xFFFF  # keys are digests: as good as random, and repeatable
        seconds = longest * (0.5 + jitter / 2)
        if error.retry_after is not None:
            seconds = self._tally.pause = min(error.retry_after, self._limits.timeout)
        if error.retry_after is not None or self._busy_in_a_row >= self._limits.in_flight:
            # The service failed, not this job: other requests meanwhile would only make it worse.
            self._pace.hold(time.monotonic() + seconds)
        return seconds


def _impatience(error: BusyError, longest: float) -> str:
    """Return a remark for an error if the service asks for a longer wait than allowed."""
    if error.retry_after is None or error.retry_after <= longest:
        return ""
    asked = f"{error.retry_after:,.0f} s" if error.retry_after < 1e6 else "for more than 11 days"
    return f" (it asks to wait {asked}; the longest wait is {longest:g} s)"


def _checked(system: LiveSystem, requests: Sequence[Request]) -> Sequence[Output]:
    outputs = system.translate(requests)
    if [output.id for output in outputs] != [request.id for request in requests]:
        raise BusyError(f"{system.name} answered {len(outputs)} translations for {len(requests)} texts")
    return [
        output._replace(text=None, error=_NO_TEXT) if _UNWRITABLE.search(output.text or "") else output
        for output in outputs
    ]


def answer_key(signature: str, request: Request) -> str:
    """The key under which an engine's answer to a request is stored."""
    parts = (signature, request.text or "", request.context if request.context is not None else "\1")
    lengths = ",".join(str(len(part)) for part in parts)
    text = f"{lengths}:{''.join(parts)}" + (f"\0{request.sample}" if request.sample else "")
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
