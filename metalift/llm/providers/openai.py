"""Chat completions: OpenAI, and every server that speaks its protocol (vLLM, Ollama, llama.cpp)."""

from __future__ import annotations

import openai
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice

from metalift.llm.completion import Completion, counted
from metalift.llm.providers import transport

UNNEEDED = "none"  # sent to servers that want no key: the client insists on one


class OpenAI:
    """A model behind this protocol. `seconds` bounds a call."""

    def __init__(self, name: str, server: str | None, key: str | None, seconds: float) -> None:
        self._name = name
        self._seconds = seconds
        self._client = openai.OpenAI(
            api_key=key or UNNEEDED,
            base_url=server or "https://api.openai.com/v1",
            max_retries=0,
            timeout=seconds,
            http_client=transport.http_client(seconds),
        )
        self._own_server = server is not None

    def complete(self, prompt: str, answer_tokens: int) -> Completion:
        """One call. OpenAI refuses `max_tokens` for models that reason; other servers may not know its successor."""
        messages: list[openai.types.chat.ChatCompletionMessageParam] = [{"role": "user", "content": prompt}]
        create = self._client.chat.completions.create
        try:
            if self._own_server:
                answer = create(model=self._name, messages=messages, max_tokens=answer_tokens)
            else:
                answer = create(model=self._name, messages=messages, max_completion_tokens=answer_tokens)
        except Exception as error:  # noqa: BLE001  # clients let exceptions of all layers through
            raise transport.failure(error, self._seconds) from None
        return _completion(answer)


def _completion(answer: object) -> Completion:
    """The first choice; the client validates nothing of what a server sends."""
    match answer:
        case ChatCompletion(choices=[Choice(message=ChatCompletionMessage() as message, finish_reason=stopped), *_], usage=usage):
            text = message.content or message.refusal or ""
        case _:
            raise transport.strange()
    if not isinstance(text, str):
        raise transport.strange()
    if not isinstance(usage, CompletionUsage):
        return Completion(text, None, None, str(stopped))
    return Completion(text, counted(usage.prompt_tokens), counted(usage.completion_tokens), str(stopped))
