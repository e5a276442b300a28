"""report.html in a real browser: nothing in the console, filters, sorting, kernels, dark mode, phones, and hostile text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

import pytest

from metalift.app.batch import report
from metalift.result.verdict import FunctionVerdict
from tests.support.batches import Made, batch
from tests.support.browser import PHONE, browser, complaints, missing

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

HOSTILE = (
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'><!-- $index \u2028 \u202e\x1b[2J "
    "<svg onload=window.hacked=1> javascript:window.hacked=1 ${window.hacked=1} {{7*7}} ]]> \" ' `"
)
TARGETS = ("numpy", "pytorch")


def made(number: int) -> Made:
    """Kernels of two suites and three styles, every fifth without a proof for one target."""
    other = list(FunctionVerdict)[number // 5 % 5].value if number % 5 == 0 else "PROVED"
    verdicts = {"numpy": "PROVED", "pytorch": other}
    speed = (0.02 * 1.08**number, 0.3 * 1.02**number) if other == "PROVED" else None
    return Made("ab"[number % 2], f"kernel{number:03}", ("int", "u8", "")[number % 3], verdicts, 0.01 * 1.1**number, speed=speed)


KERNELS = [
    *map(made, range(120)),
    Made(HOSTILE, HOSTILE, HOSTILE, {"numpy": "NOT_LIFTED", "pytorch": "PROVED"}, 3.0, HOSTILE, (0.5, 0.5)),
    Made("b", "waiting", "int", {"numpy": None, "pytorch": None}),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of KERNELS."""
    return report.write(batch(tmp_path_factory.mktemp("batch"), KERNELS))


@pytest.fixture(scope="module")
def desktop(page: Path) -> Iterator[Chrome]:
    """A browser that all tests which need no other share."""
    with browser(page) as driver:
        yield driver


@pytest.fixture
def opened(desktop: Chrome, page: Path) -> Chrome:
    """The page, as it is when it was just opened."""
    desktop.get("about:blank")
    desktop.get(page.as_uri())
    return desktop


def ask(driver: Chrome, script: str) -> object:
    """What a JavaScript expression is."""
    return driver.execute_script(f"return {script}")


def names(driver: Chrome) -> list[str]:
    """The kernels in the list."""
    found = ask(driver, "[...document.querySelectorAll('#kernels .name a')].map(one => one.textContent)")
    assert isinstance(found, list)
    return found


def choose(driver: Chrome, part: str, text: str) -> None:
    """Choose an option of a filter by its text."""
    script = (
        "const list = document.getElementById(arguments[0]);"
        "list.value = [...list.options].find(one => one.text === arguments[1]).value;"
        "list.dispatchEvent(new Event('change'))"
    )
    driver.execute_script(script, part, text)


def click(driver: Chrome, selector: str) -> None:
    """Click without regard to where the page is laid out, which it may be in the middle of."""
    driver.execute_script("document.querySelector(arguments[0]).click()", selector)


def visit(driver: Chrome, number: int) -> str:
    """The text of a kernel's section, when it is there."""
    script = (
        "const done = arguments[1]; location.hash = 'kernel-' + arguments[0];"
        "const there = () => document.querySelector('#kernel:not([hidden]) .card');"
        "const look = () => there() ? done(document.getElementById('kernel').innerText) : setTimeout(look, 20);"
        "setTimeout(look, 20)"
    )
    return str(driver.execute_async_script(script, number))


def test_opens_without_a_word_and_asks_for_nothing(opened: Chrome) -> None:
    assert complaints(opened) == []
    assert ask(opened, "performance.getEntriesByType('resource').length") == 0
    assert len(names(opened)) == 100 and ask(opened, "document.querySelectorAll('svg').length") == 3
    assert ask(opened, "document.getElementById('count').textContent") == "122 kernels"
    proved = sum(all(verdict == "PROVED" for verdict in one.verdicts.values()) for one in KERNELS)
    assert f"{proved} / 122" in str(ask(opened, "document.getElementById('figures').innerText"))


