"""The parts of the tape that know no page: heights, lanes, beats, the queue, the index, the door for HTML.

They run where they are used, in Chromium, loaded from the application as the page loads them; what is right
is worked out here in Python, independently.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from components.deck import Deck
from components.tape_view import assets
from components.tape_view.index import LISTS
from tape.errors import UserError
from tape.samples import sample
from tests import strategies
from tests.strategies import answer, assistant, call, session, user

LAW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def blank(app: str, browser: Browser) -> Iterator[Page]:
    """A page of the application's own origin, from which its modules can be imported."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{app}/_stcore/health")
    yield page
    context.close()


def run(page: Page, module: str, body: str, argument: Any = None) -> Any:
    """Runs a piece of JavaScript with a module of the tape as ``it`` and an argument as ``given``."""
    address = f"/tape/assets/{assets.build()}/{module}.js"
    return page.evaluate(
        f"async (given) => {{ const it = await import({json.dumps(address)}); {body} }}", argument
    )


heights = st.lists(st.integers(1, 900), min_size=1, max_size=700)


@LAW
@given(
    heights,
    st.lists(st.tuples(st.integers(0, 699), st.integers(1, 5000)), max_size=20),
    st.integers(0, 10**6),
)
def test_heights_know_where_an_item_starts_and_what_covers_a_place(
    blank: Page, values: list[int], changes: list[tuple[int, int]], place: int
) -> None:
    changes = [(i % len(values), height) for i, height in changes]
    now = list(values)
    for i, height in changes:
        now[i] = height
    starts = [sum(now[:i]) for i in range(len(now) + 1)]
    covering = next((i for i in range(len(now)) if starts[i] <= place < starts[i + 1]), len(now) - 1)
    found = run(
        blank,
        "heights",
        """const heights = new it.Heights(given.values)
           for (const [i, height] of given.changes) heights.set(i, height)
           return [given.at.map((i) => heights.offset(i)), heights.find(given.place), heights.total]""",
        {"values": values, "changes": changes, "place": place, "at": list(range(len(now) + 1))},
    )
    assert found == [starts, covering, starts[-1]]


def intervals(seed: int, count: int, span: int) -> list[list[float]]:
    """Threads as sessions have them: most are short, some reach far."""
    pick = random.Random(seed)
    found = []
    for _ in range(count):
        start = pick.randrange(span) + pick.random()
        reach = pick.choice([1, 1, 1, 2, 5, span / 2]) * pick.random()
        found.append([start, start + reach])
    return found


@pytest.mark.parametrize("seed", range(12))
def test_no_two_threads_share_a_lane_where_they_meet(blank: Page, seed: int) -> None:
    threads = intervals(seed, 120, 400)
    lanes = run(blank, "lanes", "return [...it.assignLanes(given)]", threads)
    last = run(blank, "lanes", "return it.LANES - 1")
    assert max(lanes) <= last
    for i, one in enumerate(threads):
        for j in range(i):
            other = threads[j]
            if lanes[i] == lanes[j] != last:
                assert one[1] < other[0] or other[1] < one[0], (one, other)


def test_a_pair_inside_another_runs_in_an_inner_lane(blank: Page) -> None:
    assert run(blank, "lanes", "return [...it.assignLanes(given)]", [[1, 10], [2, 9], [3, 8]]) == [2, 1, 0]


@pytest.mark.parametrize("seed", range(12))
def test_what_crosses_a_window_is_found(blank: Page, seed: int) -> None:
    threads = intervals(seed, 300, 2_000)
    windows = [[start, start + 30] for start in range(0, 2_100, 97)]
    found = run(
        blank,
        "lanes",
        "const crossing = it.crossings(given.threads); return given.windows.map(([a, b]) => crossing(a, b))",
        {"threads": threads, "windows": windows},
    )
    for (start, end), crossing in zip(windows, found, strict=True):
        wanted = [i for i, (a, b) in enumerate(threads) if a <= end and b >= start]
        assert sorted(crossing) == wanted


def test_beats_grow_the_array_one_moment_at_a_time(blank: Page) -> None:
    rows = [["m0", "u", "t"], ["m1", "a", "tc"], ["m2", "u", "r"], ["m3", "a", "t"], ["m4", "s", "t"]]
    found = run(
        blank,
        "beats",
        """const beats = new it.Beats(given)
           const all = [...Array(beats.last + 1).keys()].map((i) => Object.values(beats.at(i)))
           return [all, given.map((_, i) => beats.showing(i))]""",
        rows,
    )
    assert found == [
        [
            [0, "start"],
            [1, "user"],
            [1, "call"],
            [2, "act"],
            [3, "append"],
            [3, "call"],
            [4, "answer"],
            [5, "system"],
        ],
        [1, 3, 4, 6, 7],
    ]


