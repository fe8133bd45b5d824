"""Headers that tell a browser to fetch nothing from elsewhere and to guess no types."""

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Streamlit's own front end needs inline styles, blob: modules (components) and data: fonts and images.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        # A saved film and a saved page are shown before they are saved.
        "media-src 'self' blob:",
        "frame-src 'self' blob:",
        "connect-src 'self' ws: wss: data: blob:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # The address holds what was typed: no request repeats it, so no log of a proxy can keep it.
    "Referrer-Policy": "strict-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def headers_for(frame_ancestors: str = "") -> dict[str, str]:
    """Return the headers of every answer.

    Args:
        frame_ancestors: who may show the app in a frame, as in a content security policy; "" is everybody.
    """
    policy = f"{POLICY}; frame-ancestors {frame_ancestors}" if frame_ancestors else POLICY
    return {**HEADERS, "Content-Security-Policy": policy}


class SecurityHeaders:
    """ASGI middleware that adds headers to every HTTP answer, and closes Streamlit's open metrics."""

    def __init__(self, app: ASGIApp, frame_ancestors: str = "", metrics: bool = False) -> None:
        """Wrap the application.

        Args:
            app: the application that answers.
            frame_ancestors: who may show the app in a frame; "" is everybody.
            metrics: whether `/_stcore/metrics` answers.
        """
        self.app = app
        self.headers = headers_for(frame_ancestors)
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and add the headers on the way back."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
            await send(message)

        if not self.metrics and scope["path"].rstrip("/").endswith("/metrics"):
            answer = PlainTextResponse("Metrics are closed here.", status_code=404)
            await answer(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)