def test_filters_search_and_sorting(opened: Chrome) -> None:
    choose(opened, "verdict", "UNSUPPORTED")
    wanted = [one.name for one in KERNELS if "UNSUPPORTED" in one.verdicts.values()]
    assert names(opened) == wanted and wanted
    choose(opened, "target", "numpy")
    assert names(opened) == []
    choose(opened, "target", "pytorch")
    choose(opened, "suite", "a")
    assert names(opened) == [one.name for one in KERNELS if one.suite == "a" and one.name in wanted]
    click(opened, "#clear")
    choose(opened, "verdict", "no result yet")
    assert names(opened) == ["waiting"]
    click(opened, "#clear")
    opened.find_element("id", "search").send_keys("KERNEL00 u8")
    assert names(opened) == [f"kernel00{number}" for number in range(10) if number % 3 == 1]
    click(opened, "#clear")
    click(opened, "#kernels th:nth-child(3) button")
    assert names(opened)[:2] == ["kernel119", "kernel118"]
    click(opened, "#pages button:last-child")
    assert len(names(opened)) == 22
    assert complaints(opened) == []


def test_a_click_on_a_total_filters(opened: Chrome) -> None:
    click(opened, "#totals .card:nth-child(2) tbody tr th button")
    style = ask(opened, "document.querySelector('#totals .card:nth-child(2) tbody tr th').textContent")
    assert ask(opened, "document.getElementById('style').selectedOptions[0].text") == style
    assert len(names(opened)) == sum((one.style or "(none)") == style for one in KERNELS)


def test_a_kernel_has_its_source_code_and_proof(opened: Chrome, page: Path) -> None:
    text = visit(opened, 7)
    proof = ("Summary", "for.cond", "Assumptions", "2 of 2 proved", "compile")
    for part in ("kernel007", "return a + b", "def f7(a, b):", *proof):
        assert part in text, part
    assert ask(opened, "document.querySelectorAll('.panel').length") == 3
    assert ask(opened, "document.querySelector('.panel .word').textContent") == "int"
    links = ask(opened, "[...document.querySelectorAll('#kernel .card a')].map(one => one.href)")
    assert isinstance(links, list) and len(links) == 3
    assert all(Path(unquote(urlparse(link).path)).is_file() for link in links)
    assert ask(opened, "document.getElementById('overview').hidden") is True
    click(opened, "#back")
    # The page follows its address, which the browser tells it of a little later.
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(opened, 10).until(lambda driver: ask(driver, "document.getElementById('overview').hidden") is False)
    assert len(names(opened)) == 100
    assert complaints(opened) == []


def test_speeds(opened: Chrome) -> None:
    click(opened, "#kernels th:nth-child(5) button")
    assert names(opened)[0] == "kernel119"
    totals = str(ask(opened, "document.querySelector('#totals .wide').innerText"))
    assert "elementwise" in totals and "source kept" in totals and "pytorch compiled" in totals
    text = visit(opened, 7)
    assert "recommended: source" in text and "the result differs" in text and "0.034\u00d7" in text
    assert complaints(opened) == []


def test_why_a_kernel_is_not_proved(opened: Chrome) -> None:
    text = visit(opened, 5)
    assert "Why not" in text and "The best that was reached" in text and "nothing special" in text


def test_hostile_text_is_only_text(opened: Chrome) -> None:
    opened.find_element("id", "search").send_keys("hacked")
    for text in (opened.find_element("id", "kernels").text, visit(opened, 120)):
        assert "<script>window.hacked = 1</script>" in text and "\u27e8U+202e\u27e9" in text
    assert ask(opened, "window.hacked === undefined && document.images.length === 0") is True
    assert ask(opened, "document.querySelectorAll('script').length") == 1 + 1 + 4  # the index, the code, four blocks of details
    assert complaints(opened) == []


def test_no_other_script_may_run(opened: Chrome) -> None:
    added = "const one = document.createElement('script'); one.textContent = 'window.added = 1'; document.body.append(one)"
    opened.execute_script(added)
    assert ask(opened, "window.added === undefined") is True
    assert "Content Security Policy" in " ".join(complaints(opened))


def test_dark_and_narrow(page: Path, tmp_path: Path) -> None:
    with browser(page, size=PHONE, dark=True) as phone:
        dark = "getComputedStyle(document.body).backgroundColor"
        assert ask(phone, dark) == "rgb(16, 19, 26)"
        for number in (None, 7, 120):
            if number is not None:
                visit(phone, number)
            assert ask(phone, "document.documentElement.scrollWidth <= innerWidth") is True, number
        assert complaints(phone) == []
        phone.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})
        assert ask(phone, dark) == "rgb(246, 247, 249)"
        phone.get(report.write(batch(tmp_path, [])).as_uri())
        assert complaints(phone) == [] and ask(phone, "document.getElementById('count').textContent") == "0 kernels"
