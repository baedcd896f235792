"""One file with everything in it: data that cannot end their element, and a policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

_IN_SCRIPTS = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def json_for_script(data: Any) -> str:
    r"""JSON for inside of a script element: whatever texts say, it has no tag, no comment and no entity.

    Examples:
        >>> print(json_for_script(["</script>", "<!--"]))
        ["\u003c/script\u003e","\u003c!--"]
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_IN_SCRIPTS)


def policy(styles: list[str], scripts: list[str]) -> str:
    """A Content-Security-Policy under which these run, and nothing else does; nothing is fetched.

    Args:
        styles: What stands in style elements, to the letter.
        scripts: Likewise in script elements.
    """
    parts = [
        "default-src 'none'",
        f"style-src {' '.join(map(_hash, styles))}",
        f"script-src {' '.join(map(_hash, scripts))}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(parts)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
