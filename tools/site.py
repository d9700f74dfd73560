"""What mkdocs needs to know of this repository: a hook, named in mkdocs.yml.

The pages are plain Markdown that links to files beside docs/ too (CHANGELOG.md, spec/README.md, sources). On the site
those files stand below `repository/`, and the links lead there. A link to a file that is not there stays as it is, so
that the strict build refuses it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
BESIDE = "repository"
LINK = re.compile(r"(\[[^\]]*\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
ALWAYS = ("CHANGELOG.md",)


def _origin(uri: str) -> Path:
    """The file of the repository behind a page of the site."""
    beside = uri.removeprefix(f"{BESIDE}/")
    return ROOT / beside if beside != uri else ROOT / "docs" / uri


def _target(page: Path, link: str) -> Path | None:
    """The file of the repository that a link of a page names, if it is one."""
    if ":" in link:
        return None
    found = (page.parent / link).resolve()
    if found.is_dir():
        found /= "README.md"
    return found if found.is_file() and found.is_relative_to(ROOT) else None


def _uri(file: Path) -> str:
    """Where a file of the repository stands on the site."""
    place = file.relative_to(ROOT)
    return Path(*place.parts[1:]).as_posix() if place.parts[0] == "docs" else f"{BESIDE}/{place}"


def _linked(page: Path) -> Iterator[Path]:
    for match in LINK.finditer(page.read_text("utf-8")):
        target = _target(page, match[2])
        if target is not None:
            yield target


def on_files(files: Files, config: Any) -> Files:
    """Bring in what pages link to outside docs/, and what that links to."""
    waiting = [_origin(file.src_uri) for file in files if file.is_documentation_page()]
    waiting += [ROOT / name for name in ALWAYS]
    seen: set[Path] = set()
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        uri = _uri(page)
        if files.get_file_from_path(uri) is None:
            files.append(File.generated(config, uri, abs_src_path=str(page)))
        if page.suffix == ".md":
            waiting += _linked(page)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links to files of the repository into links of the site."""
    here = page.file.src_uri
    origin = _origin(here)
    above = "../" * here.count("/")

    def link(match: re.Match[str]) -> str:
        target = _target(origin, match[2])
        return match[0] if target is None else f"{match[1]}{above}{_uri(target)}{match[3]}"

    return LINK.sub(link, markdown)
