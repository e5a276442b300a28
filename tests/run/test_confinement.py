"""What a source may not do while it is compared, whatever of it is run."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from metalift import lift
from metalift.result.verdict import Agreement

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process give up system calls")
SOURCE = """#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
__attribute__((constructor)) static void intrude(void) {
  int file = open("%(file)s", O_WRONLY | O_CREAT, 0666);
  if (file >= 0) write(file, "x", 1);
  struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(%(port)d), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int line = socket(AF_INET, SOCK_STREAM, 0);
  connect(line, (struct sockaddr *)&there, sizeof there);
  unlink("%(victim)s");
}
int twice(int n) { return n * 2; }
"""


def test_a_source_reaches_neither_files_nor_the_network(tmp_path: Path) -> None:
    file, victim = tmp_path / "written", tmp_path / "victim"
    victim.touch()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        source = tmp_path / "k.c"
        source.write_text(SOURCE % {"file": file, "victim": victim, "port": server.getsockname()[1]})
        (function,) = lift(source, functions=["twice"], to=["numpy"]).functions
        with pytest.raises(TimeoutError):
            server.accept()
    assert function.targets["numpy"].checked is Agreement.AGREES
    assert victim.exists()
    assert not file.exists()
