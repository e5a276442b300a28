"""The commands `batch` and `status`: their arguments, and what they print."""

from __future__ import annotations

import argparse
from pathlib import Path

from metalift.llm.arguments import add_models, llm_options
from metalift.system.argument_types import add_jobs, add_reports, add_targets, count, seconds
from metalift.system.arguments import BATCH_OUT


def add_batch(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The parsers of both."""
    batch = commands.add_parser(
        "batch",
        help="lift suites of kernels, in several processes; a finished result is kept and never computed again",
        description="Lift the kernels of suites: a folder with a manifest.toml or with sources, a TOML manifest, or a file with "
        "lines of file:function. Killed at any moment, the same command goes on where it stopped.",
        epilog="exit status: 0 all proved, with code that agrees; 1 something was not; 2 bad use; 130 interrupted",
    )
    batch.add_argument("suite", metavar="SUITE", type=Path, nargs="+", help="what to lift")
    add_targets(batch)
    out_help = f"folder for results and code (default: {BATCH_OUT})"
    batch.add_argument("--out", metavar="DIR", type=Path, default=BATCH_OUT, help=out_help)
    add_jobs(batch, "processes")
    engine_help = "where kernels are lifted: local processes, or Ray (default: local)"
    batch.add_argument("--engine", choices=("local", "ray"), default="local", help=engine_help)
    address_help = "with ray: the cluster's address, or auto (default: a Ray of its own on this machine)"
    batch.add_argument("--address", metavar="A", help=address_help)
    limit_help = "seconds for each kernel (default: 120)"
    batch.add_argument("--seconds", dest="time_limit", metavar="S", type=seconds, default=120.0, help=limit_help)
    batch.add_argument("--memory", metavar="MIB", type=count, default=4096, help="MiB of memory for each kernel (default: 4096)")
    batch.add_argument("--only", metavar="GLOB", action="append", default=[], help="only kernels called so; may be repeated")
    batch.add_argument("--retry-failed", action="store_true", help="compute again what was not proved")
    batch.add_argument("--log-json", metavar="FILE", type=Path, help="add a JSON object for each event to this file")
    add_reports(batch)
    measure_help = "then time the code of what is proved beside its source compiled by gcc -O3"
    batch.add_argument("--measure", action="store_true", help=measure_help)
    batch.add_argument("--trace", metavar="FILE", type=Path, help="write a trace, for Perfetto or Chrome's about:tracing")
    proposer_help = "who proposes programs, as for lift; a budget is one of the whole run"
    batch.add_argument("--proposer", metavar="P,...", help=proposer_help)
    add_models(batch)
    status = commands.add_parser("status", help="show how far a batch is, also while it runs")
    status.add_argument("folder", metavar="DIR", type=Path, help="the batch's --out")
    status.add_argument("--report", action="store_true", help="write the report of what is finished")


def run_batch(options: argparse.Namespace) -> bool:
    """metalift batch: a line for each kernel as it is finished, then the totals. Whether all is proved."""
    from metalift.app import ci
    from metalift.app.batch import live, observe, outcomes, report, run
    from metalift.app.batch.asking import Asking

    given = run.Options(
        tuple(options.to),
        options.out,
        options.driver,
        options.jobs,
        options.timeout,
        options.time_limit,
        options.memory << 20,
        tuple(options.only),
        options.retry_failed,
        options.engine,
        options.address,
        options.measure,
        Asking(options.proposer, llm_options(options)),
        options.configuration,
    )
    with observe.observers(options.log_json, options.trace) as observers, live.shown(_say, observers) as listen:
        rows = run.run(options.suite, given, listen)
    written = report.write(options.out)
    ci.write(options, "batch", outcomes.of(options.out))
    _say(report.totals(rows))
    _say(f"report: {written}")
    return all(row.ok for row in rows)


def run_status(options: argparse.Namespace) -> None:
    """metalift status: how far a batch is."""
    from metalift.app.batch import report

    _say(report.status(options.folder))
    if options.report:
        _say(f"report: {report.write(options.folder)}")


def _say(line: str) -> None:
    print(line, flush=True)
