"""The playground in a real browser: a source, its code and proof, what a link brings, and hostile text."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from metalift.app.serve.server import HOST, Playground
from tests.support.browser import PHONE, browser, complaints, missing
from tests.support.playgrounds import TIME, running

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

SCALE = "void scale(float *x, int n, float by) {\n    for (int i = 0; i < n; i++) x[i] *= by;\n}\n"
HOSTILE = "</script><img src=x onerror='window.hacked = 1'>\u202e\u2028<svg onload=window.hacked=1>"


@pytest.fixture(scope="module")
def playground() -> Iterator[Playground]:
    """One for all tests, with how many lifts it was asked for in `asked`."""
    with running() as found:
        yield found


@pytest.fixture(scope="module")
def chrome(playground: Playground) -> Iterator[Chrome]:
    """A browser that was opened at the printed address."""
    with browser(playground.address) as driver:
        yield driver


@pytest.fixture
def page(playground: Playground, chrome: Chrome) -> Chrome:
    """The page as it is when it was just opened, and has lifted its first example."""
    chrome.get("about:blank")
    chrome.get(playground.address)
    wait(chrome, "ended")
    complaints(chrome)
    return chrome


@pytest.fixture
def brought(playground: Playground, chrome: Chrome) -> Chrome:
    """The page with a source that a link brought."""
    chrome.get("about:blank")
    chrome.get(link(playground, SCALE))
    wait(chrome, "linked")
    return chrome


@pytest.fixture
def asked(playground: Playground, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that the server is asked to lift."""
    found: list[str] = []
    lift = playground.lifter.lift

    def noted(wanted, seconds, gone):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        found.append(wanted["source"])
        return lift(wanted, seconds, gone)

    monkeypatch.setattr(playground.lifter, "lift", noted)
    return found


