"""A headless Chromium that opens a page from a file or an address, as large as a desktop's or a phone's screen, light or dark."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

DESKTOP, PHONE = (1400, 1000), (390, 844)
ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars")


def missing() -> str | None:
    """What has to be installed first, None where nothing is."""
    return next((f"{name} is not installed" for name in ("chromium", "chromedriver") if shutil.which(name) is None), None)


@contextmanager
def browser(page: Path | str, *, size: tuple[int, int] = DESKTOP, dark: bool = False) -> Iterator[Chrome]:
    """The page in a browser, which ends with the block."""
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=ChromeService(shutil.which("chromedriver")))
    try:
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        driver.get(page if isinstance(page, str) else page.resolve().as_uri())
        yield driver
    finally:
        driver.quit()


def complaints(driver: Chrome) -> list[str]:
    """What the console has got since the last call: errors, and what the page's policy did not permit."""
    entries: list[dict[str, Any]] = driver.execute("getLog", {"type": "browser"})["value"]
    return [str(entry["message"]) for entry in entries]


def screenshot(driver: Chrome, path: Path, height: int = 1400) -> None:
    """The top of the page as PNG."""
    width = driver.execute_script("return innerWidth")
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    made = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    path.write_bytes(base64.b64decode(made["data"]))
