"""The walls of the project: who imports whom, how long a file may be, and what the page may load."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.corpus import REPOSITORY

FOLDERS = ("tape", "components", "sample_sessions", "benchmarks", "docs", "tests")
FILES = sorted(path for top in FOLDERS for path in (REPOSITORY / top).rglob("*.py"))
CODE = [REPOSITORY / "app.py", *(path for path in FILES if "workspaces" not in path.parts)]
CORE = [path for path in CODE if path.is_relative_to(REPOSITORY / "tape")]
ASSETS = sorted(p for p in (REPOSITORY / "components").rglob("*") if p.suffix in {".js", ".css", ".html"})
BUDGET = {".py": 400, ".js": 450, ".css": 450, ".html": 450}

GROUND = ("tape.model", "tape.blocks", "tape.errors", "tape.notes", "tape.progress", "tape.records")
RUNNING = (
    "tape.endpoint",
    "tape.client",
    "tape.agent",
    "tape.tools",
    "tape.cli",
    "tape.cli_run",
    "tape.lessons",
)


def name(path: Path) -> str:
    """The path inside the repository."""
    return path.relative_to(REPOSITORY).as_posix()


def module(path: Path) -> str:
    """The dotted name of a Python file."""
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def under(dotted: str, *roots: str) -> bool:
    """Whether a dotted name is one of the roots or inside one."""
    return any(dotted == root or dotted.startswith(f"{root}.") for root in roots)


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Every module that a file imports, wherever in it, save those under ``if TYPE_CHECKING``."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text("utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)} imports relatively"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def importers(paths: list[Path], *forbidden: str) -> dict[str, list[str]]:
    """The files that import what they must not, with what that is."""
    found = {name(path): [i for i in imports(path) if under(i, *forbidden)] for path in paths}
    return {file: names for file, names in found.items() if names}


def run(program: str) -> subprocess.CompletedProcess[str]:
    """Runs a Python program in the repository."""
    return subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True)


def test_the_core_does_not_know_the_page() -> None:
    assert importers(CORE, "streamlit", "plotly", "pandas", "components", "app", "tests") == {}


def test_components_do_not_know_the_app() -> None:
    components = [path for path in CODE if path.is_relative_to(REPOSITORY / "components")]
    assert components
    assert importers(components, "app", "tests", "anthropic") == {}


def test_only_the_page_knows_streamlit_and_plotly() -> None:
    page = [REPOSITORY / "app.py", REPOSITORY / "components", REPOSITORY / "tests"]
    others = [path for path in CODE if not any(path.is_relative_to(p) for p in page)]
    assert importers(others, "streamlit", "plotly") == {}


def test_one_file_knows_the_sdk() -> None:
    assert set(importers(CORE, "anthropic")) == {"tape/client.py"}


def test_the_ground_stands_on_itself() -> None:
    found = {i for path in CORE if module(path) in GROUND for i in imports(path) if under(i, "tape")}
    assert {i for i in found if not under(i, *GROUND)} == set()


def test_what_reads_and_judges_does_not_know_what_runs() -> None:
    judging = [path for path in CORE if not under(module(path), *RUNNING) and path.parent.name != "tape"]
    assert importers(judging, *RUNNING) == {}


def test_no_module_of_the_core_opens_a_connection_when_imported() -> None:
    modules = [module(path) for path in CORE if path.name != "__main__.py"]
    done = run(
        "import sys, importlib\n"
        "def refuse(event, args):\n"
        "    if event in ('socket.connect', 'socket.bind', 'socket.getaddrinfo', 'socket.sendto'):\n"
        "        raise SystemExit(f'{event} {args[1:]} at import')\n"
        "sys.addaudithook(refuse)\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
    )
    assert done.returncode == 0, done.stderr


def test_importing_the_package_loads_nothing_heavy() -> None:
    done = run("import sys, tape; print({'anthropic', 'starlette', 'genai_prices'} & set(sys.modules))")
    assert done.stdout.strip() == "set()", done.stderr


def test_every_module_says_what_it_is() -> None:
    silent = [name(p) for p in CODE if len(ast.get_docstring(ast.parse(p.read_text("utf-8"))) or "") < 20]
    assert silent == []


def test_every_file_keeps_to_one_subject() -> None:
    lengths = {name(p): len(p.read_text("utf-8").splitlines()) - BUDGET[p.suffix] for p in [*CODE, *ASSETS]}
    assert {file: over for file, over in lengths.items() if over > 0} == {}
    assert [name(p) for p in CODE if re.search(r"util|helper|manager|misc|common", p.stem)] == []


def test_the_page_asks_nothing_of_other_servers() -> None:
    assert ASSETS
    text = {name(path): path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "") for path in ASSETS}
    found = {file: re.findall(r"https?://\S+", content) for file, content in text.items()}
    assert {file: addresses for file, addresses in found.items() if addresses} == {}


def test_requirements_are_what_the_code_imports() -> None:
    import_name = {"pillow": "PIL", "markdown_it_py": "markdown_it", "pyyaml": "yaml"}
    ours = {"app", *FOLDERS, "__future__", *sys.stdlib_module_names}

    def declared(file: str) -> set[str]:
        lines = (REPOSITORY / file).read_text("utf-8").splitlines()
        names = {
            re.split(r"[>=<\[]", line)[0].lower().replace("-", "_") for line in lines if line[:1].isalpha()
        }
        return {import_name.get(n, n) for n in names}

    def third_party(paths: list[Path]) -> set[str]:
        return {found.partition(".")[0] for path in paths for found in imports(path)} - ours

    page = third_party([path for path in CODE if under(module(path), "app", "tape", "components")])
    sandboxed = {"pytest"}  # not imported: commands in the sandbox run the tests of a workspace with it
    assert page | sandboxed == declared("requirements.txt")
    programs = {
        "mypy",
        "ruff",
        "pytest_xdist",
        "pandas_stubs",
        "types_pygments",
        "types_pyyaml",
        "types_regex",
    }
    assert third_party(CODE) - page - sandboxed == declared("requirements-dev.txt") - programs
