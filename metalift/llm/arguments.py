"""The options of the command line that say how language models are asked."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from metalift.system.argument_types import count, dollars, seconds

if TYPE_CHECKING:
    from metalift.llm.opening import LlmOptions


def add_models(command: argparse.ArgumentParser) -> None:
    """How language models are asked."""
    models = command.add_argument_group("language models")
    model_help = "a model to ask; may be repeated (default: one of the first provider with a key)"
    models.add_argument("--model", metavar="PROVIDER:NAME[@URL]", action="append", default=[], help=model_help)
    models.add_argument("--samples", metavar="N", type=count, default=1, help="answers of each model to a prompt (default: 1)")
    tokens_help = "tokens of an answer, reasoning included (default: 16000)"
    models.add_argument("--answer-tokens", metavar="N", type=count, default=16_000, help=tokens_help)
    models.add_argument("--max-calls", metavar="N", type=count, default=100, help="budget: calls of this run (default: 100)")
    max_tokens_help = "budget: tokens of this run, in and out (default: 1000000)"
    models.add_argument("--max-tokens", metavar="N", type=count, default=1_000_000, help=max_tokens_help)
    models.add_argument("--max-cost", metavar="USD", type=dollars, help="budget: US dollars of this run (default: no limit)")
    models.add_argument("--prices", metavar="FILE", type=Path, help="a TOML file with prices, before those that metalift knows")
    call_help = "seconds for each call (default: 300)"
    models.add_argument("--call-seconds", metavar="S", type=seconds, default=300.0, help=call_help)
    models.add_argument("--llm-store", metavar="FILE", type=Path, help="where calls are stored (default: the user's cache)")
    batch_help = "with exchange: write the prompts of all functions first, then take whichever answers come"
    models.add_argument("--exchange-batch", action="store_true", help=batch_help)
    wait_help = "with exchange: seconds to wait for an answer (default: 3600)"
    models.add_argument("--exchange-seconds", metavar="S", type=seconds, default=3600.0, help=wait_help)


def llm_options(options: argparse.Namespace) -> LlmOptions:
    """How models are asked."""
    from metalift.llm.budget import Limits
    from metalift.llm.opening import LlmOptions

    return LlmOptions(
        models=tuple(options.model),
        samples=options.samples,
        answer_tokens=options.answer_tokens,
        limits=Limits(options.max_calls, options.max_tokens, options.max_cost),
        call_seconds=options.call_seconds,
        prices=options.prices,
        store=options.llm_store,
        exchange_batch=options.exchange_batch,
        exchange_seconds=options.exchange_seconds,
    )
