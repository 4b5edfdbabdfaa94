"""A service that sends the given answers in order and records the requests."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from latchkey_links import AsyncLinksClient, LinksClient


@dataclass(frozen=True)
class FakeAnswer:
    status: int = 200
    body: Any = field(default_factory=dict[str, Any])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    never: bool = False


@dataclass(frozen=True)
class RecordedRequest:
    method: str
    path: str
    headers: dict[str, str]
    body: Any


class FakeService:
    def __init__(self, answers: tuple[FakeAnswer, ...]) -> None:
        self.requests: list[RecordedRequest] = []
        self.answers = list(answers)
        self.ended = threading.Event()
        self.was_requested = threading.Event()
        self.url = ""

    def answer(self, request: RecordedRequest) -> FakeAnswer:
        self.requests.append(request)
        answer = (
            self.answers.pop(0) if self.answers else FakeAnswer(500, {"error": "Asked too often"})
        )
        self.was_requested.set()
        if answer.never:
            self.ended.wait(10)
        return answer


def _handler(service: FakeService) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            text = self.rfile.read(int(self.headers.get("content-length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = json.loads(text) if text else None
            answer = service.answer(RecordedRequest(self.command, self.path, headers, body))
            if answer.never:
                self.close_connection = True
                return
            content = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
            self.send_response(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content.encode())))
            self.end_headers()
            self.wfile.write(content.encode())

        do_GET = do_POST = do_PUT = do_DELETE = _answer

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


@contextmanager
def fake_service(*answers: FakeAnswer) -> Generator[FakeService, None, None]:
    service = FakeService(answers)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(service))
    server.daemon_threads = True
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


def ask(kind: str, url: str, call: Callable[[Any], Any], **options: Any) -> Any:
    """Make one call, blocking or with asyncio; iterators are read to their end."""
    if kind == "sync":
        with LinksClient(url, api_key="sk_test", **options) as client:
            value = call(client)
            return list(value) if hasattr(value, "__next__") else value

    async def run() -> Any:
        async with AsyncLinksClient(url, api_key="sk_test", **options) as client:
            value = call(client)
            if hasattr(value, "__aiter__"):
                return [item async for item in value]
            return await value

    return asyncio.run(run())
