"""A solver in a process of its own: reads one JSON request a line, answers each with one line; killed when it does not answer.

Request: {"number": n, "solver": "cvc5" | "z3", "smt": text, "timeout_ms": n}.
Answer: {"number": of the request, "answer": "unsat" | "sat" | "unknown", "reason": text, "seconds": s}, seconds of computing.
For the solver "cvc5 with proof" the answer also has the "proof", which cvc5 has checked step by step before; for "cvc5 with core"
the "core", the numbers of assertions that contradict each other.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from functools import partial
from typing import Any

from metalift.prove.cores import named, numbers_in

MEMORY = 4 << 30  # bytes of address space
SEEDS = 4  # tries of z3, which may be lost with one seed in what it finds at once with another
OUT_OF_TIME = ("timeout", "canceled")
Options = tuple[tuple[str, str], ...]
CORE: Options = (("produce-unsat-cores", "true"),)
PROVING: Options = (("produce-proofs", "true"), ("check-proofs", "true"), ("proof-format-mode", "cpc"))


def ask_cvc5(smt: str, timeout_ms: int, *, options: Options = ()) -> dict[str, Any]:
    """Run an SMT-LIB script with cvc5; the answer is that of its check-sat."""
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("tlimit-per", str(timeout_ms))
    solver.setOption("seed", "1")
    for name, value in options:
        solver.setOption(name, value)
    symbols = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, named(smt) if options == CORE else smt, "obligation")
    answers: list[str] = []
    core = ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            break
        if command.getCommandName() == "get-unsat-core" and answers != ["unsat"]:
            break
        said = command.invoke(solver, symbols).strip()
        if said and command.getCommandName() == "check-sat":
            answers.append(said)
        elif command.getCommandName() == "get-unsat-core":
            core = said
    made: dict[str, Any] = verdict(answers)
    if core:
        made["core"] = numbers_in(core)
    if options == PROVING and made["answer"] == "unsat":
        text = solver.proofToString(solver.getProof()[0])
        made["proof"] = text.decode() if isinstance(text, bytes) else str(text)
    return made


def ask_z3(smt: str, timeout_ms: int) -> dict[str, str]:
    """Run an SMT-LIB script with z3; each seed has the same share of what is left of the time."""
    import z3

    script = smt.replace("(check-sat)", "")
    end = time.perf_counter() + timeout_ms / 1000
    for seed in range(SEEDS):
        # In a context of its own: what came before would number the terms otherwise, and the answer would depend on it.
        solver = z3.Solver(ctx=z3.Context())
        solver.set("timeout", max(1, int((end - time.perf_counter()) * 1000 / (SEEDS - seed))))
        solver.set("random_seed", seed)
        solver.from_string(script)
        answer = str(solver.check())
        if answer != "unknown" or solver.reason_unknown() not in OUT_OF_TIME:
            break
    return {"answer": answer, "reason": "" if answer != "unknown" else solver.reason_unknown()}


def verdict(answers: list[str]) -> dict[str, str]:
    """The answer of a script with one check-sat; anything else is not an answer."""
    if answers == ["unsat"] or answers == ["sat"]:
        return {"answer": answers[0], "reason": ""}
    return {"answer": "unknown", "reason": "; ".join(answers)[:500]}


def main() -> None:
    """Serve requests until the input ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    ask: dict[str, Any] = {
        "cvc5": ask_cvc5,
        "cvc5 with proof": partial(ask_cvc5, options=PROVING),
        "cvc5 with core": partial(ask_cvc5, options=CORE),
        "z3": ask_z3,
    }
    for line in sys.stdin:
        request = json.loads(line)
        began = time.process_time()
        try:
            importlib.import_module(request["solver"].split()[0])  # loading a solver is not its time
            began = time.process_time()
            reply = ask[request["solver"]](request["smt"], request["timeout_ms"])
        except Exception as problem:  # noqa: BLE001 - whatever a solver raises is a reason, never an answer
            reply = {"answer": "unknown", "reason": f"{type(problem).__name__}: {problem}"[:500]}
        reply.update(number=request["number"], seconds=time.process_time() - began)
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
