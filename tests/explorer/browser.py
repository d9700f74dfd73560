"""One headless Chromium, and what the tests ask of it."""

import json
import os
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from tests.structure.source import ROOT

__all__ = ["Browser"]

_PAGE = (ROOT / "docs" / "explorer.html").as_uri()
# The page asks for nothing; the rest keeps the browser itself from asking.
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    # every case is opened one after the other, faster than a person would
    "--disable-ipc-flooding-protection",
    "--disable-component-update",
    "--hide-scrollbars",
)
# Seconds that one call may take on a busy machine.
_PATIENCE = 300


class Browser:
    """Chromium with the page in it."""

    def __init__(self, profile: Path) -> None:
        options = webdriver.ChromeOptions()
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.binary_location = _program("CHROMIUM", "chromium")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        service = Service(_program("CHROMEDRIVER", "chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_script_timeout(_PATIENCE)
        self.driver.command_executor.client_config.timeout = _PATIENCE

    def quit(self) -> None:
        """End the browser."""
        self.driver.quit()

    def open(
        self,
        case: str = "",
        place: str = "",
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
    ) -> None:
        """Load the page anew at a case, in a window of this size."""
        sizes = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sizes)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get("about:blank")
        self.driver.get(f"{_PAGE}#{case}" + (f"@{quote(place)}" if place else ""))

    def run(self, script: str, *arguments: Any) -> Any:
        """What the body of a function gives back."""
        return self.driver.execute_script(script, *arguments)

    def later(self, script: str, *arguments: Any) -> Any:
        """What the body of an asynchronous function gives back."""
        body = f"const done = arguments[arguments.length - 1]; (async () => {{ {script} }})()"
        return self.driver.execute_async_script(
            f"{body}.then(done, (error) => done({{ error: String(error) }}))", *arguments
        )

    def find(self, selector: str) -> WebElement:
        """The first element of a selector."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def focused(self) -> WebElement:
        """The element that the keyboard speaks to."""
        return self.driver.switch_to.active_element

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        for key in keys:
            self.focused().send_keys(key)

    def complaints(self) -> list[str]:
        """What stands in the console since last asked: errors, and requests that the page's policy stopped."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Every address that was asked for since last asked, but the page itself and data in it."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"].partition("#")[0])
        return [
            url
            for url in found
            if url not in (_PAGE, "about:blank") and not url.startswith("data:")
        ]


def _program(variable: str, name: str) -> str:
    found = os.environ.get(variable) or shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is not installed, and {variable} names none")
    return found
