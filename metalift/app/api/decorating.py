"""The decorator `metalift.lifted`: proved code in the place of a Python function."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from metalift.app.api.given import text_of_function
from metalift.result.errors import NotProved, UsageError


def replacement(original: Callable[..., Any], strict: bool, options: dict[str, Any]) -> Callable[..., Any]:
    """The original under its own name, which is lifted when it is first called.

    It is lifted anew where a variable of the module that it reads has been given another value since.
    """
    chosen: Callable[..., Any] | None = None
    captured: dict[str, object] = {}

    def changed() -> bool:
        space: dict[str, object] = getattr(original, "__globals__", {})
        return any(space.get(name) is not value for name, value in captured.items())

    @functools.wraps(original)
    def call(*args: Any, **keywords: Any) -> Any:  # noqa: ANN401 - those of any function
        nonlocal chosen
        if chosen is None or changed():
            chosen = _chosen(original, strict, options, captured)
        return chosen(*args, **keywords)

    return call


def _chosen(
    original: Callable[..., Any], strict: bool, options: dict[str, Any], captured: dict[str, object]
) -> Callable[..., Any]:
    """The proved code, or the original with a warning. Raises NotProved where that will not do."""
    from metalift import lift

    try:
        captured.update(text_of_function(original).captured)
        (result, *_) = lift(original, **options).functions
        if result.ok:
            return result.function
        why = next((reason.what for reason in result.reasons), result.verdict.sentence)
    except UsageError as problem:
        if strict:
            raise
        why = str(problem)
    message = f"{original.__qualname__} is not proved, the original runs: {why}"
    if strict:
        raise NotProved(message)
    warnings.warn(message, RuntimeWarning, stacklevel=3)
    return original
