"""The words that results use, each with a sentence that says what it means."""

from __future__ import annotations

from enum import Enum


class Word(Enum):
    """An enum whose members carry the word printed in results and a sentence for people."""

    sentence: str

    def __new__(cls, word: str, sentence: str) -> Word:
        """A member with the value `word`."""
        member = object.__new__(cls)
        member._value_ = word
        member.sentence = sentence
        return member


class ObligationVerdict(Word):
    """What is known of one obligation."""

    PROVED = "PROVED", "It holds for all inputs: its negation is unsatisfiable, and a concrete run reaches it."
    REFUTED = "REFUTED", "A concrete input or state makes it false."
    UNKNOWN = "UNKNOWN", "Neither proved nor refuted; the reason says what stopped the solver."


class FunctionVerdict(Word):
    """What is known of one function, or of one target of it; the function's is the worst of the targets asked for."""

    PROVED = "PROVED", "The summary and the generated code equal the source for all inputs, under the listed assumptions."
    TESTED = "TESTED", "It agrees with the source on all inputs tried; it is not proved."
    VACUOUS = "VACUOUS", "No input was found on which the source is defined and the assumptions hold: nothing is claimed."
    NOT_LIFTED = "NOT_LIFTED", "No summary in the target's operators was found and proved."
    UNSUPPORTED = "UNSUPPORTED", "The source uses something that is not modelled."
    ERROR = "ERROR", "Something went wrong; nothing is claimed."


class Agreement(Word):
    """What running the generated code beside the compiled source showed."""

    AGREES = "agrees", "The results agreed on every input."
    DIFFERS = "differs", "The results differed on some input."
    NOT_RUN = "not run", "The generated code was not executed."


class Checked(Word):
    """Whether the generated code checks an assumption."""

    GUARD = "guard", "The generated code raises ValueError where it does not hold."
    NO = "no", "The caller has to see to it."
