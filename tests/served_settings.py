"""The settings of servers that tests start: those of production, with templates compiled once for all servers."""

from config.settings import *  # noqa: F403
from config.settings import TEMPLATES

from .compiled_templates import CompiledTemplates

TEMPLATES[0]["OPTIONS"]["bytecode_cache"] = CompiledTemplates()
