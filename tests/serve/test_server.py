"""The server of the playground: what a lift tells, and what is refused; the page itself is tried in test_page.py."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from metalift.app.serve import pages
from metalift.app.serve.lifter import Lifter
from metalift.app.serve.server import HOST, Playground
from metalift.app.serve.wanted import LARGEST, Wanted
from metalift.result.errors import UsageError
from metalift.system.children import descendants
from tests.support.commands import metalift
from tests.support.playgrounds import MEMORY, TIME, ask, authorized, lift, running

ROOT = Path(__file__).parents[2]
SCALE = "void scale(float *x, int n, float by) {\n    for (int i = 0; i < n; i++) x[i] *= by;\n}\n"
SLOW = "".join(SCALE.replace("scale", f"scale{number}") for number in range(1000))  # minutes


@pytest.fixture(scope="module")
def playground() -> Iterator[Playground]:
    """One for all tests."""
    with running() as found:
        yield found


def test_code_comes_before_its_proof(playground: Playground) -> None:
    answer = lift(playground, SCALE)
    order = [event["event"] for event in answer.events if event["event"] != "stage"]
    assert order == ["begins", "draft", "function", "done"]
    assert answer.headers["Content-Type"] == "text/event-stream"
    draft, function = answer.last("draft"), answer.last("function")
    assert "From kernel.c:1: NOT YET PROVED equal where that is defined" in draft["code"]
    assert "PROVED" not in draft["code"].replace("NOT YET PROVED", "")
    target = function["targets"]["numpy"]
    assert (function["verdict"], target["checked"], target["ok"]) == ("PROVED", "agrees", True)
    assert "From kernel.c:1: PROVED equal where that is defined" in target["code"]
    assert function["summary"] and function["obligations"]
    assert "the source runs without undefined behaviour" in [one["text"] for one in function["assumptions"]]
    assert draft["code"].replace("NOT YET PROVED", "PROVED") == target["code"]


def test_what_stops_a_function_has_its_line_and_no_path(playground: Playground) -> None:
    answer = lift(playground, "int read(void);\nint poll(int n) { int s = 0; while (n--) s += read(); return s; }\n")
    (reason,) = answer.last("function")["reasons"]
    assert reason["line"] == 2 and "read" in reason["what"]
    assert "/tmp" not in answer.text and answer.last("done")["ok"] is False


@pytest.mark.parametrize(
    ("source", "language"),
    [
        ('#include "/etc/passwd"\n', "c"),
        ('#include "../../../../../../etc/passwd"\n', "c++"),
        ('#embed "/etc/passwd"\n', "c"),
        ("/etc/passwd", "c"),
        ("/etc/passwd", "python"),
        ("", "python"),
    ],
)
def test_a_source_reads_no_file(playground: Playground, source: str, language: str) -> None:
    answer = lift(playground, source, language)
    assert [event["event"] for event in answer.events if event["event"] != "stage"] == ["failed"]
    assert "root:" not in answer.text and "metalift-" not in answer.text


@pytest.mark.parametrize("language", ["c", "python"])
def test_a_source_that_runs_writes_no_file(playground: Playground, tmp_path: Path, language: str) -> None:
    stolen = tmp_path / "stolen"
    c = (
        "#include <stdio.h>\n__attribute__((constructor)) static void taken(void) "
        f'{{ FILE *file = fopen("{stolen}", "w"); if (file) fclose(file); }}\n{SCALE}'
    )
    python = f'open("{stolen}", "w")\ndef scale(x: list[float], by: float) -> list[float]:\n    return [by * v for v in x]\n'
    lift(playground, {"c": c, "python": python}[language], language)
    assert not stolen.exists()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:{port}"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Host": ""}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "https://127.0.0.1:{port}"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 403),
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer "}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Length": str(LARGEST + 1)}, 413),
        ({"Content-Length": "9" * 5000}, 413),
        ({"Content-Length": "-1"}, 411),
        ({"Content-Length": "", "Transfer-Encoding": "chunked"}, 411),
    ],
)
def test_refuses_what_is_not_from_its_page(playground: Playground, headers: dict[str, str], status: int) -> None:
    given = {name: value.replace("{port}", str(playground.server_port)) for name, value in headers.items()}
    answer = ask(playground, "POST", "/lift", "{}", {**authorized(playground), **given})
    assert answer.status == status and set(json.loads(answer.text)) == {"message"}
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_the_page_may_be_opened_by_a_link_and_by_nothing_else(playground: Playground) -> None:
    opened = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    answer = ask(playground, "GET", "/", headers=opened)
    assert answer.status == 200 and playground.token not in answer.text
    assert answer.headers["X-Frame-Options"] == "DENY" and "Access-Control-Allow-Origin" not in answer.headers
    for way in ({"Sec-Fetch-Dest": "iframe"}, {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}):
        assert ask(playground, "GET", "/", headers={**opened, **way}).status == 403
    for file in pages.FILES:
        assert ask(playground, "GET", file).status == 200
        assert ask(playground, "GET", file, headers=opened).status == 403


@pytest.mark.parametrize(
    "path",
    ["/../page.html", "//etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/page.css/..", "/templates/page.js", "/lift", "/?", "*", "x"],
)
def test_has_no_other_pages(playground: Playground, path: str) -> None:
    assert ask(playground, "GET", path).status == 404


def test_knows_no_other_methods(playground: Playground) -> None:
    for method in ("OPTIONS", "PUT", "DELETE", "TRACE", "CONNECT"):
        answer = ask(playground, method, "/lift")
        assert answer.status == 501 and "Access-Control-Allow-Origin" not in answer.headers
    assert ask(playground, "POST", "/", "{}", authorized(playground)).status == 404


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[" * 100_000,
        "[]",
        '{"source": 1, "language": "c", "to": ["numpy"]}',
        '{"source": "\\ud800", "language": "c", "to": ["numpy"]}',
        '{"source": "\\u0000", "language": "c", "to": ["numpy"]}',
        '{"source": "", "language": "c"}',
        '{"source": "", "language": "c", "to": "numpy"}',
        '{"source": "", "language": "c", "to": ["../../driver.py"]}',
        '{"source": "", "language": "../c", "to": ["numpy"]}',
        '{"source": "", "language": "c", "to": ["numpy"], "driver": "driver.py"}',
        '{"source": "", "language": "c", "to": ["numpy"], "nests": 1}',
        '{"source": "", "language": "c", "to": ["numpy"], "style": "any"}',
        json.dumps({"source": "", "language": "c", "to": ["numpy"], "assume": ["n" * 501]}),
    ],
)
def test_refuses_what_is_no_request(body: str) -> None:
    with pytest.raises(UsageError):
        Wanted.read(body.encode())


def test_a_lift_that_takes_too_long_is_stopped_and_the_next_one_runs() -> None:
    with Lifter(("numpy",), MEMORY) as lifter:
        request = {"source": SLOW, "language": "c", "to": ["numpy"]}
        *_, last = lifter.lift(request, 0.2, lambda: False)
        assert last["event"] == "failed" and "it took longer than 0.2 s" in last["message"]
        *_, last = lifter.lift({**request, "source": SCALE}, TIME, lambda: False)
        assert last["event"] == "done"


def test_a_lift_stops_when_its_client_leaves(playground: Playground) -> None:
    body = json.dumps({"source": SLOW, "language": "c", "to": ["numpy"]})
    head = "".join(f"{name}: {value}\r\n" for name, value in authorized(playground).items())
    with socket.create_connection((HOST, playground.server_port), timeout=TIME) as client:
        host = f"Host: {HOST}:{playground.server_port}\r\nContent-Length: {len(body)}\r\n"
        client.sendall(f"POST /lift HTTP/1.1\r\n{host}{head}\r\n{body}".encode())
        assert b"event: stage" in client.recv(1 << 16) + client.recv(1 << 16)
    began = time.monotonic()
    assert lift(playground, SCALE).last("done")["ok"] is True
    assert time.monotonic() - began < TIME / 2  # and not after the other one


def lifting() -> set[int]:
    """The processes of this one that lift."""
    return {pid for pid in descendants(os.getpid()) if b"serve.lifting" in Path(f"/proc/{pid}/cmdline").read_bytes()}


def test_a_process_that_was_killed_is_started_anew() -> None:
    others = lifting()
    with Lifter(("numpy",), MEMORY) as lifter:
        request = {"source": SLOW, "language": "c", "to": ["numpy"]}
        events = lifter.lift(request, TIME, lambda: False)
        assert next(events) == {"event": "stage", "stage": "compile"}
        (process,) = lifting() - others
        os.kill(process, signal.SIGKILL)
        *_, last = events
        assert last == {"event": "failed", "message": "the process that lifts ended: it crashed (SIGKILL)"}
        *_, last = lifter.lift({**request, "source": SCALE}, TIME, lambda: False)
        assert last["event"] == "done"


def test_listens_on_this_machine_only(playground: Playground) -> None:
    assert playground.server_address[0] == "127.0.0.1"
    assert len(playground.token) >= 32 and playground.address.endswith(f"/#token={playground.token}")


def test_says_what_is_wrong_with_its_arguments(playground: Playground) -> None:
    taken = metalift("serve", "--port", str(playground.server_port))
    assert taken.status == 2 and f"port {playground.server_port} is taken: --port 0 takes a free one" in taken.errors
    assert "did you mean numpy?" in metalift("serve", "--to", "nunpy").errors
    assert "is not the number of a port" in metalift("serve", "--port", "65536").errors


@pytest.mark.quick("matrix times vector", "two images multiplied", "heat on a rod")  # the others load large libraries
@pytest.mark.parametrize("title", [example["title"] for example in pages.examples()])
def test_the_examples_are_proved(playground: Playground, title: str) -> None:
    (example,) = [each for each in pages.examples() if each["title"] == title]
    answer = lift(playground, example["source"], example["language"], to=[example["target"]])
    assert answer.last("function")["verdict"] == "PROVED"


def test_the_editor_is_what_its_sources_make() -> None:
    _, text = pages.FILES["/editor.js"]
    folder = ROOT / "scripts" / "editor"
    for name in ("editor.js", "package-lock.json"):
        assert f"{name} {hashlib.sha256((folder / name).read_bytes()).hexdigest()}" in text, f"npm run build in {folder}"
    lock = json.loads((folder / "package-lock.json").read_text())["packages"]
    shipped = {path.removeprefix("node_modules/"): one["version"] for path, one in lock.items() if path and not one.get("dev")}
    _, licences = pages.FILES["/licences.txt"]
    for name in [line.split()[1] for line in licences.splitlines() if line.startswith("## ")]:
        assert f"## {name} {shipped[name]} (MIT)" in licences
    assert licences.count("Permission is hereby granted") == licences.count("## ")
    assert "resolved" not in (folder / "package-lock.json").read_text()
