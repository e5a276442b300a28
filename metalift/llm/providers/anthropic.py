"""Messages: Anthropic."""

from __future__ import annotations

import anthropic
from anthropic.types import Message, TextBlock, Usage

from metalift.llm.completion import Completion, counted
from metalift.llm.providers import transport


class Anthropic:
    """A model behind this protocol. `seconds` bounds a call; `bearer`: the key is a token for `Authorization`."""

    def __init__(self, name: str, server: str | None, key: str | None, bearer: bool, seconds: float) -> None:
        self._name = name
        self._seconds = seconds
        self._client = anthropic.Anthropic(
            api_key=None if bearer else key or "none",
            auth_token=key if bearer else None,
            base_url=server or "https://api.anthropic.com",
            max_retries=0,
            timeout=seconds,
            http_client=transport.http_client(seconds),
        )

    def complete(self, prompt: str, answer_tokens: int) -> Completion:
        """One call."""
        try:
            answer = self._client.messages.create(
                model=self._name, max_tokens=answer_tokens, messages=[{"role": "user", "content": prompt}]
            )
        except Exception as error:  # noqa: BLE001  # clients let exceptions of all layers through
            raise transport.failure(error, self._seconds) from None
        return _completion(answer)


def _completion(answer: object) -> Completion:
    """The text blocks together; the client validates nothing of what a server sends."""
    if not isinstance(answer, Message) or not isinstance(answer.content, list):
        raise transport.strange()
    texts = [block.text for block in answer.content if isinstance(block, TextBlock)]
    if not all(isinstance(text, str) for text in texts):
        raise transport.strange()
    tokens_in, tokens_out = _tokens(answer.usage)
    return Completion("".join(texts), tokens_in, tokens_out, str(answer.stop_reason))


def _tokens(usage: object) -> tuple[int | None, int | None]:
    """In, with what went through the provider's prompt cache, and out."""
    if not isinstance(usage, Usage):
        return None, None
    cached = (counted(usage.cache_creation_input_tokens) or 0) + (counted(usage.cache_read_input_tokens) or 0)
    tokens_in = counted(usage.input_tokens)
    return None if tokens_in is None else tokens_in + cached, counted(usage.output_tokens)