@pytest.mark.parametrize("seed", range(8))
def test_a_queue_over_a_line_that_loses_messages_arrives_once_and_in_order(blank: Page, seed: int) -> None:
    pick = random.Random(seed)
    losses = [pick.random() < 0.6 for _ in range(400)]
    taken = run(
        blank,
        "queue",
        """const taken = []
           let timer = null, sends = 0
           const queue = new it.Queue((sent) => {
             if (given[sends++ % given.length]) return
             const last = taken.at(-1)?.seq ?? 0
             taken.push(...structuredClone(sent.items).filter((item) => item.seq > last))
             if (!given[sends++ % given.length]) queue.acknowledge({ client: "c", seq: taken.at(-1).seq })
           }, { client: "c", later: (act) => (timer = act), cancel: () => (timer = null) })
           queue.open("doc")
           for (let i = 0; i < 40; i++) queue.push({ do: "undo", i })
           for (let i = 0; i < 1000 && queue.waiting; i++) timer()
           return [taken.map((item) => item.i), queue.waiting, timer === null]""",
        losses,
    )
    assert taken == [list(range(40)), False, True]


def test_a_queue_forgets_what_was_meant_for_another_document(blank: Page) -> None:
    assert run(
        blank,
        "queue",
        """const sent = []
           const quiet = { client: "c", later: () => 1, cancel: () => {} }
           const queue = new it.Queue((one) => sent.push(structuredClone(one)), quiet)
           queue.open("first"); queue.push({ do: "undo" })
           queue.open("second"); queue.push({ do: "redo" })
           queue.acknowledge({ client: "other", seq: 9 })
           return [sent.at(-1).doc, sent.at(-1).items.map((item) => item.do), queue.waiting]""",
    ) == ["second", ["redo"], True]


def index(deck: Deck) -> dict[str, Any]:
    """The index as the route gives it."""
    number, _, lists = deck.version
    return {"v": number, "head": lists.head, **{name: getattr(lists, name) for name in LISTS}}


def test_a_call_that_was_never_answered_hangs_in_a_lane_of_its_own(blank: Page) -> None:
    given = json.loads(json.dumps(index(Deck(sample("three-calls-two-results").load()))))
    lanes = run(blank, "store", "return [...new it.Store(given).lane]", given)
    assert len(lanes) == 3
    assert len(set(lanes)) == 3


@LAW
@given(
    st.integers(0, 30),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=5),
)
def test_heights_follow_what_came_and_went_in_any_order(
    blank: Page, count: int, steps: list[tuple[int, int, int]]
) -> None:
    keys, moves, fresh = list(range(count)), [], count
    for at, removed, added in steps:
        at = min(at, len(keys))
        removed = min(removed, len(keys) - at)
        keys[at : at + removed] = range(fresh, fresh + added)
        fresh += added
        moves.append([at, removed, added])
    found = run(
        blank,
        "list",
        """let keys = given.before.map(String)
           const source = {
             get length() { return keys.length }, key: (i) => keys[i], place: (key) => keys.indexOf(key),
             estimate: (i) => 20 + Number(keys[i]), build: () => document.createElement("div") }
           const scroller = document.createElement("div")
           scroller.innerHTML = "<div class=content><div class=window></div></div>"
           const list = new it.List(scroller, source, () => {})
           list.reload()
           keys = given.after.map(String)
           list.reload(new Set(), null, given.moves)
           return [[...list.heights.values], list.heights.total]""",
        {"before": list(range(count)), "after": keys, "moves": moves},
    )
    assert found == [[20 + key for key in keys], sum(20 + key for key in keys)]


SAME = """const strip = (store) => JSON.parse(JSON.stringify({
             rows: store.rows, threads: store.threads, reach: store.intervals,
             turns: [...store.turnAt], gone: [...store.goneAfter],
             tones: store.rows.map((_, i) => store.tone(i)),
             partners: store.rows.map((_, i) => store.partners(i)) }))
          const store = new it.Store(structuredClone(given.before))
          const followed = store.follow(given.after.v, structuredClone(given.patches))
          const meet = ([a, b], [c, d]) => a <= d && c <= b
          const shared = store.intervals.some((one, i) => store.intervals.some((other, j) =>
            i < j && store.lane[i] === store.lane[j] && store.lane[i] < 11 && meet(one, other)))
          return [followed && !shared, strip(store), strip(new it.Store(given.after))]"""