def wait(driver: Chrome, state: str) -> None:
    """Until the page is in a state: ended, runs or linked."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(driver, TIME, 0.02).until(lambda driver: ask(driver, "document.body.dataset.state") == state)


def ask(driver: Chrome, script: str) -> object:
    """What a JavaScript expression is."""
    return driver.execute_script(f"return {script}")


def text(driver: Chrome, part: str) -> str:
    """The text of a part of the page."""
    return str(ask(driver, f"document.getElementById('{part}').innerText"))


def link(playground: Playground, source: str, **more: object) -> str:
    """The address that brings a source."""
    packed = base64.urlsafe_b64encode(json.dumps({"text": source, "language": "c", "target": "numpy", **more}).encode()).decode()
    return f"http://{HOST}:{playground.server_port}/#source={packed}"


def write(driver: Chrome, source: str) -> None:
    """Type a source in the place of what is there."""
    from selenium.webdriver.common.keys import Keys

    editor = driver.find_element("css selector", "#source .cm-content")
    editor.click()
    editor.send_keys(Keys.CONTROL, "a")
    editor.send_keys(Keys.NULL, Keys.DELETE)
    driver.execute_cdp_cmd("Input.insertText", {"text": source})


def test_shows_code_summary_assumptions_and_obligations(page: Chrome) -> None:
    assert text(page, "verdict").startswith("PROVED, agrees with the source on ")
    assert "def softmax(x: np.ndarray, size: int)" in text(page, "code")
    for part in ("Summary", "Assumptions", "[real arithmetic]", "checked by the code", "Obligations: ", "Comparison"):
        assert part in text(page, "more"), part
    assert text(page, "functions").split() == ["softmax", "PROVED"]
    assert "code after" in text(page, "status") and "all after" in text(page, "status")


def test_nothing_comes_from_elsewhere_and_nothing_is_complained_of(page: Chrome, playground: Playground) -> None:
    page.refresh()
    wait(page, "ended")
    names = ask(page, "performance.getEntriesByType('resource').map(one => one.name)")
    assert isinstance(names, list) and names
    assert all(name.startswith((f"http://{HOST}:{playground.server_port}/", "data:")) for name in names)
    assert complaints(page) == []


def test_the_secret_leaves_the_address(page: Chrome, playground: Playground) -> None:
    assert page.current_url == f"http://{HOST}:{playground.server_port}/"
    assert playground.token not in str(ask(page, "document.documentElement.outerHTML"))


def test_code_is_marked_until_it_is_proved(page: Chrome) -> None:
    script = """
        const done = arguments[0], seen = [];
        new MutationObserver(() => {
            const word = document.getElementById('verdict').textContent;
            if (word && word !== seen[seen.length - 1]) seen.push(word);
            if (document.body.dataset.state === 'ended') done(seen);
        }).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
        document.getElementById('lift').click();
    """
    page.set_script_timeout(TIME)
    first, last = page.execute_async_script(script)
    assert first == "not yet proved" and last.startswith("PROVED, agrees")


def test_lifts_what_is_typed(page: Chrome, asked: list[str]) -> None:
    write(page, SCALE)
    wait(page, "runs")
    wait(page, "ended")
    assert asked[-1] == SCALE and "def scale(x: np.ndarray" in text(page, "code")
    write(page, SCALE.replace("*= by", "*= read()"))
    wait(page, "runs")
    wait(page, "ended")
    assert "does not compile" in text(page, "problem") and "def" not in text(page, "code")


def test_a_reason_leads_to_its_line(page: Chrome) -> None:
    write(page, "int read(void);\n\nint poll(int n) {\n    int s = 0;\n    while (n--) s += read();\n    return s;\n}\n")
    wait(page, "runs")
    wait(page, "ended")
    assert "read" in text(page, "about") and text(page, "functions").split() == ["poll", "UNSUPPORTED"]
    assert ask(page, "document.querySelector('#source .marked').textContent") == "    while (n--) s += read();"
    page.find_element("css selector", "#about button").click()
    assert ask(page, "document.activeElement.closest('#source') !== null") is True


def test_choices_lift_anew(page: Chrome, asked: list[str]) -> None:
    from selenium.webdriver.support.ui import Select

    Select(page.find_element("id", "style")).select_by_value("plain")
    wait(page, "runs")
    wait(page, "ended")
    assert "raise ValueError" not in text(page, "code") and len(asked) == 1


def test_what_a_link_brings_is_shown_and_not_lifted(brought: Chrome, playground: Playground, asked: list[str]) -> None:
    assert "void scale" in text(brought, "source") and "neither compiled nor run" in text(brought, "linked")
    write(brought, SCALE.replace("by", "factor"))  # looking at it, and changing it, is not asking for it
    brought.execute_async_script("setTimeout(arguments[0], 1000)")  # twice as long as it would wait before it lifts
    assert asked == [] and ask(brought, "document.body.dataset.state") == "linked"
    brought.find_element("id", "lift").click()
    wait(brought, "ended")
    assert asked == [SCALE.replace("by", "factor")] and "def scale" in text(brought, "code")
    brought.execute_script("location.hash = arguments[0]", link(playground, SCALE).partition("#")[2])
    wait(brought, "linked")
    assert len(asked) == 1 and "def" not in text(brought, "code")


def test_links_that_cannot_be_read(brought: Chrome, asked: list[str]) -> None:
    for given in ("", "%%%", "e30", "W10=", "bnVsbA==", "eyJ0ZXh0IjogMX0=", "/w==", "A" * 300_000):
        brought.execute_script("document.body.dataset.state = ''; location.hash = '#source=' + arguments[0]", given)
        wait(brought, "linked")
        assert "no source that can be read" in text(brought, "problem") and asked == []


def test_a_copied_link_holds_the_source_and_not_the_secret(brought: Chrome, playground: Playground) -> None:
    copied = "window.copied = ''; navigator.clipboard.writeText = async (text) => { window.copied = text; }"
    brought.execute_script(copied)
    brought.find_element("id", "link").click()
    address = str(ask(brought, "window.copied"))
    assert address.startswith(f"http://{HOST}:{playground.server_port}/#source=") and playground.token not in address
    packed = address.partition("=")[2]
    assert json.loads(base64.urlsafe_b64decode(packed))["text"] == SCALE and "token" not in address


def test_without_the_secret_nothing_is_lifted(playground: Playground, asked: list[str]) -> None:
    with browser(f"http://{HOST}:{playground.server_port}/") as driver:
        assert "Open the address" in text(driver, "problem")
        driver.find_element("id", "lift").click()
        wait(driver, "ended")
        assert "open the address" in text(driver, "problem") and asked == []


def test_hostile_text_is_only_text(brought: Chrome, playground: Playground) -> None:
    source = f"/* {HOSTILE} */\nint f(int x) {{ return x; }}\n#error {HOSTILE}\n"
    there = link(playground, source, style=HOSTILE).partition("#")[2]
    brought.execute_script("document.body.dataset.state = ''; location.hash = arguments[0]", there)
    wait(brought, "linked")
    brought.find_element("id", "lift").click()
    wait(brought, "ended")
    assert "onerror" in text(brought, "problem")
    assert ask(brought, "window.hacked === undefined && document.images.length === 0") is True
    added = "const one = document.createElement('script'); one.textContent = 'window.hacked = 1'; document.body.append(one)"
    brought.execute_script(added)
    assert ask(brought, "window.hacked === undefined") is True
    assert "Content Security Policy" in " ".join(complaints(brought))


def test_another_page_gets_nothing(chrome: Chrome, playground: Playground, asked: list[str]) -> None:
    chrome.get(f"http://localhost:{playground.server_port}/licences.txt")  # of another origin
    chrome.set_script_timeout(TIME)
    script = """
        const [address, done] = arguments;
        const body = JSON.stringify({source: 'int f(int x) { return x; }', language: 'c', to: ['numpy']});
        const headers = {'Content-Type': 'application/json', Authorization: 'Bearer x'};
        const ways = [
            fetch(address + 'lift', {method: 'POST', body, headers}),
            fetch(address + 'lift', {method: 'POST', body, mode: 'no-cors'}).then((got) => got.text()),
            fetch(address).then((got) => got.text()),
        ];
        Promise.allSettled(ways).then((all) => done(all.map((one) => one.status + (one.value || ''))));
    """
    found = chrome.execute_async_script(script, f"http://{HOST}:{playground.server_port}/")
    assert found[0].startswith("rejected") and found[1] in ("rejected", "fulfilled") and found[2].startswith("rejected")
    assert asked == []


def test_narrow_and_dark(playground: Playground) -> None:
    with browser(playground.address, size=PHONE, dark=True) as phone:
        wait(phone, "ended")
        assert ask(phone, "getComputedStyle(document.body).backgroundColor") == "rgb(16, 19, 26)"
        assert ask(phone, "document.documentElement.scrollWidth <= innerWidth") is True
        assert complaints(phone) == []
