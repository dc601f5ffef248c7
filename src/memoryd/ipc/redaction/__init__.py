"""Secrets and, when asked for, personal data in text become typed placeholders."""

from memoryd.ipc.redaction.engine import KEY_BYTES, SCANNED, Span, configure, find, redact, replace, telling

__all__ = ["KEY_BYTES", "SCANNED", "Span", "configure", "find", "redact", "replace", "telling"]