@LAW
@given(
    strategies.sessions(), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30)), min_size=1, max_size=4)
)
def test_patches_lead_to_the_same_as_reading_again(
    blank: Page, opened: Any, steps: list[tuple[int, int]]
) -> None:
    deck = Deck(opened)
    before = json.loads(json.dumps(index(deck)))
    for kind, at in steps:
        count = max(1, len(deck.session.messages))
        operation = (
            {"op": "delete", "targets": [at % count], "partners": at % 2 == 0},
            {"op": "insert", "at": at % count, "message": user("new")},
            {"op": "move", "target": at % count, "to": 0},
            {"op": "replace", "target": at % count, "value": assistant(call("zz"))},
        )[kind]
        try:
            deck.apply(operation)
        except UserError:
            continue
    patches = deck.patches()
    assume([number for number, _ in patches] == list(range(1, deck.version.number + 1)))
    followed, patched, read = run(
        blank, "store", SAME, {"before": before, "after": index(deck), "patches": patches}
    )
    assert followed
    assert patched == read


def test_a_gap_in_the_patches_is_noticed(blank: Page) -> None:
    deck = Deck(session(user("a")))
    before = index(deck)
    for words in "bcd":
        deck.apply({"op": "append", "messages": [user(words)]})
    found = run(
        blank,
        "store",
        """const s = new it.Store(given.before)
           return [s.follow(3, given.patches.slice(1)), s.v, s.follow(0, []), s.length]""",
        {"before": before, "patches": deck.patches()},
    )
    assert found == [False, 0, True, 1]


def test_deleting_names_the_other_ends(blank: Page) -> None:
    deck = Deck(
        session(user("go"), assistant(call("a", "ls"), call("b", "cat")), user(answer("a"), answer("b")))
    )
    found = run(
        blank,
        "store",
        "const s = new it.Store(given); return [s.partners(1), s.partners(2, 1), s.partners(0)]",
        index(deck),
    )
    assert found == [
        [{"kind": "result", "i": 2, "name": "ls"}, {"kind": "result", "i": 2, "name": "cat"}],
        [{"kind": "call", "i": 1, "name": "cat"}],
        [],
    ]


HOSTILE = (
    "<script>boom()</script><p onclick=boom()>a</p>",
    "<img src=x onerror=boom()><svg onload=boom()><iframe srcdoc=x></iframe>",
    "<a href='javascript:boom()'>a</a><a href=' java\nscript:boom()'>b</a><a href='data:text/html,x'>c</a>",
    "<p style='background:url(https://pixel.example)'>a</p><link rel=stylesheet href=//pixel.example>",
    "<span class='k' id=x slot=y is=z part=w>a</span>",
    "<form action=//pixel.example><input autofocus onfocus=boom()></form>",
    "<math><annotation-xml encoding='text/html'><img src=x onerror=boom()></annotation-xml></math>",
)


@pytest.mark.parametrize("html", HOSTILE)
def test_the_door_for_html_lets_known_elements_in_and_nothing_else(blank: Page, html: str) -> None:
    found = run(
        blank,
        "safe_html",
        """const holder = document.createElement("div")
           holder.append(it.safeHtml(given))
           const attributes = (e) => [...e.attributes].map((a) => `${a.name}=${a.value}`)
           return [...holder.querySelectorAll("*")].map((e) => [e.localName, ...attributes(e)])""",
        html,
    )
    for name, *attributes in found:
        assert name in {"p", "a", "span"}
        assert all(one.startswith("class=") for one in attributes), attributes


def test_the_door_keeps_what_markdown_makes(blank: Page) -> None:
    html = '<ol start="3"><li><a href="https://a.example/b">c</a></li></ol><code class="block">d</code>'
    shown = run(
        blank,
        "safe_html",
        """const holder = document.createElement("div")
           holder.append(it.safeHtml(given))
           return holder.innerHTML""",
        html,
    )
    link = '<a href="https://a.example/b" target="_blank" rel="noopener noreferrer nofollow">c</a>'
    assert shown == html.replace('<a href="https://a.example/b">c</a>', link)
