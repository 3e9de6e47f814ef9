"""What reading a Python file and its tests shows about it, said in lines. Nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from tape.endpoint.mend import Mend, Miss, by_name, followed, mend, misses
from tape.endpoint.reckon import Expectation, expectations, functions
from tape.endpoint.reply import Line, line


@dataclass(frozen=True, slots=True)
class Verdict:
    """Lines that say it, the same in one word, and the change that would put it right, if one is seen."""

    lines: tuple[Line, ...]
    bare: str
    mend: Mend | None = None
    path: str = ""


def judge(files: Mapping[str, str], function: str | None) -> Verdict:
    """Judge one function, or every function when none is named, in the Python files given by path.

    A file is taken for a test when its name says so; the others are what is judged.
    """
    sources = {path: text for path, text in files.items() if not is_test(path)}
    tests = {path: text for path, text in files.items() if is_test(path)}
    for path, text in files.items():
        problem = _unparsable(text)
        if problem is not None:
            at, message = problem
            return Verdict(
                (
                    line(
                        "No: {path} does not parse. Line {line}: {error}.", path=path, line=at, error=message
                    ),
                ),
                "no",
                path=path,
            )
    wanted = [e for text in tests.values() for e in expectations(ast.parse(text))]
    if function is not None:
        wanted = [e for e in wanted if e.function == function]
    for path, text in sources.items():
        defined = functions(ast.parse(text))
        mine = [e for e in wanted if e.function in defined]
        wrong = misses(text, mine)
        if wrong:
            return _missed(path, text, wrong[0], mine, tests)
        for name in [function] if function in defined else defined:
            change = by_name(text, name) if name is not None and not mine else None
            if change is not None:
                return _misnamed(path, str(name), change)
    return _nothing_wrong(sources, function, wanted, tests)


def is_test(path: str) -> bool:
    """Whether a path looks like a test file."""
    name = path.rsplit("/", 1)[-1]
    return name.startswith("test_") or name.endswith("_test.py")


def describe(path: str, text: str) -> Line:
    """One line on what a file holds: the functions of a Python file, the first words of any other."""
    if path.endswith(".py") and _unparsable(text) is None:
        found = functions(ast.parse(text))
        if found:
            signatures = ", ".join(f"{name}({ast.unparse(node.args)})" for name, node in found.items())
            return line("{path} defines {names}.", path=path, names=signatures)
    first = next((one.strip() for one in text.splitlines() if one.strip()), "")
    if not first:
        return line("{path} is empty.", path=path)
    return line("{path} begins: “{first}”", path=path, first=first[:160])


def _unparsable(text: str) -> tuple[int, str] | None:
    try:
        ast.parse(text)
    except SyntaxError as error:
        return error.lineno or 1, error.msg
    except (ValueError, RecursionError, MemoryError) as error:
        return 1, str(error) or "it is nested too deeply"
    return None


def _missed(path: str, text: str, miss: Miss, mine: list[Expectation], tests: Mapping[str, str]) -> Verdict:
    name = miss.expectation.function
    change = mend(text, mine)
    lines = [line("No: {function} in {path} is not correct.", function=name, path=path)]
    at, code = (change.line, change.old.splitlines()[-1]) if change else _return_line(text, name)
    lines.append(
        line(
            "Line {line} says `{code}`, which gives {got}, but {tests} expects {text}.",
            line=at,
            code=code.strip(),
            got=repr(miss.got),
            tests=", ".join(tests),
            text=miss.expectation.text,
        )
    )
    if change is not None:
        lines.append(line("It should say `{new}`.", new=change.new.splitlines()[-1].strip()))
    return Verdict(tuple(lines), "no", change, path)


def _misnamed(path: str, name: str, change: Mend) -> Verdict:
    return Verdict(
        (
            line("No: {function} in {path} is not correct.", function=name, path=path),
            line(
                "Line {line} says `{code}`; by its name it should say `{new}`.",
                line=change.line,
                code=change.old.splitlines()[-1].strip(),
                new=change.new.splitlines()[-1].strip(),
            ),
            line("I have seen no test that says otherwise."),
        ),
        "no",
        change,
        path,
    )


def _nothing_wrong(
    sources: Mapping[str, str], function: str | None, wanted: list[Expectation], tests: Mapping[str, str]
) -> Verdict:
    paths = ", ".join(sources)
    defined = {name: path for path, text in sources.items() for name in functions(ast.parse(text))}
    if function is not None and function not in defined:
        if not defined:
            return Verdict(
                (line("I have not seen where {function} is defined.", function=function),), "unknown"
            )
        said = line(
            "{path} has no function {function}; it defines {names}.",
            path=paths,
            function=function,
            names=", ".join(defined),
        )
        return Verdict((said,), "no")
    understood = sum(
        followed(text, [e for e in wanted if e.function in defined]) for text in sources.values()
    )
    lines = (
        [line("I see nothing wrong in {path}.", path=paths)]
        if function is None
        else [
            line("Yes: {function} in {path} is correct as far as I can see.", function=function, path=paths),
            line("It says `{code}`.", code=_return_line(sources[defined[function]], function)[1].strip()),
        ]
    )
    if understood:
        lines.append(
            line(
                "{tests} agrees, in every expectation I could check ({count}).",
                tests=", ".join(tests),
                count=understood,
            )
        )
    elif wanted:
        return Verdict(
            (line("I cannot tell by reading {path} alone; running its tests would show it.", path=paths),),
            "unknown",
        )
    else:
        lines.append(line("I have seen no test that says otherwise."))
    return Verdict(tuple(lines), "yes")


def _return_line(text: str, function: str) -> tuple[int, str]:
    node: ast.FunctionDef | None = functions(ast.parse(text)).get(function)
    if node is None:
        return 1, ""
    returns = [child.lineno for child in ast.walk(node) if isinstance(child, ast.Return)]
    at = max(returns, default=node.lineno)
    return at, text.splitlines()[at - 1]
