"""Generate content: Google's Gemini."""

from __future__ import annotations

from google import genai
from google.genai import types

from metalift.llm.completion import CallFailed, Completion, counted
from metalift.llm.providers import transport


class Google:
    """A model behind this protocol. `seconds` bounds a call."""

    def __init__(self, name: str, server: str | None, key: str | None, seconds: float) -> None:
        self._name = name
        self._seconds = seconds
        self._http = transport.http_client(seconds)
        self._client = genai.Client(
            api_key=key or "none",
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=server,
                timeout=round(1000 * seconds),
                httpx_client=self._http,
                client_args={"verify": transport.trusted()},  # else it reads the certificates for clients that it does not use
                retry_options=types.HttpRetryOptions(attempts=1),
            ),
        )

    def complete(self, prompt: str, answer_tokens: int) -> Completion:
        """One call."""
        config = types.GenerateContentConfig(max_output_tokens=answer_tokens)
        try:
            answer = self._client.models.generate_content(model=self._name, contents=prompt, config=config)
        except Exception as error:  # noqa: BLE001  # clients let exceptions of all layers through
            raise transport.failure(error, self._seconds) from None
        return _completion(answer)


def _completion(answer: types.GenerateContentResponse) -> Completion:
    """The text of the first candidate, without its thoughts."""
    tokens_in, tokens_out = _tokens(answer.usage_metadata)
    if not answer.candidates:
        blocked = answer.prompt_feedback.block_reason if answer.prompt_feedback is not None else None
        if blocked is None:
            raise transport.strange()
        raise CallFailed(f"the provider blocked the prompt ({blocked.value})", taken=True)
    candidate = answer.candidates[0]
    parts = (candidate.content.parts if candidate.content is not None else None) or []
    text = "".join(part.text for part in parts if part.text is not None and not part.thought)
    stopped = candidate.finish_reason.value if candidate.finish_reason is not None else "unknown"
    return Completion(text, tokens_in, tokens_out, stopped)


def _tokens(usage: types.GenerateContentResponseUsageMetadata | None) -> tuple[int | None, int | None]:
    """In and out, thoughts included."""
    if usage is None:
        return None, None
    answer = counted(usage.candidates_token_count)
    return counted(usage.prompt_token_count), None if answer is None else answer + (counted(usage.thoughts_token_count) or 0)
