"""Sums. "times 3?" goes on from the last number that an earlier answer in the array gives."""

from __future__ import annotations

import ast
import re
from fractions import Fraction

from tape.endpoint.reply import Reply, line
from tape.endpoint.seen import Seen

WORDS = {
    r"multiplied by|multiply(?: (?:it|that|this))? by|times|×|·": "*",
    r"divided by|divide(?: (?:it|that|this))? by|÷": "/",
    r"to the power of|\^": "**",
    r"plus|add": "+",
    r"minus|subtract|take away|−": "-",
}
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve"
WHOLE = {
    r"(?:double|twice)(?: (?:it|that|this))?": "*2",
    r"(?:halve|half)(?: (?:of )?(?:it|that|this))?": "/2",
    r"square(?: (?:it|that|this))?|squared": "**2",
}
FILLER = re.compile(
    r"\b(?:what|whats|what's|is|are|how much|calculate|compute|and|now|then|please|the|result|it|that|this|"
    r"equals?|answer|so|ok|okay|to|from|by|give|me|tell|can you|sum)\b|[?=!,:;\s]|\.(?!\d)"
)
SUM = re.compile(r"[-+*/().\d]+")
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")
LONGEST_QUESTION = 160
LARGEST = 10**30


def arithmetic(seen: Seen) -> Reply | None:
    """Answer a sum, or go on from the earlier answer: "2+2?" then "times 3?".

    The number to go on from is read from the array each time, so an edited answer changes the next one.
    """
    sum_text = _sum(seen.asked)
    if sum_text is None:
        return None
    start = ""
    if re.match(r"\*|/|\+", sum_text) or (sum_text.startswith("-") and _goes_on(seen.asked)):
        found = _earlier_number(seen)
        if found is None:
            return Reply((line("I see no earlier number in this array to go on from."),), bare="?")
        start, sum_text = found, f"({found}){sum_text}"
    try:
        value = _value(ast.parse(sum_text, mode="eval").body)
    except ZeroDivisionError:
        return Reply((line("Nothing can be divided by zero."),), bare="undefined")
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    shown = number_text(value)
    whole = shown if _only_number(seen) else None
    said = line("{sum} = {value}.", sum=_pretty(sum_text, start), value=shown)
    if whole is not None:
        return Reply((line("{text}", text=whole),), bare=shown)
    return Reply((said,), bare=shown, thought=f"The earlier answer I can see is {start}." if start else "")


def number_text(value: Fraction) -> str:
    """A number as people write it: whole, or with at most ten decimals."""
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.10f}".rstrip("0").rstrip(".")


def _sum(question: str) -> str | None:
    """The question as a sum of digits and signs, or ``None`` when anything else is left of it."""
    if len(question) > LONGEST_QUESTION:
        return None
    text = question.lower()
    for pattern, sign in WHOLE.items():
        text = re.sub(rf"\b(?:{pattern})\b", sign, text)
    for pattern, sign in WORDS.items():
        text = re.sub(rf"(?<![a-z])(?:{pattern})(?![a-z])", sign, text)
    text = re.sub(r"(?<=\d)\s*x\s*(?=\d)", "*", text)
    for number, word in enumerate(NUMBERS.split()):
        text = re.sub(rf"\b{word}\b", str(number), text)
    text = FILLER.sub("", text)
    return text if SUM.fullmatch(text) and re.search(r"[-+*/]", text) and re.search(r"\d", text) else None


def _goes_on(question: str) -> bool:
    return bool(re.match(r"\s*(?:and |now |then )*(?:minus|subtract|take away|[-−]\s)", question, re.I))


def _earlier_number(seen: Seen) -> str | None:
    for role in ("assistant", "user"):
        for said in reversed(seen.by(role)):
            numbers = NUMBER.findall(said.text) if said.position < seen.question.position else []
            if numbers:
                return str(numbers[-1]).replace(",", "")
    return None


def _only_number(seen: Seen) -> bool:
    """Whether the last answer was a bare number: then this one is, too."""
    earlier = [said for said in seen.by("assistant") if said.position < seen.question.position]
    return bool(earlier) and re.fullmatch(r"\s*-?[\d.,]*\d\s*", earlier[-1].text) is not None


def _value(node: ast.expr) -> Fraction:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _bounded(Fraction(str(number)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            power = _value(right)
            if power.denominator != 1 or abs(power) > 100:
                raise ValueError("power")
            return _bounded(Fraction(_value(left) ** int(power)))
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _value(left), _value(right)
            match op:
                case ast.Add():
                    return _bounded(a + b)
                case ast.Sub():
                    return _bounded(a - b)
                case ast.Mult():
                    return _bounded(a * b)
                case ast.Div():
                    return _bounded(a / b)
    raise ValueError(type(node).__name__)


def _bounded(value: Fraction) -> Fraction:
    if abs(value) > LARGEST or value.denominator > LARGEST:
        raise ValueError("too large")
    return value


def _pretty(text: str, start: str) -> str:
    if start:
        text = text.replace(f"({start})", start, 1)
    text = text.replace("**", "^")
    text = re.sub(r"(?<=[\d)])([-+*/^])", r" \1 ", text)
    return text.replace("*", "×").replace("/", "÷").replace(" - ", " − ")
