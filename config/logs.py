"""Log lines as JSON objects: time, level, logger, message, and extra fields."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

import orjson

ORJSON_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS  # written with `str`
STANDARD_FIELDS = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: value for name, value in record.__dict__.items() if name not in STANDARD_FIELDS}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        try:
            return orjson.dumps(line, default=str, option=ORJSON_OPTIONS).decode()
        except TypeError:  # invalid Unicode, or an integer beyond 64 bits: rare, and slower to write
            return json.dumps(line, default=str, ensure_ascii=False)
